// SPDX-License-Identifier: GPL-3.0-or-later
// The Runs page with the real engine: a run of two ranks is watched, stopped and resumed from the table; the demo starts.
#include <QDialog>
#include <QDir>
#include <QLabel>

#include "tests/ui/engine_workspace.h"
#include "tests/ui/runs/runs_page_fixture.h"

namespace syncline::ui {
namespace {

class RunsEngine : public RunsPageTest {
 protected:
  void SetUp() override {
    RunsPageTest::SetUp();
    path_ = engine_.database();
  }
  void TearDown() override {
    for (const std::string& id : started_) {  // what a failed test has left
      if (is_active(stored(id).state)) engine_.engine({QStringLiteral("stop"), QString::fromStdString(id), QStringLiteral("--now")});
    }
    RunsPageTest::TearDown();
  }
  std::string launch(const QString& name) {
    const QString file = engine_.experiment(name, QStringLiteral("steps = 1000000"));
    const auto answer =
        engine_.engine({QStringLiteral("launch"), file, QStringLiteral("--on"), QStringLiteral("local"), QStringLiteral("--detach")});
    EXPECT_EQ(answer.exit_code, 0) << answer.error.toStdString();
    started_.push_back(QString::fromUtf8(answer.output).trimmed().toStdString());
    return started_.back();
  }
  QString state(int row = 0) const { return page_->model().index(row, page_->model().columnOf(QStringLiteral("state"))).data().toString(); }
  bool becomes(const char* word) {
    return comes([&] { return state().contains(QString::fromLatin1(word)); }, 60000);
  }

  EngineWorkspace engine_;
  std::vector<std::string> started_;
};

TEST_F(RunsEngine, ARunOfTwoRanksIsWatchedStoppedAndResumedFromTheTable) {
  const std::string id = launch(QStringLiteral("at work"));
  open(RecordingWorkbench::builtEngine());
  ASSERT_TRUE(becomes("Running")) << state().toStdString();
  EXPECT_EQ(page_->model().countOf(RunsChip::running), 1);
  ASSERT_TRUE(comes([&] { return stored(id).heartbeat.has_value(); }));
  focusFirstRow();
  QAction* checkpoint = bench_->actions().find(QStringLiteral("run.checkpoint"));
  ASSERT_TRUE(checkpoint->isEnabled());
  EXPECT_FALSE(bench_->actions().find(QStringLiteral("run.resume"))->isEnabled());
  Reader reader(workspace());
  ASSERT_TRUE(comes([&] { return reader.find_series(id, series::train_loss).has_value(); }, 60000));
  checkpoint->trigger();
  ASSERT_TRUE(comes([&] { return !reader.checkpoints(id).empty(); }, 60000));
  EXPECT_TRUE(reader.checkpoints(id).front().verified);

  inDialog<QDialog>([](QDialog& dialog) { dialog.accept(); });  // after a checkpoint, the default
  press(Qt::Key_Period, Qt::ControlModifier);
  ASSERT_TRUE(becomes("Stopped")) << state().toStdString();
  EXPECT_EQ(stored(id).exit_code, 5);
  EXPECT_EQ(page_->model().countOf(RunsChip::running), 0);
  ASSERT_TRUE(comes([&] { return bench_->actions().find(QStringLiteral("run.resume"))->isEnabled(); }));

  bench_->actions().find(QStringLiteral("run.resume"))->trigger();
  ASSERT_TRUE(comes([this] { return !bench_->opened_runs.isEmpty(); }, 60000)) << bench_->notices.join(u'\n').toStdString();
  const std::string second = bench_->opened_runs.front().toStdString();
  started_.push_back(second);
  EXPECT_EQ(stored(second).attempt_of, id);
  ASSERT_TRUE(becomes("Running")) << state().toStdString();
  EXPECT_EQ(page_->model().rowCount(), 1);  // the same run, one attempt more
  Requests(workspace()).ask(second, "stop-now", "test");
  ASSERT_TRUE(becomes("Stopped")) << state().toStdString();
}

TEST_F(RunsEngine, TheDemoOfAnEmptyWorkspaceTrainsAndIsOpened) {
  if (!QDir(QStringLiteral("/usr/share/datasets/fashion-mnist")).exists()) GTEST_SKIP() << "no Fashion-MNIST";
  open(RecordingWorkbench::builtEngine());
  auto* demo = find<QPushButton>("runs.empty.demo");
  ASSERT_TRUE(demo->isVisible());
  demo->click();
  ASSERT_TRUE(comes([this] { return !bench_->opened_runs.isEmpty(); }, 60000)) << bench_->notices.join(u'\n').toStdString();
  const std::string id = bench_->opened_runs.front().toStdString();
  started_.push_back(id);
  Reader reader(workspace());
  ASSERT_TRUE(comes([&] { return reader.find_series(id, series::train_loss).has_value(); }, 60000)) << stored(id).reason;
  EXPECT_EQ(stored(id).workers, 2);
  EXPECT_EQ(stored(id).dataset, "fashion-mnist");
  EXPECT_EQ(page_->model().rowCount(), 1);
  Requests(workspace()).ask(id, "stop-now", "test");
  ASSERT_TRUE(becomes("Stopped")) << state().toStdString();
}

}  // namespace
}  // namespace syncline::ui
