// SPDX-License-Identifier: Apache-2.0
// The protocols of negotiated orders, against the card's examples and invariants (Bitvector allreduce).
#include <fmt/core.h>
#include <gtest/gtest.h>

#include "engine/base/error.h"
#include "engine/base/random.h"
#include "engine/comm/orchestrations/response_cache.h"
#include "tests/support/slow_build.h"
#include "tests/unit/comm/negotiation.h"

namespace syncline::test {
namespace {

std::string tensor(int number) { return "t" + std::to_string(number); }
using Rounds = std::vector<Round>;

// A bit vector of `ranks` ranks that know `tensors` tensors, in the order of their numbers.
Negotiation warm(int ranks, int tensors, ReleaseSetup setup = {}) {
  Negotiation job("bitvector", ranks, setup);
  for (int rank = 0; rank < ranks; ++rank)
    for (int c = 0; c < tensors; ++c) job.submit(rank, tensor(c));
  job.cycle();
  return job;
}

TEST(Orchestrations, TheBitsAreThoseOfTheCardsExample) {
  Negotiation job = warm(3, 5);
  const std::vector<std::vector<int>> ready = {{0, 1, 3}, {1, 3, 4}, {0, 1, 3}};
  for (int rank = 0; rank < 3; ++rank)
    for (const int c : ready[static_cast<std::size_t>(rank)]) job.submit(rank, tensor(c));
  EXPECT_EQ(job.cycle(), Rounds{Round::bits_and});
  EXPECT_EQ(job.first_words, (std::vector<std::vector<std::uint64_t>>{{0x5F}, {0xD7}, {0x5F}}));
  EXPECT_EQ(job.combined, std::vector<std::uint64_t>{0x57});
  EXPECT_EQ(job.order(0).size(), 7U);  // five of the first step, and {1, 3}
  EXPECT_EQ(job.order(1)[5], std::vector<std::string>{"t1"});
  EXPECT_EQ(job.order(1)[6], std::vector<std::string>{"t3"});
  EXPECT_TRUE(job.alike());
}

TEST(Orchestrations, OneRankWithAnUnknownTensorSendsAllTheSlowWay) {
  Negotiation job = warm(3, 5);
  const std::vector<std::vector<int>> ready = {{0, 1, 3}, {1, 3, 4}, {0, 1, 3}};
  for (int rank = 0; rank < 3; ++rank)
    for (const int c : ready[static_cast<std::size_t>(rank)]) job.submit(rank, tensor(c));
  job.submit(1, "new");
  EXPECT_EQ(job.cycle(), (Rounds{Round::bits_and, Round::to_root}));
  EXPECT_EQ(job.first_words[1], std::vector<std::uint64_t>{0xD5});
  EXPECT_EQ(job.combined, std::vector<std::uint64_t>{0x55});
  EXPECT_EQ(job.order(0).size(), 7U);  // {1, 3} went with it
  job.submit(0, "new");
  job.submit(2, "new");
  job.cycle();
  EXPECT_EQ(job.order(0).back(), std::vector<std::string>{"new"});
  EXPECT_TRUE(job.alike());
}

TEST(Orchestrations, WordsAreSixtyFourBitsWithThreeForTheStatus) {
  EXPECT_EQ(bit_words(0), 1);
  EXPECT_EQ(bit_words(61), 1);
  EXPECT_EQ(bit_words(62), 2);
  EXPECT_EQ(bit_words(161), 3);
  Negotiation job = warm(2, 161);
  job.cycle();
  EXPECT_EQ(job.first_words[0].size(), 3U);
}

TEST(Orchestrations, ControlCostsGrowWithTheRanksAtTheRootAndWithTheirLogarithmInBits) {
  const ControlCost sixteen{.ranks = 16, .latency_s = 2e-6}, many{.ranks = 27600, .latency_s = 2e-6};
  EXPECT_NEAR(bits_cost_s(sixteen, 161), 2 * 4 * 2e-6 + 161e-9, 1e-12);
  EXPECT_NEAR(root_cost_s(sixteen, 1, 100), 2 * 15 * 2e-6 + 16e-6, 1e-12);
  EXPECT_LT(bits_cost_s(sixteen, 161), root_cost_s(sixteen, 1, 100));
  EXPECT_LT(bits_cost_s(many, 161), 100e-6);
  EXPECT_GT(root_cost_s(many, 1, 100), 0.1);
}

// Trap: a rank that has nothing ready, with a status bit left at 0, would send everybody the slow way.
TEST(Orchestrations, ARankWithNothingReadyHoldsTheOthersBackAndNothingElse) {
  Negotiation job = warm(2, 3);
  const auto before = job.order(0).size();
  job.submit(0, tensor(1));
  EXPECT_EQ(job.cycle(), Rounds{Round::bits_and});
  EXPECT_EQ(job.combined, std::vector<std::uint64_t>{0x7});
  EXPECT_EQ(job.order(0).size(), before);
  job.submit(1, tensor(1));
  EXPECT_EQ(job.cycle(), Rounds{Round::bits_and});
  EXPECT_EQ(job.order(1).back(), std::vector<std::string>{tensor(1)});
}

void submit_at_random(Negotiation& job, std::vector<std::vector<int>>& left, RandomStream& random, std::int64_t count_of = 1) {
  for (int rank = 0; rank < job.ranks(); ++rank) {
    auto& mine = left[static_cast<std::size_t>(rank)];
    for (auto some = static_cast<int>(random.uniform() * 4); some > 0 && !mine.empty(); --some) {
      const auto at = static_cast<std::ptrdiff_t>(random.uniform() * static_cast<double>(mine.size()));
      job.submit(rank, tensor(mine[static_cast<std::size_t>(at)]), count_of);
      mine.erase(mine.begin() + at);
    }
  }
}

// Every rank in an order of its own, with random pauses; every cycle is compared, and every step is complete.
void random_steps(Negotiation& job, int steps, int tensors, std::uint64_t seed) {
  RandomStream random(seed, "orders", 0);
  for (int step = 0; step < steps; ++step) {
    std::vector<std::vector<int>> left(static_cast<std::size_t>(job.ranks()));
    for (auto& each : left)
      for (int c = 0; c < tensors; ++c) each.push_back(c);
    const std::size_t before = job.order(0).size();
    std::vector<std::vector<int>> ready = left;
    for (int cycle = 0; job.order(0).size() < before + static_cast<std::size_t>(tensors); ++cycle) {
      ASSERT_LT(cycle, 1000) << "step " << step << " does not end";
      submit_at_random(job, left, random);
      job.cycle();
      ASSERT_TRUE(job.alike()) << "step " << step << ", cycle " << cycle;
    }
    std::vector<std::string> done;
    for (std::size_t k = before; k < job.order(0).size(); ++k) done.push_back(job.order(0)[k].front());
    std::sort(done.begin(), done.end());
    ASSERT_EQ(std::unique(done.begin(), done.end()), done.end()) << "a tensor was reduced twice in step " << step;
    ASSERT_EQ(done.size(), static_cast<std::size_t>(tensors));
  }
}

TEST(Orchestrations, AThousandStepsInRandomOrdersReleaseTheSameSequenceOnAllRanks) {
  for (const std::string_view name : {"bitvector", "coordinator"}) {
    for (const int ranks : {2, 5}) {
      SCOPED_TRACE(fmt::format("{} of {} ranks", name, ranks));
      Negotiation job(name, ranks);
      random_steps(job, test::speed_counts ? 1000 : 40, 7, static_cast<std::uint64_t>(ranks));
      EXPECT_EQ(job.at(0).sequence_hash(), job.at(ranks - 1).sequence_hash());
    }
  }
}

// Traps: numbers by local arrival, or a walk over a hash map, would let the caches differ.
TEST(Orchestrations, CachesStayAlikeWithRoomForEightOfTwentyTensorsAndTheLogSaysThatTheyThrash) {
  Negotiation job("bitvector", 3, {.cache_capacity = 8});
  random_steps(job, 100, 20, 5);
  EXPECT_EQ(job.at(0).known(), 8);
  ASSERT_EQ(job.warnings(0).size(), 1U);
  EXPECT_NE(job.warnings(0)[0].find("cache_capacity = 8"), std::string::npos) << job.warnings(0)[0];
  EXPECT_TRUE(job.warnings(1).empty());
}

TEST(Orchestrations, WithoutACacheEveryStepGoesTheSlowWayAndIsRight) {
  Negotiation job("bitvector", 3, {.cache_capacity = 0});
  random_steps(job, 30, 6, 9);
  EXPECT_EQ(job.at(0).known(), 0);
  EXPECT_GE(job.at(0).slow_paths(), 30);
}

TEST(Orchestrations, FromTheSecondStepOnNothingGoesTheSlowWay) {
  Negotiation job("bitvector", 4);
  random_steps(job, 1, 30, 1);
  const std::int64_t after_first = job.at(0).slow_paths();
  EXPECT_GE(after_first, 1);
  random_steps(job, 20, 30, 2);
  EXPECT_EQ(job.at(0).slow_paths(), after_first);
}

TEST(Orchestrations, AChangedShapeTakesOneMoreAllReduceAndOneSlowWay) {
  Negotiation job = warm(3, 5);
  for (int rank = 0; rank < 3; ++rank) {
    job.submit(rank, tensor(2), 7);
    job.submit(rank, tensor(4));
  }
  EXPECT_EQ(job.cycle(), (Rounds{Round::bits_and, Round::bits_or, Round::to_root}));
  EXPECT_EQ(job.combined, std::vector<std::uint64_t>{0x81});  // bits 1 and 2 cleared; tensor 4 is common
  EXPECT_EQ(job.at(1).erasures(), 1);
  EXPECT_TRUE(job.alike());
  EXPECT_EQ(job.order(2)[5], std::vector<std::string>{tensor(4)});
  EXPECT_EQ(job.order(2)[6], std::vector<std::string>{tensor(2)});
  for (int rank = 0; rank < 3; ++rank) job.submit(rank, tensor(2), 7);
  EXPECT_EQ(job.cycle(), Rounds{Round::bits_and});
  EXPECT_EQ(job.at(0).known(), 5);
  EXPECT_TRUE(job.alike());
}

TEST(Orchestrations, RanksThatDifferInABucketAreToldWhichAndWhere) {
  for (const std::string_view name : {"bitvector", "coordinator"}) {
    Negotiation job(name, 2);
    job.submit(0, "bucket 3", 10);
    job.submit(1, "bucket 3", 11);
    try {
      job.cycle();
      FAIL() << name;
    } catch (const TrainingError& error) {
      EXPECT_NE(std::string(error.what()).find("rank 1 has 'bucket 3' with 11 elements and rank 0 with 10"), std::string::npos)
          << error.what();
    }
  }
}

TEST(Orchestrations, WhenOneRankAsksToStopAllStopInTheSameCycle) {
  for (const std::string_view name : {"bitvector", "coordinator"}) {
    Negotiation job(name, 4);
    job.cycle();
    for (int rank = 0; rank < 4; ++rank) EXPECT_FALSE(job.at(rank).stopped()) << name;
    job.at(2).ask_stop();
    job.cycle();
    for (int rank = 0; rank < 4; ++rank) EXPECT_TRUE(job.at(rank).stopped()) << name;
  }
}

TEST(Orchestrations, WhatWaitsTooLongIsReportedWithItsNameAndTheRanks) {
  for (const std::string_view name : {"bitvector", "coordinator"}) {
    for (const bool known : {false, true}) {
      SCOPED_TRACE(fmt::format("{}, known {}", name, known));
      Negotiation job(name, 3, {.stall_warning_s = 10});
      for (int rank = 0; rank < 3 && known; ++rank)
        for (const char* each : {"early", "late"}) job.submit(rank, each);
      job.cycle();
      job.submit(0, "early");
      job.submit(2, "early");
      for (job.now_s = 1; job.now_s < 9.5; ++job.now_s) job.cycle();
      EXPECT_TRUE(job.warnings(0).empty());
      job.submit(0, "late");
      for (; job.now_s < 14; ++job.now_s) job.cycle();
      ASSERT_EQ(job.warnings(0).size(), 1U);
      EXPECT_NE(job.warnings(0)[0].find("'early' is ready on ranks 0 and 2 and not on rank 1"), std::string::npos) << job.warnings(0)[0];
      EXPECT_EQ(job.warnings(0)[0].find("'late'"), std::string::npos) << "it has waited for a moment: " << job.warnings(0)[0];
      EXPECT_TRUE(job.warnings(1).empty());
      EXPECT_FALSE(job.at(2).stalled().empty());
      job.submit(1, "early");
      job.cycle();
      EXPECT_EQ(job.order(0).back(), std::vector<std::string>{"early"});
    }
  }
}

TEST(Orchestrations, BucketsMergeUpToTheThresholdUnlessTheyAreKeptApart) {
  for (const std::string_view name : {"bitvector", "coordinator"}) {
    Negotiation merging(name, 2, {.fusion_threshold_bytes = 8, .separate_groups = false}), apart(name, 2);
    for (Negotiation* job : {&merging, &apart}) {
      for (int rank = 0; rank < 2; ++rank)
        for (int c = 0; c < 5; ++c) job->submit(rank, tensor(c));
      job->cycle();
    }
    EXPECT_EQ(merging.order(1), (std::vector<std::vector<std::string>>{{"t0", "t1"}, {"t2", "t3"}, {"t4"}}));
    EXPECT_EQ(apart.order(1).size(), 5U);
  }
}

TEST(Orchestrations, MoreThanAReportHasRoomForIsToldInLaterCycles) {
  for (const std::string_view name : {"bitvector", "coordinator"}) {
    Negotiation job(name, 2, {.cache_capacity = 10000});
    constexpr int tensors = 3000;
    for (int rank = 0; rank < 2; ++rank)
      for (int c = 0; c < tensors; ++c) job.submit(rank, fmt::format("a tensor with a long name, number {}", c));
    for (int cycle = 0; cycle < 20; ++cycle) job.cycle();
    EXPECT_EQ(job.order(0).size(), static_cast<std::size_t>(tensors)) << name;
    EXPECT_TRUE(job.alike());
  }
}

TEST(Orchestrations, TheLeastRecentlyUsedEntryGivesItsNumberToTheNewOne) {
  ResponseCache cache(2);
  EXPECT_FALSE(cache.insert("a", 1, Op::sum));
  EXPECT_FALSE(cache.insert("b", 1, Op::sum));
  cache.touch(0);
  EXPECT_TRUE(cache.insert("c", 1, Op::sum));
  int id = -1;
  EXPECT_EQ(cache.find("b", 1, Op::sum, id), ResponseCache::Found::miss);
  EXPECT_EQ(cache.find("c", 1, Op::sum, id), ResponseCache::Found::hit);
  EXPECT_EQ(id, 1);
  EXPECT_EQ(cache.find("a", 2, Op::sum, id), ResponseCache::Found::invalid);
  cache.erase({0});
  EXPECT_EQ(cache.find("c", 1, Op::sum, id), ResponseCache::Found::hit);
  EXPECT_EQ(id, 0);
}

}  // namespace
}  // namespace syncline::test
