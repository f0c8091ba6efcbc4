// SPDX-License-Identifier: GPL-3.0-or-later
// What reaches the screen of a series, and what is smoothed, averaged and looked up before.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "ui/models/chart/aggregation.h"
#include "ui/models/chart/chart_data.h"
#include "ui/models/chart/heat_cells.h"
#include "ui/models/chart/pixel_line.h"
#include "ui/models/chart/reduction.h"
#include "ui/models/chart/smoothing.h"

namespace syncline::ui::chart {
namespace {

const double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();

Reduced reduce(const std::vector<double>& y, int pixels, bool logarithmic = false) {
  Reducer reducer({0, static_cast<double>(y.size()), pixels, logarithmic});
  for (std::size_t i = 0; i < y.size(); ++i) reducer.add(static_cast<double>(i), y[i]);
  return reducer.finish();
}

int gaps(const Reduced& line) {
  return static_cast<int>(std::count_if(line.y.begin(), line.y.end(), [](double y) { return std::isnan(y); }));
}

TEST(Reduction, FewSamplesAreAllDrawn) {
  const std::vector<double> y = {3, 1, 4, 1, 5, 9, 2, 6};
  const Reduced line = reduce(y, 100);
  EXPECT_EQ(line.y, y);
  EXPECT_EQ(line.per_column, 0);
}

TEST(Reduction, ASpikeOfOneSampleIsVisibleAtEveryZoom) {
  std::vector<double> y(100000, 1.0);
  y[54321] = 1000;
  y[12345] = 0.001;
  for (const int pixels : {1, 7, 100, 999}) {
    const Reduced line = reduce(y, pixels);
    EXPECT_EQ(*std::max_element(line.y.begin(), line.y.end()), 1000) << pixels;
    EXPECT_EQ(*std::min_element(line.y.begin(), line.y.end()), 0.001) << pixels;
    EXPECT_LE(line.y.size(), static_cast<std::size_t>(4 * pixels)) << pixels;
    EXPECT_GT(line.per_column, 2);
  }
}

TEST(Reduction, NoLineIsDrawnBackwardsAndEveryVertexIsASample) {
  std::mt19937 random(7);
  std::normal_distribution<double> noise;
  std::vector<double> y(5000);
  for (double& value : y) value = noise(random);
  const Reduced line = reduce(y, 200);
  EXPECT_TRUE(std::is_sorted(line.x.begin(), line.x.end()));
  for (std::size_t i = 0; i < line.x.size(); ++i) EXPECT_EQ(line.y[i], y[static_cast<std::size_t>(line.x[i])]);
  EXPECT_EQ(line.y.front(), y.front());
  EXPECT_EQ(line.y.back(), y.back());
}

TEST(Reduction, WhatIsNotFiniteBreaksTheLineAndLeavesAMark) {
  const Reduced line = reduce({1, 2, nan, 3, infinity, 4, 5, -infinity}, 100);
  EXPECT_EQ(gaps(line), 3);
  ASSERT_EQ(line.marks.size(), 3U);
  EXPECT_EQ(line.marks[0].kind, MarkKind::nan);
  EXPECT_EQ(line.marks[1].kind, MarkKind::positive_infinity);
  EXPECT_EQ(line.marks[2].kind, MarkKind::negative_infinity);
  EXPECT_EQ(line.marks[0].x, 2);
  // 3 stands between two gaps: no line shows it.
  ASSERT_EQ(line.dot_y.size(), 1U);
  EXPECT_EQ(line.dot_y[0], 3);
  for (const double y : line.y) EXPECT_FALSE(std::isinf(y));
}

TEST(Reduction, ManyNonFiniteSamplesOfOneColumnAreOneMarkWithTheirNumber) {
  std::vector<double> y(1000, 1.0);
  for (std::size_t i = 500; i < 508; ++i) y[i] = nan;
  const Reduced line = reduce(y, 10);
  ASSERT_EQ(line.marks.size(), 1U);
  EXPECT_EQ(line.marks[0].count, 8);
  EXPECT_GE(gaps(line), 1);
}

TEST(Reduction, ASeriesOfOnlyNaNIsNothingButMarks) {
  const Reduced line = reduce(std::vector<double>(50, nan), 20);
  EXPECT_EQ(gaps(line), static_cast<int>(line.y.size()));
  std::int64_t counted = 0;
  for (const Mark& mark : line.marks) counted += mark.count;
  EXPECT_EQ(counted, 50);
  EXPECT_TRUE(line.dot_x.empty());
}

TEST(Reduction, ALogarithmPutsWhatIsNotPositiveIntoTheGutter) {
  const Reduced line = reduce({1, 0, 2, -3, -1, 4}, 100, true);
  std::int64_t counted = 0;
  for (const Mark& mark : line.marks) {
    EXPECT_EQ(mark.kind, MarkKind::not_positive);
    counted += mark.count;
  }
  EXPECT_EQ(counted, 3);
  for (const double y : line.y) EXPECT_TRUE(std::isnan(y) || y > 0);
  EXPECT_EQ(reduce({1, 0, 2, -3, -1, 4}, 100, false).marks.size(), 0U);
}

TEST(Reduction, OneSampleIsADotAndAnEmptySeriesNothing) {
  const Reduced one = reduce({5}, 100);
  ASSERT_EQ(one.dot_y.size(), 1U);
  EXPECT_EQ(one.dot_y[0], 5);
  EXPECT_TRUE(reduce({}, 100).empty());
}

TEST(Reduction, ABucketKeepsItsEndsItsExtremesAndItsGaps) {
  SeriesBucket bucket;
  bucket.count = 16;
  bucket.nonfinite = 2;
  bucket.min = -5;
  bucket.max = 8;
  bucket.first = 1;
  bucket.last = 2;
  Reducer reducer({0, 100, 100, false});
  reducer.add(bucket, 10, 10.9);
  const Reduced line = reducer.finish();
  EXPECT_EQ(*std::max_element(line.y.begin(), line.y.end(), [](double a, double b) { return std::isnan(a) || (!std::isnan(b) && a < b); }),
            8);
  EXPECT_EQ(gaps(line), 1);
  ASSERT_EQ(line.marks.size(), 1U);
  EXPECT_EQ(line.marks[0].count, 2);
  EXPECT_EQ(line.per_column, 16);
}

TEST(Reduction, ABandNeverLooksNarrowerThanItIs) {
  std::vector<double> x, lower, upper;
  for (int i = 0; i < 1000; ++i) {
    x.push_back(i);
    lower.push_back(i == 500 ? -7 : 0);
    upper.push_back(i == 501 ? 9 : 1);
  }
  const ReducedBand band = reduce_band(x, lower, upper, {0, 1000, 50, false});
  EXPECT_LE(band.x.size(), 52U);
  EXPECT_EQ(*std::min_element(band.lower.begin(), band.lower.end()), -7);
  EXPECT_EQ(*std::max_element(band.upper.begin(), band.upper.end()), 9);
}

TEST(Smoothing, TheFirstSampleIsItselfAndAConstantStaysExact) {
  HalfLifeMean mean(10);
  EXPECT_EQ(mean.add(0, 3.7), 3.7);
  for (int i = 1; i < 1000; ++i) EXPECT_EQ(mean.add(i * i, 3.7), 3.7);
}

TEST(Smoothing, TheHalfLifeIsInUnitsOfX) {
  // A long past of zeros, then ones: after one half-life half of the way is gone, however densely sampled.
  for (const double spacing : {0.01, 0.1}) {
    HalfLifeMean mean(50);
    double x = 0;
    for (; x < 2000; x += spacing) mean.add(x, 0);
    double last = 0;
    for (const double until = x + 50; x < until; x += spacing) last = mean.add(x, 1);
    EXPECT_NEAR(last, 0.5, 0.002) << spacing;
  }
}

TEST(Smoothing, WhatFollowsDoesNotChangeTheCurveAndGapsLeaveItAlone) {
  std::vector<double> x, y;
  std::mt19937 random(3);
  std::normal_distribution<double> noise;
  for (int i = 0; i < 500; ++i) {
    x.push_back(i);
    y.push_back(i % 50 == 7 ? nan : noise(random));
  }
  for (const auto kind : {Smoothing::Kind::half_life, Smoothing::Kind::running_mean, Smoothing::Kind::running_median}) {
    const Smoothing smoothing{kind, 20};
    const std::vector<double> all = smooth(x, y, smoothing);
    std::vector<double> grown = smooth(std::span(x).first(300), std::span(y).first(300), smoothing);
    for (std::size_t i = 0; i < 300; ++i) EXPECT_TRUE(grown[i] == all[i] || (std::isnan(grown[i]) && std::isnan(all[i])));
    smooth_more(x, y, smoothing, grown);
    ASSERT_EQ(grown.size(), all.size());
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (std::isnan(y[i]))
        EXPECT_TRUE(std::isnan(all[i]));
      else
        EXPECT_NEAR(grown[i], all[i], 1e-12);
    }
  }
}

TEST(Smoothing, RunningMedianAndMeanTakeTheWindowThatEndsAtTheSample) {
  const std::vector<double> x = {0, 1, 2, 3, 4, 5}, y = {5, 1, 9, 2, 8, 100};
  const std::vector<double> median = smooth(x, y, {Smoothing::Kind::running_median, 3}),
                            mean = smooth(x, y, {Smoothing::Kind::running_mean, 3});
  EXPECT_EQ(median, (std::vector<double>{5, 3, 5, 2, 8, 8}));
  EXPECT_DOUBLE_EQ(mean[2], 5);
  EXPECT_DOUBLE_EQ(mean[4], 19.0 / 3);
}

TEST(Aggregation, TheSparsestSeedIsTheGridAndOthersGiveTheirLastValueBefore) {
  const std::vector<double> coarse_x = {0, 10, 20}, coarse_y = {1, 2, 3}, fine_x = {0, 4, 8, 12, 16, 20}, fine_y = {0, 10, 20, 30, 40, 50};
  const std::vector<SeedSamples> seeds = {{coarse_x, coarse_y}, {fine_x, fine_y}};
  const Aggregate mean = aggregate(seeds, Band::range);
  EXPECT_EQ(mean.x, coarse_x);
  EXPECT_EQ(mean.mean, (std::vector<double>{0.5, 11, 26.5}));  // at 10 the fine one stands at 20 (x = 8)
  EXPECT_EQ(mean.lower, (std::vector<double>{0, 2, 3}));
  EXPECT_EQ(mean.upper, (std::vector<double>{1, 20, 50}));
}

TEST(Aggregation, NothingIsExtrapolatedBeforeTheBeginOrAfterTheEnd) {
  const std::vector<double> long_x = {0, 1, 2, 3, 4, 5}, long_y = {1, 1, 1, 1, 1, 1}, short_x = {1, 2, 3}, short_y = {3, 3, 3};
  const std::vector<SeedSamples> seeds = {{long_x, long_y}, {short_x, short_y}};
  const Aggregate mean = aggregate(seeds, Band::deviation);
  EXPECT_EQ(mean.n, (std::vector<int>{1, 2, 2, 2, 1, 1}));
  EXPECT_EQ(mean.mean, (std::vector<double>{1, 2, 2, 2, 1, 1}));
  EXPECT_TRUE(std::isnan(mean.lower.back()));  // one seed has no spread
  EXPECT_DOUBLE_EQ(mean.upper[1], 2 + std::sqrt(2.0));
}

TEST(Aggregation, ConfidenceFollowsStudentAndNeedsThreeSeeds) {
  const std::vector<double> x = {0}, a = {1}, b = {2}, c = {3}, d = {4}, e = {5};
  const std::vector<SeedSamples> five = {{x, a}, {x, b}, {x, c}, {x, d}, {x, e}}, two = {{x, a}, {x, b}};
  const Aggregate mean = aggregate(five, Band::confidence);
  // s = 1.5811, t(0.975, 4) = 2.7764: 2.7764 * 1.5811 / sqrt(5) = 1.9632
  EXPECT_NEAR(mean.upper[0] - 3, 1.9632, 1e-4);
  EXPECT_TRUE(std::isnan(aggregate(two, Band::confidence).upper[0]));
  EXPECT_NEAR(student_t_95(1), 12.7062, 1e-4);
  EXPECT_NEAR(student_t_95(40), 2.0211, 1e-3);
  EXPECT_NEAR(student_t_95(1000), 1.9623, 1e-3);
}

TEST(Aggregation, ASeedThatDivergedNoLongerCounts) {
  const std::vector<double> x = {0, 1, 2}, good = {1, 2, 3}, bad = {1, nan, infinity};
  const std::vector<SeedSamples> seeds = {{x, good}, {x, bad}};
  const Aggregate mean = aggregate(seeds, Band::deviation);
  EXPECT_EQ(mean.n, (std::vector<int>{2, 1, 1}));
  EXPECT_EQ(mean.mean, good);
}

TEST(Reading, TheValueIsTheLastSampleAtOrBeforeNeverAnInterpolation) {
  CurveData curve;
  for (const double x : {1.0, 2.0, 5.0}) curve.readings.push_back({x, 10 * x, nan, nan, nan, 1, 1, {}});
  EXPECT_EQ(reading_at(curve, 0.9), nullptr);
  EXPECT_EQ(reading_at(curve, 1)->y, 10);
  EXPECT_EQ(reading_at(curve, 4.999)->y, 20);
  EXPECT_EQ(reading_at(curve, 100)->y, 50);
  EXPECT_EQ(last_at_or_before({1, 2, 5}, 0), std::nullopt);
  EXPECT_EQ(last_at_or_before({1, 2, 2, 5}, 2), std::size_t{2});
}

// How far a point is from the nearest stroke or bar.
double distance_to(const PixelLine& line, const PixelPoint& point) {
  double nearest = infinity;
  for (const PixelBar& bar : line.bars) {
    if (point.x < bar.column || point.x >= bar.column + 1) continue;
    nearest = std::min(nearest, std::max({0.0, bar.top - point.y, point.y - bar.bottom}));
  }
  for (const auto& run : line.runs) {
    for (std::size_t i = 1; i < run.size(); ++i) {
      const double dx = run[i].x - run[i - 1].x, dy = run[i].y - run[i - 1].y, length = dx * dx + dy * dy;
      const double along = length > 0 ? std::clamp(((point.x - run[i - 1].x) * dx + (point.y - run[i - 1].y) * dy) / length, 0.0, 1.0) : 0;
      nearest = std::min(nearest, std::hypot(point.x - run[i - 1].x - along * dx, point.y - run[i - 1].y - along * dy));
    }
  }
  return nearest;
}

TEST(PixelLine, NoPointIsFarFromWhatIsDrawnAndDenseCurvesAreFewStrokes) {
  std::mt19937 random(11);
  std::normal_distribution<double> noise;
  for (const double amplitude : {0.0, 0.4, 3.0, 80.0}) {
    for (const double spacing : {0.25, 1.0, 3.0}) {
      std::vector<PixelPoint> points;
      for (double x = 0; x < 400; x += spacing) points.push_back({x, 100 + 50 * std::sin(0.02 * x) + amplitude * noise(random)});
      const PixelLine line = pixel_line(points);
      for (const PixelPoint& point : points) ASSERT_LE(distance_to(line, point), 1.0) << amplitude << ' ' << spacing << ' ' << point.x;
      std::size_t strokes = 0;
      for (const auto& run : line.runs) strokes += run.size();
      EXPECT_LE(line.bars.size(), 400U);
      if (amplitude == 0) {
        EXPECT_LT(strokes, 60U) << spacing;
      }
      if (amplitude == 80.0 && spacing < 1) {
        EXPECT_LT(strokes, 20U);
      }
    }
  }
}

TEST(PixelLine, ASpikeIsABarAndAGapStaysOne) {
  std::vector<PixelPoint> points;
  for (int i = 0; i < 1000; ++i) points.push_back({0.1 * i, i == 500 ? 5.0 : 90.0});
  PixelLine line = pixel_line(points);
  ASSERT_EQ(line.bars.size(), 1U);
  EXPECT_EQ(line.bars[0].top, 5);
  EXPECT_EQ(line.runs.size(), 2U);
  for (int i = 300; i < 400; ++i) points[static_cast<std::size_t>(i)].y = nan;
  line = pixel_line(points);
  for (const auto& run : line.runs) EXPECT_FALSE(run.front().x < 31 && run.back().x > 39);
}

TEST(PixelLine, TheOutlineOfARunIsAsWideAsItsStrokeAndNoWiderAtACorner) {
  const double width = 1.5;
  const std::vector<PixelPoint> run = {{0, 10}, {8, 4}, {16, 4}, {16.5, 40}, {17, 4}, {30, 9}};
  const std::vector<PixelPoint> outline = outline_of(run, width);
  ASSERT_EQ(outline.size(), 2 * run.size());
  EXPECT_NEAR(std::hypot(outline.front().x - outline.back().x, outline.front().y - outline.back().y), width, 1e-9);
  const auto distance = [](const PixelPoint& point, const PixelPoint& a, const PixelPoint& b) {
    return std::abs((b.x - a.x) * (point.y - a.y) - (b.y - a.y) * (point.x - a.x)) / std::hypot(b.x - a.x, b.y - a.y);
  };
  for (std::size_t i = 0; i < run.size(); ++i) {
    for (const PixelPoint& side : {outline[i], outline[outline.size() - 1 - i]}) {
      EXPECT_LE(std::hypot(side.x - run[i].x, side.y - run[i].y), width + 1e-9) << i;
      // The gentle corners keep both sides at half the width from both of their segments.
      if (i == 1) {
        EXPECT_NEAR(distance(side, run[0], run[1]), width / 2, 1e-9);
        EXPECT_NEAR(distance(side, run[1], run[2]), width / 2, 1e-9);
      }
    }
  }
  EXPECT_TRUE(outline_of(std::vector<PixelPoint>{{1, 1}}, width).empty());
}

TEST(HeatCells, TooManyCellsAreTakenTogetherByTheirMaximum) {
  const std::vector<double> values = {1, 2, 3, 4, 5, 6, 7, 8, nan, nan, 11, 12};
  const HeatCells cells = heat_cells(values, 3, 4, 2, 2);
  EXPECT_EQ(cells.rows, 2U);
  EXPECT_EQ(cells.columns, 2U);
  EXPECT_EQ(cells.values[0], 6);
  EXPECT_EQ(cells.values[1], 8);
  EXPECT_TRUE(std::isnan(cells.values[2]));
  EXPECT_EQ(cells.values[3], 12);
  EXPECT_EQ(cells.most, 12);
  EXPECT_EQ(cells.columns_per_cell, 2U);
}

}  // namespace
}  // namespace syncline::ui::chart
