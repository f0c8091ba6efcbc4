// SPDX-License-Identifier: Apache-2.0
// Schedules as data, without ranks: messages match, edges point backwards, scratch stays in its bound, arithmetic runs at memory speed.
#include "engine/comm/schedules/schedule.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "engine/base/error.h"
#include "engine/comm/arithmetic.h"
#include "engine/metrics/clock.h"
#include "tests/unit/comm/support.h"

namespace syncline {
namespace {

using Build = CollectiveSchedule (*)(const ScheduleRequest&);
constexpr std::pair<const char*, Build> builders[] = {
    {"allreduce", direct_allreduce}, {"reduce", direct_reduce},     {"reduce_scatter", direct_reduce_scatter},
    {"allgather", direct_allgather}, {"broadcast", tree_broadcast}, {"barrier", dissemination_barrier}};

TEST(Schedules, EverySendHasItsReceiveAndEdgesPointBackwards) {
  for (const auto& [name, build] : builders) {
    for (int size = 1; size <= 9; ++size) {
      for (const std::int64_t count : {0, 1, 7, 64, 1000}) {
        for (const bool scaled : {false, true}) {
          std::map<std::tuple<int, int, int>, std::int64_t> open;  // (from, to, channel) -> elements
          for (const Move::Kind side : {Move::send, Move::receive}) {
            for (int rank = 0; rank < size; ++rank) {
              const CollectiveSchedule schedule = build({rank, size, count, 16, size - 1, scaled});
              for (std::size_t i = 0; i < schedule.moves.size(); ++i) {
                const Move& move = schedule.moves[i];
                for (const int before : move.after) ASSERT_LT(before, static_cast<int>(i));
                ASSERT_LE(move.count, 16);
                if (move.kind != side) continue;
                ASSERT_NE(move.peer, rank);
                if (side == Move::send) {
                  ASSERT_TRUE(open.emplace(std::tuple{rank, move.peer, move.channel}, move.count).second)
                      << name << ": a channel used twice";
                } else {
                  const auto found = open.find({move.peer, rank, move.channel});
                  ASSERT_NE(found, open.end()) << name << ": a receive without a send";
                  ASSERT_EQ(found->second, move.count);
                  open.erase(found);
                }
              }
            }
          }
          ASSERT_TRUE(open.empty()) << name << ": a send without a receive, " << size << " ranks, " << count << " elements";
        }
      }
    }
  }
}

TEST(Schedules, ScratchIsBoundedByTheWindowAndByTheVector) {
  for (int size = 2; size <= 9; ++size) {
    for (const std::int64_t count : {1, 100, 1000, 100000}) {
      const CollectiveSchedule schedule = direct_allreduce({0, size, count, 64, 0, false});
      EXPECT_LE(schedule.slots, chunk_window * (size - 1));
      EXPECT_LE(schedule.slot_elements, 64);
      EXPECT_LE(schedule.scratch_elements(), count + (size - 1) * schedule.slot_elements) << "never a second model";
      EXPECT_EQ(tree_broadcast({1, size, count, 64, 0, false}).scratch_elements(), 0);
    }
  }
}

TEST(Schedules, DirectSendsTheBytesOfARing) {
  for (int size = 2; size <= 9; ++size) {
    const std::int64_t count = 9 * 8 * 7 * 5 * size;
    std::int64_t sent = 0;
    for (const Move& move : direct_allreduce({1, size, count, 1000, 0, false}).moves) sent += move.kind == Move::send ? move.count : 0;
    EXPECT_EQ(sent, 2 * (size - 1) * count / size);
  }
}

TEST(Schedules, PartsFollowTheRuleOfTheInterface) {
  for (int size = 1; size <= 9; ++size) {
    for (const std::int64_t count : {0, 1, 7, 8, 9, 100003}) {
      std::int64_t next = 0;
      for (int rank = 0; rank < size; ++rank) {
        const Part part = part_of(rank, size, count);
        EXPECT_EQ(part.offset, next);
        EXPECT_GE(part.count, 0);
        EXPECT_LE(part.count, (count + size - 1) / size);
        next += part.count;
      }
      EXPECT_EQ(next, count);
    }
  }
}

TEST(Schedules, RegistryNamesEachOnceAndRefusesOthers) {
  std::vector<std::string_view> names;
  for (const ScheduleEntry& entry : allreduce_schedules()) names.push_back(entry.name);
  EXPECT_EQ(names, (std::vector<std::string_view>{"direct", "ring", "halving-doubling", "tree", "multicolor", "hierarchical", "library"}));
  EXPECT_THROW(allreduce_schedule("rings"), ConfigError);
}

TEST(Arithmetic, AddsAtFiveGigabytesPerSecondOrMore) {
  constexpr std::int64_t count = 65536;  // one chunk
  std::vector<float> from(count, 1.0F), into(count, 0.0F);
  double best = 1;
  for (int repeat = 0; repeat < 200; ++repeat) {
    const double start = thread_cpu_s();
    combine(Op::sum, from.data(), into.data(), count);
    best = std::min(best, thread_cpu_s() - start);
  }
  EXPECT_EQ(into[count - 1], 200);
  if (test::speed_counts) {
    EXPECT_GT(count * 4 / best, 5e9);
  }
}

}  // namespace
}  // namespace syncline
