// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "engine/metrics/statistics.h"

namespace syncline {
namespace {

TEST(Spread, IsMeanAndSampleDeviation) {
  const std::vector<double> values = {1, 2, 3, 4};
  const Spread spread = spread_of(values);
  EXPECT_DOUBLE_EQ(spread.mean, 2.5);
  EXPECT_DOUBLE_EQ(spread.deviation, std::sqrt(5.0 / 3.0));
  EXPECT_EQ(spread.n, 4);
}

TEST(Spread, OfEqualValuesIsExactlyZeroAroundExactlyThem) {
  const std::vector<double> values(7, 0.1);
  const Spread spread = spread_of(values);
  EXPECT_EQ(spread.mean, 0.1);
  EXPECT_EQ(spread.deviation, 0);
}

TEST(Spread, OfOneValueHasNoDeviationAndOfNoneNoMean) {
  const std::vector<double> one = {3};
  EXPECT_EQ(spread_of(one).mean, 3);
  EXPECT_TRUE(std::isnan(spread_of(one).deviation));
  EXPECT_TRUE(std::isnan(spread_of({}).mean));
}

TEST(Spread, TwoMeansDifferOnlyBeyondTwiceTheirStandardError) {
  // Standard error of the difference: sqrt(3 / 3 + 3 / 3) = sqrt(2).
  const double deviation = std::sqrt(3.0);
  EXPECT_TRUE(within_spread({10, deviation, 3}, {12.8, deviation, 3}));
  EXPECT_FALSE(within_spread({10, deviation, 3}, {12.9, deviation, 3}));
  EXPECT_FALSE(within_spread({10, deviation, 2}, {10.1, deviation, 3})) << "two values say too little about the noise";
}

}  // namespace
}  // namespace syncline
