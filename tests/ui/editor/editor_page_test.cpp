// SPDX-License-Identifier: GPL-3.0-or-later
// The editor page with real services: form and text as two views, problems, the steps, drafts.
#include "ui/views/editor/editor_page.h"

#include <QAbstractItemView>
#include <QAccessible>
#include <QComboBox>
#include <QCompleter>
#include <QFileDialog>
#include <QGraphicsScene>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QMenu>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QStackedWidget>
#include <QTableView>
#include <QToolButton>
#include <filesystem>

#include "engine/store/reader.h"
#include "engine/store/saved.h"
#include "tests/ui/editor/editor_page_fixture.h"
#include "ui/models/editor/editor_tables.h"
#include "ui/views/editor/field_editor.h"
#include "ui/views/editor/text_view.h"
#include "ui/views/editor/topology_diagram.h"

namespace syncline::ui {
namespace {

TEST_F(EditorPageTest, WhatIsTypedInAFieldStandsInTheTextAndNothingElseChanges) {
  edit();
  page_->showTab(QStringLiteral("launch"));
  QLineEdit* steps = field("train.steps");
  steps->setFocus();
  steps->selectAll();
  type(steps, "12");
  EXPECT_EQ(text(), tiny.toStdString().replace(tiny.toStdString().find("steps = 4"), 9, "steps = 12"));
  EXPECT_EQ(find<QPlainTextEdit>(QStringLiteral("editor.text"))->toPlainText().toStdString(), text());
  EXPECT_TRUE(page_->unsaved());
}

TEST_F(EditorPageTest, WhatIsTypedInTheTextStandsInTheField) {
  edit();
  page_->showTab(QStringLiteral("text"));
  auto* view = find<TextView>(QStringLiteral("editor.text"));
  QTextCursor cursor = view->document()->find(QStringLiteral("steps = 4"));
  ASSERT_FALSE(cursor.isNull());
  cursor.setPosition(cursor.selectionEnd());
  view->setTextCursor(cursor);
  view->setFocus();
  type(view, "2");
  page_->showTab(QStringLiteral("launch"));
  QCoreApplication::processEvents();
  EXPECT_EQ(field("train.steps")->text(), QStringLiteral("42"));
  EXPECT_NE(text().find("# of the tests"), std::string::npos);
}

TEST_F(EditorPageTest, UndoAndRedoWorkAcrossBothViewsFromTheKeyboard) {
  edit();
  page_->showTab(QStringLiteral("launch"));
  QLineEdit* steps = field("train.steps");
  steps->setFocus();
  steps->selectAll();
  type(steps, "123");
  key(steps, Qt::Key_Z, Qt::ControlModifier);  // the field has the focus; the document's history answers
  EXPECT_EQ(text(), tiny.toStdString());
  QCoreApplication::processEvents();
  EXPECT_EQ(steps->text(), QStringLiteral("4"));
  key(steps, Qt::Key_Z, Qt::ControlModifier | Qt::ShiftModifier);
  EXPECT_NE(text().find("steps = 123"), std::string::npos);
  page_->showTab(QStringLiteral("text"));
  auto* view = find<TextView>(QStringLiteral("editor.text"));
  view->setFocus();
  view->goTo(1);
  type(view, "# ");
  key(view, Qt::Key_Z, Qt::ControlModifier);
  EXPECT_TRUE(text().starts_with("name"));
  key(view, Qt::Key_Z, Qt::ControlModifier);
  EXPECT_EQ(text(), tiny.toStdString());
  EXPECT_EQ(view->toPlainText(), tiny);
}

TEST_F(EditorPageTest, ProblemsAreWalkedThroughByKeyboardEachAtItsField) {
  QString wrong = tiny;
  wrong.replace(QStringLiteral("steps = 4"), QStringLiteral("steps = 0"));
  wrong.replace(QStringLiteral("source = \"synthetic\""), QStringLiteral("source = \"synthetik\""));
  wrong.replace(QStringLiteral("every = \"never\""), QStringLiteral("every = \"sometimes\""));
  edit(wrong);
  ASSERT_TRUE(upToDate());
  EXPECT_EQ(find<QToolButton>(QStringLiteral("editor.problems"))->text(), QStringLiteral("3 problems"));
  auto* steps_list = find<QListWidget>(QStringLiteral("editor.steps"));
  EXPECT_TRUE(steps_list->item(1)->text().startsWith(u'!'));
  EXPECT_TRUE(steps_list->item(3)->text().startsWith(u'✓'));
  steps_list->setFocus();
  key(steps_list, Qt::Key_F8);
  EXPECT_EQ(QApplication::focusWidget()->objectName(), QStringLiteral("input.data.source"));
  key(QApplication::focusWidget(), Qt::Key_F8);
  EXPECT_EQ(QApplication::focusWidget()->objectName(), QStringLiteral("input.train.steps"));
  auto* editor = find<FieldEditor>(QStringLiteral("field.train.steps"));
  EXPECT_TRUE(editor->problem().contains(QStringLiteral("must be between 1 and"))) << editor->problem().toStdString();
  key(QApplication::focusWidget(), Qt::Key_F8);
  EXPECT_EQ(QApplication::focusWidget()->objectName(), QStringLiteral("input.checkpoint.every"));
  key(QApplication::focusWidget(), Qt::Key_F8, Qt::ShiftModifier);
  EXPECT_EQ(QApplication::focusWidget()->objectName(), QStringLiteral("input.train.steps"));
  page_->showTab(QStringLiteral("text"));
  key(find<TextView>(QStringLiteral("editor.text")), Qt::Key_F8);
  EXPECT_EQ(find<TextView>(QStringLiteral("editor.text"))->lineAtCursor(), 28);
}

TEST_F(EditorPageTest, LaunchWithAProblemGoesToTheFirstOneAndStartsNothing) {
  QString wrong = tiny;
  edit(wrong.replace(QStringLiteral("steps = 4"), QStringLiteral("steps = 0")));
  QAction* launch = bench_->actions().find(QStringLiteral("run.launch"));
  ASSERT_TRUE(launch != nullptr && launch->isEnabled());
  launch->trigger();
  ASSERT_TRUE(wait([] {
    return QApplication::focusWidget() != nullptr && QApplication::focusWidget()->objectName() == QStringLiteral("input.train.steps");
  }));
  QTest::qWait(200);
  EXPECT_TRUE(bench_->opened_runs.isEmpty());
}

TEST_F(EditorPageTest, AFieldThatDiffersFromItsDefaultIsMarkedAndCanBeReset) {
  edit();
  page_->showTab(QStringLiteral("data"));
  auto* mark = find<QToolButton>(QStringLiteral("reset.train.batch_per_worker"));
  EXPECT_TRUE(mark->isVisible());
  QTest::mouseClick(mark, Qt::LeftButton);
  EXPECT_EQ(text().find("batch_per_worker"), std::string::npos);
  QCoreApplication::processEvents();
  EXPECT_FALSE(mark->isVisible());
  EXPECT_EQ(field("train.batch_per_worker")->placeholderText(), QStringLiteral("64"));
}

TEST_F(EditorPageTest, TheModelTableFollowsWhatIsTypedAndMarksAnImpossibleLayer) {
  edit();
  auto* table = find<QTableView>(QStringLiteral("editor.model.table"));
  ASSERT_EQ(table->model()->rowCount(), 4);
  table->selectRow(1);
  QCoreApplication::processEvents();
  QLineEdit* features = field("model.layers.1.features");
  const QString before = table->model()->index(1, LayerTable::parameters_column).data().toString();
  features->setFocus();
  features->selectAll();
  type(features, "32");
  ASSERT_TRUE(upToDate());
  const QString after = table->model()->index(1, LayerTable::parameters_column).data().toString();
  EXPECT_NE(before, after);
  EXPECT_EQ(table->model()->index(1, LayerTable::out_column).data().toString(), QStringLiteral("32"));
  features->selectAll();
  type(features, "0");
  ASSERT_TRUE(upToDate());
  EXPECT_TRUE(table->model()->index(1, 0).data().toString().contains(u'!'));
  EXPECT_EQ(table->model()->index(2, LayerTable::out_column).data().toString(), QStringLiteral("–"));
}

TEST_F(EditorPageTest, LayersAreAddedMovedAndRemovedFromTheTable) {
  edit();
  auto* table = find<QTableView>(QStringLiteral("editor.model.table"));
  table->selectRow(1);
  auto* add = find<QToolButton>(QStringLiteral("editor.model.add"));
  ASSERT_TRUE(add->isEnabled());
  for (QAction* action : add->menu()->actions()) {
    if (action->text().contains(QStringLiteral("(relu)"))) action->trigger();
  }
  ASSERT_TRUE(wait([table] { return table->model()->rowCount() == 5; }));
  EXPECT_EQ(table->currentIndex().row(), 2);
  QTest::mouseClick(find<QToolButton>(QStringLiteral("editor.model.up")), Qt::LeftButton);
  ASSERT_TRUE(wait([table] { return table->model()->index(1, LayerTable::type_column).data().toString() == QStringLiteral("relu"); }));
  QTest::mouseClick(find<QToolButton>(QStringLiteral("editor.model.remove")), Qt::LeftButton);
  ASSERT_TRUE(wait([table] { return table->model()->rowCount() == 4; }));
  EXPECT_EQ(text(), tiny.toStdString());
}

TEST_F(EditorPageTest, AZooModelIsChosenAndWrittenAsLayersAndBothCanBeUndone) {
  edit();
  auto* preset = find<QComboBox>(QStringLiteral("input.model.zoo"));
  preset->setCurrentIndex(preset->findData(QStringLiteral("lenet")));
  Q_EMIT preset->activated(preset->currentIndex());
  ASSERT_TRUE(upToDate());
  EXPECT_NE(text().find("zoo = \"lenet\""), std::string::npos);
  EXPECT_EQ(text().find("layers"), std::string::npos);
  const int rows = find<QTableView>(QStringLiteral("editor.model.table"))->model()->rowCount();
  EXPECT_GT(rows, 4);
  EXPECT_FALSE(find<QToolButton>(QStringLiteral("editor.model.add"))->isEnabled());
  const QString totals = find<QLabel>(QStringLiteral("editor.model.totals"))->text();
  preset->setCurrentIndex(preset->count() - 1);
  Q_EMIT preset->activated(preset->currentIndex());
  ASSERT_TRUE(upToDate());
  EXPECT_EQ(find<QTableView>(QStringLiteral("editor.model.table"))->model()->rowCount(), rows);
  EXPECT_EQ(find<QLabel>(QStringLiteral("editor.model.totals"))->text(), totals);  // the list is the same model
  QAction* undo = bench_->actions().find(QStringLiteral("draft.undo"));
  undo->trigger();
  undo->trigger();
  EXPECT_EQ(text(), tiny.toStdString());
}

TEST_F(EditorPageTest, GlobalBatchAndBatchPerWorkerFollowEachOther) {
  QString two = tiny;
  edit(two.replace(QStringLiteral("workers = 1"), QStringLiteral("workers = 2")));
  page_->showTab(QStringLiteral("data"));
  auto* global = find<QLineEdit>(QStringLiteral("editor.data.global-batch"));
  EXPECT_EQ(global->text(), QStringLiteral("32"));
  global->setFocus();
  global->selectAll();
  type(global, "64");
  EXPECT_NE(text().find("batch_per_worker = 32"), std::string::npos);
  global->selectAll();
  type(global, "65");
  EXPECT_TRUE(find<QLabel>(QStringLiteral("editor.data.rule"))->text().contains(QStringLiteral("multiple")));
  page_->showTab(QStringLiteral("data"));
  QLineEdit* batch = field("train.batch_per_worker");
  batch->setFocus();
  batch->selectAll();
  type(batch, "8");
  ASSERT_TRUE(upToDate());
  EXPECT_EQ(global->text(), QStringLiteral("16"));
}

TEST_F(EditorPageTest, DiagramAndTableShowOneTopology) {
  edit();
  page_->showTab(QStringLiteral("topology"));
  auto* diagram = find<TopologyDiagram>(QStringLiteral("editor.topology.diagram"));
  auto* table = find<QTableView>(QStringLiteral("editor.topology.table"));
  auto* model = static_cast<TopologyModel*>(table->model());
  EXPECT_TRUE(diagram->description().contains(QStringLiteral("One rank")));
  ASSERT_TRUE(model->setData(model->index(model->rowOf(QStringLiteral("cluster.workers")), TopologyModel::value_column),
                             QStringLiteral("4096"), Qt::EditRole));
  EXPECT_TRUE(diagram->description().contains(QStringLiteral("every pair"))) << diagram->description().toStdString();
  EXPECT_LT(diagram->scene()->items().size(), 40);  // many ranks are one stack
  EXPECT_NE(text().find("workers = 4096"), std::string::npos);
  // Enter on an item goes to where its value is edited.
  diagram->setFocus();
  key(diagram, Qt::Key_Right);
  key(diagram, Qt::Key_Return);
  EXPECT_EQ(QApplication::focusWidget()->objectName(), QStringLiteral("input.cluster.workers"));
}

TEST_F(EditorPageTest, KeysAreCompletedFromTheSchema) {
  edit();
  page_->showTab(QStringLiteral("text"));
  auto* view = find<TextView>(QStringLiteral("editor.text"));
  view->setFocus();
  view->goTo(24);  // below [strategy]'s name
  QTextCursor cursor = view->document()->find(QStringLiteral("name = \"none\""));
  cursor.setPosition(cursor.selectionEnd());
  view->setTextCursor(cursor);
  key(view, Qt::Key_Return);
  type(view, "allr");
  auto* completer = view->findChild<QCompleter*>();
  ASSERT_TRUE(completer != nullptr && completer->popup()->isVisible());
  key(completer->popup(), Qt::Key_Return);
  EXPECT_NE(text().find("allreduce = "), std::string::npos) << text();
}

TEST_F(EditorPageTest, WhileTheTextIsNoTomlTheFormSaysSoAndEditsNothing) {
  edit();
  page_->showTab(QStringLiteral("text"));
  auto* view = find<TextView>(QStringLiteral("editor.text"));
  view->setFocus();
  view->goTo(1);
  type(view, "= ");
  EXPECT_TRUE(find<QLabel>(QStringLiteral("editor.strip"))->text().contains(QStringLiteral("Line 1")));
  page_->showTab(QStringLiteral("launch"));
  QCoreApplication::processEvents();
  EXPECT_FALSE(field("train.steps")->isEnabled());
  bench_->actions().find(QStringLiteral("draft.undo"))->trigger();
  QCoreApplication::processEvents();
  EXPECT_TRUE(field("train.steps")->isEnabled());
  EXPECT_FALSE(find<QLabel>(QStringLiteral("editor.strip"))->isVisible());
}

TEST_F(EditorPageTest, ADraftIsKeptAfterTheLastEditAndReadOnlyInASecondWindow) {
  edit();
  ASSERT_TRUE(wait([this] { return !page_->unsaved(); }));
  const QString id = page_->restoreKey().mid(6);
  page_->showTab(QStringLiteral("launch"));
  QLineEdit* steps = field("train.steps");
  steps->setFocus();
  steps->selectAll();
  type(steps, "9");
  EXPECT_TRUE(page_->unsaved());
  ASSERT_TRUE(wait([this] { return !page_->unsaved(); }));
  {
    Database database = Workspace::open_read_only(database_.toStdString()).connect_read_only();
    const std::optional<SavedText> saved = saved_text(database, id.toStdString());
    ASSERT_TRUE(saved);
    EXPECT_EQ(saved->content, text());
    EXPECT_EQ(saved->name, "tiny");
  }
  EditorPage second(*bench_, id, {}, {});
  ASSERT_TRUE(wait([&second] { return second.loaded(); }));
  EXPECT_EQ(second.document()->text(), text());
  EXPECT_TRUE(second.document()->readOnly());
  EXPECT_TRUE(second.findChild<QLabel*>(QStringLiteral("editor.strip"))->text().contains(QStringLiteral("another window")));
}

TEST_F(EditorPageTest, ADraftThatIsGoneIsSaidInItsPage) {
  EditorPage* page = new EditorPage(*bench_, QStringLiteral("no-such-draft"), {}, {});
  open(page);
  EXPECT_TRUE(find<QLabel>(QStringLiteral("editor.loading"))->text().contains(QStringLiteral("no longer")));
}

TEST_F(EditorPageTest, SaveWritesTheFileWhereTheDraftHasOne) {
  edit();
  const QString path = folder_.filePath(QStringLiteral("out.toml"));
  bench_->actions().find(QStringLiteral("draft.save-as"))->trigger();
  auto* dialog = page_->findChild<QFileDialog*>(QStringLiteral("editor.save-as"));
  ASSERT_NE(dialog, nullptr);
  Q_EMIT dialog->fileSelected(path);
  ASSERT_TRUE(wait([&path] { return QFile::exists(path); }));
  dialog->close();
  page_->document()->setValue({"train", "steps"}, "5");
  bench_->actions().find(QStringLiteral("draft.save"))->trigger();
  ASSERT_TRUE(wait([&] {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) && file.readAll().toStdString() == text();
  }));
}

TEST_F(EditorPageTest, EveryStepFitsTheSmallestWindowAndEveryInputHasAName) {
  edit(tiny, {740, 520});  // beside the navigation of a window of 960 x 600
  for (const char* tab : {"model", "data", "topology", "strategy", "optimizer", "launch", "text"}) {
    page_->showTab(QString::fromLatin1(tab));
    QCoreApplication::processEvents();
    for (QScrollArea* area : page_->findChildren<QScrollArea*>()) {
      if (!area->isVisible()) continue;
      EXPECT_EQ(area->horizontalScrollBar()->maximum(), 0) << tab << ": wider than its room";
    }
    for (QWidget* widget : page_->findChildren<QWidget*>()) {
      const bool input = qobject_cast<QLineEdit*>(widget) != nullptr || qobject_cast<QComboBox*>(widget) != nullptr ||
                         qobject_cast<QAbstractItemView*>(widget) != nullptr || qobject_cast<QPlainTextEdit*>(widget) != nullptr;
      if (!widget->isVisible() || !input || widget->focusPolicy() == Qt::NoFocus) continue;
      QAccessibleInterface* accessible = QAccessible::queryAccessibleInterface(widget);
      EXPECT_FALSE(accessible->text(QAccessible::Name).isEmpty()) << tab << ": " << widget->objectName().toStdString();
    }
  }
}

}  // namespace
}  // namespace syncline::ui
