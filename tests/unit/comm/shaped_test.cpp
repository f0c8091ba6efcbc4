// SPDX-License-Identifier: Apache-2.0
// Emulated links: the time of messages, and that it is spent asleep.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

#include "engine/base/error.h"
#include "engine/metrics/clock.h"
#include "tests/unit/comm/support.h"

namespace syncline {
namespace {

using test::cell_sum;
using test::filled;
using test::on_ranks;

ThreadWorldOptions over(double bytes_per_s, double latency_s, bool receivers_read = false) {
  ThreadWorldOptions options;
  options.receivers_read = receivers_read;
  options.links = LinkModel{{.bytes_per_s = bytes_per_s, .latency_s = latency_s}, {}};
  return options;
}

// The model alone, without threads: times come out exactly.
class Board {
 public:
  Board(const LinkModel& model, int size) : bells_(static_cast<std::size_t>(size)) {
    board_ = LinkBoard::in_process(model, size, [this](int rank) { return &bells_[static_cast<std::size_t>(rank)]; });
  }
  LinkBoard* operator->() { return board_.get(); }

 private:
  std::deque<Doorbell> bells_;
  std::shared_ptr<LinkBoard> board_;
};

TEST(LinkModel, IsAsSlowAsTheTimeScaleOfTheCluster) {
  ClusterSpec cluster;
  LinkSpec card;
  card.bandwidth_bytes_per_s = 1e9;
  card.latency_s = 1e-4;
  cluster.links = {card};
  EXPECT_FALSE(emulated_links(cluster).has_value());
  cluster.emulate_link = true;
  cluster.time_scale = 10;
  const std::optional<LinkModel> links = emulated_links(cluster);
  ASSERT_TRUE(links.has_value());
  EXPECT_DOUBLE_EQ(links->card.bytes_per_s, 1e8);
  EXPECT_DOUBLE_EQ(links->card.latency_s, 1e-3);
}

TEST(LinkModel, AMessageLeavesAfterTheOneBeforeAndArrivesALatencyLater) {
  Board board({{.bytes_per_s = 1e9, .latency_s = 5e-6}, {}}, 3);
  const auto first = board->reserve(0, 1, 1000, 100), second = board->reserve(0, 2, 500, 100);
  EXPECT_EQ(first.left_ns, 1100);
  EXPECT_EQ(first.due_ns, 6100);
  EXPECT_EQ(second.left_ns, 1600) << "one card: the second message waits for the first";
  EXPECT_EQ(second.due_ns, 6600);
  EXPECT_EQ(board->reserve(1, 0, 1000, 100).due_ns, 6100) << "full duplex: the other direction is free";
}

TEST(LinkModel, TheReceiversCardTakesOneMessageAtATimeAndUsesItsGaps) {
  Board board({{.bytes_per_s = 1e9, .latency_s = 0}, {}}, 4);
  EXPECT_EQ(board->reserve(0, 3, 1000, 0).due_ns, 1000);
  EXPECT_EQ(board->reserve(0, 2, 1000, 0).due_ns, 2000);
  EXPECT_EQ(board->reserve(0, 3, 1000, 0).due_ns, 3000);  // reserved ahead: 3's card is free between 1000 and 2000
  EXPECT_EQ(board->reserve(1, 3, 1500, 0).due_ns, 3500) << "1000 in the gap, 500 after";
  EXPECT_EQ(board->reserve(2, 3, 100, 0).due_ns, 3600);
  for (int i = 0; i < 1000; ++i) board->reserve(i % 3, 3, 10, 0);
  EXPECT_EQ(board->reserve(1, 3, 10, 0).due_ns, 3600 + 10 * 1001) << "work is conserved whatever the order of asking";
}

// Whether the transport underneath carries the bytes, or the receivers read them out of the senders' memory.
class Bodies : public testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(Shaped, Bodies, testing::Bool(), [](const auto& at) { return at.param ? "Read" : "Carried"; });

TEST_P(Bodies, EveryCollectiveIsStillRight) {
  for (const int size : {2, 3, 5}) {
    ThreadWorldOptions options = over(2e9, 20e-6, GetParam());
    options.group.chunk_bytes = 4096;
    on_ranks(size, options, [size](World& world) {
      auto& comm = world.communicator();
      for (const std::int64_t count : {0, 1, 7, 5000}) {
        View view = filled(world.rank(), count);
        comm.allreduce(view, view).wait();
        for (std::int64_t i = 0; i < count; ++i) ASSERT_EQ(view.data()[i], cell_sum(size, i));
        View cast = filled(world.rank(), count);
        comm.broadcast(cast, 0).wait();
        for (std::int64_t i = 0; i < count; ++i) ASSERT_EQ(cast.data()[i], test::cell(0, i));
      }
      std::vector<ByteBuffer> all;
      comm.allgather_bytes(ByteBuffer(static_cast<std::size_t>(world.rank()), std::byte{3}), all).wait();
      for (int rank = 0; rank < size; ++rank) EXPECT_EQ(all[static_cast<std::size_t>(rank)].size(), static_cast<std::size_t>(rank));
      const View in = View::host(3);
      Work receive = comm.receive(in, any_source, any_tag);
      Work send = comm.send(filled(world.rank(), 3), (world.rank() + 1) % size, 4);
      receive.wait();
      send.wait();
      EXPECT_EQ(receive.source(), (world.rank() + size - 1) % size);
      Work longer = comm.receive(View::host(1), (world.rank() + size - 1) % size, 5);
      comm.send(filled(world.rank(), 3), (world.rank() + 1) % size, 5).wait();
      EXPECT_THROW(longer.wait(), UsageError);
    });
  }
}

TEST_P(Bodies, ManyUnreadMessagesWaitTheirTurn) {
  on_ranks(2, over(0, 0, GetParam()), [](World& world) {
    constexpr int count = 600;  // more than the ring of announcements holds
    std::vector<Work> works;
    std::vector<View> views;
    if (world.rank() == 0) {
      for (int i = 0; i < count; ++i) {
        views.push_back(View::host(1));
        views.back().data()[0] = static_cast<float>(i);
        works.push_back(world.communicator().send(views.back(), 1, 1));
      }
    } else {
      world.communicator().receive(View::host(1), 0, 2).wait();
      for (int i = 0; i < count; ++i) {
        const View view = View::host(1);
        world.communicator().receive(view, 0, 1).wait();
        ASSERT_EQ(view.data()[0], static_cast<float>(i));
      }
    }
    if (world.rank() == 0) world.communicator().send(View::host(1), 1, 2).wait();
    for (Work& work : works) work.wait();
  });
}

// Other work on the machine only ever makes these longer: the best of a few tries is compared, and of more where it does not hold yet.
constexpr int few = 4, most_tries = 25;

// Half of what is sent leaves and comes in each phase: n bytes in all at 20 MB/s, two latencies.
TEST_P(Bodies, AnExchangeTakesTheTimeOfTheLinkAndSleepsThroughIt) {
  double best = 1e9, cpu = 1e9;
  std::atomic<bool> enough{false};  // rank 0 says so before the next barrier
  constexpr double bytes = 6e6, rate = 20e6, latency = 1e-3, expected = bytes / rate + 2 * latency;
  on_ranks(2, over(rate, latency, GetParam()), [&](World& world) {
    View view = View::host(static_cast<std::int64_t>(bytes) / 4);
    for (int repeat = 0; repeat < most_tries; ++repeat) {
      world.communicator().barrier().wait();
      if (repeat >= few && enough) break;
      const double start = monotonic_s(), before = world.queue().thread_cpu_s();
      world.communicator().allreduce(view, view).wait();
      const double took = monotonic_s() - start;
      EXPECT_GT(took, 0.97 * expected);
      if (world.rank() != 0) continue;
      best = std::min(best, took);
      cpu = std::min(cpu, (world.queue().thread_cpu_s() - before) / took);
      enough = !test::speed_counts || (best < 1.03 * expected && cpu < 0.05);
    }
  });
  if (test::speed_counts) {
    EXPECT_LT(best, 1.03 * expected);
    EXPECT_LT(cpu, 0.05) << "of a core";
  }
}

// How much CPU time rank 0's own thread gets for a fixed amount of arithmetic, per second of it that passes.
double computing_share() {
  volatile double sink = 0;
  const double start = monotonic_s(), before = thread_cpu_s();
  for (int i = 0; i < 20'000'000; ++i) sink = sink + i;
  return (thread_cpu_s() - before) / (monotonic_s() - start);
}

TEST(Shaped, TheTrainingThreadComputesAsIfNoExchangeWereInFlight) {
  double best = 0;
  std::atomic<bool> enough{false};
  on_ranks(2, over(4e6, 1e-3), [&](World& world) {
    View view = View::host(500'000);  // 2 MB: half a second on the link
    for (int repeat = 0; repeat < most_tries; ++repeat) {
      world.communicator().barrier().wait();
      if (repeat >= few && enough) break;
      const double alone = world.rank() == 0 ? computing_share() : 0;
      world.communicator().barrier().wait();
      Work exchange = world.communicator().allreduce(view, view);
      if (world.rank() == 0) {
        const double under = computing_share();
        // An exchange that is over before the arithmetic (a slow machine, a sanitizer) leaves nothing to compare.
        if (!exchange.done()) best = std::max(best, under / alone);
        enough = !test::speed_counts || best > 0.97;
      }
      exchange.wait();
    }
  });
  if (test::speed_counts) {
    EXPECT_GT(best, 0.97);
  }
}

TEST_P(Bodies, ALateReceiverReadsWhatWasSentLongAgo) {
  std::atomic<bool> sent{false};
  on_ranks(2, over(1e9, 0, GetParam()), [&sent](World& world) {
    const View first = filled(world.rank(), 1000), second = filled(world.rank(), 1000);
    if (world.rank() == 0) {
      const double start = monotonic_s();
      Work a = world.communicator().send(first, 1, 1), b = world.communicator().send(second, 1, 2);
      sent = true;
      sent.notify_all();
      b.wait();
      EXPECT_GE(monotonic_s() - start, 0.02) << "nobody had taken it before";
      a.wait();
      EXPECT_LT(monotonic_s() - start, 1) << "woken when it was taken, not by the limits' clock";
    } else {
      sent.wait(false);
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      const View got = View::host(1000);
      for (const int tag : {1, 2}) {
        world.communicator().receive(got, 0, tag).wait();
        for (std::int64_t i = 0; i < 1000; ++i) ASSERT_EQ(got.data()[i], test::cell(0, i));
      }
    }
  });
}

TEST(Shaped, LatencyIsKeptWithinATenthOfAMillisecond) {
  const double most_s = test::speed_counts ? 2.2e-3 : 10e-3;  // two wake-ups of two threads besides the latency
  double best = 1;
  std::atomic<bool> enough{false};
  on_ranks(2, over(0, 2e-3), [&](World& world) {
    const View view = View::host(1);
    for (int i = 0; i < 40 * most_tries; ++i) {
      world.communicator().barrier().wait();
      if (i >= most_tries && enough) break;
      const double start = monotonic_s();
      if (world.rank() == 0) {
        world.communicator().send(view, 1, 1).wait();
        world.communicator().receive(view, 1, 2).wait();
        best = std::min(best, (monotonic_s() - start) / 2);
        enough = best < most_s;
      } else {
        world.communicator().receive(view, 0, 1).wait();
        world.communicator().send(view, 0, 2).wait();
      }
    }
  });
  EXPECT_GE(best, 2e-3);
  EXPECT_LT(best, most_s);
}

TEST(Shaped, RefusesTheLibrarysAllreduce) {
  ThreadWorldOptions options = over(1e9, 0);
  options.group.allreduce = "library";
  try {
    const ThreadWorld world(2, options);
    FAIL();
  } catch (const ConfigError& error) {
    EXPECT_EQ(error.origin().key, "strategy.allreduce");
    EXPECT_NE(std::string(error.what()).find("an emulated link needs allreduce = \"direct\""), std::string::npos);
  }
}

}  // namespace
}  // namespace syncline
