// SPDX-License-Identifier: GPL-3.0-or-later
// Workspaces that cannot be opened, or only be read: the window opens and says so in place.
#include <sys/stat.h>

#include <QFile>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QTableView>
#include <QToolButton>

#include "engine/store/saved.h"
#include "tests/ui/shell/fixture.h"
#include "ui/models/problems.h"
#include "ui/views/shell/announcements.h"
#include "ui/views/shell/workspace_jobs.h"

namespace syncline::ui {
namespace {

class WorkspaceTest : public ShellTest {
 protected:
  void make() { Workspace::open(database().toStdString()); }
  QString shown_failure() const { return child<QLabel>("open-failed.text")->text(); }
};

TEST_F(WorkspaceTest, AMissingOneIsMade) {
  open();
  EXPECT_EQ(window->state(), MainWindow::State::open);
  EXPECT_TRUE(QFile::exists(database()));
  EXPECT_EQ(recent_workspaces(*settings), QStringList(database()));
}

TEST_F(WorkspaceTest, OneThatCannotBeMadeIsSaidInPlaceWithWhatCanBeDone) {
  QFile in_the_way(folder.filePath(QStringLiteral("file")));
  ASSERT_TRUE(in_the_way.open(QIODevice::WriteOnly));
  open(folder.filePath(QStringLiteral("file/w.db")));
  EXPECT_EQ(window->state(), MainWindow::State::failed);
  EXPECT_TRUE(shown_failure().contains(QStringLiteral("/file"))) << shown_failure().toStdString();
  // Why it could not be made, not that there is none.
  EXPECT_FALSE(shown_failure().contains(QStringLiteral("there is no workspace"))) << shown_failure().toStdString();
  EXPECT_EQ(child<QToolButton>("status.activity")->text(), QStringLiteral("not open"));
  for (const char* name : {"open-failed.again", "open-failed.another", "open-failed.folder", "open-failed.verify"}) {
    EXPECT_TRUE(child<QPushButton>(name)->isVisible()) << name;
  }
  keep_picture(*window, QStringLiteral("open-failed"));
  QTest::keyClick(window.get(), Qt::Key_2, Qt::ControlModifier);  // no place can be shown
  EXPECT_EQ(window->area().current(), nullptr);
  EXPECT_EQ(action("view.runs")->toolTip(), QStringLiteral("Runs: the workspace is not open"));
}

TEST_F(WorkspaceTest, AFileThatIsNoWorkspaceIsLeftAsItIs) {
  QFile file(database());
  ASSERT_TRUE(file.open(QIODevice::WriteOnly));
  file.write(QByteArray(8192, 'x'));
  file.close();
  open();
  EXPECT_EQ(window->state(), MainWindow::State::failed);
  EXPECT_EQ(window->workbench().problems().unresolved(), 1);
  ASSERT_TRUE(file.open(QIODevice::ReadOnly));
  EXPECT_EQ(file.readAll(), QByteArray(8192, 'x'));
}

TEST_F(WorkspaceTest, TryAgainAsksForTheSameWorkspace) {
  QFile file(database());
  ASSERT_TRUE(file.open(QIODevice::WriteOnly));
  file.write(QByteArray(8192, 'x'));
  file.close();
  open();
  QSignalSpy chosen(window.get(), &MainWindow::workspaceChosen);
  child<QPushButton>("open-failed.again")->click();
  ASSERT_EQ(chosen.count(), 1);
  EXPECT_EQ(chosen.front().front().toString(), database());
}

TEST_F(WorkspaceTest, ANewerOneIsReadAndSaysWhoMadeIt) {
  make();
  Database(database().toStdString(), Database::Mode::write).execute("PRAGMA user_version = 99");
  open();
  EXPECT_EQ(window->state(), MainWindow::State::open);
  ASSERT_NE(window->strips().find(QStringLiteral("read-only")), nullptr);
  EXPECT_TRUE(window->strips().find(QStringLiteral("read-only"))->text().contains(QStringLiteral("newer version")));
  EXPECT_TRUE(child<QToolButton>("status.workspace")->text().contains(QStringLiteral("read-only")));
}

TEST_F(WorkspaceTest, AnEditThatCannotBeKeptIsSaidAtOnce) {
  make();
  Database(database().toStdString(), Database::Mode::write).execute("PRAGMA user_version = 99");
  open();
  window->workbench().store().write(window.get(), [](StoreService::Writer& writer) {
    SavedTexts(writer.workspace).put({.id = "", .kind = "draft", .name = "d", .content = "x"});
  });
  EXPECT_TRUE(QTest::qWaitFor([this] { return window->strips().find(QStringLiteral("writing")) != nullptr; }, 5000));
  EXPECT_EQ(window->workbench().problems().unresolved(), 1);
}

TEST_F(WorkspaceTest, VerifyReportsDamageAndChangesNothing) {
  make();
  {
    // Enough rows for pages in the middle, then a hole in one of them.
    Database filled(database().toStdString(), Database::Mode::write);
    for (int i = 0; i < 400; ++i) {
      SavedTexts(Workspace::open(database().toStdString()))
          .put({.id = "", .kind = "draft", .name = std::string(300, 'n'), .content = std::string(3000, 'c')});
      if (i > 40) break;
    }
    filled.checkpoint(true);
  }
  open();
  QFile file(database());
  ASSERT_TRUE(file.open(QIODevice::ReadWrite));
  ASSERT_GT(file.size(), 64 * 1024);
  for (qint64 page = 4096; page + 4096 <= file.size(); page += 4096) {
    file.seek(page);
    file.write(QByteArray(64, '\xff'));
  }
  file.close();
  action("workspace.verify")->trigger();
  QPlainTextEdit* report = nullptr;
  ASSERT_TRUE(QTest::qWaitFor([&] { return (report = child<QPlainTextEdit>("verify.text")) != nullptr; }, 10'000));
  EXPECT_TRUE(report->toPlainText().contains(database()));
}

TEST_F(WorkspaceTest, VerifyOfAWholeWorkspaceSaysThatItIsInOrder) {
  open();
  action("workspace.verify")->trigger();
  EXPECT_TRUE(QTest::qWaitFor([this] { return window->strips().find(QStringLiteral("verify")) != nullptr; }, 10'000));
}

TEST_F(WorkspaceTest, ImportWithoutAnEngineSaysWhatIsMissing) {
  settings->set(keys::engine, QStringLiteral("/nowhere/syncline-engine"));
  open();
  window->workspaceJobs().importFrom(folder.filePath(QStringLiteral("other.db")));
  ASSERT_TRUE(QTest::qWaitFor([this] { return window->strips().find(QStringLiteral("import")) != nullptr; }, 10'000));
  EXPECT_TRUE(window->strips().find(QStringLiteral("import"))->text().contains(QStringLiteral("/nowhere/syncline-engine")));
}

TEST_F(WorkspaceTest, ImportMergesTheRunsOfAnotherWorkspace) {
  const QString engine = QStringLiteral(SYNCLINE_BINARY_DIR "/app/syncline-engine");
  settings->set(keys::engine, engine);
  const QString other = folder.filePath(QStringLiteral("other.db"));
  {
    const Workspace from = Workspace::open(other.toStdString());
    NewRun run;
    run.name = "elsewhere";
    run.experiment_as_typed = run.experiment = "name = \"elsewhere\"\n";
    run.state = "running";
    const std::string id = RunRegistry(from).create(run);
    RunRegistry(from).finish(id, {.state = "finished", .reason = "", .exit_code = 0, .ended = 0});
  }
  open();
  window->workspaceJobs().importFrom(other);
  ASSERT_TRUE(QTest::qWaitFor(
      [this] {
        return window->strips().find(QStringLiteral("notice")) != nullptr || window->strips().find(QStringLiteral("import")) != nullptr;
      },
      20'000));
  ASSERT_NE(window->strips().find(QStringLiteral("notice")), nullptr)
      << window->strips().find(QStringLiteral("import"))->text().toStdString();
  EXPECT_TRUE(window->strips().find(QStringLiteral("notice"))->text().contains(QStringLiteral("1 runs added")));
  const QModelIndex runs = window->navigation().indexOfPlace(QStringLiteral("runs"));
  EXPECT_TRUE(QTest::qWaitFor([&] { return runs.data(NavigationModel::count_role).toInt() == 1; }, 5000));
}

TEST_F(WorkspaceTest, TwoHundredRunsThatFinishAtOnceAreOneMessage) {
  std::vector<std::string> ids;
  const Workspace workspace = Workspace::open(database().toStdString());
  RunRegistry registry(workspace);
  for (int i = 0; i < 200; ++i) {
    ids.push_back(goingRun(workspace, "run " + std::to_string(i)));
  }
  open();
  auto* announcements = window->findChild<Announcements*>();
  ASSERT_TRUE(QTest::qWaitFor([announcements] { return announcements->watched().size() == 200; }, 5000));
  QSignalSpy said(announcements, &Announcements::announced);
  {
    Database database_at_once(database().toStdString(), Database::Mode::write);
    database_at_once.execute("UPDATE run SET state = 'finished', ended_at = 2e9, exit_code = 0");
  }
  ASSERT_TRUE(QTest::qWaitFor([&said] { return said.count() > 0; }, 8000));
  QTest::qWait(300);
  EXPECT_EQ(said.count(), 1);
  EXPECT_TRUE(said.front().front().toString().startsWith(QStringLiteral("200 "))) << said.front().front().toString().toStdString();
}

TEST_F(WorkspaceTest, AFailedRunIsAProblemThatLeadsToItsPage) {
  const Workspace workspace = Workspace::open(database().toStdString());
  RunRegistry registry(workspace);
  const std::string id = goingRun(workspace, "easgd p8");
  open();
  auto* announcements = window->findChild<Announcements*>();
  ASSERT_TRUE(QTest::qWaitFor([announcements] { return announcements->watched().size() == 1; }, 5000));
  registry.finish(id, {.state = "failed", .reason = "rank 1 ended by signal 9", .exit_code = 4, .ended = 0});
  Problems& problems = window->workbench().problems();
  ASSERT_TRUE(QTest::qWaitFor([&problems] { return problems.unresolved() == 1; }, 8000));
  EXPECT_TRUE(problems.asText().contains(QStringLiteral("easgd p8 failed: rank 1 ended by signal 9")));
  EXPECT_EQ(child<QToolButton>("status.problems")->text().left(1), QStringLiteral("1"));
  action("view.problems")->trigger();
  QTest::qWait(50);
  keep_picture(*window, QStringLiteral("problems"));
  problems.showPlace(0);
  EXPECT_EQ(current()->title(), QStringLiteral("run ") + QString::fromStdString(id));
}

}  // namespace
}  // namespace syncline::ui
