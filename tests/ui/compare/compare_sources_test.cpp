// SPDX-License-Identifier: GPL-3.0-or-later
// The numbers of the Compare page are those of `syncline-engine compare --json` and of the table it exports; its figures are files that
// other programs read.
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QFile>
#include <QFileDialog>
#include <QImage>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QPushButton>
#include <QSvgRenderer>
#include <QTimer>
#include <limits>

#include "tests/ui/compare/compare_page_fixture.h"
#include "tests/ui/engine_workspace.h"
#include "ui/models/format.h"
#include "ui/models/runs_columns.h"

namespace syncline::ui {
namespace {

class CompareSources : public ComparePageTest {
 protected:
  QJsonObject engine(const QStringList& arguments) const {
    QProcess process;
    process.start(RecordingWorkbench::builtEngine(), QStringList(arguments)
                                                         << QStringLiteral("--json") << QStringLiteral("--workspace") << path_);
    EXPECT_TRUE(process.waitForFinished(30000));
    EXPECT_EQ(process.exitCode(), 0) << process.readAllStandardError().toStdString();
    return QJsonDocument::fromJson(process.readAllStandardOutput()).object();
  }
  static QString head(const SummaryMetric& metric) {
    QString name = QString::fromUtf8(metric.name.data(), static_cast<qsizetype>(metric.name.size()));
    name[0] = name[0].toUpper();
    return name;
  }
  bool hasColumn(const QString& name) const {
    auto* table = find<QTableWidget>("compare.table");
    for (int column = 0; column < table->columnCount(); ++column) {
      if (table->horizontalHeaderItem(column)->text() == name) return true;
    }
    return false;
  }
  // Answers the file dialog that opens next.
  static void chooseFile(const QString& path) {
    auto* timer = new QTimer(qApp);
    QObject::connect(timer, &QTimer::timeout, qApp, [timer, path] {
      auto* dialog = qobject_cast<QFileDialog*>(QApplication::activeModalWidget());
      if (dialog == nullptr) return;
      timer->stop();
      timer->deleteLater();
      dialog->selectFile(path);
      static_cast<QDialog*>(dialog)->accept();
    });
    timer->start(10);
  }
  static QByteArray content(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
  }
};

TEST_F(CompareSources, SeedsTogetherAreCountedAlikeOnThePageAndOnTheCommandLine) {
  const std::string ids[] = {
      make({.name = "a", .group = "a", .step_s = 0.02, .seed = 1}), make({.name = "a", .group = "a", .step_s = 0.03, .seed = 1}),
      make({.name = "a", .group = "a", .step_s = 0.05, .seed = 2}), make({.name = "b", .group = "b", .step_s = 0.01})};
  QStringList arguments = {QStringLiteral("compare"), QStringLiteral("--aggregate")};
  for (const std::string& id : ids) arguments << QString::fromStdString(id);
  const QJsonArray said = engine(arguments).value(QStringLiteral("runs")).toArray();
  ASSERT_EQ(said.size(), 2);
  EXPECT_EQ(said[0].toObject().value(QStringLiteral("seeds")).toInt(), 2);
  EXPECT_EQ(said[0].toObject().value(QStringLiteral("runs")).toArray().size(), 3);
  open({ids[0], ids[1], ids[2], ids[3]});
  page_->showTab(QStringLiteral("table"));
  EXPECT_TRUE(find<QTableWidget>("compare.table")->item(0, 0)->text().contains(QStringLiteral("2 seeds, 3 runs")));
  const SummaryMetric step = *summary_metric("step_s");
  const QJsonObject entry = said[0].toObject().value(QStringLiteral("metrics")).toObject().value(QStringLiteral("step_s")).toObject();
  EXPECT_EQ(entry.value(QStringLiteral("n")).toInt(), 2);
  const QString shown = cell("compare.table", 0, head(step)).split(u'\n').front();
  EXPECT_EQ(shown, spread_text(step.quantity, entry.value(QStringLiteral("value")).toDouble(),
                               entry.value(QStringLiteral("deviation")).toDouble(), 2));
}

TEST_F(CompareSources, EachCellHasTheNumberOfTheCommandLineAndOfTheExportedTable) {
  const std::string slow = make({.name = "slow", .step_s = 0.02}), fast = make({.name = "fast", .step_s = 0.01, .quality = 1.3});
  open({slow, fast});
  page_->showTab(QStringLiteral("table"));
  const QJsonObject said = engine({QStringLiteral("compare"), QString::fromStdString(slow), QString::fromStdString(fast)});
  const QJsonArray runs = said.value(QStringLiteral("runs")).toArray();
  ASSERT_EQ(runs.size(), 2);
  EXPECT_EQ(said.value(QStringLiteral("baseline")).toString(), QString::fromStdString(slow));

  const QString csv_path = folder_.filePath(QStringLiteral("table.csv"));
  chooseFile(csv_path);
  find<QPushButton>("compare.export")->click();
  const QStringList lines = QString::fromUtf8(content(csv_path)).split(u'\n', Qt::SkipEmptyParts);
  ASSERT_EQ(lines.size(), 3);
  const QStringList keys = lines[0].split(u',');

  int compared = 0;
  for (int row = 0; row < 2; ++row) {
    const QJsonObject metrics = runs[row].toObject().value(QStringLiteral("metrics")).toObject();
    const QStringList exported = lines[row + 1].split(u',');
    ASSERT_EQ(exported.size(), keys.size());
    for (const SummaryMetric& metric : compared_metrics()) {
      const QString key = QString::fromUtf8(metric.key.data(), static_cast<qsizetype>(metric.key.size()));
      const QJsonObject entry = metrics.value(key).toObject();
      const QJsonValue value = entry.value(QStringLiteral("value"));
      const QString in_file = exported[keys.indexOf(key)];
      if (!value.isDouble()) {
        EXPECT_TRUE(in_file.isEmpty()) << key.toStdString();
        if (hasColumn(head(metric))) {
          EXPECT_TRUE(cell("compare.table", row, head(metric)).startsWith(format::missing)) << key.toStdString();
        }
        continue;
      }
      ++compared;
      EXPECT_EQ(in_file.toDouble(), value.toDouble()) << key.toStdString();
      const QStringList shown = cell("compare.table", row, head(metric)).split(u'\n');
      EXPECT_EQ(shown.front(), quantity_text(metric.quantity, value.toDouble())) << key.toStdString();
      if (row == 0) continue;
      const QJsonValue difference = entry.value(QStringLiteral("difference"));
      ASSERT_TRUE(difference.isDouble()) << key.toStdString();
      EXPECT_EQ(exported[keys.indexOf(QString(key + QStringLiteral("_difference")))].toDouble(), difference.toDouble())
          << key.toStdString();
      if (difference.toDouble() != 0) {
        QString written = (difference.toDouble() < 0 ? QStringLiteral("\u2212") : QStringLiteral("+")) +
                          quantity_text(metric.quantity, std::abs(difference.toDouble()));
        if (metric.quantity == SummaryMetric::accuracy || metric.quantity == SummaryMetric::share)
          written.replace(u'%', QStringLiteral("pp"));
        EXPECT_TRUE(shown.value(1).startsWith(written)) << key.toStdString() << ": " << shown.value(1).toStdString();
      }
    }
  }
  EXPECT_GE(compared, 16);
  // The same after one stored value is changed: what is shown is what is stored.
  Database(path_.toStdString(), Database::Mode::write)
      .execute("UPDATE summary SET json = json_set(json, '$.step_s', 0.5) WHERE run = (SELECT key FROM run WHERE name = 'fast')");
  const QJsonObject changed = engine({QStringLiteral("compare"), QString::fromStdString(slow), QString::fromStdString(fast)});
  const double step = changed.value(QStringLiteral("runs"))
                          .toArray()[1]
                          .toObject()
                          .value(QStringLiteral("summary"))
                          .toObject()
                          .value(QStringLiteral("step_s"))
                          .toDouble();
  EXPECT_EQ(step, 0.5);
  open({slow, fast});
  page_->showTab(QStringLiteral("table"));
  EXPECT_TRUE(cell("compare.table", 1, QStringLiteral("Step")).startsWith(quantity_text(SummaryMetric::duration, 0.5)));
}

TEST_F(CompareSources, GoodputStandsBesideThroughputAndIsLower) {
  const std::string a = make({.name = "a"}), b = make({.name = "b", .step_s = 0.02});
  open({a, b});
  page_->showTab(QStringLiteral("table"));
  Reader reader(workspace());
  const Summary summary = summarise(reader, reader.run(a));
  ASSERT_TRUE(summary.goodput_samples_per_s && summary.samples_per_s);
  EXPECT_LT(*summary.goodput_samples_per_s, *summary.samples_per_s);
  EXPECT_EQ(cell("compare.table", 0, QStringLiteral("Goodput, samples/s")),
            quantity_text(SummaryMetric::count, *summary.goodput_samples_per_s));
}

TEST_F(CompareSources, ColumnsThatAreNotWantedStayAwayAndInTheExportedTable) {
  const std::string a = make({.name = "a"}), b = make({.name = "b", .step_s = 0.02});
  open({a, b});
  page_->showTab(QStringLiteral("table"));
  ASSERT_TRUE(hasColumn(QStringLiteral("Blocked")) && hasColumn(QStringLiteral("Step")));
  find<QAction>("compare.table.columns.blocked_s")->trigger();
  EXPECT_FALSE(hasColumn(QStringLiteral("Blocked")));
  open({a, b});
  page_->showTab(QStringLiteral("table"));
  EXPECT_FALSE(hasColumn(QStringLiteral("Blocked")));
  EXPECT_TRUE(hasColumn(QStringLiteral("Step")));
  const QString path = folder_.filePath(QStringLiteral("all.csv"));
  chooseFile(path);
  find<QPushButton>("compare.export")->click();
  EXPECT_TRUE(content(path).split('\n').front().contains("blocked_s"));
}

TEST_F(CompareSources, CollectivesOfTheTracedStepsStandSideBySide) {
  EngineWorkspace engine;
  path_ = engine.database();
  QStringList ids;
  for (const char* plan : {"wfbp", "single"}) {
    const QString file = engine.experiment(QString::fromLatin1(plan), QStringLiteral("steps = 30"));
    const auto answer = engine.engine({QStringLiteral("train"), file, QStringLiteral("--quiet"), QStringLiteral("--json"),
                                       QStringLiteral("--set"), QStringLiteral("strategy.plan=\"%1\"").arg(QString::fromLatin1(plan))});
    ASSERT_EQ(answer.exit_code, 0) << answer.error.toStdString() << answer.output.toStdString();
    ids << QJsonDocument::fromJson(answer.output).object().value(QStringLiteral("run")).toObject().value(QStringLiteral("id")).toString();
  }
  open({ids[0].toStdString(), ids[1].toStdString()});
  page_->showTab(QStringLiteral("communication"));
  auto* table = find<QTableWidget>("compare.collectives");
  ASSERT_TRUE(until([&] { return table->isVisible() && page_->loaded(); }));
  EXPECT_EQ(table->horizontalHeaderItem(1)->text(), QStringLiteral("wfbp"));
  bool of_both = false, of_one = false;
  for (int row = 0; row < table->rowCount(); ++row) {
    const bool first = table->item(row, 1)->text() != format::missing, second = table->item(row, 2)->text() != format::missing;
    EXPECT_TRUE(first || second) << row;
    of_both = of_both || (first && second);
    of_one = of_one || first != second;
  }
  EXPECT_TRUE(of_one);  // a bucket of one plan is none of the other's
  Reader reader(Workspace::open_existing(path_.toStdString()));
  const auto rows = read_collectives(reader, ids[0].toStdString(), 0, std::numeric_limits<std::int64_t>::max()).rows;
  ASSERT_FALSE(rows.empty());
  EXPECT_TRUE(table->item(0, 1)->text().startsWith(format::duration(rows.front().p50_s))) << table->item(0, 1)->text().toStdString();
}

TEST_F(CompareSources, FiguresAreWrittenAsPdfSvgAndPng) {
  open({make({.name = "a"}), make({.name = "b", .step_s = 0.02})});
  auto* loss = find<SeriesChart>("compare.charts.train_loss");
  auto* split = find<SplitChart>("compare.charts.split");
  for (const char* ending : {"pdf", "svg", "png"}) {
    const QString end = QString::fromLatin1(ending);
    const QString of_loss = folder_.filePath(QStringLiteral("loss.") + end), of_split = folder_.filePath(QStringLiteral("split.") + end);
    EXPECT_EQ(loss->savePicture(of_loss), QString());
    EXPECT_EQ(split->savePicture(of_split), QString());
    for (const QString& path : {of_loss, of_split}) {
      const QByteArray bytes = content(path);
      if (end == u"pdf") {
        EXPECT_TRUE(bytes.startsWith("%PDF-")) << path.toStdString();
      } else if (end == u"svg") {
        EXPECT_TRUE(QSvgRenderer(bytes).isValid()) << path.toStdString();
        EXPECT_TRUE(bytes.contains("<path") || bytes.contains("<polyline"));  // vectors, no picture of pixels
      } else {
        const QImage image = QImage::fromData(bytes);
        EXPECT_GT(image.width(), 900) << path.toStdString();
      }
      EXPECT_GT(bytes.size(), 2000);
    }
  }
  EXPECT_FALSE(loss->savePicture(QStringLiteral("/nowhere/at/all/loss.pdf")).isEmpty());
}

TEST_F(CompareSources, ScalingGivesSpeedUpAndEfficiencyFromTheFewestWorkersAndAPicture) {
  const std::string one = make({.name = "one", .workers = 1}), two = make({.name = "two", .workers = 2, .step_s = 0.0125});
  open({one, two});
  page_->showTab(QStringLiteral("scaling"));
  auto* kind = find<QComboBox>("compare.scaling.kind");
  kind->setCurrentIndex(1);  // weak: both have 64 samples per worker
  Reader reader(workspace());
  const double base = *summarise(reader, reader.run(one)).samples_per_s, wide = *summarise(reader, reader.run(two)).samples_per_s;
  EXPECT_EQ(cell("compare.scaling", 1, QStringLiteral("Speed-up")), format::metric(wide / base));
  EXPECT_EQ(cell("compare.scaling", 1, QStringLiteral("Efficiency")), format::share(wide / base / 2));
  EXPECT_EQ(cell("compare.scaling", 1, QStringLiteral("Reference")), QStringLiteral("one"));
  const QString path = folder_.filePath(QStringLiteral("scaling.svg"));
  chooseFile(path);
  find<QPushButton>("compare.scaling.save")->click();
  EXPECT_TRUE(QSvgRenderer(content(path)).isValid());
  kind->setCurrentIndex(0);  // strong: their global batches differ
  EXPECT_EQ(cell("compare.scaling", 1, QStringLiteral("Efficiency")), format::missing);
  EXPECT_TRUE(cell("compare.scaling", 1, QStringLiteral("Note")).contains(QStringLiteral("global batch 128 instead of 64")));
}

TEST_F(CompareSources, UnlikeEvaluationsAndStepsAreSaidAboveTheTabs) {
  open({make({.name = "common"}), make({.name = "own", .strategy = "none"})});
  auto* warning = find<QLabel>("compare.warning");
  ASSERT_TRUE(warning->isVisible());
  EXPECT_TRUE(warning->text().contains(QStringLiteral("what is evaluated differs: common parameters, each rank's own parameters")))
      << warning->text().toStdString();
  EXPECT_FALSE(warning->text().contains(QStringLiteral("over steps")));
  auto* axis = find<QComboBox>("compare.axis");
  axis->setCurrentIndex(static_cast<int>(XAxis::step));
  Q_EMIT axis->activated(static_cast<int>(XAxis::step));
  EXPECT_TRUE(warning->text().contains(QStringLiteral("over steps"))) << warning->text().toStdString();
}

TEST_F(CompareSources, ALossOfOnlyNaNHasNoNumberAndNoDifference) {
  const std::string good = make({.name = "good"});
  const std::string bad = make({.name = "nothing but NaN", .quality = std::numeric_limits<double>::quiet_NaN()});
  open({good, bad});
  page_->showTab(QStringLiteral("table"));
  EXPECT_EQ(cell("compare.table", 1, QStringLiteral("Train loss")), format::missing);
  EXPECT_FALSE(cell("compare.table", 0, QStringLiteral("Train loss")).contains(format::missing));
  page_->showTab(QStringLiteral("charts"));
  ASSERT_TRUE(until([this] { return page_->loaded(); }));
  // The chart keeps its scale by the good one and says how many samples are not finite.
  EXPECT_TRUE(find<QLabel>("compare.charts.train_loss.footer")->text().contains(QStringLiteral("40 not finite")))
      << find<QLabel>("compare.charts.train_loss.footer")->text().toStdString();
  page_->showTab(QStringLiteral("target"));
  ASSERT_TRUE(until([this] { return page_->loaded(); }));
  find<QComboBox>("compare.target.metric")->setCurrentIndex(2);
  find<QDoubleSpinBox>("compare.target.threshold")->setValue(0.5);
  ASSERT_TRUE(until([this] { return page_->loaded(); }));
  EXPECT_EQ(cell("compare.target", 1, QStringLiteral("Reached")), QStringLiteral("0 of 1"));
  EXPECT_EQ(cell("compare.target", 0, QStringLiteral("Reached")), QStringLiteral("1 of 1"));
}

}  // namespace
}  // namespace syncline::ui
