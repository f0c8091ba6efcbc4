// SPDX-License-Identifier: GPL-3.0-or-later
#include <QDialog>
#include <QFileDialog>
#include <QLabel>
#include <QListView>
#include <QMenu>
#include <QMenuBar>
#include <QPlainTextEdit>
#include <QTimer>
#include <QToolBar>
#include <QTreeWidget>

#include "tests/ui/shell/fixture.h"
#include "ui/models/problems.h"
#include "ui/views/shell/find_action.h"
#include "ui/views/shell/page_actions.h"

namespace syncline::ui {
namespace {

using Actions = ShellTest;

// QObject::receivers is protected; asking needs a class that derives from it.
struct Receivers : QObject {
  static int of(const QAction* action) { return (action->*(&Receivers::receivers))(SIGNAL(triggered(bool))); }
};

TEST_F(Actions, EveryEntryOfMenusAndToolbarHasAReceiverHelpAndAShortcutOrMnemonic) {
  open();
  int seen = 0;
  for (const QAction* one : window->menuActions()) {
    SCOPED_TRACE(one->text().toStdString());
    EXPECT_GT(Receivers::of(one), 0);
    const bool mnemonic = QString(one->text()).remove(QStringLiteral("&&")).contains(u'&');
    EXPECT_TRUE(mnemonic || !one->shortcuts().isEmpty());
    EXPECT_FALSE(one->toolTip().isEmpty());
    EXPECT_FALSE(one->whatsThis().isEmpty());
    ++seen;
  }
  EXPECT_GT(seen, 40);
}

TEST_F(Actions, NoTwoEntriesOfOneMenuShareAMnemonic) {
  open();
  for (const QMenu* menu : window->findChildren<QMenu*>()) {
    QMap<QChar, QString> taken;
    for (const QAction* one : menu->actions()) {
      const QString text = QString(one->text()).remove(QStringLiteral("&&"));
      const auto at = text.indexOf(u'&');
      if (one->isSeparator() || at < 0 || at + 1 >= text.size()) continue;
      const QChar letter = text[at + 1].toLower();
      EXPECT_FALSE(taken.contains(letter)) << menu->objectName().toStdString() << ": " << text.toStdString() << " and "
                                           << taken.value(letter).toStdString();
      taken[letter] = text;
    }
  }
}

TEST_F(Actions, EveryActionOfTheToolbarIsInAMenuAndThereAreSixAtMost) {
  open();
  QSet<const QAction*> in_menus;
  for (const QMenu* menu : window->findChildren<QMenu*>()) {
    for (const QAction* one : menu->actions()) in_menus.insert(one);
  }
  int buttons = 0;
  for (QAction* one : child<QToolBar>("window.toolbar")->actions()) {
    if (one->isSeparator() || one->text().isEmpty()) continue;
    ++buttons;
    EXPECT_TRUE(in_menus.contains(one)) << one->text().toStdString();
  }
  EXPECT_LE(buttons, 6);
}

TEST_F(Actions, WhatNoPageOffersIsDisabledWithTheReason) {
  open();
  QAction* stop = window->pageActions().entry(QStringLiteral("run.stop"));
  EXPECT_FALSE(stop->isEnabled());
  EXPECT_EQ(stop->toolTip(), QStringLiteral("Stop: select a running run"));
}

TEST_F(Actions, AnEntryActsThroughThePageThatIsShown) {
  open();
  int stopped = 0;
  QAction* offered =
      current()->offer("run.stop", QStringLiteral("&Stop…"), {QKeySequence(QStringLiteral("Ctrl+."))}, [&stopped] { ++stopped; });
  QAction* stop = window->pageActions().entry(QStringLiteral("run.stop"));
  ASSERT_TRUE(QTest::qWaitFor([stop] { return stop->isEnabled(); }, 2000));
  stop->trigger();
  EXPECT_EQ(stopped, 1);
  ActionRegistry::setReason(offered, QStringLiteral("Stop: this run has ended"));
  EXPECT_FALSE(stop->isEnabled());
  EXPECT_EQ(stop->toolTip(), QStringLiteral("Stop: this run has ended"));
  window->workbench().show(Place::drafts);  // whose page offers nothing
  EXPECT_FALSE(stop->isEnabled());
}

TEST_F(Actions, AKeyActsOnceWhetherTheFocusIsInThePageOrBesideIt) {
  open();
  int stopped = 0;
  current()->offer("run.stop", QStringLiteral("&Stop…"), {QKeySequence(QStringLiteral("Ctrl+."))}, [&stopped] { ++stopped; });
  QTest::qWait(20);
  current()->field->setFocus();
  QTest::keyClick(current()->field, Qt::Key_Period, Qt::ControlModifier);
  EXPECT_EQ(stopped, 1);
  window->navigationView().setFocus();
  QTest::keyClick(&window->navigationView(), Qt::Key_Period, Qt::ControlModifier);
  EXPECT_EQ(stopped, 2);
}

TEST_F(Actions, ASingleLetterOfAPageActsOnlyInsideThePage) {
  open();
  int starred = 0;
  current()->offer("runs.star", QStringLiteral("&Star"), {QKeySequence(QStringLiteral("S"))}, [&starred] { ++starred; });
  QTest::qWait(20);
  window->navigationView().setFocus();
  QTest::keyClick(&window->navigationView(), Qt::Key_S);
  EXPECT_EQ(starred, 0);
}

TEST_F(Actions, FindActionRunsWhatItsWordsFind) {
  open();
  window->workbench().openRun(QStringLiteral("r1"));
  QTest::keyClick(window.get(), Qt::Key_I, Qt::ControlModifier | Qt::AltModifier);
  auto* dialog = window->findChild<FindAction*>();
  ASSERT_NE(dialog, nullptr);
  auto* words = dialog->findChild<QLineEdit*>(QStringLiteral("find-action.words"));
  auto* list = dialog->findChild<QListView*>(QStringLiteral("find-action.list"));
  const int all = list->model()->rowCount();
  QTest::keyClicks(words, QStringLiteral("clos pag"));
  EXPECT_LT(list->model()->rowCount(), all);
  ASSERT_GT(list->model()->rowCount(), 0);
  EXPECT_EQ(list->model()->index(0, 0).data().toString(), QStringLiteral("Close Page"));
  EXPECT_EQ(list->model()->index(0, 0).data(FoundActions::shortcut_role).toString(), QStringLiteral("Ctrl+W"));
  keep_picture(*dialog, QStringLiteral("find-action"));
  QTest::keyClick(words, Qt::Key_Return);
  EXPECT_TRUE(QTest::qWaitFor([this] { return window->navigation().openCount() == 0; }, 2000));
}

TEST_F(Actions, FindActionShowsWhyAnActionCannotBeDoneAndDoesNotRunIt) {
  open();
  FoundActions found(window->workbench().actions(), window->pageActions());
  found.find(QStringLiteral("checkpoint now"));
  ASSERT_GE(found.rowCount(), 1);
  EXPECT_FALSE(found.flags(found.index(0, 0)).testFlag(Qt::ItemIsEnabled));
  EXPECT_EQ(found.index(0, 0).data(FoundActions::reason_role).toString(), QStringLiteral("Checkpoint Now: select a running run"));
}

TEST_F(Actions, FindActionKnowsEveryMenuEntryOnce) {
  open();
  FoundActions found(window->workbench().actions(), window->pageActions());
  for (const QAction* one : window->menuActions()) {
    QString name = one->text().section(u'\t', 0, 0).remove(u'&');
    // In a submenu "Step", here "X Axis: Step".
    if (const PageActionText* known = page_action_text(one->objectName().section(u'.', 1)); known != nullptr && !known->in_menu.isEmpty())
      name = QString(known->text.text).remove(u'&');
    int times = 0;
    for (int row = 0; row < found.rowCount(); ++row) times += found.index(row, 0).data().toString() == name ? 1 : 0;
    EXPECT_EQ(times, 1) << name.toStdString();
  }
}

TEST_F(Actions, CopyAndSelectAllActOnTheFieldThatHadTheFocus) {
  open();
  current()->field->setText(QStringLiteral("half-life"));
  current()->field->setFocus();
  window->pageActions().entry(QStringLiteral("edit.select-all"))->trigger();
  EXPECT_EQ(current()->field->selectedText(), QStringLiteral("half-life"));
  window->pageActions().entry(QStringLiteral("edit.cut"))->trigger();
  EXPECT_TRUE(current()->field->text().isEmpty());
  window->pageActions().entry(QStringLiteral("edit.undo"))->trigger();
  EXPECT_EQ(current()->field->text(), QStringLiteral("half-life"));
}

TEST_F(Actions, NewExperimentOpensADraftEvenWhereNoPageOffersIt) {
  open();
  QTest::keyClick(window.get(), Qt::Key_N, Qt::ControlModifier);
  ASSERT_EQ(window->navigation().openCount(), 1);
  EXPECT_EQ(current()->title(), QStringLiteral("new experiment"));
}

TEST_F(Actions, TheKeyboardOverviewListsFirstWhatWorksWhereTheFocusWas) {
  open();
  current()->offer("runs.star", QStringLiteral("&Star"), {QKeySequence(QStringLiteral("S"))}, [] {});
  current()->field->setFocus();
  QTest::qWait(20);
  action("help.keyboard")->trigger();
  auto* list = child<QTreeWidget>("keyboard-overview.list");
  ASSERT_NE(list, nullptr);
  ASSERT_EQ(list->topLevelItemCount(), 2);
  EXPECT_EQ(list->topLevelItem(0)->child(0)->text(0), QStringLiteral("Star"));
  EXPECT_GT(list->topLevelItem(1)->childCount(), 20);
  keep_picture(*child<QDialog>("keyboard-overview"), QStringLiteral("keyboard"));
}

TEST_F(Actions, AboutAndTheReportSayTheVersionAndSendNothing) {
  open();
  action("help.about")->trigger();
  EXPECT_TRUE(child<QLabel>("about.text")->text().contains(QStringLiteral("Syncline 0.")));
  keep_picture(*child<QDialog>("about"), QStringLiteral("about"));
  window->workbench().problems().report(QStringLiteral("x"), QStringLiteral("here"), QStringLiteral("the sky is green"));
  action("help.report")->trigger();
  const QString text = child<QPlainTextEdit>("report.text")->toPlainText();
  EXPECT_TRUE(text.contains(QStringLiteral("the sky is green")));
  EXPECT_TRUE(text.contains(database()));
}

TEST_F(Actions, UndoTakesBackWhatThePageHasDoneAlsoWhenItsNoticeHasGone) {
  open();
  int undone = 0;
  window->workbench().notice(
      QStringLiteral("Moved 2 runs to trash."), QStringLiteral("&Undo"), [&undone] { ++undone; }, 20);
  window->strips().remove(QStringLiteral("notice"));
  window->workbench().show(Place::drafts);
  QTest::keyClick(window.get(), Qt::Key_Z, Qt::ControlModifier);
  EXPECT_EQ(undone, 0) << "of another page";
  window->workbench().show(Place::runs);
  window->navigationView().setFocus();
  QTest::keyClick(window.get(), Qt::Key_Z, Qt::ControlModifier);
  EXPECT_EQ(undone, 1);
  QTest::keyClick(window.get(), Qt::Key_Z, Qt::ControlModifier);
  EXPECT_EQ(undone, 1) << "once";
  window->workbench().notice(
      QStringLiteral("Moved 2 runs to trash."), QStringLiteral("&Undo"), [&undone] { ++undone; }, 20);
  window->pageActions().entry(QStringLiteral("edit.undo"))->trigger();
  EXPECT_EQ(undone, 2) << "from the menu";
  EXPECT_EQ(window->strips().find(QStringLiteral("notice")), nullptr);
}

TEST_F(Actions, UndoSaysWhatItTakesBackAndIsDisabledWhereThereIsNothing) {
  open();
  QAction *undo = window->pageActions().entry(QStringLiteral("edit.undo")),
          *redo = window->pageActions().entry(QStringLiteral("edit.redo"));
  const auto words = [](const QAction* action) { return action->text().remove(u'&').section(u'\t', 0, 0); };
  EXPECT_FALSE(undo->isEnabled());
  EXPECT_FALSE(redo->isEnabled());
  EXPECT_EQ(words(undo), QStringLiteral("Undo"));
  EXPECT_EQ(undo->toolTip(), QStringLiteral("Undo: nothing has been done here that can be taken back"));
  window->workbench().notice(
      QStringLiteral("Moved 2 runs to trash."), QStringLiteral("&Undo"), [] {}, 20);
  EXPECT_TRUE(undo->isEnabled());
  EXPECT_EQ(words(undo), QStringLiteral("Undo: Moved 2 runs to trash"));
  window->workbench().show(Place::drafts);
  EXPECT_FALSE(undo->isEnabled()) << "of another page";
  window->workbench().show(Place::runs);
  EXPECT_TRUE(undo->isEnabled());
  undo->trigger();
  EXPECT_FALSE(undo->isEnabled());
  EXPECT_EQ(words(undo), QStringLiteral("Undo"));
  current()->field->setFocus();
  QTest::keyClick(current()->field, Qt::Key_X);
  window->pageActions().update();
  EXPECT_EQ(words(undo), QStringLiteral("Undo: Typing"));
  undo->trigger();
  EXPECT_TRUE(current()->field->text().isEmpty());
  EXPECT_FALSE(undo->isEnabled());
  EXPECT_EQ(words(redo), QStringLiteral("Redo: Typing"));
}

TEST_F(Actions, AnExperimentsFileIsOpenedAsADraft) {
  open();
  const QString path = folder.filePath(QStringLiteral("first.toml"));
  QFile file(path);
  ASSERT_TRUE(file.open(QIODevice::WriteOnly));
  file.write("name = \"first\"\n");
  file.close();
  QTimer timer;
  QObject::connect(&timer, &QTimer::timeout, &timer, [&] {
    auto* dialog = qobject_cast<QFileDialog*>(QApplication::activeModalWidget());
    if (dialog == nullptr) return;
    timer.stop();
    dialog->selectFile(path);
    QMetaObject::invokeMethod(dialog, "accept");
  });
  timer.start(10);
  QTest::keyClick(window.get(), Qt::Key_O, Qt::ControlModifier | Qt::ShiftModifier);
  ASSERT_EQ(window->navigation().openCount(), 1);
  EXPECT_EQ(current()->title(), QStringLiteral("first"));
  FoundActions found(window->workbench().actions(), window->pageActions());
  found.find(QStringLiteral("open experiment"));
  EXPECT_EQ(found.at(0), action("experiment.open"));
}

}  // namespace
}  // namespace syncline::ui
