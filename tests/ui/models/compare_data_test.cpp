// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/compare_data.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "tests/ui/runs/stored_runs.h"
#include "ui/models/format.h"
#include "ui/models/runs_columns.h"

namespace syncline::ui {
namespace {

class CompareDataTest : public StoredRunsTest {
 protected:
  ComparisonData read(const std::vector<std::string>& ids) {
    QStringList list;
    for (const std::string& id : ids) list << QString::fromStdString(id);
    Reader reader(workspace());
    return read_comparison(reader, list);
  }
  static SummaryMetric metric(const char* key) { return *summary_metric(key); }
};

TEST_F(CompareDataTest, SeedsAreOneItemWithMeanAndSpreadAndPredictionsStandAlone) {
  std::vector<std::string> ids;
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    ids.push_back(make({.name = "a", .group = "g", .quality = static_cast<double>(seed), .seed = seed}));
  }
  ids.push_back(make({.name = "b"}));
  const ComparisonData data = read(ids);
  const auto items = compared_items(data, true);
  ASSERT_EQ(items.size(), 2U);
  EXPECT_EQ(items[0].spreadOf("final_train_loss").n, 3);
  EXPECT_DOUBLE_EQ(items[0].spreadOf("final_train_loss").mean, 0.05);
  EXPECT_DOUBLE_EQ(items[0].spreadOf("final_train_loss").deviation, 0.025);
  EXPECT_EQ(compared_items(data, false).size(), 4U);
}

TEST_F(CompareDataTest, ADifferenceSaysHowMuchInItsUnitAndWhichWayIsBetter) {
  const ComparisonData data = read({make({.name = "slow", .step_s = 0.02}), make({.name = "fast", .step_s = 0.01})});
  const auto items = compared_items(data, true);
  const ComparedCell step = compare_cell(metric("step_s"), items[1], &items[0]);
  EXPECT_EQ(step.value, format::duration(0.01));
  EXPECT_EQ(step.verdict, ComparedCell::better) << "a shorter step is better";
  EXPECT_TRUE(step.difference.startsWith(QStringLiteral("\u2212") + format::duration(0.01))) << step.difference.toStdString();
  EXPECT_TRUE(step.difference.contains(QStringLiteral("\u221250 % \u25b2"))) << step.difference.toStdString();
  EXPECT_TRUE(step.words.contains(QStringLiteral("single run")));
  const ComparedCell rate = compare_cell(metric("samples_per_s"), items[0], &items[1]);
  EXPECT_EQ(rate.verdict, ComparedCell::worse);
  EXPECT_TRUE(rate.difference.contains(QStringLiteral("\u25bc")));
  EXPECT_TRUE(compare_cell(metric("step_s"), items[0], &items[0]).difference.isEmpty()) << "the baseline differs from nothing";
  const ComparisonData learned = read({make({.name = "worse", .quality = 2}), make({.name = "better", .quality = 1})});
  const auto pair = compared_items(learned, true);
  // 0.445 and 0.89 at the last of 40 steps.
  EXPECT_TRUE(compare_cell(metric("best_test_accuracy"), pair[1], &pair[0]).difference.startsWith(QStringLiteral("+44.50 pp  +100 %")))
      << compare_cell(metric("best_test_accuracy"), pair[1], &pair[0]).difference.toStdString();
  const ComparedCell sent = compare_cell(metric("comm_s"), items[1], &items[0]);
  EXPECT_EQ(sent.verdict, ComparedCell::none) << "neither direction of communication time is better";
  EXPECT_FALSE(sent.difference.contains(QStringLiteral("\u25b2")));
}

TEST_F(CompareDataTest, WithThreeSeedsOnBothSidesASmallDifferenceIsWithinSpread) {
  std::vector<std::string> ids;
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    ids.push_back(make({.name = "a", .group = "a", .quality = 1 + 0.1 * static_cast<double>(seed), .seed = seed}));
    ids.push_back(make({.name = "b", .group = "b", .quality = 1.02 + 0.1 * static_cast<double>(seed), .seed = seed}));
    ids.push_back(make({.name = "c", .group = "c", .quality = 3 + 0.1 * static_cast<double>(seed), .seed = seed}));
  }
  const ComparisonData data = read(ids);
  const auto items = compared_items(data, true);
  const SummaryMetric loss = metric("final_train_loss");
  EXPECT_EQ(compare_cell(loss, items[1], &items[0]).verdict, ComparedCell::within);
  EXPECT_EQ(compare_cell(loss, items[2], &items[0]).verdict, ComparedCell::worse);
  const auto single = compared_items(data, false);
  EXPECT_NE(compare_cell(loss, single[1], &single[0]).verdict, ComparedCell::within) << "one run says nothing of the noise";
}

