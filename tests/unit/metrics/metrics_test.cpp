// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <thread>

#include "engine/base/error.h"
#include "engine/base/random.h"
#include "engine/metrics/clock.h"
#include "engine/metrics/clock_offset.h"
#include "engine/metrics/intervals.h"
#include "engine/metrics/span_ring.h"
#include "engine/metrics/statistics.h"

namespace syncline {
namespace {

TEST(Intervals, UnionJoinsTouchingAndDropsEmpty) {
  const IntervalSet set({{3, 4}, {1, 2}, {2, 3}, {5, 5}, {7, 6}, {8, 9}});
  EXPECT_EQ(set.parts(), (std::vector<Interval>{{1, 4}, {8, 9}}));
  EXPECT_DOUBLE_EQ(set.length(), 4);
}

TEST(Intervals, SubtractAndIntersect) {
  const IntervalSet a({{0, 10}, {20, 30}}), b({{2, 3}, {5, 22}, {29, 40}});
  EXPECT_EQ(subtract(a, b).parts(), (std::vector<Interval>{{0, 2}, {3, 5}, {22, 29}}));
  EXPECT_EQ(intersect(a, b).parts(), (std::vector<Interval>{{2, 3}, {5, 10}, {20, 22}, {29, 30}}));
  EXPECT_EQ(unite(a, b).parts(), (std::vector<Interval>{{0, 40}}));
  EXPECT_TRUE(subtract(a, a).empty());
}

TEST(Statistics, Quantiles) {
  EXPECT_DOUBLE_EQ(median({3, 1, 2}), 2);
  EXPECT_DOUBLE_EQ(median({4, 1, 2, 3}), 2.5);
  EXPECT_DOUBLE_EQ(quantile({10, 20, 30, 40, 50}, 0.25), 20);
  EXPECT_DOUBLE_EQ(quantile({0, 10}, 0.95), 9.5);
  EXPECT_DOUBLE_EQ(quantile({0, 10}, 1), 10);
  EXPECT_TRUE(std::isnan(median({})));
}

TEST(Statistics, WarmUpEndsWhereTimesSettle) {
  EXPECT_EQ(warm_up_steps(std::vector<double>(100, 1.0)), 10u);
  std::vector<double> settling;
  for (int step = 0; step < 100; ++step) settling.push_back(1 + 4 * std::exp(-step / 8.0));
  // |median(first..first+4) - median(first+5..first+9)| first falls to 3 % at step 21.
  std::size_t expected = 10;
  while (4 * std::exp(-(static_cast<double>(expected) + 2) / 8) - 4 * std::exp(-(static_cast<double>(expected) + 7) / 8) >
         0.03 * (1 + 4 * std::exp(-(static_cast<double>(expected) + 7) / 8)))
    ++expected;
  EXPECT_GT(expected, 15u);
  EXPECT_EQ(warm_up_steps(settling), expected);
  EXPECT_EQ(warm_up_steps(std::vector<double>(6, 1.0)), 3u);
  EXPECT_EQ(warm_up_steps(std::vector<double>(1, 1.0)), 0u);
  std::vector<double> never;
  for (int step = 0; step < 60; ++step) never.push_back(std::exp(step / 20.0));
  EXPECT_EQ(warm_up_steps(never), 30u);
}

TEST(ClockOffset, ErrorIsWithinItsBound) {
  RandomStream random(3, "clock");
  for (int round = 0; round < 200; ++round) {
    const double truth = random.normal() * 1000;
    std::vector<PingPong> samples;
    double now = 5000;
    for (int i = 0; i < 20; ++i) {
      const double there = 1e-5 + 1e-4 * random.uniform(), back = 1e-5 + 1e-4 * random.uniform();
      samples.push_back({now, now + there + back, now + there + truth});
      now += 0.001;
    }
    const auto offset = estimate_offset(samples);
    ASSERT_TRUE(offset.has_value());
    EXPECT_LE(std::abs(offset->offset_s - truth), offset->bound_s + 1e-9);
    EXPECT_LT(offset->bound_s, 1.1e-4);
  }
}

TEST(ClockOffset, UnusableSamples) {
  EXPECT_FALSE(estimate_offset({}).has_value());
  const std::vector<PingPong> reversed = {{2, 1, 5}};
  EXPECT_FALSE(estimate_offset(reversed).has_value());
}

TEST(ClockOffset, InterpolatesBetweenAndHoldsOutside) {
  const ClockOffset before{1, 0.1, 10}, after{3, 0.2, 20};
  EXPECT_DOUBLE_EQ(interpolate(before, after, 15).offset_s, 2);
  EXPECT_DOUBLE_EQ(interpolate(before, after, 15).bound_s, 0.2);
  EXPECT_DOUBLE_EQ(interpolate(before, after, 5).offset_s, 1);
  EXPECT_DOUBLE_EQ(interpolate(before, after, 25).offset_s, 3);
}

TEST(RealClock, TrainingTimeStandsStillInBoundaries) {
  RealClock clock;
  clock.restore_training(100);
  const double before = clock.training_s();
  EXPECT_GE(before, 100);
  clock.enter_boundary();
  const double stopped = clock.training_s();
  clock.sleep_until(clock.now_s() + 0.02);
  EXPECT_DOUBLE_EQ(clock.training_s(), stopped);
  const double left_s = clock.now_s();
  clock.leave_boundary();
  const double after = clock.training_s();
  EXPECT_LE(after - stopped, clock.now_s() - left_s) << "what the boundary took does not count";
  EXPECT_THROW(clock.leave_boundary(), UsageError);
  clock.enter_boundary();
  EXPECT_THROW(clock.enter_boundary(), UsageError);
}

TEST(SpanRing, TwoThreadsLoseAndInventNothing) {
  SpanRing ring(64, 64);
  constexpr std::uint32_t count = 200000;
  std::thread producer([&] {
    for (std::uint32_t i = 0; i < count;) {
      Exchange exchange;
      exchange.step = i;
      exchange.bytes = i;
      const std::uint64_t before = ring.exchanges().dropped();
      ring.exchange(exchange);
      if (ring.exchanges().dropped() == before) {
        ++i;
      } else {
        std::this_thread::yield();
      }
    }
  });
  std::uint32_t next = 0;
  while (next < count) {
    ring.exchanges().drain([&](const ExchangeRecord& record) {
      EXPECT_EQ(record.step, next);
      EXPECT_EQ(record.bytes, static_cast<std::int64_t>(next));
      ++next;
    });
    std::this_thread::yield();
  }
  producer.join();
  EXPECT_EQ(next, count);
}

TEST(SpanRing, ScopeRecordsAndLongLabelsAreCut) {
  SpanRing ring;
  const RealClock clock;
  { const SpanScope scope(ring, clock, SpanKind::backward, 4, 9); }
  std::vector<Span> spans;
  ring.spans().drain([&](const Span& span) { spans.push_back(span); });
  ASSERT_EQ(spans.size(), 1u);
  EXPECT_EQ(spans[0].kind, SpanKind::backward);
  EXPECT_EQ(spans[0].id, 4);
  EXPECT_EQ(spans[0].step, 9u);
  EXPECT_LE(spans[0].start_s, spans[0].end_s);
  Exchange exchange;
  exchange.label = "a label that is far longer than twenty-nine characters";
  EXPECT_EQ(std::string_view(ExchangeRecord::of(exchange).label), "a label that is far longer th");
}

}  // namespace
}  // namespace syncline
