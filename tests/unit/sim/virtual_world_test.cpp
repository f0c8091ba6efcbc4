// SPDX-License-Identifier: Apache-2.0
#include "engine/sim/virtual_world.h"

#include <gtest/gtest.h>

#include "engine/base/error.h"
#include "engine/base/random.h"
#include "tests/support/slow_build.h"
#include "tests/unit/sim/sim_support.h"

namespace syncline {
namespace {

using test::on_sim_ranks;
using test::SimRank;

constexpr Wire wire{1e-3, 1e-8, 0};

std::string message_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "nothing was thrown";
}

TEST(VirtualWorld, ContextsRunInTheOrderOfTheirTimes) {
  VirtualWorld world;
  std::vector<std::pair<double, int>> seen;
  for (int rank = 0; rank < 3; ++rank) {
    world.add(rank, [&seen](RankContext& context) {
      for (int k = 0; k < 4; ++k) {
        context.compute(1.0 + context.rank());
        context.let_earlier_happen();
        seen.emplace_back(context.now_s(), context.rank());
      }
    });
  }
  world.run();
  EXPECT_EQ(seen.size(), 12u);
  EXPECT_TRUE(std::is_sorted(seen.begin(), seen.end()));
  EXPECT_EQ(world.makespan_s(), 12);
}

TEST(VirtualWorld, AMillionSecondsOfSleepTakeNoTime) {
  VirtualWorld world;
  double woke_s = 0;
  world.add(0, [&](RankContext& context) {
    VirtualClock clock(context);
    clock.sleep_until(1e6);
    woke_s = clock.now_s();
  });
  world.run();
  EXPECT_EQ(woke_s, 1e6);
}

TEST(VirtualWorld, AnExceptionThatIsBeingHandledStaysWithItsFiber) {
  VirtualWorld world;
  std::vector<std::string> caught;
  for (int rank = 0; rank < 3; ++rank) {
    world.add(rank, [&caught](RankContext& context) {
      try {
        throw ConfigError("of rank " + std::to_string(context.rank()));
      } catch (const ConfigError&) {
        context.sleep_until(3.0 - context.rank());  // the others throw and handle theirs meanwhile
        try {
          throw;
        } catch (const ConfigError& error) {
          caught.emplace_back(error.what());
        }
      }
    });
  }
  world.run();
  EXPECT_EQ(caught, (std::vector<std::string>{"of rank 2", "of rank 1", "of rank 0"}));
  EXPECT_EQ(std::uncaught_exceptions(), 0);
}

TEST(VirtualWorld, TheErrorOfOneRankEndsTheOthersAndIsThrown) {
  int unwound = 0;
  const auto text = message_of([&unwound] {
    on_sim_ranks(4, {.wire = wire}, [&unwound](SimRank rank) {
      struct Count {
        int& at;
        ~Count() { ++at; }
      } const count{unwound};
      if (rank.comm.rank() == 2) {
        rank.context.compute(1);
        rank.context.let_earlier_happen();
        throw ConfigError("rank 2 had enough");
      }
      rank.comm.barrier().wait();
    });
  });
  EXPECT_EQ(text, "rank 2 had enough");
  EXPECT_EQ(unwound, 4);
}

TEST(VirtualWorld, ADeadLockNamesEachRankWithItsStepAndWhatItWaitsFor) {
  const auto text = message_of([] {
    on_sim_ranks(3, {.wire = wire},
                 [](SimRank rank) {
                   rank.context.where = [] { return "step 7, backward"; };
                   View view = View::ghost(10);
                   if (rank.comm.rank() == 1) rank.comm.receive(view, 0, 5).wait();
                   rank.comm.allreduce(view, view, {.label = "bucket 3"}).wait();
                 },
                 {.kind = {}, .keep_list = false, .name = "strategy 'stuck'"});
  });
  EXPECT_NE(text.find("dead-lock of strategy 'stuck'"), std::string::npos) << text;
  EXPECT_NE(text.find("rank 0 (step 7, backward) waits for allreduce 'bucket 3' in 'data'"), std::string::npos) << text;
  EXPECT_NE(text.find("rank 1 (step 7, backward) waits for receive in 'data'"), std::string::npos) << text;
}

TEST(VirtualWorld, ALoopOfQuestionsIsEndedWithTheNameOfWhatAsks) {
  const auto text = message_of([] {
    on_sim_ranks(2, {.wire = wire},
                 [](SimRank rank) {
                   View view = View::ghost(1000);
                   Work work = rank.comm.allreduce(view, view, {.label = "gradients"});
                   if (rank.comm.rank() == 0) {
                     while (!work.done()) {
                     }
                   }
                   work.wait();
                 },
                 {.kind = {}, .keep_list = false, .name = "strategy 'impatient'"});
  });
  EXPECT_NE(text.find("rank 0 asked 10000 times at one moment of virtual time about allreduce 'gradients'"), std::string::npos) << text;
  EXPECT_NE(text.find("strategy 'impatient'"), std::string::npos) << text;
}

TEST(VirtualWorld, PollingBetweenComputationsIsNoLoopOfQuestions) {
  on_sim_ranks(2, {.wire = wire}, [](SimRank rank) {
    View view = View::ghost(1'000'000);
    Work work = rank.comm.allreduce(view, view);
    int rounds = 0;
    while (!work.done()) {
      rank.context.compute(1e-6);
      ++rounds;
    }
    EXPECT_GT(rounds, most_questions);
  });
}

TEST(VirtualWorld, AnOperationThatNobodyAnswersIsSaidAtTheEnd) {
  const auto text = message_of([] {
    on_sim_ranks(2, {.wire = wire}, [](SimRank rank) {
      if (rank.comm.rank() == 0) rank.comm.send(View::ghost(10), 1, 3).wait();
    });
  });
  EXPECT_EQ(text, "nothing was thrown") << "a message that arrived and that nobody wanted harms nobody";
  const auto other = message_of([] {
    on_sim_ranks(2, {.wire = wire}, [](SimRank rank) {
      static auto* const forgotten = new Work;  // never dropped: its world is gone when the program ends
      if (rank.comm.rank() == 0) *forgotten = rank.comm.receive(View::ghost(10), 1, 3);
    });
  });
  EXPECT_NE(other.find("1 operations were asked for and never ended"), std::string::npos) << other;
}

// What ranks do that compute for random times, exchange in random order of size, wait, ask and send to each other.
std::vector<HappenedEvent> events_of(Contexts::Kind kind, int most_by_messages) {
  return on_sim_ranks(5, {.wire = wire, .most_by_messages = most_by_messages},
                      [](SimRank rank) {
                        RandomStream random(3, "a rank's work", static_cast<std::uint64_t>(rank.comm.rank()));
                        const auto box = rank.comm.mailbox(9, 64, 4);
                        for (int step = 0; step < 6; ++step) {
                          View a = View::host(3000 + step), b = View::host(100);
                          rank.context.compute(random.uniform() * 1e-2);
                          Work first = rank.comm.allreduce(a, a, {.label = "first"});
                          rank.context.compute(random.uniform() * 1e-2);
                          Work second = rank.comm.allreduce(b, b, {.label = "second"});
                          Work sent = rank.comm.send(View::host(32), (rank.comm.rank() + 1 + step % 4) % 5, 9);
                          if (first.done()) rank.context.compute(1e-3);
                          second.wait();
                          first.wait();
                          sent.wait();
                          if (auto message = box->poll()) rank.context.compute(1e-4 * message->source);
                        }
                        rank.comm.barrier().wait();
                      },
                      {.kind = kind, .keep_list = true, .name = {}})
      .events;
}

TEST(VirtualWorld, FibersAndThreadsGiveTheSameListOfEvents) {
  for (const int most : {0, 32}) {
    const auto fibers = events_of(Contexts::Kind::fibers, most), threads = events_of(Contexts::Kind::threads, most);
    ASSERT_GT(fibers.size(), 100u);
    ASSERT_EQ(fibers.size(), threads.size());
    for (std::size_t k = 0; k < fibers.size(); ++k) ASSERT_EQ(fibers[k], threads[k]) << k;
    for (std::size_t k = 1; k < fibers.size(); ++k) ASSERT_LE(fibers[k - 1].key.time_s, fibers[k].key.time_s);
  }
}

TEST(VirtualWorld, ThousandsOfRanksHaveRoom) {
  const int ranks = test::speed_counts ? 4096 : 256;  // with a sanitizer ranks are threads
  const auto run = on_sim_ranks(ranks, {.wire = wire}, [](SimRank rank) {
    View view = View::ghost(1000);
    rank.comm.allreduce(view, view).wait();
  });
  EXPECT_NEAR(run.makespan_s, 2e-3 + 2 * 4000e-8, 1e-6);
}

}  // namespace
}  // namespace syncline
