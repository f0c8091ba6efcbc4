// SPDX-License-Identifier: Apache-2.0
#include "engine/base/random.h"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <set>
#include <vector>

namespace syncline {
namespace {

using Block = std::array<std::uint32_t, 4>;

// The known answers of the Random123 library (kat_vectors, philox4x32 with 10 rounds).
TEST(Philox, GivesThePublishedNumbers) {
  EXPECT_EQ(philox({0, 0, 0, 0}, 0), (Block{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(philox({0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, 0xffffffffffffffffull),
            (Block{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, 0x299f31d0a4093822ull),
            (Block{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Philox, IsUsableInConstants) {
  constexpr Block block = philox({0, 0, 0, 0}, 0);
  static_assert(block[0] == 0x6627e8d5);
  static_assert(stream_key(1, "dropout") != stream_key(1, "augment"));
}

TEST(StreamKey, EveryPartMatters) {
  std::set<std::uint64_t> keys;
  int count = 0;
  const auto add = [&](std::uint64_t key) { keys.insert(key), ++count; };
  for (std::uint64_t n = 0; n < 100; ++n) {
    add(stream_key(n, "dropout"));
    add(stream_key(1000, "dropout", n + 1));
    add(stream_key(1000, "dropout", 0, n + 1));
    add(stream_key(1000, "dropout", 0, 0, n + 1));
    add(stream_key(1000, "augment", n));
  }
  add(stream_key(1000, "dropout", 3, 7));
  add(stream_key(1000, "dropout", 7, 3));
  EXPECT_EQ(keys.size(), static_cast<std::size_t>(count));
}

TEST(StreamKey, NeighboursAreUnrelated) {
  // Half of the 64 bits differ on average; 100 pairs have a mean within four standard errors of 32.
  double flipped = 0;
  for (std::uint64_t n = 0; n < 100; ++n) {
    flipped += std::popcount(stream_key(1, "shuffle", n) ^ stream_key(1, "shuffle", n + 1)) / 100.0;
  }
  EXPECT_NEAR(flipped, 32, 4 * 0.4);
}

TEST(RandomStream, RunsThroughTheCounters) {
  const std::uint64_t key = stream_key(42, "test");
  RandomStream stream(key), again(42, "test");
  for (std::uint32_t counter = 0; counter < 5; ++counter) {
    for (const std::uint32_t expected : philox({counter, 0, 0, 0}, key)) {
      EXPECT_EQ(stream.bits(), expected);
      EXPECT_EQ(again.bits(), expected);
    }
  }
}

TEST(RandomStream, ACopyGoesOnAlike) {
  RandomStream stream(7, "test");
  stream.bits();
  RandomStream copy = stream;
  for (int i = 0; i < 10; ++i) EXPECT_EQ(copy.bits(), stream.bits());
}

TEST(RandomStream, UniformUses53Bits) {
  RandomStream bits(3, "test"), stream(3, "test");
  for (int i = 0; i < 1000; ++i) {
    const std::uint64_t high = bits.bits() >> 5, low = bits.bits() >> 6;
    const double value = stream.uniform();
    EXPECT_EQ(value, static_cast<double>(high * 67108864 + low) / 9007199254740992.0);
    EXPECT_GE(value, 0);
    EXPECT_LT(value, 1);
  }
}

TEST(RandomStream, BelowStaysBelow) {
  RandomStream stream(5, "test");
  for (const std::uint32_t bound : {1u, 2u, 3u, 7u, 1000u, 0x80000000u, 0xffffffffu}) {
    for (int i = 0; i < 200; ++i) EXPECT_LT(stream.below(bound), bound);
  }
}

// With 3 * 2^30 outcomes of 2^32 numbers, plain multiplication hits some results twice as often as others: those congruent to one residue
// modulo 3. Rejection makes the three residues equally likely.
TEST(RandomStream, BelowHasNoBias) {
  RandomStream stream(11, "test");
  constexpr std::uint32_t bound = 3u << 30;
  constexpr int draws = 60000;
  int residues[3] = {};
  for (int i = 0; i < draws; ++i) ++residues[stream.below(bound) % 3];
  const double deviation = std::sqrt(draws * (1.0 / 3) * (2.0 / 3));
  for (const int count : residues) EXPECT_NEAR(count, draws / 3.0, 4 * deviation);
}

TEST(RandomStream, BelowIsEvenOverSmallBounds) {
  RandomStream stream(12, "test");
  constexpr int bound = 10, draws = 50000;
  std::vector<int> counts(bound);
  for (int i = 0; i < draws; ++i) ++counts[stream.below(bound)];
  double chi_squared = 0;
  for (const int count : counts) chi_squared += (count - 5000.0) * (count - 5000.0) / 5000.0;
  EXPECT_LT(chi_squared, 27.9);  // 9 degrees of freedom, p = 0.001
}

TEST(RandomStream, NormalHasTheMomentsOfANormal) {
  RandomStream stream(13, "test");
  constexpr int draws = 100000;
  double sum = 0, squares = 0, cubes = 0, fourths = 0;
  int beyond_two = 0;
  for (int i = 0; i < draws; ++i) {
    const double x = stream.normal();
    ASSERT_TRUE(std::isfinite(x));
    sum += x, squares += x * x, cubes += x * x * x, fourths += x * x * x * x;
    beyond_two += std::abs(x) > 2 ? 1 : 0;
  }
  EXPECT_NEAR(sum / draws, 0, 4 / std::sqrt(draws));
  EXPECT_NEAR(squares / draws, 1, 4 * std::sqrt(2.0 / draws));
  EXPECT_NEAR(cubes / draws, 0, 4 * std::sqrt(15.0 / draws));
  EXPECT_NEAR(fourths / draws, 3, 4 * std::sqrt(96.0 / draws));
  EXPECT_NEAR(beyond_two / static_cast<double>(draws), 0.0455, 4 * std::sqrt(0.0455 * 0.9545 / draws));
}

}  // namespace
}  // namespace syncline
