// SPDX-License-Identifier: GPL-3.0-or-later
// What a chart keeps of a series between two views of it.
#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/unit/store/fixture.h"
#include "ui/models/chart/chart_reading.h"

namespace syncline::ui::chart {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

class ChartCacheTest : public StoreTest {
 protected:
  void SetUp() override {
    StoreTest::SetUp();
    id_ = RunRegistry(workspace()).create(new_run());
  }
  void record(std::int64_t first, std::int64_t count) {
    RunWriterOptions options;
    options.scalars = 1 << 18;
    RunWriter writer(workspace(), id_, options);
    for (std::int64_t step = first; step < first + count; ++step) {
      writer.position(axes_at(step));
      writer.scalar("train_loss", step, value(step));
    }
    writer.close();
  }
  static double value(std::int64_t step) {
    return step % 997 == 0 ? 50.0 + static_cast<double>(step % 13) : std::sin(0.7 * static_cast<double>(step));
  }
  SeriesInfo series() {
    Reader reader(workspace());
    return *reader.find_series(id_, "train_loss", -1);
  }
  std::string id_;
};

TEST_F(ChartCacheTest, AZoomWithinWhatIsKnownReadsNothing) {
  record(0, 20000);
  const SeriesInfo info = series();
  Reader reader(workspace()), elsewhere(workspace("empty.db"));  // where the series is not
  ViewCache view;
  view.update(reader, info, XAxis::step, 8000, 12000, 1000);
  const std::size_t known = view.points().size();
  ASSERT_GT(known, 4000U);
  EXPECT_NO_THROW(view.update(elsewhere, info, XAxis::step, 8400, 11600, 1000));
  EXPECT_NO_THROW(view.update(elsewhere, info, XAxis::step, 7500, 12500, 1000));
  EXPECT_EQ(view.points().size(), known);
  EXPECT_THROW(view.update(elsewhere, info, XAxis::step, 2000, 3000, 1000), Error);  // far away it has to read
}

TEST_F(ChartCacheTest, AZoomThatNeedsFinerBucketsReadsThem) {
  record(0, 200000);
  const SeriesInfo info = series();
  Reader reader(workspace());
  ViewCache view;
  view.update(reader, info, XAxis::step, -infinity, infinity, 500);
  for (double half = 80000; half > 500; half /= 1.5) {
    view.update(reader, info, XAxis::step, 100000 - half, 100000 + half, 500);
    const auto inside = std::count_if(view.buckets().begin(), view.buckets().end(), [&](const SeriesBucket& bucket) {
      return static_cast<double>(bucket.last_axes.step) >= 100000 - half && static_cast<double>(bucket.first_axes.step) <= 100000 + half;
    });
    EXPECT_TRUE(view.buckets().empty() || inside >= 250) << half;
  }
}

TEST_F(ChartCacheTest, WhatIsRecordedMeanwhileJoinsAViewThatWasWidened) {
  record(0, 3000);
  Reader reader(workspace());
  ViewCache view;
  view.update(reader, series(), XAxis::step, 2000, 4000, 1000);
  record(3000, 500);
  view.update(reader, series(), XAxis::step, 2100, 3900, 1000);
  ASSERT_FALSE(view.points().empty());
  EXPECT_EQ(view.points().back().axes.step, 3499);
  for (std::size_t i = 1; i < view.points().size(); ++i) ASSERT_EQ(view.points()[i].sequence, view.points()[i - 1].sequence + 1);
}

// However one came to a view, its picture has the extremes of the samples in it, and nothing from beyond but a neighbour.
TEST_F(ChartCacheTest, EverySpikeIsThereAfterAnyWayOfZooming) {
  record(0, 60000);
  Reader reader(workspace());
  ChartReading reading;
  std::uint32_t state = 7;
  const auto random = [&] { return (state = state * 1664525U + 1013904223U) / 4294967296.0; };
  double from = 0, to = 60000;
  for (int i = 0; i < 60; ++i) {
    const double centre = from + (0.3 + 0.4 * random()) * (to - from), size = (to - from) * (random() < 0.6 ? 0.7 : 1.3);
    from = std::max(0.0, std::floor(centre - size / 2));
    to = std::min(60000.0, std::max(from + 200, std::ceil(centre + size / 2)));
    ChartQuery query;
    query.curves.push_back({QStringLiteral("a"), {QString::fromStdString(id_)}, QStringLiteral("train_loss"), -1});
    query.from = from;
    query.to = to;
    query.pixels = 400;
    const auto data = reading.read(reader, query);
    const Reduced& line = data->curves.at(0).line;
    double highest = -infinity, drawn = -infinity;
    for (auto step = static_cast<std::int64_t>(from); step <= std::min<std::int64_t>(59999, static_cast<std::int64_t>(to)); ++step)
      highest = std::max(highest, value(step));
    std::size_t outside = 0;
    for (std::size_t at = 0; at < line.x.size(); ++at) {
      if (line.x[at] < from || line.x[at] > to)
        ++outside;
      else
        drawn = std::max(drawn, line.y[at]);
    }
    EXPECT_GE(drawn, highest) << from << " to " << to;
    EXPECT_LE(outside, 12U) << from << " to " << to;
    EXPECT_LE(line.x.size(), 4U * 402U);
  }
}

}  // namespace
}  // namespace syncline::ui::chart
