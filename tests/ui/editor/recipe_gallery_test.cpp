// SPDX-License-Identifier: GPL-3.0-or-later
// The gallery of recipes and the table of a recipe's claims, over those that ship.
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>

#include "engine/launch/recipe_record.h"
#include "tests/ui/editor/bench.h"
#include "ui/views/editor/recipe_views.h"

namespace syncline::ui {
namespace {

class RecipeGalleryTest : public PageTest {
 protected:
  void SetUp() override {
    PageTest::SetUp();
    record_.recipe = "mg-wfbp";
    record_.quick = true;
    record_.started = 1;
    record_.state = "finished";
    record_.claims = {{.id = "1", .text = "it pays", .expected = "at least 1.2", .measured = 1.25, .held = true, .note = ""},
                      {.id = "2", .text = "always", .expected = "a > b", .measured = false, .held = false, .note = "two cores"},
                      {.id = "3", .text = "far", .expected = "e", .measured = {}, .held = {}, .note = "not at this size: too long"}};
  }
  // In the workspace, as an engine beside the window would.
  void keep() { save(Workspace::open(database_.toStdString()), record_); }
  QFrame* card() const { return find<QFrame>(QStringLiteral("recipes.card.mg-wfbp")); }
  QPushButton* button(const char* name) const { return card()->findChild<QPushButton*>(QLatin1String(name)); }
  QString state() const { return card()->findChild<QLabel*>(QStringLiteral("recipes.state"))->text(); }
  QString detail_state() const { return find<QLabel>(QStringLiteral("recipes.detail.state"))->text(); }
  bool detail_shown() const { return find<QWidget>(QStringLiteral("recipes.detail"))->isVisible(); }

  // An engine that notes what it is asked for, and answers so.
  void answer(const QByteArray& text, int code) {
    asked_ = folder_.filePath(QStringLiteral("asked"));
    QFile engine(folder_.filePath(QStringLiteral("engine")));
    ASSERT_TRUE(engine.open(QIODevice::WriteOnly));
    engine.write("#!/bin/sh\n[ \"$1\" = --version ] && echo syncline-engine " + EngineProgram::neededVersion().toUtf8() +
                 " && exit\necho \"$@\" > '" + asked_.toUtf8() + "'\necho '" + text + "'\nexit " + QByteArray::number(code) + "\n");
    engine.close();
    engine.setPermissions(QFileDevice::ReadOwner | QFileDevice::WriteOwner | QFileDevice::ExeOwner);
    bench_->settings().set(QString::fromUtf16(EngineProgram::path_setting), engine.fileName());
    bench_->engine().lookAgain();
    ASSERT_TRUE(wait([this] { return bench_->engine().known(); }));
  }
  QString asked() const {
    QFile file(asked_);
    return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
  }

