// SPDX-License-Identifier: Apache-2.0
#include "engine/optim/parallel.h"

#include <gtest/gtest.h>

#include <cfenv>
#include <mutex>
#include <stdexcept>
#include <vector>

namespace syncline {
namespace {

struct Seen {
  std::vector<int> times;
  std::int64_t grain = 0;
  ParallelFor* team = nullptr;
  std::mutex mutex;
  std::vector<std::pair<std::int64_t, std::int64_t>> odd;  // pieces that are not where they should be
};

void mark(void* data, std::int64_t begin, std::int64_t end) {
  Seen& seen = *static_cast<Seen*>(data);
  const auto count = static_cast<std::int64_t>(seen.times.size());
  if (begin % seen.grain != 0 || end != std::min(begin + seen.grain, count)) {
    const std::lock_guard lock(seen.mutex);
    seen.odd.emplace_back(begin, end);
  }
  for (std::int64_t i = begin; i < end; ++i) ++seen.times[static_cast<std::size_t>(i)];
}

TEST(ParallelFor, EveryPieceOnceWhateverTheSizes) {
  for (const int threads : {1, 2, 3, 5}) {
    ParallelFor team(threads);
    for (const std::int64_t count : {0, 1, 2, 3, 4, 5, 9, 16, 17, 101}) {
      for (const std::int64_t grain : {1, 4, 16, 200}) {
        Seen seen;
        seen.times.resize(static_cast<std::size_t>(count));
        seen.grain = grain;
        team.run(count, grain, mark, &seen);
        EXPECT_TRUE(seen.odd.empty()) << threads << " threads, " << count << " by " << grain;
        for (const int times : seen.times) ASSERT_EQ(times, 1) << threads << " threads, " << count << " by " << grain;
      }
    }
  }
}

TEST(ParallelFor, ACallFromWithinABodyRunsThere) {
  ParallelFor team(3);
  Seen seen;
  seen.times.resize(6 * 64);
  seen.grain = 64;
  seen.team = &team;
  team.run(
      6, 1,
      [](void* data, std::int64_t begin, std::int64_t) {
        Seen& all = *static_cast<Seen*>(data);
        struct Inner {
          Seen& all;
          std::int64_t base;
        } inner{all, begin * 64};
        all.team->run(
            64, 8,
            [](void* data_in, std::int64_t from, std::int64_t to) {
              const Inner& in = *static_cast<Inner*>(data_in);
              for (std::int64_t i = from; i < to; ++i) ++in.all.times[static_cast<std::size_t>(in.base + i)];
            },
            &inner);
      },
      &seen);
  for (const int times : seen.times) ASSERT_EQ(times, 1);
}

TEST(ParallelFor, KeepsTheFirstFailureAndGoesOn) {
  ParallelFor team(3);
  const auto fail = [](void*, std::int64_t begin, std::int64_t) {
    if (begin >= 8) throw std::runtime_error("no");
  };
  team.run(16, 1, fail, nullptr);
  EXPECT_EQ(team.take_failure(), "no");
  EXPECT_EQ(team.take_failure(), "");
  Seen seen;
  seen.times.resize(100);
  seen.grain = 7;
  team.run(100, 7, mark, &seen);
  for (const int times : seen.times) ASSERT_EQ(times, 1);
}

// Every thread must round and flush alike, or the bits would depend on which thread ran a piece.
TEST(ParallelFor, HelpersTakeTheCallersFloatingPointEnvironment) {
  ParallelFor team(3);
  std::vector<int> modes(12, -1);
  const auto note = [](void* data, std::int64_t begin, std::int64_t) {
    (*static_cast<std::vector<int>*>(data))[static_cast<std::size_t>(begin)] = std::fegetround();
  };
  std::fesetround(FE_UPWARD);
  team.run(12, 1, note, &modes);
  std::fesetround(FE_TONEAREST);
  for (const int mode : modes) EXPECT_EQ(mode, FE_UPWARD);
  team.run(12, 1, note, &modes);
  for (const int mode : modes) EXPECT_EQ(mode, FE_TONEAREST);
}

}  // namespace
}  // namespace syncline
