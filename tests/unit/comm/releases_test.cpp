// SPDX-License-Identifier: Apache-2.0
// Negotiated orders on the communication threads of real ranks.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <cmath>
#include <mutex>
#include <regex>

#include "engine/base/error.h"
#include "engine/base/random.h"
#include "engine/comm/orchestrations/policy.h"
#include "engine/metrics/clock.h"
#include "tests/unit/comm/support.h"

namespace syncline::test {
namespace {

ReleaseOptions options_of(std::string_view name, double cycle_time_s = 200e-6) {
  ReleaseOptions options = release_options(orchestration(name), defaults_of(orchestration(name).parameters));
  options.cycle_time_s = cycle_time_s;
  return options;
}

struct Buckets {  // of one rank
  Buckets(int number, std::int64_t each) : count(number), elements(each), all(View::host(number * each)) {
    for (int k = 0; k < count; ++k) names.push_back(fmt::format("bucket {}", k));
    works.resize(static_cast<std::size_t>(count));
  }
  View at(int k) const { return all.part(k * elements, elements); }
  void fill(int rank, std::int64_t step) {
    for (std::int64_t k = 0; k < all.count(); ++k)
      all.data()[k] = std::sin(static_cast<float>(k + 1) * static_cast<float>(rank + 2)) + static_cast<float>(step);
  }
  void ask(Communicator& comm, int k) {
    works[static_cast<std::size_t>(k)] =
        comm.allreduce(at(k), at(k), {.scale_before = 0.3, .id = k, .negotiated = true, .label = names[static_cast<std::size_t>(k)]});
  }
  void wait() {
    for (Work& work : works) work.wait();
  }
  int count;
  std::int64_t elements;
  View all;
  std::vector<std::string> names;
  std::vector<Work> works;
};

std::vector<int> shuffled(int count, RandomStream& random) {
  std::vector<int> order;
  for (int k = 0; k < count; ++k) order.push_back(k);
  for (std::size_t k = order.size(); k > 1; --k)
    std::swap(order[k - 1], order[static_cast<std::size_t>(random.uniform() * static_cast<double>(k))]);
  return order;
}

// Every rank asks for its buckets in an order of its own. Returns what the last step came to on rank 0, after comparing the ranks.
std::vector<float> random_job(int ranks, const ReleaseOptions& options, int steps, int buckets, ReleaseCounters* counters = nullptr) {
  std::mutex mutex;
  std::vector<std::vector<float>> results(static_cast<std::size_t>(ranks));
  std::vector<ReleaseCounters> counted(static_cast<std::size_t>(ranks));
  on_ranks(ranks, [&](World& world) {
    Communicator& comm = world.communicator();
    comm.orchestrate(options);
    Buckets mine(buckets, 300);
    for (std::int64_t step = 0; step < steps; ++step) {
      RandomStream random(7, "order of a rank", static_cast<std::uint64_t>(comm.rank()), static_cast<std::uint64_t>(step));
      mine.fill(comm.rank(), step);
      comm.expect(buckets);
      for (const int k : shuffled(buckets, random)) {
        if (random.uniform() < 0.1) std::this_thread::sleep_for(std::chrono::microseconds(static_cast<int>(random.uniform() * 300)));
        mine.ask(comm, k);
      }
      mine.wait();
    }
    const std::scoped_lock lock(mutex);
    results[static_cast<std::size_t>(comm.rank())].assign(mine.all.data(), mine.all.data() + mine.all.count());
    counted[static_cast<std::size_t>(comm.rank())] = comm.release_counters();
  });
  for (const auto& each : results) EXPECT_EQ(each, results.front());
  for (const ReleaseCounters& each : counted) {
    EXPECT_EQ(each.released, std::int64_t{steps} * buckets);
    EXPECT_EQ(each.sequence_hash, counted.front().sequence_hash);
    EXPECT_EQ(each.state_hash, counted.front().state_hash);
    EXPECT_EQ(each.cycles, counted.front().cycles);
    EXPECT_EQ(each.messages, counted.front().messages);
  }
  if (counters != nullptr) *counters = counted.front();
  return results.front();
}

std::vector<float> in_order(int ranks, int step, int buckets) {
  std::vector<float> result;
  on_ranks(ranks, [&](World& world) {
    Communicator& comm = world.communicator();
    Buckets mine(buckets, 300);
    mine.fill(comm.rank(), step);
    for (int k = 0; k < buckets; ++k) comm.allreduce(mine.at(k), mine.at(k), {.scale_before = 0.3}).wait();
    if (comm.rank() == 0) result.assign(mine.all.data(), mine.all.data() + mine.all.count());
  });
  return result;
}

TEST(Releases, SumsAreThoseOfAFixedOrderToTheLastBitWhateverOrderARankAsksIn) {
  for (const int ranks : {1, 2, 3, 5}) {
    const std::vector<float> expected = in_order(ranks, 59, 6);
    for (const std::string_view name : {"bitvector", "coordinator"}) {
      SCOPED_TRACE(fmt::format("{} of {} ranks", name, ranks));
      EXPECT_EQ(random_job(ranks, options_of(name), 60, 6), expected);
    }
  }
}

TEST(Releases, MergedMessagesCarryTheSameSums) {
  const std::vector<float> expected = in_order(3, 39, 8);
  for (const std::string_view name : {"bitvector", "coordinator"}) {
    ReleaseOptions options = options_of(name, 2e-3);
    options.setup.separate_groups = false;
    ReleaseCounters counters;
    EXPECT_EQ(random_job(3, options, 40, 8, &counters), expected);
    EXPECT_LT(counters.messages, counters.released);
  }
}

TEST(Releases, TheFastPathTakesEightBytesAWordAndTwoMessagesARoundFromEachRank) {
  for (const int ranks : {4, 5}) {
    constexpr int buckets = 70;  // W = 2
    on_ranks(ranks, [&](World& world) {
      Communicator& comm = world.communicator();
      comm.orchestrate(options_of("bitvector"));
      Buckets mine(buckets, 4);
      const auto step = [&] {
        comm.expect(buckets);
        for (int k = 0; k < buckets; ++k) mine.ask(comm, k);
        mine.wait();
        comm.barrier().wait();
      };
      step();
      const ReleaseCounters first = comm.release_counters();
      for (int k = 0; k < 5; ++k) step();
      const ReleaseCounters last = comm.release_counters();
      const std::int64_t cycles = last.cycles - first.cycles;
      EXPECT_GE(cycles, 5);
      EXPECT_EQ(last.slow_paths, first.slow_paths);
      EXPECT_EQ(last.control_bytes - first.control_bytes, cycles * 8 * 2);
      EXPECT_EQ(last.control_messages - first.control_messages, cycles * 2 * (ranks == 4 ? 2 : 3));
      EXPECT_EQ(last.messages - first.messages, 5 * buckets);
    });
  }
}

TEST(Releases, TheCoordinatorHandlesTwoMessagesOfEveryOtherRankInACycle) {
  on_ranks(4, [](World& world) {
    Communicator& comm = world.communicator();
    comm.orchestrate(options_of("coordinator"));
    Buckets mine(3, 4);
    for (int step = 0; step < 4; ++step) {
      comm.expect(3);
      for (int k = 0; k < 3; ++k) mine.ask(comm, k);
      mine.wait();
    }
    comm.barrier().wait();
    const ReleaseCounters counters = comm.release_counters();
    EXPECT_EQ(counters.control_messages, counters.cycles * (comm.rank() == 0 ? 6 : 2));
    EXPECT_EQ(counters.slow_paths, counters.cycles);
  });
}

// Something asked for beside the buckets of a step comes behind them on every rank, wherever it was asked for.
TEST(Releases, OtherCollectivesStartBehindTheBucketsOfTheirStep) {
  on_ranks(3, [](World& world) {
    Communicator& comm = world.communicator();
    comm.orchestrate(options_of("bitvector"));
    Buckets mine(4, 50);
    View beside = View::host(3);
    for (int step = 0; step < 20; ++step) {
      RandomStream random(3, "place", static_cast<std::uint64_t>(comm.rank()), static_cast<std::uint64_t>(step));
      const int place = static_cast<int>(random.uniform() * 5);
      comm.expect(4);
      beside.data()[0] = static_cast<float>(comm.rank());
      Work other;
      for (int k = 0; k < 4; ++k) {
        if (k == place) other = comm.allreduce(beside, beside);
        mine.ask(comm, (k + comm.rank()) % 4);
      }
      if (place == 4) other = comm.allreduce(beside, beside);
      mine.wait();
      other.wait();
      EXPECT_EQ(beside.data()[0], 3);
    }
  });
}

TEST(Releases, ABucketThatOneRankNeverAsksForEndsTheJobWithItsNameAndThatRank) {
  ThreadWorldOptions options;
  options.queue.limit_s = 1.5;
  for (const std::string_view name : {"bitvector", "coordinator"}) {
    const CapturedLog log;
    try {
      on_ranks(2, options, [&](World& world) {
        Communicator& comm = world.communicator();
        comm.orchestrate(options_of(name));
        Buckets mine(2, 8);
        comm.expect(2);
        mine.ask(comm, 0);
        if (comm.rank() == 0) mine.ask(comm, 1);
        mine.works[0].wait();
        mine.works[1].wait();
        if (comm.rank() == 1) comm.allreduce(mine.at(1), mine.at(1)).wait();  // behind a bucket that it does not ask for
      });
      FAIL() << name;
    } catch (const TimeLimit& error) {
      const std::string text = error.what();
      EXPECT_NE(text.find("'bucket 1' is ready on rank 0 and not on rank 1"), std::string::npos) << text;
    }
    EXPECT_NE(log.all().find("'bucket 1' is ready on rank 0 and not on rank 1"), std::string::npos) << log.all();
  }
}

TEST(Releases, ARankThatNeverComesToTheTurnIsNamed) {
  ThreadWorldOptions options;
  options.queue.limit_s = 1;
  try {
    on_ranks(2, options, [&](World& world) {
      Communicator& comm = world.communicator();
      comm.orchestrate(options_of("bitvector"));
      if (comm.rank() == 1) {
        View never = View::host(1);
        comm.receive(never, 0, 5).wait();
        return;
      }
      Buckets mine(1, 8);
      comm.expect(1);
      mine.ask(comm, 0);
      mine.wait();
    });
    FAIL();
  } catch (const TimeLimit& error) {
    EXPECT_NE(std::string(error.what()).find("rank 1"), std::string::npos) << error.what();
  }
}

// Who has reported is not waited for, and the words are there although the communicator is not.
TEST(Releases, ATurnNamesWhoIsMissingAndWhatItIsOfAlsoWhenItsCommunicatorIsGone) {
  const CapturedLog log;
  ThreadWorldOptions options;
  options.queue.limit_s = 1;
  const auto job = [](World& world) {
    auto comm = world.communicator().duplicate("gradients of the second model");
    comm->orchestrate(options_of("coordinator"));
    if (comm->rank() != 1) comm->expect(1);
    comm.reset();
    const View never = View::host(1);
    world.communicator().receive(never, (world.rank() + 1) % 4, 5).wait();
  };
  EXPECT_THROW(on_ranks(4, options, job), TimeLimit);
  const std::regex heard(
      "rank 0 has heard nothing for [0-9.]+ s in turn 0 of the agreement on the order of 'gradients of the second model', waiting for rank "
      "1\n");
  EXPECT_TRUE(std::regex_search(log.all(), heard)) << log.all();
}

TEST(Releases, ARankThatGivesUpEndsTheStepOfAllInTheSameTurn) {
  std::mutex mutex;
  std::vector<std::int64_t> cycles;
  int ended = 0;
  on_ranks(3, [&](World& world) {
    Communicator& comm = world.communicator();
    comm.orchestrate(options_of("bitvector"));
    Buckets mine(3, 8);
    comm.expect(3);
    mine.ask(comm, 0);
    if (comm.rank() != 1) mine.ask(comm, 1);
    mine.works[0].wait();
    if (comm.rank() == 1) comm.stop_releases();
    if (comm.rank() != 1) {
      try {
        mine.works[1].wait();
      } catch (const PeerLost& error) {
        EXPECT_NE(std::string(error.what()).find("one of them asked"), std::string::npos) << error.what();
        const std::scoped_lock lock(mutex);
        ++ended;
      }
    }
    comm.barrier().wait();
    const std::scoped_lock lock(mutex);
    cycles.push_back(comm.release_counters().cycles);
  });
  EXPECT_EQ(ended, 2);
  for (const std::int64_t each : cycles) EXPECT_EQ(each, cycles.front());
}

TEST(Releases, AStepThatNobodyFinishesDoesNotKeepTheWorldFromEnding) {
  for (const std::string_view name : {"bitvector", "coordinator"}) {
    on_ranks(3, [&](World& world) {
      Communicator& comm = world.communicator();
      comm.orchestrate(options_of(name));
      Buckets mine(1, 8);
      comm.expect(2);
      mine.ask(comm, 0);
      mine.wait();
    });
  }
}

// Trap: a cycle shorter than its exchange is a thread that takes a core. Buckets that are late here keep the ranks cycling for 0.3 s.
TEST(Releases, CyclesWithoutAPauseLeaveTheProcessorAlone) {
  for (const double cycle_time_s : {0.0, 1e-3}) {
    on_ranks(2, [&](World& world) {
      Communicator& comm = world.communicator();
      comm.orchestrate(options_of("bitvector", cycle_time_s));
      Buckets mine(1, 8);
      const double before_s = world.queue().thread_cpu_s();
      comm.expect(1);
      std::this_thread::sleep_for(std::chrono::milliseconds(300));
      mine.ask(comm, 0);
      mine.wait();
      if (speed_counts) {
        EXPECT_LT(world.queue().thread_cpu_s() - before_s, cycle_time_s > 0 ? 0.06 : 0.15);
      }
      EXPECT_GT(comm.release_counters().cycles, cycle_time_s > 0 ? 50 : 200);
    });
  }
}

TEST(Releases, EachControlMessageTakesTheTimeThatItIsSaidToCost) {
  ReleaseOptions options = options_of("coordinator");
  options.control_message_cost_s = 5e-3;
  on_ranks(3, [&](World& world) {
    Communicator& comm = world.communicator();
    comm.orchestrate(options);
    Buckets mine(1, 8);
    const double begin_s = monotonic_s();
    comm.expect(1);
    mine.ask(comm, 0);
    mine.wait();
    // A report leaves, the root handles two and sends two answers, one of which is handled here.
    EXPECT_GE(monotonic_s() - begin_s, comm.rank() == 0 ? 0.025 : 0.020);
  });
}

}  // namespace
}  // namespace syncline::test
