// SPDX-License-Identifier: GPL-3.0-or-later
#include <QInputDialog>
#include <QLabel>
#include <QTimer>
#include <QTreeWidget>

#include "tests/ui/runs/fixture.h"

namespace syncline::ui {
namespace {

class DraftsPageTest : public OnePageTest<Page> {
 protected:
  std::string keep(const std::string& name) {
    SavedText draft;
    draft.kind = "draft";
    draft.name = name;
    draft.content = "name = \"" + name + "\"  # mine\n";
    return SavedTexts(workspace()).put(draft);
  }
  std::vector<SavedText> stored() {
    Database database = workspace().connect();
    return saved_texts(database, "draft");
  }
  void open() {
    bench_ = std::make_unique<RecordingWorkbench>(path_);
    show(make_drafts_page(*bench_));
    list_ = find<QTreeWidget>("drafts.table");
    list_->setFocus();
  }
  QTreeWidget* list_ = nullptr;
};

TEST_F(DraftsPageTest, EnterOpensTheSelectedDraft) {
  keep("older");
  const std::string newer = keep("newer");
  open();
  ASSERT_EQ(list_->topLevelItemCount(), 2);
  QTest::keyClick(list_, Qt::Key_Return);
  EXPECT_EQ(bench_->opened_drafts, QStringList{QString::fromStdString(newer)});
}

TEST_F(DraftsPageTest, AgesGrowWhileNothingElseHappens) {
  keep("mine");
  open();
  const QString before = list_->topLevelItem(0)->text(1);
  EXPECT_TRUE(until([&] { return list_->topLevelItem(0)->text(1) != before; }, 5000)) << before.toStdString();
}

TEST_F(DraftsPageTest, RenamingChangesTheNameInTheExperimentAndNothingElse) {
  keep("before");
  open();
  QTimer::singleShot(50, qApp, [] {
    auto* dialog = qobject_cast<QInputDialog*>(QApplication::activeModalWidget());
    ASSERT_NE(dialog, nullptr);
    dialog->setTextValue(QStringLiteral("after \"quoted\""));
    dialog->accept();
  });
  QTest::keyClick(list_, Qt::Key_F2);
  ASSERT_TRUE(until([this] { return stored().front().name == "after \"quoted\""; }));
  EXPECT_EQ(stored().front().content, "name = \"after \\\"quoted\\\"\"  # mine\n");
}

TEST_F(DraftsPageTest, ADeletedDraftComesBackWithUndo) {
  const std::string id = keep("mine");
  open();
  QTest::keyClick(list_, Qt::Key_Delete);
  ASSERT_TRUE(until([this] { return stored().empty(); }));
  ASSERT_TRUE(bench_->undo != nullptr);
  bench_->undo();
  ASSERT_TRUE(until([this] { return stored().size() == 1; }));
  EXPECT_EQ(stored().front().id, id);
}

TEST_F(DraftsPageTest, ACopyHasANameOfItsOwn) {
  keep("mine");
  open();
  QTest::keyClick(list_, Qt::Key_D, Qt::ControlModifier);
  ASSERT_TRUE(until([this] { return stored().size() == 2; }));
  EXPECT_EQ(stored().back().name, "mine copy");
  EXPECT_NE(stored().front().id, stored().back().id);
}

TEST_F(DraftsPageTest, WithoutDraftsItSaysWhatOneIs) {
  open();
  auto* text = page_->findChild<QLabel*>(QStringLiteral("drafts.empty.text"));
  ASSERT_NE(text, nullptr);
  EXPECT_TRUE(text->isVisible());
}

}  // namespace
}  // namespace syncline::ui
