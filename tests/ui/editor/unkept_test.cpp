// SPDX-License-Identifier: GPL-3.0-or-later
// What becomes of edits that the workspace does not take, of a value that one click takes away, and of copies.
#include <QFileDialog>
#include <QMessageBox>
#include <QPushButton>
#include <QTimer>
#include <QToolButton>

#include "engine/store/workspace.h"
#include "tests/ui/editor/editor_page_fixture.h"
#include "ui/views/editor/field_editor.h"
#include "ui/widgets/actions.h"

namespace syncline::ui {
namespace {

class UnkeptDraft : public EditorPageTest {
 protected:
  void SetUp() override {
    EditorPageTest::SetUp();
    bench_.reset();
    Workspace::open(database_.toStdString());
    Database(database_.toStdString(), Database::Mode::write).execute("PRAGMA user_version = 99");  // by a newer version: read-only
    bench_ = std::make_unique<Bench>(database_, Bench::builtEngine());
    ASSERT_TRUE(wait([this] { return bench_->store().readOnly(); }));
  }
  void editSteps() { ASSERT_TRUE(page_->document()->setValue({"train", "steps"}, "9")); }
  // Presses the button of this name in the question; `then` is for a file dialog that follows.
  void answer(const char* name, std::function<void(QFileDialog&)> then = {}) {
    asked_ = false;
    auto* timer = new QTimer(page_);
    QObject::connect(timer, &QTimer::timeout, page_, [this, timer, name, then] {
      if (auto* box = qobject_cast<QMessageBox*>(QApplication::activeModalWidget()); box != nullptr && !asked_) {
        asked_ = true;
        if (!then) timer->stop();
        box->findChild<QPushButton*>(QLatin1String(name))->click();
      } else if (auto* dialog = qobject_cast<QFileDialog*>(QApplication::activeModalWidget()); dialog != nullptr && then) {
        timer->stop();
        then(*dialog);
      }
    });
    timer->start(10);
  }
  bool asked_ = false;
};

TEST_F(UnkeptDraft, IsAskedAboutAndCancelKeepsItsPage) {
  edit();
  editSteps();
  answer("editor.unkept.cancel");
  EXPECT_FALSE(page_->mayClose());
  EXPECT_TRUE(asked_);
  answer("editor.unkept.discard");
  EXPECT_TRUE(page_->mayClose());
  EXPECT_TRUE(asked_);
}

TEST_F(UnkeptDraft, CanBeSavedToAFileAndThenGoesWithoutAQuestion) {
  edit();
  editSteps();
  const QString path = folder_.filePath(QStringLiteral("mine.toml"));
  answer("editor.unkept.save", [&path](QFileDialog& dialog) {
    dialog.selectFile(path);
    QMetaObject::invokeMethod(&dialog, "accept");
  });
  EXPECT_TRUE(page_->mayClose());
  QFile file(path);
  ASSERT_TRUE(file.open(QIODevice::ReadOnly));
  EXPECT_EQ(file.readAll().toStdString(), text());
  asked_ = false;
  EXPECT_TRUE(page_->mayClose());
  EXPECT_FALSE(asked_) << "the file has the text";
}

TEST_F(UnkeptDraft, ThatWasNeverEditedGoesAndNoneComesBackAsAnEmptyPage) {
  edit();
  EXPECT_TRUE(page_->mayClose());
  EXPECT_TRUE(page_->restoreKey().isEmpty());
  editSteps();
  EXPECT_TRUE(page_->restoreKey().isEmpty());
}

TEST_F(EditorPageTest, ADraftThatIsGoneDoesNotComeBackAtTheNextStart) {
  auto* page = new EditorPage(*bench_, QStringLiteral("no-such-draft"), {}, {});
  open(page);
  EXPECT_TRUE(page->restoreKey().isEmpty());
}

TEST_F(EditorPageTest, AResetByTheDotIsSaidAndCanBeTakenBack) {
  edit();
  page_->showTab(QStringLiteral("launch"));
  const std::string before = text();
  auto* dot = find<QToolButton>(QStringLiteral("reset.checkpoint.every"));
  ASSERT_TRUE(dot->isVisible());
  dot->click();
  EXPECT_NE(text(), before);
  ASSERT_FALSE(bench_->notices.isEmpty());
  EXPECT_TRUE(bench_->notices.back().contains(QStringLiteral("checkpoint.every"))) << bench_->notices.back().toStdString();
  EXPECT_TRUE(bench_->notices.back().contains(QStringLiteral("never")));
  bench_->undo();
  EXPECT_EQ(text(), before);
}

TEST_F(EditorPageTest, ACopyOfARunIsCalledACopy) {
  page_ = new EditorPage(*bench_, {}, QStringLiteral("tiny"), tiny, QStringLiteral("01950000-0000-7000-8000-000000000000"));
  open(page_);
  EXPECT_EQ(page_->title(), QStringLiteral("tiny copy"));
  EXPECT_NE(text().find("name = \"tiny copy\"   # of the tests"), std::string::npos) << text();
}

}  // namespace
}  // namespace syncline::ui
