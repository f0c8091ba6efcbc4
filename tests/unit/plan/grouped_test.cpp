// SPDX-License-Identifier: Apache-2.0
// Fixed groups: by layer, by number, by size.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "engine/base/random.h"
#include "engine/plan/plan.h"
#include "tests/support/slices.h"

namespace syncline {
namespace {

using test::slices_of;

Plan grouped(std::span<const LayerSlice> slices, const std::string& grouping, std::int64_t groups = 4) {
  const PlannerEntry& entry = planner("grouped");
  return entry.make(slices, {}, with_defaults(entry.parameters, {{"grouping", Value{grouping}}, {"groups", Value{groups}}}));
}

std::int64_t largest(const Plan& plan) {
  std::int64_t most = 0;
  for (const Group& group : plan.groups()) most = std::max(most, group.count);
  return most;
}

TEST(Grouped, TheGradientsOfALayerTravelTogether) {
  std::vector<LayerSlice> slices = slices_of({100, 10, 200, 20, 300});
  slices[0].layer = slices[1].layer = 5;
  slices[2].layer = slices[3].layer = 2;
  slices[4].layer = 0;
  EXPECT_EQ(grouped(slices, "layer").first_slices(), (std::vector<int>{0, 2, 4}));
  EXPECT_EQ(grouped(slices_of({1, 2, 3}), "layer").first_slices(), (std::vector<int>{0, 1, 2}));  // not known: each by itself
}

TEST(Grouped, EquallyManyGradientsAGroup) {
  const auto slices = slices_of(std::vector<std::int64_t>(10, 7));
  EXPECT_EQ(grouped(slices, "count", 4).first_slices(), (std::vector<int>{0, 3, 6, 9}));
  EXPECT_EQ(grouped(slices, "count", 1).first_slices(), std::vector<int>{0});
  EXPECT_EQ(grouped(slices, "count", 10).groups().size(), 10u);
  EXPECT_EQ(grouped(slices, "count", 1000).groups().size(), 10u);
  // ceil(n / G) each, as the card has it: 161 tensors in 16 groups are 15 groups of 11, the last smaller.
  EXPECT_EQ(grouped(slices_of(std::vector<std::int64_t>(161, 1)), "count", 16).groups().size(), 15u);
}

TEST(Grouped, OneHugeGradientDoesNotUnbalanceGroupsBySize) {
  const auto slices = slices_of({1, 1, 1, 1000, 1, 1, 1, 1});
  EXPECT_EQ(largest(grouped(slices, "bytes", 2)), 1003);
  EXPECT_EQ(largest(grouped(slices, "bytes", 3)), 1000);
  EXPECT_GE(largest(grouped(slices, "count", 2)), 1003);
}

TEST(Grouped, AListGivesTheSizesOfTheGroupsAndTheLastTakesTheRest) {
  const PlannerEntry& entry = planner("grouped");
  const auto by_list = [&](std::vector<std::int64_t> sizes, std::size_t tensors) {
    std::vector<Value> list;
    for (const std::int64_t size : sizes) list.push_back(Value{size});
    return entry
        .make(slices_of(std::vector<std::int64_t>(tensors, 3)), {},
              with_defaults(entry.parameters, {{"grouping", Value{"list"}}, {"sizes", Value{list}}}))
        .first_slices();
  };
  EXPECT_EQ(by_list({2, 3}, 8), (std::vector<int>{0, 2, 5}));
  EXPECT_EQ(by_list({2, 3}, 5), (std::vector<int>{0, 2}));
  EXPECT_EQ(by_list({2, 3, 1000}, 8), (std::vector<int>{0, 2, 5}));
  EXPECT_EQ(by_list({4}, 4), std::vector<int>{0});
}

// "A group with a missing member is never released": whatever order its members come in, and again in the next step.
TEST(Grouped, AGroupIsCompleteWithItsLastMemberInAnyOrder) {
  const auto slices = slices_of({1, 1, 1, 1, 1});
  const std::vector<int> firsts = {0, 2};  // {0, 1} and {2, 3, 4}
  const Plan plan(slices, firsts);
  GroupFill fill(plan);
  const auto add = [&](int slice) { return fill.add(slices[static_cast<std::size_t>(slice)]); };
  // The card's example: ranks with {0, 1, 3} offer the first group, one with {1, 3, 4} offers nothing.
  EXPECT_EQ(add(1), -1);
  EXPECT_EQ(add(3), -1);
  EXPECT_EQ(add(4), -1);
  EXPECT_EQ(add(0), 0);
  EXPECT_EQ(add(2), 1);
  for (const int slice : {4, 3, 2, 1}) EXPECT_EQ(add(slice), slice == 2 ? 1 : -1);
  EXPECT_EQ(add(0), 0);
  const std::vector<int> one = {0}, each = {0, 1, 2, 3, 4};
  const Plan single(slices, one), apart(slices, each);
  GroupFill whole(single), alone(apart);
  for (int slice = 0; slice < 5; ++slice) {
    EXPECT_EQ(whole.add(slices[static_cast<std::size_t>(slice)]), slice == 4 ? 0 : -1) << "one group waits for the last gradient";
    EXPECT_EQ(alone.add(slices[static_cast<std::size_t>(slice)]), slice) << "a group of one is no group";
  }
}

// No plan of as many groups has a smaller largest one: by all plans of small models.
TEST(Grouped, BySizeTheLargestGroupIsAsSmallAsItCanBe) {
  RandomStream random(3, "grouped");
  for (int round = 0; round < 200; ++round) {
    std::vector<std::int64_t> counts(1 + random.below(8));
    for (auto& count : counts) count = 1 + random.below(50);
    const auto slices = slices_of(counts);
    const auto n = static_cast<unsigned>(counts.size());
    for (std::int64_t groups = 1; groups <= static_cast<std::int64_t>(n); ++groups) {
      std::int64_t best = std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
      for (unsigned cuts = 0; cuts < (1u << (n - 1)); ++cuts) {  // bit i: a group begins at slice i + 1
        std::int64_t held = 0, most = 0, number = 1;
        for (unsigned i = 0; i < n; ++i) {
          if (i > 0 && (cuts >> (i - 1) & 1u) != 0) held = 0, ++number;
          held += counts[i];
          most = std::max(most, held);
        }
        if (number <= groups) best = std::min(best, most);
      }
      const Plan plan = grouped(slices, "bytes", groups);
      ASSERT_LE(static_cast<std::int64_t>(plan.groups().size()), groups);
      ASSERT_EQ(largest(plan), best);
    }
  }
}

}  // namespace
}  // namespace syncline
