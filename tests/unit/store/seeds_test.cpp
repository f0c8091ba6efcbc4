// SPDX-License-Identifier: Apache-2.0
#include "engine/store/seeds.h"

#include <gtest/gtest.h>

#include <cmath>

namespace syncline {
namespace {

RunInfo run(const char* group, std::uint64_t seed, const char* kind = "measured") {
  RunInfo made;
  made.group_key = group;
  made.seed = seed;
  made.kind = kind;
  return made;
}

TEST(Seeds, ThatWereRunAgainCountOnceWithTheMeanOfTheirRuns) {
  const RunInfo one = run("g", 1), again = run("g", 1), two = run("g", 2), three = run("g", 3);
  const std::vector<const RunInfo*> runs = {&one, &again, &two, &three};
  EXPECT_EQ(distinct_seeds(runs), 3);
  const std::vector<std::pair<const RunInfo*, double>> values = {{&one, 1}, {&again, 3}, {&two, 4}, {&three, 6}};
  const SeedsSpread spread = spread_over_seeds(values);
  EXPECT_EQ(spread.spread.n, 3);
  EXPECT_EQ(spread.runs, 4);
  EXPECT_TRUE(spread.copies);
  EXPECT_DOUBLE_EQ(spread.spread.mean, 4);       // of 2, 4 and 6
  EXPECT_DOUBLE_EQ(spread.spread.deviation, 2);  // and not that of four values
}

TEST(Seeds, OfOneSeedTheSpreadIsThatOfItsRuns) {
  const RunInfo one = run("g", 1), again = run("g", 1);
  const std::vector<std::pair<const RunInfo*, double>> values = {{&one, 1}, {&again, 3}};
  const SeedsSpread spread = spread_over_seeds(values);
  EXPECT_EQ(spread.spread.n, 2);
  EXPECT_DOUBLE_EQ(spread.spread.deviation, std::sqrt(2.0));
  EXPECT_TRUE(spread.copies);
  EXPECT_EQ(spread_over_seeds({}).spread.n, 0);
}

TEST(Seeds, OfTwoExperimentsAreTwoAndAPredictionIsNoMeasuredSeed) {
  const RunInfo here = run("g", 1), there = run("h", 1), predicted = run("g", 1, "prediction");
  const std::vector<const RunInfo*> runs = {&here, &there, &predicted};
  EXPECT_EQ(distinct_seeds(runs), 3);
  EXPECT_EQ(distinct_seeds({}), 0);
}

}  // namespace
}  // namespace syncline
