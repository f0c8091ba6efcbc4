// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/split_chart.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLabel>
#include <QTableView>
#include <QToolButton>

#include "tests/ui/widgets/chart_fixture.h"
#include "ui/widgets/chart_plot.h"
#include "ui/widgets/heat_map.h"
#include "ui/widgets/sparkline.h"

namespace syncline::ui {
namespace {

class SplitChartTest : public ChartTest {
 protected:
  static std::vector<SplitBar> bars(int count) {
    std::vector<SplitBar> all;
    for (int i = 0; i < count; ++i) {
      SplitBar bar;
      bar.x = i;
      bar.parts_s = {0.010, 0.003, 0.004, 0.002, 0.001, 0, 0.0005};
      bar.step_s = 0.0205;
      bar.warm_up = i < 3;
      bar.traced = i % 4 == 0;
      all.push_back(bar);
    }
    return all;
  }
  SplitChart* split() {
    auto* made = new SplitChart(*group_, QStringLiteral("test.split"), QStringLiteral("Where each step went"), window_.get());
    window_->layout()->addWidget(made);
    return made;
  }
};

// Cut off it would say "share of ste".
TEST_F(SplitChartTest, ASmallChartsAxisSaysItsUnitAndALargeOnesItsTitle) {
  SplitChart* made = split();
  made->setBars(bars(5));
  show();
  auto* plot = static_cast<ChartPlot*>(plot_of(made));
  const auto label_at = [&](int height) {
    plot->setFixedHeight(height);
    EXPECT_TRUE(QTest::qWaitFor([&] { return plot->height() == height; }));
    plot->replot();
    plot->replot();  // the margins of the first one count
    return plot->yAxis->label();
  };
  EXPECT_EQ(label_at(300), QStringLiteral("Time (ms)"));
  EXPECT_EQ(label_at(90), QStringLiteral("ms"));
  EXPECT_EQ(label_at(300), QStringLiteral("Time (ms)"));
}

TEST_F(SplitChartTest, BarsStandInTheFixedOrderFromTheBase) {
  SplitChart* made = split();
  made->setBars(bars(5));
  show();
  QTest::qWait(100);
  auto* plot = static_cast<ChartPlot*>(plot_of(made));
  const QImage picture = plot->grab().toImage();
  const double x = plot->xAxis->coordToPixel(3.25);  // past the warm-up
  const auto at = [&](double seconds) {
    return picture.pixelColor(static_cast<int>(x), static_cast<int>(plot->yAxis->coordToPixel(seconds)));
  };
  EXPECT_EQ(at(0.005), palette::stepPart(0, false).fill);  // compute is solid
  // Hatched parts: their fill is the most frequent colour of a patch.
  const auto dominant = [&](double from, double to) {
    QHash<QRgb, int> counts;
    for (int y = static_cast<int>(plot->yAxis->coordToPixel(to)) + 2; y < plot->yAxis->coordToPixel(from) - 2; ++y) {
      for (int dx = 0; dx < 8; ++dx) ++counts[picture.pixel(static_cast<int>(x) + dx, y)];
    }
    QRgb best = 0;
    for (auto it = counts.begin(); it != counts.end(); ++it) {
      if (it.value() > counts.value(best)) best = it.key();
    }
    return QColor(best);
  };
  EXPECT_EQ(dominant(0.010, 0.013), palette::stepPart(1, false).fill);
  EXPECT_EQ(dominant(0.013, 0.017), palette::stepPart(2, false).fill);
  EXPECT_EQ(plot->yAxis->range().lower, 0);
}

TEST_F(SplitChartTest, TheHairlineShowsAStepThatIsLongerThanItsParts) {
  SplitChart* made = split();
  std::vector<SplitBar> all = bars(1);
  all[0].step_s = 0.030;
  all[0].traced = all[0].warm_up = false;
  made->setBars(all);
  show();
  QTest::qWait(100);
  auto* plot = static_cast<ChartPlot*>(plot_of(made));
  EXPECT_GT(plot->yAxis->range().upper, 0.030);
  const QImage picture = plot->grab().toImage();
  const int x = static_cast<int>(plot->xAxis->coordToPixel(0.37)), y = static_cast<int>(plot->yAxis->coordToPixel(0.030));
  bool found = false;
  for (int dy = -1; dy <= 1; ++dy) found = found || picture.pixelColor(x, y + dy).lightness() < 100;
  EXPECT_TRUE(found);
}

TEST_F(SplitChartTest, KeysReadTheBarsAndTheTableAndExportHaveTheSameNumbers) {
  SplitChart* made = split();
  made->setBars(bars(10), QStringLiteral("each bar the mean of 4 steps"));
  show();
  QTest::qWait(100);
  auto* plot = static_cast<ChartPlot*>(plot_of(made));
  QTest::keyClick(plot, Qt::Key_Home);
  QTest::keyClick(plot, Qt::Key_Right);
  EXPECT_TRUE(plot->readingText().startsWith(QStringLiteral("compute: 10"))) << plot->readingText().toStdString();
  EXPECT_TRUE(plot->readingText().contains(QStringLiteral("exposed communication: 4")));
  const QString path = QString::fromStdString((folder_ / "split.csv").string());
  ASSERT_TRUE(made->saveData(path).isEmpty());
  const QStringList lines = QString::fromStdString(text_of(path.toStdString())).split(u'\n');
  EXPECT_EQ(
      lines[0],
      QStringLiteral("x,compute_s,hidden_s,exposed_s,waiting_s,input_s,boundary_s,idle_s,step_s,sum_s,least_exposed_s,most_exposed_s"));
  EXPECT_TRUE(lines[1].startsWith(QStringLiteral("0,0.01,0.003,0.004,0.002,0.001,0,0.0005,0.0205,")));
  const QString json_path = QString::fromStdString((folder_ / "split.json").string());
  ASSERT_TRUE(made->saveData(json_path).isEmpty());
  const QJsonObject json = QJsonDocument::fromJson(QByteArray::fromStdString(text_of(json_path.toStdString()))).object();
  EXPECT_EQ(json.value(QStringLiteral("columns")).toArray().at(3).toString(), QStringLiteral("exposed_s"));
  ASSERT_EQ(json.value(QStringLiteral("rows")).toArray().size(), 10);
  EXPECT_EQ(json.value(QStringLiteral("rows")).toArray().at(0).toArray().at(3).toDouble(), 0.004);
  auto* table = made->findChild<QTableView*>(QStringLiteral("test.split.rows"));
  EXPECT_EQ(table->model()->rowCount(), 10);
  EXPECT_EQ(table->model()->index(1, 3).data().toString(), QStringLiteral("4.00 ms"));
  for (const char* ending : {"pdf", "svg", "png"}) {
    const std::string picture = (folder_ / (std::string("split.") + ending)).string();
    ASSERT_TRUE(made->savePicture(QString::fromStdString(picture)).isEmpty());
    EXPECT_GT(std::filesystem::file_size(picture), 1000U);
  }
}

TEST_F(SplitChartTest, SharesReachTheTopAndAClickNamesTheBar) {
  SplitChart* made = split();
  made->setBars(bars(8));
  made->setShare(true);
  show();
  QTest::qWait(100);
  auto* plot = static_cast<ChartPlot*>(plot_of(made));
  EXPECT_EQ(plot->yAxis->range().upper, 1);
  QSignalSpy clicks(made, &SplitChart::barClicked);
  QTest::mouseClick(plot, Qt::LeftButton, Qt::NoModifier,
                    QPoint(static_cast<int>(plot->xAxis->coordToPixel(5.5)), static_cast<int>(plot->yAxis->coordToPixel(0.5))));
  ASSERT_EQ(clicks.size(), 1);
  EXPECT_EQ(clicks[0][0].toDouble(), 5);
  EXPECT_GE(made->barsWanted(), 20);
}

TEST_F(SplitChartTest, NamedBarsCarryTheirLabelsAndDoNotMoveOtherCharts) {
  SplitChart* made = split();
  std::vector<SplitBar> named = bars(2);
  named[0].label = QStringLiteral("one message");
  named[1].label = QStringLiteral("layer by layer");
  made->setNamedBars(named);
  show();
  QTest::qWait(100);
  auto* plot = static_cast<ChartPlot*>(plot_of(made));
  QSignalSpy moved(group_.get(), &ChartGroup::rangeChanged);
  QTest::keyClick(plot, Qt::Key_Plus);
  EXPECT_EQ(moved.size(), 0);
  EXPECT_TRUE(plot->xAxis->ticker().dynamicCast<QCPAxisTickerText>());
}

TEST_F(SplitChartTest, AHeatMapTellsWhichCellWasChosenByClickAndByKey) {
  auto* map = new HeatMap(*group_, QStringLiteral("test.map"), QStringLiteral("Exposed time"), window_.get());
  window_->layout()->addWidget(map);
  HeatMapData cells;
  cells.ranks = {0, 1, 2};
  cells.steps = {0, 16, 32, 48};
  cells.values = {1e-3, 2e-3, 3e-3, 4e-3, 5e-3, nan, 7e-3, 8e-3, 9e-3, 1e-2, 1.1e-2, 1.2e-2};
  cells.name = QStringLiteral("exposed_s");
  map->setData(cells);
  map->setOutlinedRank(2);
  show();
  QTest::qWait(100);
  auto* plot = static_cast<QCustomPlot*>(plot_of(map));
  QSignalSpy chosen(map, &HeatMap::cellClicked);
  QTest::mouseClick(plot, Qt::LeftButton, Qt::NoModifier,
                    QPoint(static_cast<int>(plot->xAxis->coordToPixel(2)), static_cast<int>(plot->yAxis->coordToPixel(1))));
  ASSERT_EQ(chosen.size(), 1);
  EXPECT_EQ(chosen[0][0].toInt(), 1);
  EXPECT_EQ(chosen[0][1].toLongLong(), 32);
  plot->setFocus();
  QTest::keyClick(plot, Qt::Key_Down);
  QTest::keyClick(plot, Qt::Key_Right);
  QTest::keyClick(plot, Qt::Key_Return);
  ASSERT_EQ(chosen.size(), 2);
  EXPECT_EQ(chosen[1][0].toInt(), 2);
  EXPECT_EQ(chosen[1][1].toLongLong(), 48);
  EXPECT_TRUE(map->accessibleDescription().contains(QStringLiteral("at most 12.0 ms"))) << map->accessibleDescription().toStdString();
}

TEST_F(SplitChartTest, TheHeatMapsExportsHoldItsCellsAndALightPicture) {
  QApplication::setPalette(palette::dark());
  auto* map = new HeatMap(*group_, QStringLiteral("test.map"), QStringLiteral("Exposed time"), window_.get());
  window_->layout()->addWidget(map);
  HeatMapData cells;
  cells.ranks = {0, 1};
  cells.steps = {0, 16};
  cells.values = {1e-3, 2e-3, nan, 4e-3};
  cells.name = QStringLiteral("exposed_s");
  map->setData(cells);
  show();
  const auto path = [this](const char* name) { return QString::fromStdString((folder_ / name).string()); };
  ASSERT_TRUE(map->saveData(path("map.csv")).isEmpty());
  EXPECT_EQ(text_of(path("map.csv").toStdString()), "rank,step,exposed_s\n0,0,0.001\n0,16,0.002\n1,16,0.004\n");
  ASSERT_TRUE(map->saveData(path("map.json")).isEmpty());
  const QJsonDocument json = QJsonDocument::fromJson(QByteArray::fromStdString(text_of(path("map.json").toStdString())));
  EXPECT_EQ(json.object().value(QStringLiteral("rows")).toArray().at(2).toArray().at(2).toDouble(), 4e-3);
  for (const char* name : {"map.pdf", "map.svg", "map.png"}) {
    ASSERT_TRUE(map->savePicture(path(name), 3).isEmpty());
    EXPECT_GT(std::filesystem::file_size(path(name).toStdString()), 1000U) << name;
  }
  const QImage png(path("map.png"));
  EXPECT_EQ(png.size(), QSize(516, 260) * 3);
  EXPECT_EQ(png.pixelColor(4, 4), QColor(Qt::white));
  if (const QString folder = qEnvironmentVariable("SYNCLINE_PICTURES"); !folder.isEmpty())
    png.save(QString(folder % QStringLiteral("/heat-export.png")));
  auto* plot = static_cast<QCustomPlot*>(plot_of(map));
  EXPECT_EQ(plot->xAxis->labelColor(), palette::dark().color(QPalette::WindowText));  // the window's own colours are back
  EXPECT_TRUE(map->saveData(QStringLiteral("/nowhere/map.csv")).contains(QStringLiteral("cannot be written")));
}

TEST_F(SplitChartTest, ASparklineIsDrawnAgainOnlyWhenDataOrPaletteChange) {
  Sparklines lines;
  const std::vector<QPointF> points = {{0, 1}, {1, nan}, {2, 3}, {3, 2}};
  const QString key = QStringLiteral("run:train_loss");
  for (int i = 0; i < 3; ++i) EXPECT_FALSE(lines.pixmap(key, 4, points, QSize(80, 20), 0, palette::light(), 2).isNull());
  EXPECT_EQ(lines.drawn(), 1);
  lines.pixmap(key, 5, points, QSize(80, 20), 0, palette::light(), 2);
  lines.pixmap(key, 5, points, QSize(80, 20), 0, palette::dark(), 2);
  EXPECT_EQ(lines.drawn(), 3);
  EXPECT_EQ(lines.pixmap(key, 5, {}, QSize(80, 20), 0, palette::dark(), 2).size(), QSize(160, 40));
}

}  // namespace
}  // namespace syncline::ui
