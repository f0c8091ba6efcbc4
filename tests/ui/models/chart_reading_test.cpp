// SPDX-License-Identifier: GPL-3.0-or-later
// A chart's data out of real workspaces.
#include "ui/models/chart/chart_reading.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/unit/store/fixture.h"
#include "ui/models/chart/chart_table.h"
#include "ui/models/chart/rank_rates.h"

namespace syncline::ui::chart {
namespace {

const double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();

class ChartReadingTest : public StoreTest {
 protected:
  // Values from `first_step` on; NaN and infinities as they are.
  QString record(const std::vector<double>& values, std::int64_t first_step = 0, const std::string& attempt_of = {}, std::uint64_t seed = 1,
                 std::int64_t every = 1) {
    RunRegistry registry(workspace());
    NewRun run = new_run("run");
    run.seed = seed;
    run.attempt_of = attempt_of;
    const std::string id = registry.create(run);
    RunWriterOptions options;
    options.scalars = 2000000;
    RunWriter writer(workspace(), id, options);
    for (std::size_t i = 0; i < values.size(); ++i) {
      const std::int64_t step = first_step + static_cast<std::int64_t>(i) * every;
      writer.position(axes_at(step));
      writer.scalar("train_loss", step, values[i]);
      if (i % 50000 == 49999) writer.flush();
    }
    writer.close();
    return QString::fromStdString(id);
  }

  static ChartQuery query(const std::vector<QStringList>& curves) {
    ChartQuery asked;
    for (std::size_t i = 0; i < curves.size(); ++i)
      asked.curves.push_back({QString::number(i), curves[i], QStringLiteral("train_loss"), -1});
    asked.from = asked.to = nan;
    asked.pixels = 500;
    return asked;
  }

