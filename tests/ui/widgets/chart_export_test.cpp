// SPDX-License-Identifier: GPL-3.0-or-later
// Pictures that open, and numbers that are those of the command line.
#include <QImage>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QPainter>
#include <QSvgRenderer>
#include <QTableView>
#include <map>

#include "engine/store/export.h"
#include "tests/ui/widgets/chart_fixture.h"
#include "ui/widgets/chart_plot.h"

namespace syncline::ui {
namespace {

class ChartExportTest : public ChartTest {
 protected:
  std::string path(const std::string& name) { return (folder_ / name).string(); }
  void save(SeriesChart* made, const std::string& name) {
    QString error = QStringLiteral("waiting");
    made->saveData(QString::fromStdString(path(name)), false, [&](const QString& said) { error = said; });
    ASSERT_TRUE(QTest::qWaitFor([&] { return error != QStringLiteral("waiting"); }, 20000));
    ASSERT_TRUE(error.isEmpty()) << error.toStdString();
  }
  static std::vector<QStringList> lines_of(const std::string& text) {
    std::vector<QStringList> lines;
    for (const QString& line : QString::fromStdString(text).split(u'\n', Qt::SkipEmptyParts)) lines.push_back(line.split(u','));
    return lines;
  }
};

TEST_F(ChartExportTest, TheCsvHasExactlyTheValuesOfTheEnginesExport) {
  std::vector<double> values = falling(5000, 0.3);
  values[17] = nan;
  values[18] = infinity;
  values[19] = -infinity;
  values[20] = 0;
  values[21] = -1e-300;
  SeriesChart* made = chart();
  const QString id = record(values);
  made->setCurves({curve({id}, QStringLiteral("a"))});
  show();
  ASSERT_TRUE(settled(made));
  save(made, "chart.csv");
  Reader reader(workspace());
  export_csv(reader, reader.run(id.toStdString()), path("engine.csv"));
  const auto ours = lines_of(text_of(path("chart.csv")));
  std::vector<QStringList> theirs;
  for (const QStringList& line : lines_of(text_of(path("engine.csv")))) {
    if (line[0] == QStringLiteral("train_loss") || theirs.empty()) theirs.push_back(line);
  }
  ASSERT_EQ(ours.size(), theirs.size());
  ASSERT_EQ(ours.size(), values.size() + 1);
  for (const QString& column : theirs[0]) {
    if (column == QStringLiteral("unit")) continue;
    const qsizetype here = ours[0].indexOf(column), there = theirs[0].indexOf(column);
    ASSERT_GE(here, 0) << column.toStdString();
    for (std::size_t i = 1; i < ours.size(); ++i) ASSERT_EQ(ours[i][here], theirs[i][there]) << column.toStdString() << " line " << i;
  }
}

TEST_F(ChartExportTest, PicturesOpenInTheirFormatsAndAreLightInADarkWindow) {
  QApplication::setPalette(palette::dark());
  SeriesChart* made = chart();
  made->setCurves({curve({record(falling(3000))}, QStringLiteral("easgd")), curve({record(falling(2000))}, QStringLiteral("ssgd"), 8)});
  show();
  ASSERT_TRUE(settled(made));
  for (const char* name : {"a.pdf", "a.svg", "a.png"}) {
    ASSERT_TRUE(made->savePicture(QString::fromStdString(path(name))).isEmpty());
    EXPECT_GT(std::filesystem::file_size(path(name)), 3000U) << name;
  }
  const std::string pdf = text_of(path("a.pdf"));
  EXPECT_EQ(pdf.substr(0, 5), "%PDF-");
  EXPECT_NE(pdf.find("%%EOF"), std::string::npos);
  EXPECT_NE(pdf.find("/FontFile"), std::string::npos);  // fonts embedded
  QSvgRenderer svg(QString::fromStdString(path("a.svg")));
  EXPECT_TRUE(svg.isValid());
  QImage drawn(516, 260, QImage::Format_ARGB32);
  drawn.fill(Qt::transparent);
  QPainter painter(&drawn);
  svg.render(&painter);
  painter.end();
  EXPECT_EQ(drawn.pixelColor(3, 3), QColor(Qt::white));
  int blue = 0;
  for (int x = 0; x < drawn.width(); ++x) {
    for (int y = 0; y < drawn.height(); ++y) {
      const QColor pixel = drawn.pixelColor(x, y);
      blue += pixel.blue() > 150 && pixel.red() < 60 ? 1 : 0;
    }
  }
  EXPECT_GT(blue, 50);  // the curve itself, in its colour of the light theme
  for (const int scale : {1, 2, 4}) {
    ASSERT_TRUE(made->savePicture(QString::fromStdString(path("b.png")), scale).isEmpty());
    const QImage png(QString::fromStdString(path("b.png")));
    EXPECT_EQ(png.size(), QSize(516, 260) * scale);
    EXPECT_EQ(png.pixelColor(2, 2), QColor(Qt::white));
  }
  EXPECT_TRUE(made->savePicture(QStringLiteral("/nowhere/at/all.pdf")).contains(QStringLiteral("/nowhere/at/all.pdf cannot be written")));
}

TEST_F(ChartExportTest, AsDrawnIsWhatTheScreenShowsAndKeepsTheSpike) {
  std::vector<double> values(50000, 1.0);
  values[31007] = 1000;
  SeriesChart* made = chart();
  made->setCurves({curve({record(values)}, QStringLiteral("a"))});
  show();
  ASSERT_TRUE(settled(made));
  ASSERT_TRUE(made->saveDrawn(QString::fromStdString(path("drawn.csv"))).isEmpty());
  const auto lines = lines_of(text_of(path("drawn.csv")));
  EXPECT_EQ(lines[0].join(u','), QStringLiteral("curve,part,step,value,lower,upper"));
  EXPECT_LT(lines.size(), 5000U);
  EXPECT_EQ(std::count_if(lines.begin(), lines.end(), [](const QStringList& line) { return line[3] == QStringLiteral("1000"); }), 1);
  static_cast<ChartPlot*>(plot_of(made))->setView(1000, 1050, nothing, nothing);
  ASSERT_TRUE(settled(made));
  ASSERT_TRUE(made->saveDrawn(QString::fromStdString(path("drawn.json"))).isEmpty());
  const QJsonObject json = QJsonDocument::fromJson(QByteArray::fromStdString(text_of(path("drawn.json")))).object();
  EXPECT_EQ(json.value(QStringLiteral("rows")).toArray().size(), 51);
}

TEST_F(ChartExportTest, EventsAreRowsOfTheTable) {
  SeriesChart* made = chart();
  const QString id = record({1, 2, 3, 4});
  {
    RunWriter writer(workspace(), id.toStdString());
    writer.position(axes_at(2));
    writer.event("checkpoint", "checkpoint of step 2");
    writer.close();
  }
  made->setCurves({curve({id}, QStringLiteral("a"))});
  show();
  ASSERT_TRUE(settled(made));
  made->showTable(true);
  auto* table = made->findChild<QTableView*>(QStringLiteral("test.loss.rows"));
  ASSERT_TRUE(QTest::qWaitFor([&] { return table->model()->rowCount() == 5; }, 5000));
  EXPECT_EQ(table->model()->index(0, 0).data().toString(), QStringLiteral("◆ checkpoint of step 2"));
  EXPECT_FALSE(table->isColumnHidden(0));
  // Nothing is cut off.
  for (int column = 0; column < table->model()->columnCount(); ++column) {
    if (table->isColumnHidden(column)) continue;
    for (int row = 0; row < 5; ++row) {
      const QString cell = table->model()->index(row, column).data().toString();
      EXPECT_GE(table->columnWidth(column), table->fontMetrics().horizontalAdvance(cell)) << cell.toStdString();
    }
  }
}

TEST_F(ChartExportTest, JsonAndTsvHoldTheSameRows) {
  SeriesChart* made = chart();
  made->setCurves({curve({record({1, nan, 3})}, QStringLiteral("a"))});
  show();
  ASSERT_TRUE(settled(made));
  save(made, "a.json");
  save(made, "a.tsv");
  const QJsonDocument json = QJsonDocument::fromJson(QByteArray::fromStdString(text_of(path("a.json"))));
  ASSERT_TRUE(json.isObject());
  const QJsonArray rows = json.object().value(QStringLiteral("rows")).toArray();
  ASSERT_EQ(rows.size(), 3);
  EXPECT_EQ(rows[1].toArray().last().toString(), QStringLiteral("NaN"));
  EXPECT_EQ(rows[2].toArray().last().toDouble(), 3);
  EXPECT_EQ(QString::fromStdString(text_of(path("a.tsv"))).count(u'\n'), 4);
}

}  // namespace
}  // namespace syncline::ui
