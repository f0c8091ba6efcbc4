// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/run/hidden_chart.h"

#include <QFile>
#include <QLabel>
#include <QTableView>
#include <QToolButton>

#include "tests/ui/widgets/chart_fixture.h"

namespace syncline::ui {
namespace {

class HiddenChartTest : public ChartTest {
 protected:
  HiddenChart* made() {
    auto* chart = new HiddenChart(*group_, QStringLiteral("test.hidden"), QStringLiteral("Hidden fraction"), window_.get());
    window_->layout()->addWidget(chart);
    // Three stretches of ten steps: half hidden, nothing exchanged, all hidden.
    std::vector<StepBucket> buckets;
    for (const auto& [hidden_s, comm_s] : {std::pair(0.01, 0.02), std::pair(0.0, 0.0), std::pair(0.03, 0.03)}) {
      StepBucket& bucket = buckets.emplace_back();
      bucket.count = 10;
      bucket.first_step = 10 * static_cast<std::int64_t>(buckets.size() - 1);
      bucket.mean.axes = axes_at(bucket.first_step + 9);
      bucket.mean.hidden_s = hidden_s;
      bucket.mean.comm_s = comm_s;
    }
    chart->setBuckets(buckets);
    show();
    return chart;
  }
  static ChartPlot* plot(QWidget* chart) { return static_cast<ChartPlot*>(plot_of(chart)); }
};

TEST_F(HiddenChartTest, TheShareIsReadOffAndStepsWithoutAnExchangeAreAGap) {
  HiddenChart* chart = made();
  EXPECT_EQ(chart->findChild<QLabel*>(QStringLiteral("test.hidden.footer"))->text(),
            QStringLiteral("80.0 % of all communication in the visible steps was hidden"));
  QTest::keyClick(plot(chart), Qt::Key_Home);
  EXPECT_TRUE(plot(chart)->readingText().contains(QStringLiteral("50 %"))) << plot(chart)->readingText().toStdString();
  QTest::keyClick(plot(chart), Qt::Key_Right);
  EXPECT_TRUE(plot(chart)->readingText().contains(QStringLiteral("100 %"))) << plot(chart)->readingText().toStdString();
  EXPECT_LT(plot(chart)->yAxis->range().lower, 0);  // a line at nothing is seen
  EXPECT_GT(plot(chart)->yAxis->range().upper, 1);
}

TEST_F(HiddenChartTest, ItIsLinkedAndHasATableAndExports) {
  HiddenChart* chart = made();
  plot(chart)->zoomX(0.5, 5);
  EXPECT_EQ(group_->shared().lower, plot(chart)->xAxis->range().lower);
  group_->zoomToFit();
  EXPECT_GT(plot(chart)->xAxis->range().upper, 19);
  chart->findChild<QToolButton*>(QStringLiteral("test.hidden.table"))->click();
  const auto* table = chart->findChild<QTableView*>(QStringLiteral("test.hidden.rows"));
  EXPECT_TRUE(table->isVisible());
  EXPECT_EQ(table->model()->rowCount(), 3);
  const QString path = QString::fromStdString((folder_ / "hidden.csv").string());
  EXPECT_EQ(chart->saveData(path), QString());
  QFile file(path);
  ASSERT_TRUE(file.open(QIODevice::ReadOnly));
  EXPECT_EQ(QString::fromUtf8(file.readAll()), QStringLiteral("first_step,last_step,comm_s,hidden_s,hidden_comm_fraction\n"
                                                              "0,9,0.02,0.01,0.5\n10,19,0,0,\n20,29,0.03,0.03,1\n"));
  const QString picture = QString::fromStdString((folder_ / "hidden.pdf").string());
  EXPECT_EQ(chart->savePicture(picture, 2), QString());
  EXPECT_GT(QFile(picture).size(), 1000);
}

}  // namespace
}  // namespace syncline::ui
