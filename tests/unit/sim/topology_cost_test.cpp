// SPDX-License-Identifier: Apache-2.0
// What a plan reckons an exchange over a topology's links to cost.
#include <gtest/gtest.h>

#include "engine/sim/traced_profile.h"

namespace syncline {
namespace {

ClusterSpec two_machines(bool shared) {
  ClusterSpec cluster;
  cluster.workers = 4;
  cluster.nodes = {{.name = "a", .cores = 2}, {.name = "b", .cores = 2}};
  cluster.links = {
      LinkSpec{},
      {.from = "a", .to = "b", .bandwidth_bytes_per_s = 8e6, .bandwidth_back_bytes_per_s = 2e6, .latency_s = 1e-3, .shared = shared}};
  return cluster;
}

TEST(EmulatedAllreduce, IsBoundByTheLinkThatIsBusiest) {
  // Every rank sends a quarter to each of the two ranks of the other machine, twice; back is the slower direction.
  const LinkCost own = emulated_allreduce(two_machines(false)), shared = emulated_allreduce(two_machines(true));
  EXPECT_DOUBLE_EQ(own.latency_s, 2e-3);
  EXPECT_DOUBLE_EQ(own.per_byte_s, 2 * 0.25 / 2e6);
  EXPECT_DOUBLE_EQ(shared.per_byte_s, 2 * 4 * 0.25 / 2e6);
}

TEST(EmulatedAllreduce, OfCardsIsTheFormulaOfCards) {
  ClusterSpec cards;
  cards.workers = 4;
  cards.links = {{.from = {}, .to = {}, .bandwidth_bytes_per_s = 1e6, .latency_s = 1e-3}};
  const LinkCost flat = emulated_allreduce(cards);
  EXPECT_DOUBLE_EQ(flat.latency_s, 2e-3);
  EXPECT_DOUBLE_EQ(flat.per_byte_s, 1.5 / 1e6);
  cards.nodes = {{.name = "a", .count = 4, .cores = 1}};
  EXPECT_DOUBLE_EQ(emulated_allreduce(cards).per_byte_s, flat.per_byte_s) << "one rank on each machine has its card for itself";
  cards.nodes = {{.name = "a", .count = 2, .cores = 2}};
  EXPECT_DOUBLE_EQ(emulated_allreduce(cards).per_byte_s, 2 * 4 * 0.25 / 1e6) << "two ranks send half of theirs each through one card";
}

}  // namespace
}  // namespace syncline
