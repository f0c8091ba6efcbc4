// SPDX-License-Identifier: Apache-2.0
// Emulated links of a topology: the model's times to the nanosecond, and that everything arrives where ranks take a shared link in turns.
// How well a real machine keeps those times is measured in tests/integration/overlap/links_test.cpp.
#include <deque>

#include "engine/base/error.h"
#include "engine/comm/memory_transport.h"
#include "engine/comm/shaped.h"
#include "engine/metrics/clock.h"
#include "tests/unit/comm/support.h"

namespace syncline {
namespace {

using test::cell_sum;
using test::filled;
using test::on_ranks;

LinkModel links_of(std::int64_t ranks, std::vector<NodeSpec> nodes, std::vector<LinkSpec> links) {
  ClusterSpec cluster;
  cluster.workers = ranks;
  cluster.nodes = std::move(nodes);
  cluster.links = std::move(links);
  return {.card = {}, .topology = std::make_shared<const Topology>(cluster)};
}
// Two machines of two ranks each: 0 and 1, 2 and 3.
LinkModel two_machines(LinkSpec link) {
  link.from = "a";
  link.to = "b";
  return links_of(4, {{.name = "a", .cores = 2}, {.name = "b", .cores = 2}}, {link});
}

class Board {
 public:
  explicit Board(const LinkModel& model) : bells_(static_cast<std::size_t>(model.topology->ranks())) {
    board_ = LinkBoard::in_process(model, model.topology->ranks(), [this](int rank) { return &bells_[static_cast<std::size_t>(rank)]; });
  }
  LinkBoard* operator->() { return board_.get(); }

