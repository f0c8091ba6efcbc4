// SPDX-License-Identifier: GPL-3.0-or-later
// One series over another instead of over the page's axis.
#include "ui/models/chart/metric_axis.h"

#include <QFile>
#include <QLabel>
#include <QToolButton>

#include "tests/ui/widgets/chart_fixture.h"
#include "ui/models/chart/chart_reading.h"
#include "ui/widgets/actions.h"
#include "ui/widgets/chart_plot.h"

namespace syncline::ui {
namespace {

class MetricAxisTest : public ChartTest {
 protected:
  void SetUp() override {
    ChartTest::SetUp();
    group_->setActions(registry_);
  }
  // Loss at steps 0 to 5 and a rate that rises and falls again, every second step.
  QString two_series() {
    const QString id = record({6, 5, 4, 3, 2, 1});
    RunWriter writer(workspace(), id.toStdString(), {});
    for (const auto& [step, rate] : {std::pair(1, 10.0), std::pair(3, 30.0), std::pair(5, 20.0)}) {
      writer.position(axes_at(step));
      writer.scalar("samples_per_s", step, rate);
    }
    writer.close();
    return id;
  }
  static void choose(SeriesChart* made, const QString& title) {
    QMenu* axes = made->findChild<QToolButton*>(QString(made->objectName() % QStringLiteral(".x")))->menu();
    Q_EMIT axes->aboutToShow();
    for (const QAction* one : axes->actions()) {
      if (one->menu() == nullptr) continue;
      for (QAction* metric : one->menu()->actions()) {
        if (metric->text() == title) return metric->trigger();
      }
    }
    FAIL() << "no metric " << title.toStdString();
  }
  chart::ChartQuery query(const QString& id, bool logarithmic = false) {
    chart::ChartQuery wanted;
    wanted.curves = {{QStringLiteral("a"), {id}, QStringLiteral("train_loss"), -1}};
    wanted.x_series = QStringLiteral("samples_per_s");
    wanted.from = wanted.to = nan;
    wanted.pixels = 400;
    wanted.logarithmic = logarithmic;
    return wanted;
  }
  ActionRegistry registry_;
};

TEST_F(MetricAxisTest, EachSampleStandsAtTheLastValueByItsStep) {
  const QString id = two_series();
  Reader reader(workspace());
  const auto data = chart::ChartReading().read(reader, query(id));
  ASSERT_EQ(data->curves.size(), 1U);
  const chart::CurveData& curve = data->curves.front();
  // Step 0 comes before any rate: it has no place. The line turns back where the rate falls.
  EXPECT_EQ(curve.line.x, (std::vector<double>{10, 10, 30, 30, 20}));
  EXPECT_EQ(curve.line.y, (std::vector<double>{5, 4, 3, 2, 1}));
  EXPECT_EQ(data->first_x, 10);
  EXPECT_EQ(data->last_x, 30);
  EXPECT_EQ(data->metrics, (QStringList{QStringLiteral("samples_per_s"), QStringLiteral("train_loss")}));
  ASSERT_EQ(curve.readings.size(), 5U);
  EXPECT_EQ(curve.readings.front().axes->step, 1);
  EXPECT_TRUE(std::is_sorted(curve.readings.begin(), curve.readings.end(),
                             [](const chart::Reading& a, const chart::Reading& b) { return a.x < b.x; }));
}

TEST_F(MetricAxisTest, WhatAResumeReplacedIsLeftOutAndNaNIsAGap) {
  const QString first = two_series();
  RunRegistry registry(workspace());
  NewRun again = new_run("run", "sync");
  again.attempt_of = first.toStdString();
  const std::string second = registry.create(again);
  append(second, {2.5, nan, 1.5}, 3);  // from step 3 on
  Reader reader(workspace());
  chart::ChartReading reading;
  const auto data = reading.read(reader, query(first));
  const chart::CurveData& curve = data->curves.front();
  // The second attempt recorded no rate: the last of the samples that count goes on.
  EXPECT_EQ(curve.line.x, (std::vector<double>{10, 10, 10, 10, 10}));
  ASSERT_EQ(curve.line.y.size(), 5U);
  EXPECT_EQ(curve.line.y[2], 2.5);
  EXPECT_TRUE(std::isnan(curve.line.y[3]));
  ASSERT_EQ(curve.line.marks.size(), 1U);
  EXPECT_EQ(curve.nonfinite, 1);
}

TEST_F(MetricAxisTest, TheChartStandsForItselfAndComesBack) {
  const QString id = two_series();
  SeriesChart *made = chart(), *other = chart(QStringLiteral("test.other"));
  for (SeriesChart* one : {made, other}) one->setCurves({curve({id}, QStringLiteral("a"))});
  show();
  ASSERT_TRUE(settled(made) && settled(other));
  auto* plot = static_cast<ChartPlot*>(plot_of(made));
  auto* beside = static_cast<ChartPlot*>(plot_of(other));
  choose(made, format::titleOf(QStringLiteral("samples_per_s")));
  ASSERT_TRUE(settled(made));
  EXPECT_GT(plot->xAxis->range().lower, 9);
  EXPECT_LT(plot->xAxis->range().upper, 31);
  EXPECT_TRUE(made->findChild<QLabel*>(QStringLiteral("test.loss.footer"))->text().contains(QStringLiteral("by its step")));
  if (const QString folder = qEnvironmentVariable("SYNCLINE_PICTURES"); !folder.isEmpty()) {
    window_->grab().save(folder + QStringLiteral("/over-metric.png"));
  }
  const QCPRange kept = beside->xAxis->range();
  plot->zoomX(0.5, 20);
  ASSERT_TRUE(settled(made));
  EXPECT_EQ(beside->xAxis->range(), kept);
  beside->zoomX(0.5, 2);
  ASSERT_TRUE(settled(other));
  EXPECT_GT(plot->xAxis->range().lower, 9);
  plot->setFocus();
  EXPECT_TRUE(registry_.find(QStringLiteral("chart.x-metric"))->isChecked());
  EXPECT_FALSE(registry_.find(QStringLiteral("chart.smoothing-medium"))->isEnabled());
  registry_.find(QStringLiteral("chart.x-step"))->trigger();
  ASSERT_TRUE(settled(made));
  EXPECT_LT(plot->xAxis->range().lower, 5);
  EXPECT_EQ(plot->xAxis->range(), beside->xAxis->range());  // linked again
}

TEST_F(MetricAxisTest, TheExportHasEverySampleWithWhatItStandsOver) {
  SeriesChart* made = chart();
  made->setCurves({curve({two_series()}, QStringLiteral("a"))});
  show();
  ASSERT_TRUE(settled(made));
  choose(made, format::titleOf(QStringLiteral("samples_per_s")));
  ASSERT_TRUE(settled(made));
  const QString path = QString::fromStdString((folder_ / "over.csv").string());
  std::optional<QString> error;
  made->saveData(path, false, [&error](const QString& said) { error = said; });
  ASSERT_TRUE(QTest::qWaitFor([&error] { return error.has_value(); }));
  QFile file(path);
  ASSERT_TRUE(error->isEmpty() && file.open(QIODevice::ReadOnly));
  const QStringList lines = QString::fromUtf8(file.readAll()).split(u'\n', Qt::SkipEmptyParts);
  ASSERT_EQ(lines.size(), 7);
  EXPECT_TRUE(lines[0].endsWith(QStringLiteral(",samples_per_s,value")));
  EXPECT_TRUE(lines[1].endsWith(QStringLiteral(",,6")));  // before the first rate
  EXPECT_TRUE(lines[6].endsWith(QStringLiteral(",20,1")));
}

TEST_F(MetricAxisTest, OfTooManySamplesForALineTheirDensityIsDrawn) {
  const int many = static_cast<int>(chart::most_exact_samples) + 5000;
  const QString id = record(falling(many));
  append(id.toStdString(), falling(many, 0.4), 0, "samples_per_s");
  SeriesChart* made = chart();
  made->setCurves({curve({id}, QStringLiteral("a"))});
  show();
  ASSERT_TRUE(settled(made));
  choose(made, format::titleOf(QStringLiteral("samples_per_s")));
  ASSERT_TRUE(settled(made));
  EXPECT_TRUE(made->findChild<QLabel*>(QStringLiteral("test.loss.footer"))->text().contains(QStringLiteral("the darker")));
  const QImage image = plot_of(made)->grab().toImage();
  if (const QString folder = qEnvironmentVariable("SYNCLINE_PICTURES"); !folder.isEmpty()) {
    window_->grab().save(folder + QStringLiteral("/density.png"));
  }
  int coloured = 0;
  for (int y = 0; y < image.height(); ++y) {
    for (int x = 0; x < image.width(); ++x) coloured += image.pixelColor(x, y).hsvSaturation() > 40 ? 1 : 0;
  }
  EXPECT_GT(coloured, 200);
}

}  // namespace
}  // namespace syncline::ui