TEST_F(CompareDataTest, ASeedThatWasRunAgainCountsOnceAsOnTheRunsPage) {
  std::vector<std::string> ids;
  for (const std::uint64_t seed : {1, 1, 2}) {
    ids.push_back(make({.name = "a", .group = "a", .quality = seed == 2 ? 4.0 : ids.empty() ? 1.0 : 3.0, .seed = seed}));
  }
  for (int copy = 0; copy < 2; ++copy) ids.push_back(make({.name = "b", .group = "b", .quality = 1.0 + copy}));
  const ComparisonData data = read(ids);
  const auto items = compared_items(data, true);
  EXPECT_EQ(seeds_text(items[0].infos()), QStringLiteral("2 seeds, 3 runs"));
  EXPECT_EQ(items[0].spreadOf("final_train_loss").n, 2);
  EXPECT_DOUBLE_EQ(items[0].spreadOf("final_train_loss").mean, 0.025 * 3) << "of 2 and 4, not of 1, 3 and 4";
  EXPECT_EQ(seeds_text(items[1].infos()), QStringLiteral("2 runs of one seed"));
  EXPECT_TRUE(compare_cell(metric("final_train_loss"), items[1], &items[0]).value.endsWith(QStringLiteral("(2 runs)")));
}

TEST_F(CompareDataTest, NoDifferenceIsSaidInWords) {
  const ComparisonData data = read({make({.name = "a", .group = "a"}), make({.name = "b", .group = "b"})});
  const auto items = compared_items(data, true);
  EXPECT_EQ(compare_cell(metric("final_train_loss"), items[1], &items[0]).difference, QStringLiteral("equal to a"));
}

TEST_F(CompareDataTest, AMissingRunIsListedAndTheOthersAreCompared) {
  const std::string id = make({.name = "here"});
  const ComparisonData data = read({id, "01950000-0000-7000-8000-000000000000"});
  EXPECT_EQ(data.runs.size(), 1U);
  EXPECT_EQ(data.missing, QStringList{QStringLiteral("01950000-0000-7000-8000-000000000000")});
}

TEST_F(CompareDataTest, DifferentDataAndEmulationAreSaid) {
  const ComparisonData data = read({make({.name = "a", .dataset = "cifar10"}), make({.name = "b", .emulated = {"link"}})});
  const QString text = comparison_warnings(compared_items(data, true)).join(u'\n');
  EXPECT_TRUE(text.contains(QStringLiteral("the data differ: cifar10, fashion-mnist"))) << text.toStdString();
  EXPECT_TRUE(text.contains(QStringLiteral("emulated")));
  const ComparisonData same = read({make({.name = "c"}), make({.name = "d"})});
  EXPECT_TRUE(comparison_warnings(compared_items(same, true)).isEmpty());
}

TEST_F(CompareDataTest, PacedAndEmulatedRunsAreCalledSoInEveryLegendAndTable) {
  const ComparisonData data = read({make({.name = "a", .workers = 2}), make({.name = "b", .workers = 3, .emulated = {"compute", "paced"}}),
                                    make({.name = "c", .workers = 4, .emulated = {"link", "compute"}})});
  auto items = compared_items(data, true);
  EXPECT_EQ(items[0].name, QStringLiteral("a"));
  EXPECT_EQ(items[1].name, QStringLiteral("b (PACED)"));
  EXPECT_EQ(items[2].name, QStringLiteral("c (EMULATED)"));
  name_by_difference(items);
  EXPECT_EQ(items[1].name, QStringLiteral("workers 3 (PACED)"));
}