 private:
  std::deque<Doorbell> bells_;
  std::shared_ptr<LinkBoard> board_;
};

TEST(TopologyLinks, MemoryInsideAMachineTakesNoTimeAndItsLinksTakeTheirs) {
  Board board(two_machines({.from = {}, .to = {}, .bandwidth_bytes_per_s = 1e9, .bandwidth_back_bytes_per_s = 1e8, .latency_s = 5e-6}));
  EXPECT_EQ(board->reserve(0, 1, 1 << 30, 100).due_ns, 100);
  const auto there = board->reserve(0, 2, 1000, 100);
  EXPECT_EQ(there.left_ns, 1100);
  EXPECT_EQ(there.due_ns, 6100);
  EXPECT_EQ(board->reserve(2, 0, 1000, 100).due_ns, 15100) << "a tenth of the bandwidth back, and the other direction disturbs nothing";
  EXPECT_EQ(board->reserve(0, 2, 0, 100).due_ns, 6100) << "an empty message waits its turn";
}

TEST(TopologyLinks, APairOfRanksHasALinkForItselfUnlessItIsShared) {
  Board own(two_machines({.from = {}, .to = {}, .bandwidth_bytes_per_s = 1e9}));
  EXPECT_EQ(own->reserve(0, 2, 1000, 0).due_ns, 1000);
  EXPECT_EQ(own->reserve(0, 3, 1000, 0).due_ns, 1000);
  EXPECT_EQ(own->reserve(1, 2, 1000, 0).due_ns, 1000);
  EXPECT_EQ(own->reserve(0, 2, 1000, 0).due_ns, 2000) << "of the same pair one after the other";
  EXPECT_EQ(own->turn_bytes(0, 2), 0);
  Board shared(two_machines({.from = {}, .to = {}, .bandwidth_bytes_per_s = 1e9, .shared = true}));
  EXPECT_EQ(shared->reserve(0, 2, 1000, 0).due_ns, 1000);
  EXPECT_EQ(shared->reserve(1, 3, 1000, 0).due_ns, 2000);
  EXPECT_EQ(shared->reserve(2, 0, 1000, 0).due_ns, 1000) << "each direction for itself";
  EXPECT_EQ(shared->turn_bytes(0, 2), 1'000'000) << "a millisecond";
  EXPECT_EQ(shared->turn_bytes(0, 1), 0);
}

TEST(TopologyLinks, AMessagePassesTheLinksOfItsRouteWithoutWaitingForItsLastByte) {
  Board board(links_of(3, {{.name = "a", .count = 2, .cores = 1}, {.name = "b", .cores = 1}, {.name = "switch"}},
                       {{.from = "a", .to = "switch", .bandwidth_bytes_per_s = 1e9, .latency_s = 1e-6, .shared = true},
                        {.from = "switch", .to = "b", .bandwidth_bytes_per_s = 5e8, .latency_s = 2e-6, .shared = true}}));
  const auto first = board->reserve(0, 2, 1000, 0);
  EXPECT_EQ(first.left_ns, 1000);
  EXPECT_EQ(first.due_ns, 1000 + 2000 + 2000) << "from 1000 on over the slower link for 2000, and a latency of 2000";
  EXPECT_EQ(first.taken_ns, 2000) << "the slower link";
  EXPECT_EQ(board->reserve(1, 2, 1000, 0).due_ns, 5000 + 2000) << "behind the first one on the second link";
  // From fast to slow the last byte is late by the slow link; from slow to fast it cannot arrive before it has come.
  EXPECT_EQ(board->reserve(2, 0, 1000, 0).due_ns, 2000 + 2000 + 1000);
  EXPECT_EQ(board->turn_bytes(0, 2), 500'000) << "by the slowest link of the route";
}

TEST(TopologyLinks, OneLinkForAllIsSharedByTheRanksOfAMachine) {
  ClusterSpec cluster;
  cluster.workers = 4;
  cluster.nodes = {{.name = "a", .count = 2, .cores = 2}};
  cluster.links = {{.from = {}, .to = {}, .bandwidth_bytes_per_s = 1e9, .latency_s = 1e-6}};
  Board board({.card = {}, .topology = std::make_shared<const Topology>(cluster)});
  EXPECT_EQ(board->reserve(0, 1, 1000, 0).due_ns, 0);
  EXPECT_EQ(board->reserve(0, 2, 1000, 0).due_ns, 2000);
  EXPECT_EQ(board->reserve(1, 3, 1000, 0).due_ns, 3000);
  EXPECT_EQ(board->reserve(3, 0, 1000, 0).due_ns, 2000);
}

TEST(TopologyLinks, LinksOfAnotherNumberOfRanksAreOurMistake) {
  ThreadWorldOptions options;
  options.links = two_machines({.from = {}, .to = {}, .bandwidth_bytes_per_s = 1e9});
  EXPECT_THROW(ThreadWorld(3, options), UsageError);
}

// While its last byte is still far from having its time on the link: a receiver that slept on would copy all of it at the end.
TEST(TopologyLinks, AMessageInTurnsWakesItsReceiverWhenItBegins) {
  const auto hub = std::make_shared<MemoryHub>(4);
  const auto board = LinkBoard::in_process(two_machines({.from = {}, .to = {}, .bandwidth_bytes_per_s = 1e8, .shared = true}), 4,
                                           [&](int rank) { return &hub->bell(rank); });
  for (int rank = 0; rank < 4; ++rank) board->all_offers().publish(rank);
  board->let_receivers_read();
  ShapedTransport sender(std::make_unique<MemoryTransport>(hub, 0), board), receiver(std::make_unique<MemoryTransport>(hub, 2), board);
  const std::vector<std::byte> out(1'000'000, std::byte{7});  // 10 ms, in turns of 1 ms
  std::vector<std::byte> in(out.size());
  const auto bytes = static_cast<std::int64_t>(out.size());
  const Transport::Handle received = receiver.receive(in.data(), bytes, Transport::world_context, 0, 1);
  receiver.poll();
  EXPECT_EQ(receiver.due_s(), forever_s);  // it goes to sleep
  const std::uint32_t ticket = receiver.doorbell().ticket();
  const Transport::Handle sent = sender.send(out.data(), bytes, Transport::world_context, 2, 1);
  EXPECT_NE(receiver.doorbell().ticket(), ticket) << "rung";
  receiver.poll();
  EXPECT_EQ(in, out);
  const double end_s = monotonic_s() + 10;
  Transport::Completion completion;
  for (bool left = false, arrived = false; !left || !arrived;) {
    ASSERT_LT(monotonic_s(), end_s);
    sender.poll();
    receiver.poll();
    left = left || sender.take(sent, completion);
    arrived = arrived || receiver.take(received, completion);
  }
}

class TakingTurns : public testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(TopologyLinks, TakingTurns, testing::Bool(), [](const auto& at) { return at.param ? "Read" : "Carried"; });

// A turn is 50 kB here, so that most messages take several: announced when they begin, and when it is known when they end.
TEST_P(TakingTurns, MessagesInTurnsArriveWholeAndInOrder) {
  ThreadWorldOptions options;
  options.links = two_machines({.from = {}, .to = {}, .bandwidth_bytes_per_s = 50e6, .latency_s = 100e-6, .shared = true});
  options.receivers_read = GetParam();
  options.group.allreduce = "hierarchical";
  options.group.machines = {0, 0, 1, 1};
  on_ranks(4, options, [](World& world) {
    auto& comm = world.communicator();
    for (const std::int64_t count : {0, 1, 7, 5000, 200'003}) {
      View view = filled(world.rank(), count);
      comm.allreduce(view, view).wait();
      for (std::int64_t i = 0; i < count; ++i) ASSERT_EQ(view.data()[i], cell_sum(4, i));
      View cast = filled(world.rank(), count);
      comm.broadcast(cast, 0).wait();
      for (std::int64_t i = 0; i < count; ++i) ASSERT_EQ(cast.data()[i], test::cell(0, i));
    }
    const int peer = world.rank() ^ 2;  // the same place on the other machine
    std::vector<View> in, out;
    std::vector<Work> works;
    for (int i = 0; i < 6; ++i) {
      const std::int64_t count = i % 2 == 0 ? 30'000 : 10;
      out.push_back(filled(world.rank(), count));
      works.push_back(comm.send(out.back(), peer, 1));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(world.rank() < 2 ? 5 : 0));  // some are announced before their receive
    for (int i = 0; i < 6; ++i) {
      in.push_back(View::host(out[static_cast<std::size_t>(i)].count()));
      comm.receive(in.back(), peer, 1).wait();
      for (std::int64_t k = 0; k < in.back().count(); ++k) ASSERT_EQ(in.back().data()[k], test::cell(peer, k));
    }
    for (Work& work : works) work.wait();
  });
}

// 2 MB at 20 MB/s take a tenth of a second; nothing may come sooner, and a world in which one dies meanwhile must end.
TEST_P(TakingTurns, ADeadRankEndsTheOthersWhileTheyTakeTurns) {
  ThreadWorldOptions options;
  options.links = two_machines({.from = {}, .to = {}, .bandwidth_bytes_per_s = 20e6, .shared = true});
  options.receivers_read = GetParam();
  options.queue.limit_s = 20;
  ThreadWorld world(4, options);
  const test::Watchdog watchdog(world, 60);
  std::vector<std::string> errors(4);
  std::vector<std::thread> threads;
  for (const int rank : {0, 1, 3}) {
    threads.emplace_back([&, rank] {
      const View view = View::host(500'000);
      try {
        if (rank == 0) world.communicator(0).send(view, 2, 1).wait();
        if (rank != 0) world.communicator(rank).receive(view, 2, 1).wait();
      } catch (const PeerLost& error) {
        errors[static_cast<std::size_t>(rank)] = error.what();
      }
    });
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  world.abort(2, "rank 2 is gone");
  for (std::thread& thread : threads) thread.join();
  for (const int rank : {0, 1, 3}) EXPECT_NE(errors[static_cast<std::size_t>(rank)].find("rank 2"), std::string::npos) << rank;
}

}  // namespace
}  // namespace syncline
