// SPDX-License-Identifier: GPL-3.0-or-later
// Each state of the charts in both themes. With SYNCLINE_PICTURES set to a folder the pictures are kept there for a person to look at.
#include <QDir>
#include <QGridLayout>
#include <QImage>
#include <set>

#include "tests/ui/widgets/chart_fixture.h"
#include "ui/widgets/chart_plot.h"
#include "ui/widgets/heat_map.h"
#include "ui/widgets/split_chart.h"

namespace syncline::ui {
namespace {

class ChartPicturesTest : public ChartTest {
 protected:
  // Grabs the window in both themes; a picture of one colour is no picture.
  void look(const QString& name) {
    for (const bool dark : {false, true}) {
      QApplication::setPalette(dark ? palette::dark() : palette::light());
      QTest::qWait(120);
      const QImage picture = window_->grab().toImage();
      std::set<QRgb> colours;
      for (int x = 0; x < picture.width(); x += 3) {
        for (int y = 0; y < picture.height(); y += 3) colours.insert(picture.pixel(x, y));
      }
      EXPECT_GT(colours.size(), 8U) << name.toStdString();
      const QString folder = qEnvironmentVariable("SYNCLINE_PICTURES");
      if (!folder.isEmpty())
        picture.save(QDir(folder).filePath(QString(name % (dark ? QStringLiteral("-dark.png") : QStringLiteral("-light.png")))));
    }
    QApplication::setPalette(palette::light());
  }
};

TEST_F(ChartPicturesTest, SevenCurvesWithLegendCrosshairAndCursors) {
  SeriesChart* made = chart();
  std::vector<CurveSpec> curves;
  const char* names[] = {"easgd p8",  "ssgd p8", "qsgd 4 bit", "mg-wfbp with a rather long name that has to be shortened",
                         "local sgd", "gossip",  "pipelined",  "easgd p16"};
  for (int i = 0; i < 8; ++i) {
    std::vector<double> values = falling(600, 0.02 + 0.03 * i);
    for (double& value : values) value += 0.12 * i;
    const QString id = record(values, names[i]);
    if (i > 2) finish(id);
    curves.push_back(curve({id}, QString::fromUtf8(names[i]), i));
  }
  made->setCurves(curves);
  window_->resize(900, 480);
  show();
  ASSERT_TRUE(settled(made));
  auto* plot = static_cast<ChartPlot*>(plot_of(made));
  plot->setFocus();
  QTest::keyClick(plot, Qt::Key_Home);
  for (int i = 0; i < 12; ++i) QTest::keyClick(plot, Qt::Key_Right, Qt::ShiftModifier);
  QTest::keyClick(plot, Qt::Key_A);
  for (int i = 0; i < 20; ++i) QTest::keyClick(plot, Qt::Key_Right, Qt::ShiftModifier);
  QTest::keyClick(plot, Qt::Key_B);
  look(QStringLiteral("curves"));
}

TEST_F(ChartPicturesTest, OddValues) {
  window_->resize(900, 900);
  auto* grid = new QGridLayout;
  static_cast<QVBoxLayout*>(window_->layout())->addLayout(grid);
  std::vector<double> spike(3000, 1.0), broken = falling(60, 0.3), mixed;
  spike[1700] = 1000;
  broken[10] = nan;
  broken[11] = nan;
  broken[30] = infinity;
  broken[31] = 1;
  broken[32] = -infinity;
  for (int i = 0; i < 200; ++i) mixed.push_back(i % 17 == 0 ? 0 : i % 23 == 0 ? -1 : std::exp(-0.05 * i));
  const std::vector<std::pair<QString, std::vector<double>>> cases = {{QStringLiteral("spike"), spike},
                                                                      {QStringLiteral("not finite"), broken},
                                                                      {QStringLiteral("zeros and negatives, log"), mixed},
                                                                      {QStringLiteral("constant"), std::vector<double>(500, 0.25)},
                                                                      {QStringLiteral("one point"), {0.7}},
                                                                      {QStringLiteral("only NaN"), std::vector<double>(50, nan)}};
  std::vector<SeriesChart*> all;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    auto* made = new SeriesChart(*group_, QStringLiteral("test.odd.%1").arg(i), cases[i].first, window_.get());
    made->setCurves({curve({record(cases[i].second)}, cases[i].first, static_cast<int>(i))});
    made->setLogarithmic(i == 2);
    grid->addWidget(made, static_cast<int>(i) / 2, static_cast<int>(i) % 2);
    all.push_back(made);
  }
  group_->shared();
  show();
  for (SeriesChart* made : all) ASSERT_TRUE(settled(made));
  look(QStringLiteral("odd"));
}

TEST_F(ChartPicturesTest, SeedsAttemptsSmoothingAndTarget) {
  window_->resize(900, 700);
  QStringList seeds;
  for (int seed = 0; seed < 5; ++seed) {
    std::vector<double> values = falling(seed == 4 ? 350 : 500, 0.3);
    for (double& value : values) value += 0.1 * seed * std::sin(0.02 * static_cast<double>(&value - values.data()));
    seeds.append(record(values, "seed"));
    RunRegistry(workspace()).finish(seeds.back().toStdString(), {seed == 4 ? "stopped" : "finished", "", 0, 0});
  }
  SeriesChart* mean = chart(QStringLiteral("test.mean"));
  mean->setCurves({curve(seeds, QStringLiteral("easgd p8"))});
  mean->setTarget(0.5);
  SeriesChart* resumed = chart(QStringLiteral("test.resumed"));
  const QString first = record(falling(400, 0.4));
  record(falling(300, 0.4), "run", 300, first.toStdString());
  resumed->setCurves({curve({first}, QStringLiteral("resumed at 300"), 1)});
  show();
  ASSERT_TRUE(settled(mean) && settled(resumed));
  group_->setHalfLife(20);
  ASSERT_TRUE(settled(mean) && settled(resumed));
  look(QStringLiteral("seeds"));
}

TEST_F(ChartPicturesTest, EmptyTableAndManyPoints) {
  window_->resize(700, 800);
  SeriesChart* empty = chart(QStringLiteral("test.empty"));
  empty->setWhenEmpty(QStringLiteral("Waiting for the first step."));
  empty->setCurves({curve({QString::fromStdString(RunRegistry(workspace()).create(new_run()))}, QStringLiteral("a"))});
  SeriesChart* table = chart(QStringLiteral("test.table"));
  const QString id = record(falling(200000, 0.5));
  table->setCurves({curve({id}, QStringLiteral("a"))});
  SeriesChart* many = chart(QStringLiteral("test.many"));
  many->setCurves({curve({id}, QStringLiteral("many points"), 2)});
  show();
  ASSERT_TRUE(settled(empty) && settled(table) && settled(many));
  table->showTable(true);
  QTest::qWait(500);
  look(QStringLiteral("states"));
}

TEST_F(ChartPicturesTest, SplitBarsAndHeatMap) {
  window_->resize(900, 900);
  auto* split = new SplitChart(*group_, QStringLiteral("test.split"), QStringLiteral("Where each step went"), window_.get());
  auto* named = new SplitChart(*group_, QStringLiteral("test.named"), QStringLiteral("Mean step"), window_.get());
  auto* map = new HeatMap(*group_, QStringLiteral("test.map"), QStringLiteral("Exposed time by rank and step"), window_.get());
  for (QWidget* widget : {static_cast<QWidget*>(split), static_cast<QWidget*>(named), static_cast<QWidget*>(map)})
    window_->layout()->addWidget(widget);
  std::vector<SplitBar> bars;
  for (int i = 0; i < 40; ++i) {
    SplitBar bar;
    bar.x = 100 + 4 * i;
    bar.width = 4;
    bar.parts_s = {0.010, 0.004 + 0.001 * (i % 3), 0.003 + 0.002 * (i % 5 == 0), 0.0015, 0.0008, i % 10 == 0 ? 0.004 : 0, 0.0007};
    for (const double part : bar.parts_s) bar.step_s += part;
    if (i == 20) bar.step_s += 0.003;
    bar.least_exposed_s = 0.001;
    bar.most_exposed_s = 0.006;
    bar.warm_up = i < 6;
    bar.traced = i % 8 == 0;
    bars.push_back(bar);
  }
  split->setBars(bars, QStringLiteral("each bar the mean of 4 steps · slowest worker: rank 1"));
  std::vector<SplitBar> two = {bars[0], bars[10], bars[15]};
  two[0].label = QStringLiteral("quickstart, one message");
  two[1].label = QStringLiteral("quickstart, layer by layer");
  two[2].label = QStringLiteral("another with a long name that does not fit below its bar");
  named->setNamedBars(two);
  HeatMapData cells;
  for (int rank = 0; rank < 8; ++rank) cells.ranks.push_back(rank);
  for (int step = 0; step < 60; ++step) cells.steps.push_back(step * 10);
  for (int rank = 0; rank < 8; ++rank) {
    for (int step = 0; step < 60; ++step)
      cells.values.push_back(step == 30 && rank > 4 ? nan : 1e-3 * (1 + rank % 3 + std::sin(0.3 * step + rank)));
  }
  cells.name = QStringLiteral("exposed_s");
  map->setData(cells);
  map->setOutlinedRank(2);
  show();
  QTest::qWait(300);
  QTest::keyClick(plot_of(split), Qt::Key_Home);
  for (int i = 0; i < 15; ++i) QTest::keyClick(plot_of(split), Qt::Key_Right);
  look(QStringLiteral("split"));
}

}  // namespace
}  // namespace syncline::ui
