// SPDX-License-Identifier: GPL-3.0-or-later
#include <QAbstractItemModelTester>
#include <QKeySequenceEdit>
#include <QLabel>
#include <QPushButton>
#include <QTreeView>

#include "tests/ui/shell/fixture.h"
#include "ui/views/shell/shortcut_editor.h"

namespace syncline::ui {
namespace {

using Shortcuts = ShellTest;

QKeySequence keys_of(const char* text) { return QKeySequence(QLatin1String(text)); }

TEST_F(Shortcuts, AKeyThatIsTakenNamesItsActionAndIsRefused) {
  open();
  ShortcutEditor editor(window->workbench().actions(), *settings);
  auto* table = editor.findChild<QTreeView*>(QStringLiteral("shortcuts.table"));
  const QModelIndexList quit =
      table->model()->match(table->model()->index(0, 0), Qt::DisplayRole, QStringLiteral("Quit"), 1, Qt::MatchExactly);
  ASSERT_EQ(quit.size(), 1);
  table->setCurrentIndex(quit.front());
  editor.findChild<QKeySequenceEdit*>(QStringLiteral("shortcuts.keys"))->setKeySequence(keys_of("Ctrl+W"));
  EXPECT_EQ(editor.findChild<QLabel*>(QStringLiteral("shortcuts.conflict"))->text(), QStringLiteral("Ctrl+W belongs to Close Page"));
  EXPECT_FALSE(editor.findChild<QPushButton*>(QStringLiteral("shortcuts.assign"))->isEnabled());
}

TEST_F(Shortcuts, TakingAKeyOverLeavesTheOtherWithoutIt) {
  open();
  ShortcutsModel model(window->workbench().actions(), *settings);
  const QAbstractItemModelTester tester(&model);
  model.takeFromOthers(QStringLiteral("window.quit"), keys_of("Ctrl+W"));
  EXPECT_EQ(action("window.quit")->shortcut(), keys_of("Ctrl+W"));
  EXPECT_TRUE(action("window.close-page")->shortcut().isEmpty());
  EXPECT_TRUE(model.conflicts(QStringLiteral("window.quit"), keys_of("Ctrl+W")).isEmpty());
}

TEST_F(Shortcuts, AKeyOfAPageThatIsNotOpenConflictsAsWell) {
  open();
  ShortcutsModel model(window->workbench().actions(), *settings);
  EXPECT_EQ(model.conflicts(QStringLiteral("window.quit"), keys_of("Ctrl+K")), QStringList(QStringLiteral("Add to Comparison")));
}

TEST_F(Shortcuts, WhatIsChosenIsThereAtTheNextStartAndGoesWithRestoreDefaults) {
  open();
  ShortcutsModel(window->workbench().actions(), *settings).set(QStringLiteral("view.back"), {keys_of("Ctrl+Alt+B")});
  ShortcutsModel(window->workbench().actions(), *settings).set(QStringLiteral("run.stop"), {keys_of("Ctrl+Alt+S")});
  open();
  EXPECT_EQ(action("view.back")->shortcut(), keys_of("Ctrl+Alt+B"));
  // Of an action whose page comes later as well.
  QAction* stop = current()->offer("run.stop", QStringLiteral("&Stop…"), {keys_of("Ctrl+.")}, [] {});
  EXPECT_EQ(stop->shortcut(), keys_of("Ctrl+Alt+S"));
  ShortcutsModel(window->workbench().actions(), *settings).restoreAll();
  EXPECT_EQ(action("view.back")->shortcut(), keys_of("Alt+Left"));
  EXPECT_EQ(stop->shortcut(), keys_of("Ctrl+."));
}

TEST_F(Shortcuts, NoTwoDefaultsOfTheWindowFight) {
  open();
  ShortcutsModel model(window->workbench().actions(), *settings);
  for (int row = 0; row < model.rowCount(); ++row) {
    const QString id = model.idAt(row);
    for (const QKeySequence& keys : model.keysOf(id)) {
      EXPECT_TRUE(model.conflicts(id, keys).isEmpty())
          << id.toStdString() << " " << keys.toString().toStdString() << " and " << model.conflicts(id, keys).join(u',').toStdString();
    }
  }
}

TEST_F(Shortcuts, SingleLettersCanBeSwitchedOffAsAWhole) {
  open();
  QAction* star = current()->offer("runs.star", QStringLiteral("&Star"), {keys_of("S")}, [] {});
  EXPECT_EQ(star->shortcut(), keys_of("S"));
  settings->set(keys::single_letters, false);
  EXPECT_TRUE(star->shortcut().isEmpty());
  settings->set(keys::single_letters, true);
  EXPECT_EQ(star->shortcut(), keys_of("S"));
}

}  // namespace
}  // namespace syncline::ui