TEST_F(CompareDataTest, OnlySettingsThatDifferAreMarked) {
  const ComparisonData data = read({make({.name = "a", .workers = 2}), make({.name = "b", .workers = 4})});
  QStringList different;
  for (const ComparedSetting& row : compare_settings(compared_items(data, true))) {
    if (!row.equal) different << row.key + u'=' + row.values.join(u'/');
  }
  EXPECT_EQ(different, QStringList{QStringLiteral("cluster.workers=2/4")});
}

TEST_F(CompareDataTest, RunsCanBeCalledByWhatDiffersAlone) {
  const ComparisonData data = read({make({.name = "a", .workers = 2}), make({.name = "b", .workers = 4})});
  auto items = compared_items(data, true);
  name_by_difference(items);
  EXPECT_EQ(items[0].name, QStringLiteral("workers 2"));
  EXPECT_EQ(items[1].name, QStringLiteral("workers 4"));
  const ComparisonData alike = read({make({.name = "a", .group = "g1"}), make({.name = "b", .group = "g2"})});
  auto same = compared_items(alike, true);
  name_by_difference(same);
  EXPECT_EQ(same[0].name, QStringLiteral("a")) << "nothing differs but the name";
}

TEST_F(CompareDataTest, TheCsvCarriesTheSummariesToTheLastDigit) {
  const std::string first = make({.name = "with \"quotes\"", .step_s = 0.02}), second = make({.name = "b", .step_s = 0.0123456789});
  const ComparisonData data = read({first, second});
  const auto items = compared_items(data, true);
  const QStringList lines = QString::fromUtf8(comparison_csv(items, &items[0])).split(u'\n', Qt::SkipEmptyParts);
  ASSERT_EQ(lines.size(), 3);
  EXPECT_TRUE(lines[1].startsWith(QStringLiteral("\"with \"\"quotes\"\"\",")));
  const auto column = lines[0].split(u',').indexOf(QStringLiteral("step_s"));
  const QStringList cells = lines[2].split(u',');
  Reader reader(workspace());
  const Summary base = summarise(reader, reader.run(first)), summary = summarise(reader, reader.run(second));
  EXPECT_EQ(cells[column].toDouble(), *summary.step_s);
  EXPECT_EQ(cells[column + 3].toDouble(), *summary.step_s - *base.step_s);
  EXPECT_EQ(cells[column + 4].toDouble(), *summary.step_s / *base.step_s - 1);
}

TEST_F(CompareDataTest, ScalingDividesByTheFewestWorkersAndSetsOtherBatchesAside) {
  const ComparisonData data =
      read({make({.name = "two", .workers = 2, .step_s = 0.010}), make({.name = "four", .workers = 4, .step_s = 0.0125})});
  const auto items = compared_items(data, true);
  const auto weak = scaling_of(items, false);
  ASSERT_EQ(weak.size(), 1U);
  ASSERT_EQ(weak[0].points.size(), 2U);
  EXPECT_EQ(weak[0].reference, QStringLiteral("two"));
  EXPECT_NEAR(weak[0].points[1].speed_up, 1.6, 1e-9) << "twice the samples in 1.25 of the time";
  EXPECT_NEAR(weak[0].points[1].efficiency, 0.8, 1e-9);
  EXPECT_TRUE(weak[0].points[1].excluded.isEmpty());
  EXPECT_FALSE(scaling_of(items, true)[0].points[1].excluded.isEmpty()) << "the global batch doubles with the workers";
}

TEST(ComparedCollectives, StandBesideEachOtherByName) {
  const auto row = [](const char* name, double time) {
    CollectiveRow made;
    made.name = QString::fromLatin1(name);
    made.p50_s = time;
    return made;
  };
  const auto rows =
      collectives_side_by_side({{{row("bucket 0", 1), row("bucket 1", 2)}, 1, 1}, {{row("bucket 1", 3), row("all", 4)}, 1, 1}});
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[0].name, QStringLiteral("bucket 0"));
  EXPECT_FALSE(rows[0].of[1].has_value());
  EXPECT_EQ(rows[1].of[0]->p50_s, 2);
  EXPECT_EQ(rows[1].of[1]->p50_s, 3);
  EXPECT_EQ(rows[2].name, QStringLiteral("all"));
  EXPECT_FALSE(rows[2].of[0].has_value());
}

