// SPDX-License-Identifier: GPL-3.0-or-later
#include <QClipboard>
#include <QHeaderView>
#include <QInputDialog>
#include <QMessageBox>
#include <QSignalSpy>

#include "tests/ui/runs/runs_page_fixture.h"
#include "ui/models/palette.h"

namespace syncline::ui {
namespace {

TEST_F(RunsPageTest, AnEmptyWorkspaceOffersTheDemoRecipesAndANewExperiment) {
  open();
  EXPECT_TRUE(find<QLabel>("runs.empty.text")->isVisible());
  EXPECT_TRUE(find<QPushButton>("runs.empty.demo")->isVisible());
  QTest::keyClick(find<QPushButton>("runs.empty.recipe"), Qt::Key_Space);
  ASSERT_EQ(bench_->places.size(), 1U);
  EXPECT_EQ(bench_->places.front(), Place::recipes);
  QTest::keyClick(find<QPushButton>("runs.empty.new"), Qt::Key_Space);
  EXPECT_EQ(bench_->drafts.size(), 1U);
}

TEST_F(RunsPageTest, EnterOpensTheRunUnderTheCursor) {
  make({.name = "one"});
  const std::string second = make({.name = "two"});
  open();
  focusFirstRow();
  press(Qt::Key_Return);
  EXPECT_EQ(bench_->opened_runs, QStringList{QString::fromStdString(second)});
}

TEST_F(RunsPageTest, LettersMarkTagAndAnnotateTheSelectedRunsFromTheKeyboard) {
  const std::string first = make({.name = "one"}), second = make({.name = "two"});
  open();
  focusFirstRow();
  press(Qt::Key_Down, Qt::ShiftModifier);
  ASSERT_EQ(page_->table().selectedRuns().size(), 2U);
  press(Qt::Key_S);
  inDialog<TagsDialog>([](TagsDialog& dialog) {
    QTest::keyClicks(dialog.findChild<QLineEdit*>(QStringLiteral("runs.tags.more")), QStringLiteral("fig 3, baseline"));
    dialog.accept();
  });
  press(Qt::Key_T);
  inDialog<NoteDialog>([](NoteDialog& dialog) {
    QTest::keyClicks(dialog.findChild<QPlainTextEdit*>(), QStringLiteral("as in the paper"));
    dialog.accept();
  });
  press(Qt::Key_N);
  ASSERT_TRUE(written());
  for (const std::string& id : {first, second}) {
    EXPECT_TRUE(stored(id).starred);
    EXPECT_EQ(stored(id).tags, (std::vector<std::string>{"baseline", "fig 3"}));
    EXPECT_EQ(stored(id).notes, "as in the paper");
  }
}

TEST_F(RunsPageTest, F2RenamesInPlaceEscCancelsAndEnterDoesNotOpenTheRun) {
  const std::string id = make({.name = "before"});
  open();
  focusFirstRow();
  press(Qt::Key_F2);
  auto* editor = page_->findChild<QLineEdit*>(QStringLiteral("runs.table.editor"));
  ASSERT_NE(editor, nullptr);
  editor->setText(QStringLiteral("thrown away"));
  QTest::keyClick(editor, Qt::Key_Escape);
  ASSERT_TRUE(until([this] { return page_->findChild<QLineEdit*>(QStringLiteral("runs.table.editor")) == nullptr; }));
  press(Qt::Key_F2);
  editor = page_->findChild<QLineEdit*>(QStringLiteral("runs.table.editor"));
  ASSERT_NE(editor, nullptr);
  EXPECT_EQ(editor->text(), QStringLiteral("before"));
  editor->setText(QStringLiteral("after"));
  QTest::keyClick(editor, Qt::Key_Return);
  ASSERT_TRUE(until([&] { return stored(id).name == "after"; }));
  EXPECT_TRUE(bench_->opened_runs.isEmpty());
}

TEST_F(RunsPageTest, InANarrowWindowTheHeadTakesTwoRowsAndNothingOfItIsCut) {
  make({.name = "a"});
  open();
  const auto controls = [this] {
    std::vector<QWidget*> found;
    for (const char* name :
         {"runs.chip.0", "runs.chip.1", "runs.chip.2", "runs.chip.3", "runs.grouping", "runs.columns.open", "runs.filters"})
      found.push_back(page_->findChild<QWidget*>(QLatin1String(name)));
    return found;
  };
  const auto top = [this](QWidget* one) { return one->mapTo(page_.get(), QPoint()).y(); };
  for (const int width : {1100, 560}) {
    page_->window()->resize(width, 480);
    QTest::qWait(50);
    for (QWidget* one : controls()) {
      ASSERT_NE(one, nullptr);
      EXPECT_GE(one->width(), one->minimumSizeHint().width()) << width << ' ' << one->objectName().toStdString();
      EXPECT_LE(one->mapTo(page_->window(), QPoint(one->width(), 0)).x(), width) << one->objectName().toStdString();
    }
    const auto all = controls();
    EXPECT_EQ(top(all.back()) > top(all.front()) + all.front()->height() / 2, width == 560);
  }
}

TEST_F(RunsPageTest, DeleteMovesToTheTrashAndUndoBringsBackToTheSamePlace) {
  make({.name = "a"});
  make({.name = "b"});
  const std::string id = make({.name = "c"});
  open();
  focusFirstRow();
  press(Qt::Key_Delete);
  ASSERT_TRUE(until([this] { return page_->model().rowCount() == 2; }));
  EXPECT_TRUE(stored(id).trashed);
  ASSERT_EQ(bench_->notices.size(), 1);
  EXPECT_TRUE(bench_->notices.front().contains(QStringLiteral("trash")));
  bench_->undo();
  ASSERT_TRUE(until([this] { return page_->model().rowCount() == 3; }));
  EXPECT_EQ(page_->model().index(0, 1).data().toString(), QStringLiteral("c"));
  EXPECT_FALSE(stored(id).trashed);
}

TEST_F(RunsPageTest, ARunningOrLockedRunStaysAndTheMessageSaysWhichAndWhy) {
  const std::string locked = make({.name = "kept safe"});
  const std::string running = make({.name = "at work", .state = "running"});
  Annotations(workspace()).set_locked(locked, true);
  open();
  focusFirstRow();
  table()->selectAll();
  press(Qt::Key_Delete);
  ASSERT_EQ(bench_->notices.size(), 1);
  EXPECT_TRUE(bench_->notices.front().contains(QStringLiteral("at work stays: it is running"))) << bench_->notices.front().toStdString();
  EXPECT_TRUE(bench_->notices.front().contains(QStringLiteral("kept safe stays: it is locked")));
  EXPECT_FALSE(stored(locked).trashed);
  EXPECT_FALSE(stored(running).trashed);
}

TEST_F(RunsPageTest, TheTrashRestoresAndIsEmptiedOnlyAfterAQuestion) {
  const std::string first = make({.name = "first"}), second = make({.name = "second"});
  Annotations(workspace()).set_trashed(first, true);
  Annotations(workspace()).set_trashed(second, true);
  open();
  inDialog<TrashDialog>([this](TrashDialog& dialog) {
    auto* list = dialog.findChild<QTreeWidget*>(QStringLiteral("runs.trash.list"));
    EXPECT_EQ(list->topLevelItemCount(), 2);
    QTest::keyClick(dialog.findChild<QPushButton*>(QStringLiteral("runs.trash.restore")), Qt::Key_Space);  // the newest is selected
    EXPECT_TRUE(until([&] { return list->topLevelItemCount() == 1; }));
    inDialog<QMessageBox>([](QMessageBox& box) { box.reject(); });
    QTest::keyClick(dialog.findChild<QPushButton*>(QStringLiteral("runs.trash.empty")), Qt::Key_Space);
    EXPECT_EQ(list->topLevelItemCount(), 1) << "kept: the question was answered with no";
    inDialog<QMessageBox>(
        [](QMessageBox& box) { QTest::keyClick(box.findChild<QPushButton*>(QStringLiteral("runs.trash.confirm")), Qt::Key_Space); });
    QTest::keyClick(dialog.findChild<QPushButton*>(QStringLiteral("runs.trash.empty")), Qt::Key_Space);
    EXPECT_TRUE(until([&] { return list->topLevelItemCount() == 0; }));
    dialog.accept();
  });
  bench_->actions().find(QStringLiteral("runs.show-trash"))->trigger();
  EXPECT_FALSE(stored(second).trashed);
  EXPECT_THROW(stored(first), WorkspaceError);
}

TEST_F(RunsPageTest, TypingAFilterNarrowsTheTableAndAMistakeIsSaid) {
  make({.name = "easgd"});
  make({.name = "ssgd"});
  open();
  table()->setFocus();
  press(Qt::Key_F, Qt::ControlModifier);
  auto* filter = find<FilterEdit>("runs.filter.text");
  ASSERT_TRUE(filter->hasFocus());
  QTest::keyClicks(filter, QStringLiteral("name:easgd"));
  ASSERT_TRUE(until([this] { return page_->model().rowCount() == 1; }));
  QTest::keyClicks(filter, QStringLiteral(" wrongkey<3"));
  auto* mistake = find<QLabel>("runs.filter.mistake");
  ASSERT_TRUE(until([&] { return mistake->isVisible(); }));
  EXPECT_EQ(filter->mistake()->position, 11);
  EXPECT_EQ(filter->mistake()->length, 8);
  EXPECT_EQ(page_->model().rowCount(), 1) << "the last good filter stays in force";
  filter->setText(QStringLiteral("name:nothing"));
  ASSERT_TRUE(until([this] { return find<QLabel>("runs.no-match.text")->isVisible(); }));
  EXPECT_TRUE(find<QLabel>("runs.no-match.text")->text().contains(QStringLiteral("2 runs are hidden")));
  QTest::keyClick(find<QPushButton>("runs.no-match.clear"), Qt::Key_Space);
  EXPECT_EQ(page_->model().rowCount(), 2);
}

TEST_F(RunsPageTest, CompletionOffersKeysAndThenTheValuesThatOccur) {
  make({.name = "one", .strategy = "none"});
  open();
  const auto rows = page_->model().snapshot()->rows;
  const FilterCompletion keys = complete_filter(QStringLiteral("loss<1 stra"), 11, rows);
  EXPECT_EQ(keys.prefix, QStringLiteral("stra"));
  EXPECT_TRUE(keys.choices.contains(QStringLiteral("strategy")));
  EXPECT_TRUE(keys.choices.contains(QStringLiteral("train.optimizer.lr")));
  const FilterCompletion values = complete_filter(QStringLiteral("strategy:n"), 10, rows);
  EXPECT_EQ(values.from, 9);
  EXPECT_EQ(values.choices, QStringList{QStringLiteral("none")});
  EXPECT_TRUE(complete_filter(QStringLiteral("state:"), 6, rows).choices.contains(QStringLiteral("lost")));
}

TEST_F(RunsPageTest, AFilterIsSavedInTheWorkspaceAndAppliedFromTheMenu) {
  make({.name = "easgd"});
  make({.name = "ssgd"});
  open();
  find<FilterEdit>("runs.filter.text")->setText(QStringLiteral("easgd"));
  ASSERT_TRUE(until([this] { return page_->model().rowCount() == 1; }));
  auto* menu = find<QToolButton>("runs.filters")->menu();
  inDialog<QInputDialog>([](QInputDialog& dialog) {
    dialog.setTextValue(QStringLiteral("mine"));
    dialog.accept();
  });
  for (QAction* action : menu->actions()) {
    if (action->objectName() == u"runs.filters.save") {
      action->setEnabled(true);
      action->trigger();
    }
  }
  ASSERT_TRUE(until([&] { return menu->actions().front()->text() == QStringLiteral("mine"); }));
  find<FilterEdit>("runs.filter.text")->clear();
  ASSERT_TRUE(until([this] { return page_->model().rowCount() == 2; }));
  menu->actions().front()->trigger();
  EXPECT_EQ(page_->model().rowCount(), 1);
}

TEST_F(RunsPageTest, CtrlKCollectsRunsUntilThereAreTwoToCompare) {
  const std::string first = make({.name = "one"}), second = make({.name = "two"});
  open();
  focusFirstRow();
  press(Qt::Key_K, Qt::ControlModifier);
  EXPECT_TRUE(bench_->comparisons.empty());
  press(Qt::Key_Down);
  press(Qt::Key_K, Qt::ControlModifier);
  ASSERT_EQ(bench_->comparisons.size(), 1U);
  EXPECT_EQ(bench_->comparisons.front(), (QStringList{QString::fromStdString(second), QString::fromStdString(first)}));
}

TEST_F(RunsPageTest, TheSelectedRowsAreCopiedWithEveryDigit) {
  const std::string id = make({.name = "one", .quality = 1.0 / 3});
  open();
  focusFirstRow();
  ASSERT_TRUE(until([this] { return page_->loaded(); }));
  press(Qt::Key_C, Qt::ControlModifier | Qt::ShiftModifier);
  const QStringList lines = QGuiApplication::clipboard()->text().split(u'\n', Qt::SkipEmptyParts);
  ASSERT_EQ(lines.size(), 2);
  const auto column = lines[0].split(u'\t').indexOf(QStringLiteral("Loss (last)"));
  Reader reader(workspace());
  EXPECT_EQ(lines[1].split(u'\t')[column].toDouble(), *summarise(reader, reader.run(id)).final_train_loss);
}

TEST_F(RunsPageTest, CtrlDMakesADraftOfTheExperimentAsItWasTyped) {
  make({.name = "one"});
  open();
  focusFirstRow();
  press(Qt::Key_D, Qt::ControlModifier);
  ASSERT_TRUE(until([this] { return !bench_->drafts.empty(); }));
  EXPECT_EQ(bench_->drafts.front().first, QStringLiteral("one copy"));
  EXPECT_FALSE(bench_->draft_origins.front().isEmpty());  // where it was cloned from
  EXPECT_TRUE(bench_->drafts.front().second.contains(QStringLiteral("# as typed")));
}

TEST_F(RunsPageTest, AskingARunToStopWritesTheRequestThatWasChosen) {
  const std::string id = make({.name = "at work", .state = "running"});
  open();
  focusFirstRow();
  inDialog<QDialog>([](QDialog& dialog) { dialog.accept(); });
  press(Qt::Key_Period, Qt::ControlModifier);
  ASSERT_TRUE(written());
  const auto requests = Requests(workspace()).of(id);
  ASSERT_EQ(requests.size(), 1U);
  EXPECT_EQ(requests.front().kind, "stop-after-checkpoint");
  ASSERT_TRUE(until([this] { return page_->model().index(0, 2).data().toString().contains(QStringLiteral("Stopping")); }));
}

TEST_F(RunsPageTest, TheStripUnderTheTableSaysTheReasonOfTheState) {
  make({.name = "broken", .state = "failed"});
  open();
  focusFirstRow();
  auto* sentence = find<QLabel>("runs.details.state");
  ASSERT_TRUE(sentence->isVisible());
  EXPECT_TRUE(sentence->text().contains(QStringLiteral("Failed: out of memory on rank 1"))) << sentence->text().toStdString();
}

TEST_F(RunsPageTest, ADisabledActionSaysWhy) {
  make({.name = "done"});
  open();
  focusFirstRow();
  QAction* stop = bench_->actions().find(QStringLiteral("run.stop"));
  EXPECT_FALSE(stop->isEnabled());
  EXPECT_EQ(stop->toolTip(), QStringLiteral("Stop: select a running run"));
}

TEST_F(RunsPageTest, ClickingAHeaderSortsAndASecondClickTurnsTheOrderRound) {
  make({.name = "b"});
  make({.name = "a"});
  open();
  QHeaderView* header = table()->header();
  const QPoint name(header->sectionViewportPosition(1) + 20, header->height() / 2);
  QTest::mouseClick(header->viewport(), Qt::LeftButton, {}, name);
  EXPECT_EQ(page_->model().index(0, 1).data().toString(), QStringLiteral("a"));
  QTest::mouseClick(header->viewport(), Qt::LeftButton, {}, name);
  EXPECT_EQ(page_->model().index(0, 1).data().toString(), QStringLiteral("b"));
}

TEST_F(RunsPageTest, BothHalvesOfTheTableShareSelectionExpansionAndPosition) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) make({.name = "group", .group = "g", .seed = seed});
  open();
  focusFirstRow();
  press(Qt::Key_Right);
  QTreeView* right = page_->table().scrollingView();
  EXPECT_TRUE(right->isExpanded(page_->model().index(0, 0)));
  EXPECT_EQ(right->selectionModel(), table()->selectionModel());
  EXPECT_EQ(right->visualRect(page_->model().index(2, 4, page_->model().index(0, 0))).top(),
            table()->visualRect(page_->model().index(2, 1, page_->model().index(0, 0))).top());
}