  RecipeRecord record_;
  QString asked_;
};

TEST_F(RecipeGalleryTest, EveryShippedRecipeHasACardThatSaysHowItStands) {
  open(make_recipes_page(*bench_));
  EXPECT_NE(find<QFrame>(QStringLiteral("recipes.card.multicolor-allreduce")), nullptr);
  EXPECT_EQ(state(), QStringLiteral("– not run yet"));
  keep();
  EXPECT_TRUE(wait([this] { return state() == QStringLiteral("! differs here (quick): 1 of 2 tested claims held"); }))
      << state().toStdString();
}

TEST_F(RecipeGalleryTest, OneThatRunsCanBeStoppedAndNotBegunAgain) {
  record_.state = "running";
  record_.process = this_process();
  record_.step_count = 5;
  keep();
  open(make_recipes_page(*bench_));
  ASSERT_TRUE(wait([this] { return button("recipes.stop")->isVisible(); }));
  EXPECT_FALSE(button("recipes.run")->isVisible());
  EXPECT_FALSE(button("recipes.quick")->isVisible());
  record_.state = "stopped";
  keep();
  ASSERT_TRUE(wait([this] { return button("recipes.run")->isVisible(); }));
  EXPECT_FALSE(button("recipes.stop")->isVisible());
}

TEST_F(RecipeGalleryTest, ClaimsAreATableOfWhatWasMeasuredAndExpected) {
  keep();
  open(make_recipes_page(*bench_));
  ASSERT_TRUE(wait([this] { return state().startsWith(u'!'); }));
  QTest::mouseClick(button("recipes.claims"), Qt::LeftButton);
  EXPECT_TRUE(detail_shown());
  EXPECT_FALSE(card()->isVisible());
  EXPECT_FALSE(find<QLineEdit>(QStringLiteral("recipes.search"))->isVisible());
  auto* table = find<QTableWidget>(QStringLiteral("recipes.claims"));
  const auto row = [table](int number) {
    QStringList cells;
    for (int k = 0; k < table->columnCount(); ++k) cells << table->item(number, k)->text();
    return cells.join(u'|').toStdString();
  };
  ASSERT_EQ(table->rowCount(), 3);
  EXPECT_EQ(row(0), "1|✓ held|1.25|at least 1.2|it pays");
  EXPECT_EQ(row(1), "2|✕ does not hold|no|a > b|always (two cores)");
  EXPECT_EQ(row(2), "3|– not at this size|–|e|far (not at this size: too long)");
  QTest::mouseClick(find<QPushButton>(QStringLiteral("recipes.back")), Qt::LeftButton);
  EXPECT_FALSE(detail_shown());
  EXPECT_TRUE(card()->isVisible());
  EXPECT_TRUE(find<QLineEdit>(QStringLiteral("recipes.search"))->isVisible());
  EXPECT_TRUE(button("recipes.claims")->hasFocus());
}

TEST_F(RecipeGalleryTest, OpenedClaimsFollowTheWorkspaceWhileAnotherPageIsShown) {
  keep();
  Page* page = make_recipes_page(*bench_);
  open(page);
  ASSERT_TRUE(wait([this] { return state().startsWith(u'!'); }));
  QTest::mouseClick(button("recipes.claims"), Qt::LeftButton);
  page->hide();
  page->resize(page->width() - 100, page->height());  // lays the gallery out again
  record_.claims.erase(record_.claims.begin() + 1);
  keep();
  ASSERT_TRUE(wait([this] { return state().startsWith(u'✓'); }));
  page->show();
  EXPECT_TRUE(detail_shown());
  EXPECT_FALSE(find<QLineEdit>(QStringLiteral("recipes.search"))->isVisible());
  EXPECT_EQ(detail_state(), QStringLiteral("✓ reproduced here (quick): 1 of 1 tested claims held"));
  EXPECT_EQ(find<QTableWidget>(QStringLiteral("recipes.claims"))->rowCount(), 2);
}

TEST_F(RecipeGalleryTest, FindingLeavesTheClaimsForTheGallery) {
  open(make_recipes_page(*bench_));
  QTest::mouseClick(button("recipes.claims"), Qt::LeftButton);
  bench_->actions().find(QStringLiteral("recipes.find"))->trigger();
  EXPECT_FALSE(detail_shown());
  EXPECT_TRUE(find<QLineEdit>(QStringLiteral("recipes.search"))->hasFocus());
}

TEST_F(RecipeGalleryTest, RunQuickAndStopAskTheEngineAndItsErrorsAreSaid) {
  answer(R"({"error": {"message": "it is busy"}})", 2);
  open(make_recipes_page(*bench_));
  QTest::mouseClick(button("recipes.quick"), Qt::LeftButton);
  ASSERT_TRUE(wait([this] { return !bench_->notices.isEmpty(); }));
  EXPECT_TRUE(bench_->notices.front().endsWith(QStringLiteral(": it is busy"))) << bench_->notices.front().toStdString();
  EXPECT_TRUE(asked().startsWith(QStringLiteral("recipes run "))) << asked().toStdString();
  EXPECT_TRUE(asked().contains(QStringLiteral("mg-wfbp.toml --quick --detach --json --workspace"))) << asked().toStdString();
  QTest::mouseClick(button("recipes.run"), Qt::LeftButton);
  ASSERT_TRUE(wait([this] { return bench_->notices.size() == 2; }));
  EXPECT_TRUE(asked().contains(QStringLiteral("mg-wfbp.toml --detach --json"))) << asked().toStdString();
  record_.state = "running";
  record_.process = this_process();
  keep();
  ASSERT_TRUE(wait([this] { return button("recipes.stop")->isVisible(); }));
  QTest::mouseClick(button("recipes.stop"), Qt::LeftButton);
  ASSERT_TRUE(wait([this] { return bench_->notices.size() == 3; }));
  EXPECT_TRUE(asked().startsWith(QStringLiteral("recipes stop "))) << asked().toStdString();
}

}  // namespace
}  // namespace syncline::ui
