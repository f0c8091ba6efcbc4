// SPDX-License-Identifier: GPL-3.0-or-later
#include <QCheckBox>
#include <QDoubleSpinBox>
#include <QInputDialog>
#include <QPushButton>
#include <QTimer>

#include "tests/ui/compare/compare_page_fixture.h"
#include "ui/models/palette.h"
#include "ui/models/runs_columns.h"

namespace syncline::ui {
namespace {

TEST_F(ComparePageTest, OneRunAsksForASecond) {
  open({make({.name = "alone"})});
  EXPECT_TRUE(find<QLabel>("compare.too-few")->isVisible());
  EXPECT_EQ(find<QLabel>("compare.too-few")->text(), QStringLiteral("Add a second run to compare."));
}

TEST_F(ComparePageTest, TheRunBeforeIsAddedWithOneButton) {
  make({.name = "oldest"});
  make({.name = "before"});
  const std::string id = make({.name = "this"});
  make({.name = "after"});
  open({id});
  QTest::keyClick(find<QPushButton>("compare.too-few.previous"), Qt::Key_Space);
  auto* list = find<QListWidget>("compare.runs");
  ASSERT_TRUE(until([&] { return list->count() == 2; }));
  EXPECT_EQ(list->item(1)->text(), QStringLiteral("before"));
}

TEST_F(ComparePageTest, InANarrowWindowTheChartsStandBelowEachOther) {
  open({make({.name = "a", .group = "a"}), make({.name = "b", .group = "b"})});
  const auto place = [this](const char* name) {
    auto* chart = find<QWidget>(name);
    return chart->mapTo(page_.get(), QPoint());
  };
  for (const int width : {1100, 760}) {
    page_->resize(width, 600);
    QTest::qWait(50);
    const QPoint loss = place("compare.charts.train_loss"), accuracy = place("compare.charts.test_accuracy");
    EXPECT_EQ(loss.x() == accuracy.x(), width == 760) << width;
    EXPECT_EQ(loss.y() == accuracy.y(), width == 1100) << width;
    EXPECT_GT(find<QWidget>("compare.charts.split")->width(), width == 760 ? 400 : 250);
  }
}

TEST_F(ComparePageTest, TheTableShowsWhatSummariseGives) {
  const std::string slow = make({.name = "slow", .step_s = 0.02}), fast = make({.name = "fast", .step_s = 0.01});
  open({slow, fast});
  page_->showTab(QStringLiteral("table"));
  Reader reader(workspace());
  const Summary summary = summarise(reader, reader.run(fast));
  EXPECT_TRUE(cell("compare.table", 1, QStringLiteral("Step")).startsWith(quantity_text(SummaryMetric::duration, *summary.step_s)));
  EXPECT_TRUE(cell("compare.table", 1, QStringLiteral("Step")).contains(QStringLiteral("\u25b2")));
  EXPECT_TRUE(
      cell("compare.table", 1, QStringLiteral("Train loss")).contains(quantity_text(SummaryMetric::plain, *summary.final_train_loss)));
}

TEST_F(ComparePageTest, CtrlBMakesTheSelectedRunTheBaseline) {
  open({make({.name = "first"}), make({.name = "second", .step_s = 0.02})});
  auto* list = find<QListWidget>("compare.runs");
  EXPECT_EQ(list->item(0)->text(), QStringLiteral("\u2605 first"));
  list->setFocus();
  QTest::keyClick(list, Qt::Key_Down);
  QTest::keyClick(list, Qt::Key_B, Qt::ControlModifier);
  EXPECT_EQ(list->item(1)->text(), QStringLiteral("\u2605 second"));
  page_->showTab(QStringLiteral("table"));
  EXPECT_TRUE(cell("compare.table", 0, QStringLiteral("Step")).contains(QStringLiteral("\u221250 %")));
}

TEST_F(ComparePageTest, AnUntickedRunLeavesTheTabs) {
  open({make({.name = "a"}), make({.name = "b"}), make({.name = "c"})});
  page_->showTab(QStringLiteral("table"));
  EXPECT_EQ(find<QTableWidget>("compare.table")->rowCount(), 3);
  auto* list = find<QListWidget>("compare.runs");
  list->setCurrentRow(1);
  list->setFocus();
  QTest::keyClick(list, Qt::Key_Space);
  EXPECT_EQ(find<QTableWidget>("compare.table")->rowCount(), 2);
}

TEST_F(ComparePageTest, SamplesAreTheAxisWhenStrategiesDiffer) {
  open({make({.name = "a"}), make({.name = "b", .strategy = "none"})});
  EXPECT_EQ(find<QComboBox>("compare.axis")->currentIndex(), static_cast<int>(XAxis::samples));
  auto* axis = find<QComboBox>("compare.axis");
  axis->setCurrentIndex(static_cast<int>(XAxis::step));
  Q_EMIT axis->activated(static_cast<int>(XAxis::step));
  EXPECT_TRUE(find<QLabel>("compare.charts.note")->isVisible());
  QTest::keyClick(find<QPushButton>("compare.charts.samples"), Qt::Key_Space);
  EXPECT_FALSE(find<QLabel>("compare.charts.note")->isVisible());
}

TEST_F(ComparePageTest, SettingsShowOnlyWhatDiffersUnlessAskedForAll) {
  open({make({.name = "a", .workers = 2}), make({.name = "b", .workers = 4})});
  page_->showTab(QStringLiteral("settings"));
  auto* table = find<QTableWidget>("compare.settings");
  ASSERT_EQ(table->rowCount(), 1);
  EXPECT_EQ(table->item(0, 0)->text(), QStringLiteral("cluster.workers"));
  QTest::keyClick(find<QCheckBox>("compare.settings.only"), Qt::Key_Space);
  EXPECT_GT(table->rowCount(), 4);
  const QString diff = find<QPlainTextEdit>("compare.settings.diff")->toPlainText();
  EXPECT_TRUE(diff.contains(QStringLiteral("- workers = 2")) && diff.contains(QStringLiteral("+ workers = 4"))) << diff.toStdString();
}

// The window's Compare menu acts through these.
TEST_F(ComparePageTest, TheMenusActionsMoveWhatThePageHasBoxesFor) {
  open({make({.name = "a", .group = "a", .seed = 1}), make({.name = "a", .group = "a", .seed = 2}), make({.name = "b", .workers = 4})});
  const auto action = [this](const char* id) { return bench_->actions().find(QString::fromUtf8(id)); };
  auto* list = find<QListWidget>("compare.runs");
  EXPECT_EQ(list->count(), 2);
  ASSERT_TRUE(action("compare.aggregate")->isChecked());
  action("compare.aggregate")->trigger();
  EXPECT_EQ(list->count(), 3);
  EXPECT_FALSE(find<QCheckBox>("compare.aggregate")->isChecked());
  const int differing = find<QTableWidget>("compare.settings")->rowCount();
  action("compare.only-differences")->trigger();
  EXPECT_GT(find<QTableWidget>("compare.settings")->rowCount(), differing);
  EXPECT_FALSE(action("compare.only-differences")->isChecked());
  EXPECT_TRUE(find<QTableWidget>("compare.settings")->isVisible());
  // Names give way within the list: their ends are not pushed out of it.
  EXPECT_LE(list->visualItemRect(list->item(0)).width(), list->viewport()->width());
  EXPECT_GE(list->visualItemRect(list->item(0)).height(), 24);
}

TEST_F(ComparePageTest, CommunicationSumsToTheStepAndTimeToTargetCountsSeeds) {
  std::vector<std::string> ids;
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    ids.push_back(make({.name = "a", .group = "a", .quality = seed == 3 ? 2.0 : 1.0, .seed = seed}));  // the third learns half as well
  }
  ids.push_back(make({.name = "b"}));
  open(ids);
  page_->showTab(QStringLiteral("communication"));
  EXPECT_EQ(cell("compare.communication", 1, QStringLiteral("Step")), quantity_text(SummaryMetric::duration, 0.010));
  EXPECT_EQ(cell("compare.communication", 1, QStringLiteral("Exposed transfer")), quantity_text(SummaryMetric::duration, 0.003));
  page_->showTab(QStringLiteral("target"));
  find<QDoubleSpinBox>("compare.target.threshold")->setValue(0.7);
  ASSERT_TRUE(until([this] { return page_->loaded(); }));
  EXPECT_EQ(cell("compare.target", 0, QStringLiteral("Reached")), QStringLiteral("2 of 3"));
  EXPECT_EQ(cell("compare.target", 1, QStringLiteral("Reached")), QStringLiteral("1 of 1"));
}

TEST_F(ComparePageTest, ASavedComparisonComesBackWithItsChoicesAndListsAMissingRun) {
  const std::string first = make({.name = "first"}), second = make({.name = "second"}), third = make({.name = "third"});
  open({first, second, third});
  auto* list = find<QListWidget>("compare.runs");
  list->setCurrentRow(1);
  list->setFocus();
  QTest::keyClick(list, Qt::Key_B, Qt::ControlModifier);
  find<QPlainTextEdit>("compare.notes")->setPlainText(QStringLiteral("for figure 3"));
  QTimer::singleShot(50, qApp, [] {
    auto* dialog = qobject_cast<QInputDialog*>(QApplication::activeModalWidget());
    ASSERT_NE(dialog, nullptr);
    dialog->setTextValue(QStringLiteral("overlap"));
    dialog->accept();
  });
  QTest::keyClick(list, Qt::Key_S, Qt::ControlModifier);
  ASSERT_TRUE(until([this] { return page_->title() == QStringLiteral("overlap"); }));
  EXPECT_FALSE(page_->unsaved());
  RunRegistry(workspace()).remove(third, false);
  std::string id;
  {
    Database database = workspace().connect();
    id = saved_texts(database, "comparison").front().id;
  }
  open({}, QString::fromStdString(id));
  ASSERT_TRUE(until([this] { return page_->title() == QStringLiteral("overlap") && find<QListWidget>("compare.runs")->count() == 3; }));
  list = find<QListWidget>("compare.runs");
  EXPECT_EQ(list->item(1)->text(), QStringLiteral("\u2605 second"));
  EXPECT_TRUE(list->item(2)->text().startsWith(QStringLiteral("missing")));
  EXPECT_EQ(find<QPlainTextEdit>("compare.notes")->toPlainText(), QStringLiteral("for figure 3"));
}

TEST(ComparisonChoice, SurvivesItsTextAndADamagedTextIsAnEmptyChoice) {
  ComparisonChoice choice;
  choice.runs = {QStringLiteral("a"), QStringLiteral("b")};
  choice.hidden = {QStringLiteral("g:x")};
  choice.baseline = QStringLiteral("g:y");
  choice.axis = QStringLiteral("samples");
  choice.notes = QStringLiteral("two\nlines");
  choice.aggregate = false;
  choice.half_life = 12.5;
  EXPECT_EQ(comparison_choice(to_text(choice)), choice);
  EXPECT_EQ(comparison_choice("{\"runs\": 3, \"aggregate\": \"x\"}"), ComparisonChoice());
  EXPECT_EQ(comparison_choice("no json"), ComparisonChoice());
}

// For looking at: SYNCLINE_PICTURES names a folder.
TEST_F(ComparePageTest, PicturesForAPersonToLookAt) {
  const QString folder = qEnvironmentVariable("SYNCLINE_PICTURES");
  std::vector<std::string> ids;
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    ids.push_back(make({.name = "layer by layer", .group = "a", .quality = 1 + 0.05 * static_cast<double>(seed), .seed = seed}));
    ids.push_back(
        make({.name = "one message", .group = "b", .step_s = 0.014, .quality = 1.02 + 0.05 * static_cast<double>(seed), .seed = seed}));
  }
  ids.push_back(make({.name = "four workers", .workers = 4, .step_s = 0.012}));
  open(ids);
  const QPalette before = QApplication::palette();
  for (const bool dark : {false, true}) {
    QApplication::setPalette(dark ? palette::dark() : palette::light());
    for (const QSize size : {QSize(1100, 700), QSize(780, 560)}) {
      page_->resize(size);
      for (const char* tab : {"charts", "table", "settings", "communication", "scaling", "target"}) {
        page_->showTab(QString::fromUtf8(tab));
        ASSERT_TRUE(until([this] { return page_->loaded(); }));
        QTest::qWait(100);
        const QPixmap picture = page_->grab();
        EXPECT_EQ(picture.deviceIndependentSize().toSize(), size) << tab;
        const QString theme = dark ? QStringLiteral("dark") : QStringLiteral("light");
        if (!folder.isEmpty())
          picture.save(folder + QStringLiteral("/compare-%1-%2-%3.png").arg(QString::fromUtf8(tab), theme).arg(size.width()));
      }
    }
  }
  QApplication::setPalette(before);
}

}  // namespace
}  // namespace syncline::ui
