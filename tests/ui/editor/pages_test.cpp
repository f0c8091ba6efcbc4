// SPDX-License-Identifier: GPL-3.0-or-later
// Recipes (the examples that ship) and plugins, over the real engine.
#include <QFile>
#include <QFrame>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QTableView>
#include <QTableWidget>

#include "engine/store/reader.h"
#include "tests/ui/editor/bench.h"
#include "ui/models/editor/examples.h"
#include "ui/models/editor/plugin_list.h"

namespace syncline::ui {
namespace {

class RecipesPageTest : public PageTest {};

class PluginsPageTest : public PageTest {
 protected:
  void SetUp() override {
    PageTest::SetUp();
    qputenv("SYNCLINE_PLUGINS", SYNCLINE_BINARY_DIR "/plugins");
    for (const char* name : {"lion", "adafactor"})
      bench_->settings().remove(QStringLiteral("plugins/disabled/") + QString::fromLatin1(name));
  }
  void TearDown() override {
    qunsetenv("SYNCLINE_PLUGINS");
    PageTest::TearDown();
  }
};

TEST_F(RecipesPageTest, ShowsEachShippedExperimentAndOpensItAsADraft) {
  open(make_recipes_page(*bench_));
  auto* card = find<QFrame>(QStringLiteral("recipes.card.quickstart-wfbp"));
  ASSERT_NE(card, nullptr);
  EXPECT_NE(find<QFrame>(QStringLiteral("recipes.card.own-layers")), nullptr);
  QTest::mouseClick(card->findChild<QPushButton*>(QStringLiteral("recipes.open")), Qt::LeftButton);
  ASSERT_EQ(bench_->drafts.size(), 1u);
  EXPECT_EQ(bench_->drafts[0].first, QStringLiteral("quickstart, layer by layer"));
  EXPECT_TRUE(bench_->drafts[0].second.startsWith(QStringLiteral("# LeNet on Fashion-MNIST")));
}

TEST_F(RecipesPageTest, SearchKeepsWhatHasAllWords) {
  open(make_recipes_page(*bench_));
  find<QLineEdit>(QStringLiteral("recipes.search"))->setText(QStringLiteral("resnet cifar"));
  EXPECT_TRUE(find<QFrame>(QStringLiteral("recipes.card.resnet20-cifar10"))->isVisible());
  EXPECT_FALSE(find<QFrame>(QStringLiteral("recipes.card.quickstart"))->isVisible());
  find<QLineEdit>(QStringLiteral("recipes.search"))->setText(QStringLiteral("nothing of the kind"));
  EXPECT_TRUE(find<QLabel>(QStringLiteral("recipes.message"))->text().contains(QStringLiteral("nothing of the kind")));
}

TEST_F(RecipesPageTest, WhatCannotRunSaysWhy) {
  // CIFAR-10 is not beside this test.
  open(make_recipes_page(*bench_));
  auto* card = find<QFrame>(QStringLiteral("recipes.card.resnet20-cifar10"));
  EXPECT_FALSE(card->findChild<QPushButton*>(QStringLiteral("recipes.run"))->isEnabled());
  EXPECT_TRUE(card->findChild<QLabel*>(QStringLiteral("recipes.needs"))->text().contains(QStringLiteral("cifar-10-batches-bin")));
}

TEST(Examples, AFileThatIsNoTomlIsThereWithItsProblem) {
  const Example example = read_example(QStringLiteral("/x/broken.toml"), "# first line\n# second\nname = \n");
  EXPECT_EQ(example.name, QStringLiteral("broken"));
  EXPECT_EQ(example.comment, QStringLiteral("first line second"));
  EXPECT_FALSE(example.problem.isEmpty());
}

TEST_F(PluginsPageTest, ListsWhatTheEngineFoundWithItsOptionsAndChecksIt) {
  open(make_plugins_page(*bench_));
  auto* table = find<QTableView>(QStringLiteral("plugins.table"));
  ASSERT_GE(table->model()->rowCount(), 2);
  int lion = -1;
  for (int row = 0; row < table->model()->rowCount(); ++row) {
    if (table->model()->index(row, 0).data().toString().endsWith(QStringLiteral("lion"))) lion = row;
  }
  ASSERT_GE(lion, 0);
  table->selectRow(lion);
  EXPECT_TRUE(find<QLabel>(QStringLiteral("plugins.heading"))->text().contains(QStringLiteral("loaded")));
  EXPECT_TRUE(find<QLabel>(QStringLiteral("plugins.details"))->text().contains(QStringLiteral("liblion.so")));
  auto* options = find<QTableWidget>(QStringLiteral("plugins.options"));
  ASSERT_GT(options->rowCount(), 0);
  EXPECT_EQ(options->item(0, 0)->text(), QStringLiteral("lr"));
  QTest::mouseClick(find<QPushButton>(QStringLiteral("plugins.button.check")), Qt::LeftButton);
  auto* checks = find<QTableWidget>(QStringLiteral("plugins.checks"));
  ASSERT_TRUE(QTest::qWaitFor([checks] { return checks->rowCount() > 0; }, 60000));
  for (int row = 0; row < checks->rowCount(); ++row)
    EXPECT_TRUE(checks->item(row, 1)->text().startsWith(u'✓')) << checks->item(row, 2)->text().toStdString();
}

TEST_F(PluginsPageTest, DisablingIsKeptInTheSettings) {
  open(make_plugins_page(*bench_));
  auto* table = find<QTableView>(QStringLiteral("plugins.table"));
  const QString name = table->model()->index(0, 0).data().toString().mid(3);
  table->selectRow(0);
  QTest::mouseClick(find<QPushButton>(QStringLiteral("plugins.button.disable")), Qt::LeftButton);
  EXPECT_EQ(table->model()->index(0, 1).data().toString(), QStringLiteral("disabled"));
  EXPECT_TRUE(PluginList::isDisabled(bench_->settings(), name));
  open(make_plugins_page(*bench_));
  table = find<QTableView>(QStringLiteral("plugins.table"));
  EXPECT_EQ(table->model()->index(0, 1).data().toString(), QStringLiteral("disabled"));
  table->selectRow(0);
  QTest::mouseClick(find<QPushButton>(QStringLiteral("plugins.button.disable")), Qt::LeftButton);
  EXPECT_FALSE(PluginList::isDisabled(bench_->settings(), name));
}

TEST_F(PluginsPageTest, ARefusedFileIsListedWithTheReasonInFull) {
  QFile file(folder_.filePath(QStringLiteral("libbroken.so")));
  ASSERT_TRUE(file.open(QIODevice::WriteOnly));
  file.write("no library");
  file.close();
  qputenv("SYNCLINE_PLUGINS", folder_.path().toUtf8());
  open(make_plugins_page(*bench_));
  auto* table = find<QTableView>(QStringLiteral("plugins.table"));
  int broken = -1;  // among those that this machine may have besides
  for (int row = 0; row < table->model()->rowCount(); ++row) {
    if (table->model()->index(row, 0).data().toString().endsWith(QStringLiteral("broken"))) broken = row;
  }
  ASSERT_GE(broken, 0);
  EXPECT_EQ(table->model()->index(broken, 1).data().toString(), QStringLiteral("refused"));
  table->selectRow(broken);
  EXPECT_TRUE(find<QLabel>(QStringLiteral("plugins.problem"))->text().contains(QStringLiteral("libbroken.so")));
}

TEST_F(PluginsPageTest, WithoutPluginsTheFoldersAreNamedAndOneAction) {
  // An engine that finds none, whatever this machine has installed.
  QFile engine(folder_.filePath(QStringLiteral("engine")));
  ASSERT_TRUE(engine.open(QIODevice::WriteOnly));
  engine.write(
      "#!/bin/sh\n[ \"$1\" = --version ] && echo syncline-engine 0 && exit\n"
      "echo '{\"folders\": [\"/somewhere/plugins\"], \"optimizers\": [], \"plugins\": []}'\n");
  engine.close();
  engine.setPermissions(QFileDevice::ReadOwner | QFileDevice::WriteOwner | QFileDevice::ExeOwner);
  bench_->settings().set(QString::fromUtf16(EngineProgram::path_setting), engine.fileName());
  open(make_plugins_page(*bench_));
  EXPECT_TRUE(
      wait([this] { return find<QLabel>(QStringLiteral("plugins.empty"))->text().contains(QStringLiteral("/somewhere/plugins")); }));
  EXPECT_TRUE(find<QPushButton>(QStringLiteral("plugins.empty.open"))->isVisible());
}

TEST_F(PluginsPageTest, AnEngineThatIsMissingIsSaidInPlaceOfTheList) {
  bench_->settings().set(QString::fromUtf16(EngineProgram::path_setting), QStringLiteral("/nowhere/syncline-engine"));
  open(make_plugins_page(*bench_));
  EXPECT_TRUE(find<QLabel>(QStringLiteral("plugins.empty"))->text().contains(QStringLiteral("/nowhere")));
}

TEST(Plugins, OneThatCrashedWhileItWasExaminedIsMarkedAsCrashed) {
  const EngineProgram::Answer answer{.exit_code = 0,
                                     .output = R"json({"folders": [], "optimizers": [{"abi": "1.0"}], "plugins": [
        {"name": "a", "file": "/p/a.so", "problem": "a: it crashed with signal 11 (Segmentation fault)", "description": null},
        {"name": "b", "file": "/p/b.so", "problem": "b: built for interface 2", "description": null}]})json",
                                     .error = {}};
  const PluginAnswer read = read_plugins(answer);
  ASSERT_EQ(read.plugins.size(), 2U);
  EXPECT_EQ(read.plugins[0].state, Plugin::crashed);
  EXPECT_EQ(read.plugins[1].state, Plugin::refused);
  EXPECT_EQ(read.plugins[1].problem, QStringLiteral("b: built for interface 2"));
  EXPECT_FALSE(read_plugins({.exit_code = 0, .output = "nonsense", .error = {}}).problem.isEmpty());
}

}  // namespace
}  // namespace syncline::ui
