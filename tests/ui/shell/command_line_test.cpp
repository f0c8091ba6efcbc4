// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/shell/command_line.h"

#include "tests/ui/shell/fixture.h"
#include "ui/views/shell/window_keeper.h"
#include "ui/views/shell/workspace_jobs.h"

namespace syncline::ui {
namespace {

CommandLine parsed(const char* text) { return parse_command_line(QString::fromLatin1(text).split(u' ', Qt::SkipEmptyParts)); }

TEST(CommandLineTest, EveryOptionOfTheContractIsRead) {
  const CommandLine line = parsed("--workspace w.db --run last --tab timeline --theme dark --size 960x600 --screenshot a.png");
  EXPECT_TRUE(line.error.isEmpty()) << line.error.toStdString();
  EXPECT_EQ(line.workspace, QStringLiteral("w.db"));
  EXPECT_EQ(line.run, QStringLiteral("last"));
  EXPECT_EQ(line.tab, QStringLiteral("timeline"));
  EXPECT_EQ(line.size, QSize(960, 600));
  EXPECT_EQ(parsed("--compare a b c --theme light").compare, QStringList({QStringLiteral("a"), QStringLiteral("b"), QStringLiteral("c")}));
  EXPECT_EQ(parsed("--page=plugins").page, QStringLiteral("plugins"));
}

TEST(CommandLineTest, WhatCannotBeMeantIsSaidInOneSentence) {
  EXPECT_EQ(parsed("--page sweeps").error,
            QStringLiteral("--page sweeps: there is no such page; there are runs, drafts, recipes, plugins"));
  EXPECT_EQ(parsed("--theme blue").error, QStringLiteral("--theme blue: it is light or dark"));
  EXPECT_EQ(parsed("--compare a").error, QStringLiteral("--compare needs two runs or more"));
  EXPECT_EQ(parsed("--tab log").error, QStringLiteral("--tab belongs to --run: name the run"));
  EXPECT_EQ(parsed("--run").error, QStringLiteral("--run needs a value"));
  EXPECT_EQ(parsed("--page runs --run last").error,
            QStringLiteral("--page, --run, --compare and --draft each name what to show; give one of them"));
  EXPECT_EQ(parsed("--draft /nowhere.toml").error, QStringLiteral("--draft /nowhere.toml: there is no such file to read"));
  for (const char* wrong : {"--size 12", "--size 10x10", "--frobnicate", "--screenshot a.jpg", "last"}) {
    EXPECT_FALSE(parsed(wrong).error.isEmpty()) << wrong;
    EXPECT_FALSE(parsed(wrong).error.contains(u'\n')) << wrong;
  }
}

class KeeperTest : public ShellTest {
 protected:
  void start(const QString& text) {
    keeper = std::make_unique<WindowKeeper>(factories, [this](int exit_code, const QString& said) {
      if (code < 0) code = exit_code, sentence = said;
    });
    QStringList arguments = text.split(u' ', Qt::SkipEmptyParts);
    if (!text.contains(QStringLiteral("--workspace"))) arguments << QStringLiteral("--workspace") << database();
    const CommandLine line = parse_command_line(arguments);
    ASSERT_TRUE(line.error.isEmpty()) << line.error.toStdString();
    keeper->start(line);
  }
  bool ended() {
    return QTest::qWaitFor([this] { return code >= 0; }, 20'000);
  }
  void TearDown() override {
    keeper.reset();
    ShellTest::TearDown();
  }
  PageFactories factories = fake_factories();
  std::unique_ptr<WindowKeeper> keeper;
  int code = -1;
  QString sentence;
};

TEST_F(KeeperTest, AScreenshotShowsThePageOnceItHasLoadedAtTheSizeAskedFor) {
  FakePage* late = nullptr;
  factories.plugins = [&late](Workbench& workbench) -> Page* {
    late = new FakePage(workbench, QStringLiteral("Plugins"), {});
    late->is_loaded = false;
    return late;
  };
  const QString picture = folder.filePath(QStringLiteral("a.png"));
  start(QStringLiteral("--page plugins --size 1000x640 --screenshot ") + picture);
  ASSERT_TRUE(QTest::qWaitFor([&late] { return late != nullptr; }, 10'000));
  QTest::qWait(400);
  EXPECT_EQ(code, -1);  // not before its data is there
  late->is_loaded = true;
  ASSERT_TRUE(ended());
  EXPECT_EQ(code, 0) << sentence.toStdString();
  EXPECT_EQ(QImage(picture).size(), QSize(1000, 640));
  EXPECT_TRUE(settings->keys(QStringLiteral("session")).isEmpty());  // a picture leaves no trace
}

TEST_F(KeeperTest, AScreenshotOfARunThatIsNotThereEndsWithTwo) {
  start(QStringLiteral("--run nobody --screenshot ") + folder.filePath(QStringLiteral("a.png")));
  ASSERT_TRUE(ended());
  EXPECT_EQ(code, 2);
  EXPECT_TRUE(sentence.contains(QStringLiteral("there is no run"))) << sentence.toStdString();
}

TEST_F(KeeperTest, AScreenshotOfAWorkspaceThatCannotBeReadEndsWithSix) {
  QFile file(database());
  ASSERT_TRUE(file.open(QIODevice::WriteOnly));
  file.write(QByteArray(8192, 'x'));
  file.close();
  start(QStringLiteral("--screenshot ") + folder.filePath(QStringLiteral("a.png")));
  ASSERT_TRUE(ended());
  EXPECT_EQ(code, 6);
}

TEST_F(KeeperTest, ARunIsFoundByItsNameAndShownWithItsTab) {
  const Workspace workspace = Workspace::open(database().toStdString());
  NewRun run;
  run.name = "quickstart";
  run.experiment = "name = \"x\"\n";
  const std::string id = RunRegistry(workspace).create(run);
  start(QStringLiteral("--run quickstart --tab log"));
  ASSERT_TRUE(QTest::qWaitFor([this] { return keeper->window()->navigation().openCount() == 1; }, 10'000));
  auto* page = dynamic_cast<FakePage*>(keeper->window()->area().current());
  EXPECT_EQ(page->title(), QStringLiteral("run ") + QString::fromStdString(id));
  EXPECT_EQ(page->tab, QStringLiteral("log"));
}

TEST_F(KeeperTest, InAWindowARunThatIsNotThereIsSaidInAStrip) {
  start(QStringLiteral("--run nobody"));
  EXPECT_TRUE(QTest::qWaitFor([this] { return keeper->window()->strips().find(QStringLiteral("command line")) != nullptr; }, 10'000));
}

TEST_F(KeeperTest, AnotherWorkspaceTakesThePlaceOfTheWindow) {
  start({});
  ASSERT_TRUE(QTest::qWaitFor([this] { return keeper->window()->state() == MainWindow::State::open; }, 10'000));
  const QPointer<MainWindow> first = keeper->window();
  Q_EMIT first->workspaceChosen(folder.filePath(QStringLiteral("second.db")));
  ASSERT_TRUE(QTest::qWaitFor([&] { return keeper->window() != nullptr && keeper->window() != first && first.isNull(); }, 10'000));
  EXPECT_TRUE(QTest::qWaitFor([this] { return keeper->window()->state() == MainWindow::State::open; }, 10'000));
  EXPECT_EQ(recent_workspaces(keeper->settings()).front(), folder.filePath(QStringLiteral("second.db")));
}

}  // namespace
}  // namespace syncline::ui
