// SPDX-License-Identifier: Apache-2.0
// Point to point, mailboxes and groups.
#include "engine/base/error.h"
#include "tests/unit/comm/support.h"

namespace syncline {
namespace {

using test::cell;
using test::cell_sum;
using test::filled;
using test::on_ranks;

TEST(Message, MatchedBySourceAndTagInOrderOfSending) {
  on_ranks(3, [](World& world) {
    auto& comm = world.communicator();
    if (world.rank() != 0) {
      for (int i = 0; i < 20; ++i) {
        const View view = View::host(1);
        view.data()[0] = static_cast<float>(100 * world.rank() + i);
        comm.send(view, 0, i % 2).wait();
      }
      return;
    }
    std::vector<View> views;
    std::vector<Work> works;
    for (const int tag : {1, 0}) {
      for (const int source : {2, 1}) {
        for (int i = 0; i < 10; ++i) {
          views.push_back(View::host(1));
          works.push_back(comm.receive(views.back(), source, tag));
        }
      }
    }
    std::size_t at = 0;
    for (const int tag : {1, 0}) {
      for (const int source : {2, 1}) {
        for (int i = 0; i < 10; ++i, ++at) {
          works[at].wait();
          EXPECT_EQ(works[at].source(), source);
          EXPECT_EQ(works[at].tag(), tag);
          EXPECT_EQ(works[at].bytes(), 4);
          EXPECT_EQ(views[at].data()[0], static_cast<float>(100 * source + 2 * i + tag));
        }
      }
    }
  });
}

TEST(Message, AnySourceAndAnyTagNeverSeeACollective) {
  on_ranks(3, [](World& world) {
    auto& comm = world.communicator();
    const View in = View::host(4);
    Work receive = comm.receive(in, any_source, any_tag);
    View sum = filled(world.rank(), 500);
    comm.allreduce(sum, sum).wait();
    EXPECT_EQ(sum.data()[499], cell_sum(3, 499));
    EXPECT_FALSE(receive.done());
    comm.barrier().wait();  // nobody sends before all have looked
    const View out = filled(world.rank(), 3);
    Work send = comm.send(out, (world.rank() + 1) % 3, 40 + world.rank());
    receive.wait();
    send.wait();
    const int from = (world.rank() + 2) % 3;
    EXPECT_EQ(receive.source(), from);
    EXPECT_EQ(receive.tag(), 40 + from);
    EXPECT_EQ(receive.bytes(), 12) << "a shorter message is allowed";
    EXPECT_EQ(in.data()[2], cell(from, 2));
  });
}

TEST(Message, LongOnesTravelInSegments) {
  ThreadWorldOptions options;
  options.group.segment_bytes = 1000;  // 1 GiB in earnest
  on_ranks(2, options, [](World& world) {
    for (const std::int64_t count : {0, 249, 250, 251, 500, 5003}) {  // around whole segments
      const View in = View::host(6000), out = filled(world.rank(), count);
      Work receive = world.communicator().receive(in, 1 - world.rank(), 2);
      world.communicator().send(out, 1 - world.rank(), 2).wait();
      receive.wait();
      EXPECT_EQ(receive.bytes(), 4 * count);
      for (std::int64_t i = 0; i < count; ++i) ASSERT_EQ(in.data()[i], cell(1 - world.rank(), i));
    }
  });
}

TEST(Message, LongerThanItsViewIsAnErrorOfThisOperationOnly) {
  on_ranks(2, [](World& world) {
    const View in = View::host(2);
    Work receive = world.communicator().receive(in, 1 - world.rank(), 2);
    world.communicator().send(filled(world.rank(), 3), 1 - world.rank(), 2).wait();
    EXPECT_THROW(receive.wait(), UsageError);
    EXPECT_THROW(receive.wait(), UsageError) << "waiting again says the same";
    View view = filled(world.rank(), 10);
    world.communicator().allreduce(view, view).wait();
    EXPECT_EQ(view.data()[9], cell_sum(2, 9));
  });
}

TEST(Message, ToOneself) {
  on_ranks(2, [](World& world) {
    const View in = View::host(5);
    Work receive = world.communicator().receive(in, world.rank(), 1);
    world.communicator().send(filled(3, 5), world.rank(), 1).wait();
    receive.wait();
    EXPECT_EQ(in.data()[4], cell(3, 4));
  });
}

TEST(Message, CancelEndsAReceiveThatNothingMatches) {
  on_ranks(2, [](World& world) {
    const View in = View::host(1);
    in.data()[0] = 5;
    Work receive = world.communicator().receive(in, 1 - world.rank(), 1);
    receive.cancel();
    EXPECT_TRUE(receive.done());
    EXPECT_EQ(receive.source(), -1);
    world.communicator().barrier().wait();
    // The next message goes to the next receive, not to the cancelled one.
    const View next = View::host(1);
    Work again = world.communicator().receive(next, 1 - world.rank(), 1);
    const View out = View::host(1);
    out.data()[0] = 9;
    world.communicator().send(out, 1 - world.rank(), 1).wait();
    again.wait();
    EXPECT_EQ(next.data()[0], 9);
    EXPECT_EQ(in.data()[0], 5);
  });
}

TEST(Mailbox, DeliversInOrderOfArrivalAndReusesItsBuffers) {
  on_ranks(4, [](World& world) {
    auto& comm = world.communicator();
    constexpr int each = 50;
    if (world.rank() == 0) {
      auto box = comm.mailbox(9, 16, 3);
      int next[4] = {};
      for (int i = 0; i < 3 * each; ++i) {
        const Message message = box->wait(20);
        EXPECT_EQ(message.tag, 9);
        EXPECT_EQ(message.data.count(), 2);
        EXPECT_EQ(message.data.data()[0], static_cast<float>(message.source));
        EXPECT_EQ(message.data.data()[1], static_cast<float>(next[message.source]++));
      }
      EXPECT_FALSE(box->poll().has_value());
      EXPECT_THROW(box->wait(0.01), TimeLimit);
    } else {
      for (int i = 0; i < each; ++i) {
        const View view = View::host(2);
        view.data()[0] = static_cast<float>(world.rank());
        view.data()[1] = static_cast<float>(i);
        comm.send(view, 0, 9).wait();
      }
    }
    comm.barrier().wait();
  });
}

TEST(Groups, SplitAndDuplicateKeepMessagesApart) {
  on_ranks(5, [](World& world) {
    auto& comm = world.communicator();
    const auto half = comm.split(world.rank() % 2, -world.rank(), "half");
    const int members = world.rank() % 2 == 0 ? 3 : 2;
    EXPECT_EQ(half->size(), members);
    EXPECT_EQ(half->rank(), (world.rank() % 2 == 0 ? 4 - world.rank() : 3 - world.rank()) / 2)
        << "ordered by key, here the highest rank first";
    View ours = View::host(10);
    for (float& value : ours.floats()) value = static_cast<float>(1 << world.rank());
    half->allreduce(ours, ours).wait();
    EXPECT_EQ(ours.data()[3], world.rank() % 2 == 0 ? 1 + 4 + 16 : 2 + 8);
    const auto control = comm.duplicate("control");
    const View in = View::host(1), out = View::host(1);
    out.data()[0] = 3;
    Work wrong = control->receive(in, (world.rank() + 4) % 5, 1);
    Work ahead = comm.send(out, (world.rank() + 1) % 5, 1);
    EXPECT_FALSE(wrong.wait_for(0.01)) << "a message of one communicator reached another";
    Work right = comm.receive(View::host(1), (world.rank() + 4) % 5, 1);
    right.wait();
    ahead.wait();
    control->send(out, (world.rank() + 1) % 5, 1).wait();
    wrong.wait();
    comm.barrier().wait();
  });
}

}  // namespace
}  // namespace syncline