TEST(TimeToTarget, CountsFromTheFirstOfAsManyEvaluationsInARowAsAsked) {
  std::vector<Point> points;
  for (const double value : {0.5, 0.91, 0.7, 0.92, 0.93, 0.94}) {
    Point point;
    point.value = value;
    point.axes.step = static_cast<std::int64_t>(points.size());
    points.push_back(point);
  }
  TargetQuestion question;
  EXPECT_EQ(reached_at(points, question)->step, 1);
  question.kept = 2;
  EXPECT_EQ(reached_at(points, question)->step, 3);
  question.kept = 4;
  EXPECT_FALSE(reached_at(points, question).has_value());
  question = {QStringLiteral("test_loss"), 0.6, false, 1};
  EXPECT_EQ(reached_at(points, question)->step, 0);
  points[0].value = NAN;
  EXPECT_FALSE(reached_at(points, question).has_value()) << "NaN reaches nothing";
}

TEST(TimeToTarget, SeedsThatNeverReachedItAreNotAveragedAway) {
  EXPECT_EQ(target_text(SummaryMetric::duration, {1.0, 3.0}), spread_text(SummaryMetric::duration, 2, std::sqrt(2.0), 2));
  EXPECT_EQ(target_text(SummaryMetric::duration, {1.0, std::nullopt, 3.0}),
            format::duration(1) + QStringLiteral(" to ") + format::duration(3));
  EXPECT_EQ(target_text(SummaryMetric::duration, {std::nullopt}), format::missing);
}

TEST(DiffLines, KeepsWhatIsCommonAndMarksTheRest) {
  QString text;
  for (const DiffLine& line : diff_lines(QStringLiteral("a\nb\nc"), QStringLiteral("a\nx\nc\nd")))
    text += QLatin1Char(line.kind) + line.text;
  EXPECT_EQ(text, QStringLiteral(" a-b+x c+d"));
}

TEST_F(CompareDataTest, ScalingAveragesRunsOfOneSize) {
  const ComparisonData data = read({make({.name = "slow", .group = "a", .workers = 2, .step_s = 0.020}),
                                    make({.name = "fast", .group = "b", .workers = 2, .step_s = 0.010}),
                                    make({.name = "four", .group = "c", .workers = 4, .step_s = 0.010})});
  const auto items = compared_items(data, true);
  const auto weak = scaling_of(items, false);
  ASSERT_EQ(weak.size(), 1U);
  ASSERT_EQ(weak[0].points.size(), 2U);
  EXPECT_EQ(weak[0].points[0].runs, 2);
  EXPECT_EQ(weak[0].reference, QStringLiteral("slow, fast"));
  EXPECT_DOUBLE_EQ(weak[0].points[0].throughput, (items[0].spreadOf("samples_per_s").mean + items[1].spreadOf("samples_per_s").mean) / 2);
  EXPECT_DOUBLE_EQ(weak[0].points[0].speed_up, 1);
  EXPECT_NEAR(weak[0].points[1].speed_up, 2 / 0.75, 1e-9) << "of the mean of the two";
}

TEST_F(CompareDataTest, OneNumberOfWorkersDoesNotScale) {
  const ComparisonData data = read({make({.name = "slow", .group = "a", .workers = 2, .step_s = 0.020}),
                                    make({.name = "fast", .group = "b", .workers = 2, .step_s = 0.010})});
  const auto curves = scaling_of(compared_items(data, true), true);
  ASSERT_EQ(curves.size(), 1U);
  ASSERT_EQ(curves[0].points.size(), 1U);
  EXPECT_TRUE(curves[0].points[0].excluded.contains(QStringLiteral("nothing scales")));
}

}  // namespace
}  // namespace syncline::ui