// For looking at: SYNCLINE_PICTURES names a folder.
TEST_F(RunsPageTest, GroupsInsideGroupsAreOneChoiceAndAreRemembered) {
  for (std::uint64_t seed = 1; seed <= 2; ++seed) make({.name = "seeds", .group = "g", .seed = seed});
  make({.name = "other", .strategy = "none"});
  open();
  auto* grouping = find<QComboBox>("runs.grouping");
  grouping->setCurrentIndex(grouping->findText(QStringLiteral("strategy, then experiment")));
  ASSERT_EQ(page_->model().rowCount(), 2);
  page_.reset();
  open();
  EXPECT_EQ(find<QComboBox>("runs.grouping")->currentText(), QStringLiteral("strategy, then experiment"));
  ASSERT_EQ(page_->model().rowCount(), 2);
  int inner = 0;
  for (int row = 0; row < 2; ++row) {
    const QModelIndex group = page_->model().index(row, 0);
    for (int k = 0; k < page_->model().rowCount(group); ++k) inner += page_->model().rowCount(page_->model().index(k, 0, group));
  }
  EXPECT_EQ(inner, 2);
}

TEST_F(RunsPageTest, ARunThatWasResumedAsAnotherIsRelatedAndOneClickAway) {
  const std::string first = make({.name = "first"}), second = make({.name = "second"});
  Database(path_.toStdString(), Database::Mode::write).execute("UPDATE run SET resumed_from = '" + first + "' WHERE id = '" + second + "'");
  open();
  focusFirstRow();
  auto* related = find<QLabel>("runs.details.related");
  ASSERT_TRUE(until([&] { return related->isVisible(); }));
  EXPECT_TRUE(related->text().contains(QStringLiteral("resumed from"))) << related->text().toStdString();
  Q_EMIT related->linkActivated(QString::fromStdString(first));
  EXPECT_EQ(bench_->opened_runs, QStringList{QString::fromStdString(first)});
}