  std::vector<TableRow> rows(const TableQuery& asked) {
    Reader reader(workspace());
    std::vector<TableRow> all;
    each_row(reader, asked, [&](const TableRow& row) {
      all.push_back(row);
      return true;
    });
    return all;
  }
};

TEST_F(ChartReadingTest, ShowsEverySampleOfAShortSeriesAsRecorded) {
  const QString id = record({2.5, nan, 1.5, infinity, 0, -1});
  Reader reader(workspace());
  ChartReading reading;
  const auto data = reading.read(reader, query({{id}}));
  const CurveData& curve = data->curves.at(0);
  EXPECT_EQ(curve.samples, 6);
  EXPECT_EQ(curve.nonfinite, 2);
  EXPECT_EQ(curve.first_nonfinite, 1.0);
  ASSERT_EQ(curve.readings.size(), 6U);
  EXPECT_EQ(curve.readings[2].y, 1.5);
  EXPECT_EQ(curve.readings[2].axes->samples, 128 * 3);
  EXPECT_EQ(data->first_x, 0);
  EXPECT_EQ(data->last_x, 5);
  EXPECT_EQ(curve.last->y, -1);
}

TEST_F(ChartReadingTest, ThroughputOfTheRanksIsASumWithABandAsIfAllWereAsSlowAsTheSlowestOrAsFastAsTheFastest) {
  const std::string id = RunRegistry(workspace()).create(new_run("ranks"));
  RunWriter writer(workspace(), id);
  for (std::int64_t step = 0; step < 200; ++step) {
    writer.position(axes_at(step));
    writer.scalar("samples_per_s", step, 1000);
    for (int rank = 0; rank < 3; ++rank) {
      StepSums sums;
      sums.rank = rank;
      sums.axes = axes_at(step);
      sums.samples = 30;
      sums.step_s = rank == 2 && step >= 100 ? 0.3 : 0.1;  // one falls behind
      writer.step(sums);
    }
  }
  writer.close();
  ChartQuery asked = query({{QString::fromStdString(id)}});
  asked.curves[0].series = QStringLiteral("samples_per_s");
  asked.curves[0].rank = every_rank;
  Reader reader(workspace());
  ChartReading reading;
  const auto data = reading.read(reader, asked);
  const CurveData& curve = data->curves.at(0);
  ASSERT_GE(curve.readings.size(), 4u);
  for (const Reading& at : curve.readings) {
    EXPECT_EQ(at.n, 3);
    EXPECT_NEAR(at.upper, 900, 1e-6) << at.x;
    EXPECT_LE(at.lower, at.y);
  }
  EXPECT_NEAR(curve.readings.front().lower, 900, 1e-6);
  EXPECT_NEAR(curve.readings.back().lower, 300, 1e-6);
  EXPECT_NEAR(curve.last->y, 300 + 300 + 100, 1e-6);
  EXPECT_FALSE(curve.band.x.empty());
  const auto table = rows({asked, {QStringLiteral("ranks")}});
  ASSERT_EQ(table.size(), curve.readings.size());
  EXPECT_EQ(table.back().lower, curve.readings.back().lower);
}

TEST_F(ChartReadingTest, AMillionSamplesKeepTheirSpikeAndFewVertices) {
  std::vector<double> values(1000000, 1.0);
  values[654321] = 1000;
  const QString id = record(values);
  Reader reader(workspace());
  ChartReading reading;
  const auto data = reading.read(reader, query({{id}}));
  const CurveData& curve = data->curves.at(0);
  EXPECT_EQ(curve.best_high, 1000.0);
  EXPECT_LE(curve.line.x.size(), 4U * 501);
  EXPECT_GT(curve.line.per_column, 500);
  EXPECT_TRUE(std::is_sorted(curve.line.x.begin(), curve.line.x.end()));
}

TEST_F(ChartReadingTest, AReplayedPartIsSetApartAndNoLineGoesBackwards) {
  const QString first = record({5, 4, 3, 99, 98});                     // steps 0 to 4
  const QString second = record({2, 1, 0.5}, 3, first.toStdString());  // resumed at 3
  Reader reader(workspace());
  ChartReading reading;
  for (const QString& asked : {first, second}) {
    const auto data = reading.read(reader, query({{asked}}));
    const CurveData& curve = data->curves.at(0);
    EXPECT_EQ(curve.attempts, 2);
    EXPECT_EQ(curve.line.y, (std::vector<double>{5, 4, 3, 2, 1, 0.5}));
    EXPECT_TRUE(std::is_sorted(curve.line.x.begin(), curve.line.x.end()));
    ASSERT_GE(curve.superseded.y.size(), 2U);
    EXPECT_EQ(curve.superseded.y[curve.superseded.y.size() - 3], 99);
    EXPECT_EQ(curve.best_high, 5.0);  // what was replaced is in no statistic
    EXPECT_EQ(curve.readings.back().attempt, 2);
  }
  const auto table = rows({query({{first}}), {QStringLiteral("run")}});
  EXPECT_EQ(table.size(), 8U);
  EXPECT_EQ(std::count_if(table.begin(), table.end(), [](const TableRow& row) { return row.superseded; }), 2);
}

TEST_F(ChartReadingTest, WhatWasRecordedSinceIsAddedToWhatWasRead) {
  RunRegistry registry(workspace());
  const std::string id = registry.create(new_run());
  RunWriter writer(workspace(), id);
  Reader reader(workspace());
  ChartReading live, fresh;
  const ChartQuery asked = query({{QString::fromStdString(id)}});
  for (int round = 0; round < 12; ++round) {
    for (int i = 0; i < 700; ++i) {
      const std::int64_t step = round * 700 + i;
      writer.position(axes_at(step));
      writer.scalar("train_loss", step, std::sin(static_cast<double>(step)));
    }
    ASSERT_TRUE(writer.flush());
    ChartReading anew;
    const auto grown = live.read(reader, asked), whole = anew.read(reader, asked);
    EXPECT_EQ(grown->curves[0].samples, (round + 1) * 700);
    EXPECT_EQ(grown->curves[0].best_high, whole->curves[0].best_high);
    EXPECT_EQ(grown->curves[0].best_low, whole->curves[0].best_low);
    EXPECT_EQ(grown->curves[0].line.x.back(), whole->curves[0].line.x.back());
    EXPECT_TRUE(std::is_sorted(grown->curves[0].line.x.begin(), grown->curves[0].line.x.end()));
    EXPECT_TRUE(grown->curves[0].running);
  }
}

TEST_F(ChartReadingTest, SmoothingUsesEverySampleWhateverTheZoom) {
  std::vector<double> values(20000);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = std::sin(static_cast<double>(i) * 0.37) + 1e-4 * static_cast<double>(i);
  const QString id = record(values);
  Reader reader(workspace());
  ChartReading reading;
  ChartQuery asked = query({{id}});
  asked.smoothing = {Smoothing::Kind::half_life, 300};
  const auto whole = reading.read(reader, asked);
  asked.from = 15000;
  asked.to = 15100;
  const auto part = reading.read(reader, asked);
  HalfLifeMean mean(300);
  double expected = 0;
  for (int i = 0; i <= 15050; ++i) expected = mean.add(i, values[static_cast<std::size_t>(i)]);
  const Reading* zoomed = reading_at(part->curves[0], 15050);
  ASSERT_NE(zoomed, nullptr);
  EXPECT_EQ(zoomed->smoothed, expected);
  EXPECT_EQ(reading_at(whole->curves[0], zoomed->x)->y, values[static_cast<std::size_t>(reading_at(whole->curves[0], zoomed->x)->x)]);
}

TEST_F(ChartReadingTest, SeedsBecomeAMeanThatSaysWhereOneEnded) {
  const QString one = record({1, 2, 3, 4, 5}, 0, {}, 1), two = record({3, 4, 5}, 0, {}, 2);
  RunRegistry(workspace()).finish(two.toStdString(), {"stopped", "on request", 5, 0});
  Reader reader(workspace());
  ChartReading reading;
  const auto data = reading.read(reader, query({{one, two}}));
  const CurveData& curve = data->curves.at(0);
  EXPECT_EQ(curve.seeds_count, 2);
  EXPECT_EQ(curve.seeds_stopped_early, 1);
  EXPECT_EQ(curve.line.y, (std::vector<double>{2, 3, 4}));
  EXPECT_EQ(curve.partial.y, (std::vector<double>{4, 4, 5}));  // joined to the last one of both
  ASSERT_EQ(curve.seeds_left.size(), 1U);
  EXPECT_EQ(curve.seeds_left[0], std::pair(3.0, 1));
  EXPECT_EQ(curve.readings[1].n, 2);
  EXPECT_EQ(curve.band.x.size(), 5U);
}

TEST_F(ChartReadingTest, StartsCanBeAlignedAndAxesWithoutDataAreRefusedWithTheReason) {
  const QString one = record({1, 2, 3}, 0), two = record({4, 5, 6}, 1000);
  Reader reader(workspace());
  ChartReading reading;
  ChartQuery asked = query({{one}, {two}});
  asked.align_starts = true;
  const auto data = reading.read(reader, asked);
  EXPECT_EQ(data->first_x, 0);
  EXPECT_EQ(data->last_x, 2);
  EXPECT_EQ(data->curves[1].line.x, (std::vector<double>{0, 1, 2}));
  for (const QString& reason : data->axis_reasons) EXPECT_TRUE(reason.isEmpty());

  RunRegistry registry(workspace());
  const std::string bare = registry.create(new_run());
  {
    RunWriter writer(workspace(), bare);
    for (int i = 0; i < 5; ++i) writer.scalar("train_loss", i, i);  // no position: only steps
    writer.close();
  }
  const auto only_steps = reading.read(reader, query({{QString::fromStdString(bare)}}));
  EXPECT_TRUE(only_steps->axis_reasons[static_cast<std::size_t>(XAxis::step)].isEmpty());
  EXPECT_FALSE(only_steps->axis_reasons[static_cast<std::size_t>(XAxis::gradients)].isEmpty());
}

TEST_F(ChartReadingTest, ASeriesThatIsNotThereSaysSo) {
  const QString id = record({1});
  Reader reader(workspace());
  ChartReading reading;
  ChartQuery asked = query({{id}, {QStringLiteral("00000000-0000-7000-8000-000000000000")}});
  asked.curves[0].series = QStringLiteral("staleness");
  const auto data = reading.read(reader, asked);
  EXPECT_FALSE(data->any());
  EXPECT_TRUE(data->curves[0].why_missing.contains(QStringLiteral("Staleness")));
  EXPECT_FALSE(data->curves[1].why_missing.isEmpty());
}

TEST_F(ChartReadingTest, TablesQuoteWhatNeedsItAndKeepEveryDigit) {
  const QString id = record({1.0 / 3, nan});
  TableQuery asked{query({{id}}), {QStringLiteral("a \"b\", c")}};
  QByteArray csv, json;
  Reader reader(workspace());
  write_table(reader, asked, TableFormat::csv, [&](const QByteArray& piece) {
    csv += piece;
    return true;
  });
  write_table(reader, asked, TableFormat::json, [&](const QByteArray& piece) {
    json += piece;
    return true;
  });
  EXPECT_TRUE(csv.contains("\"a \"\"b\"\", c\",train_loss,"));
  EXPECT_TRUE(csv.contains(",0.3333333333333333\n"));
  EXPECT_TRUE(csv.contains(",NaN\n"));
  EXPECT_EQ(csv.count('\n'), 3);
  EXPECT_TRUE(json.contains("\"NaN\""));
  EXPECT_TRUE(json.contains(",0.3333333333333333]"));
}

}  // namespace
}  // namespace syncline::ui::chart