TEST_F(RunsPageTest, PicturesForAPersonToLookAt) {
  const QString folder = qEnvironmentVariable("SYNCLINE_PICTURES");
  for (std::uint64_t seed = 1; seed <= 5; ++seed)
    make({.name = "lenet, layer by layer", .group = "g", .quality = 1 + 0.02 * static_cast<double>(seed), .seed = seed});
  make({.name = "lenet, one message", .step_s = 0.014});
  make({.name = "compute only", .strategy = "none"});
  make({.name = "broken", .state = "failed"});
  make({.name = "at work", .state = "running"});
  open();
  ASSERT_TRUE(until([this] { return page_->loaded(); }));
  table()->expand(page_->model().index(4, 0));
  table()->setCurrentIndex(page_->model().index(1, 1));
  ASSERT_TRUE(until([this] { return page_->loaded(); }));
  const QPalette before = QApplication::palette();
  for (const bool dark : {false, true}) {
    QApplication::setPalette(dark ? palette::dark() : palette::light());
    for (const QSize size : {QSize(1100, 700), QSize(780, 560)}) {
      page_->resize(size);
      QTest::qWait(100);
      const QPixmap picture = page_->grab();
      EXPECT_EQ(picture.deviceIndependentSize().toSize(), size);
      if (!folder.isEmpty())
        picture.save(folder +
                     QStringLiteral("/runs-%1-%2.png").arg(dark ? QStringLiteral("dark") : QStringLiteral("light")).arg(size.width()));
    }
  }
  QApplication::setPalette(before);
}

}  // namespace
}  // namespace syncline::ui
