// SPDX-License-Identifier: GPL-3.0-or-later
// The Runs page where the workspace, the engine or a run is not as it should be.
#include <time.h>

#include <QLabel>
#include <QMessageBox>
#include <QToolButton>
#include <fstream>
#include <limits>

#include "tests/ui/in_namespace.h"
#include "tests/ui/runs/runs_page_fixture.h"

namespace syncline::ui {
namespace {

class HardTimes : public RunsPageTest {
 protected:
  void SetUp() override {
    RunsPageTest::SetUp();
    if (!folder_inside().isEmpty()) path_ = folder_inside() + QStringLiteral("/workspace.db");
  }
  QAction* action(const char* id) const { return bench_->actions().find(QString::fromUtf8(id)); }
  QString cell(int row, const char* column) const {
    const RunsModel& model = page_->model();
    return model.index(row, model.columnOf(QString::fromUtf8(column))).data().toString();
  }
  // A process that has ended, as it was known while it lived.
  static ProcessIdentity gone() {
    QProcess process;
    process.start(QStringLiteral("sleep"), {QStringLiteral("1000")});
    EXPECT_TRUE(process.waitForStarted());
    const ProcessIdentity identity = process_of(static_cast<int>(process.processId())).value();
    process.kill();
    process.waitForFinished();
    return identity;
  }
  std::string unfinished(const std::string& name, const ProcessIdentity& rank0) {
    NewRun run;
    run.name = name;
    run.experiment = run.experiment_as_typed = "name = \"" + name + "\"\n";
    run.group_key = name;
    run.state = "running";
    run.strategy = "sync";
    run.rank0 = rank0;
    return RunRegistry(workspace()).create(run);
  }
};

TEST_F(HardTimes, WhileAnotherWriterHoldsTheWorkspaceAnEditIsPendingAndTheTableStaysUsable) {
  const std::string id = make({.name = "one"});
  make({.name = "two"});
  open();
  focusFirstRow();
  Database other(path_.toStdString(), Database::Mode::write);
  auto held = std::make_unique<Transaction>(other);
  other.execute("UPDATE run SET reason = reason");
  page_->table().select({page_->model().index(1, 0).data(RunsModel::id_role).toString()});
  bench_->actions().find(QStringLiteral("runs.star"))->trigger();
  QTest::qWait(500);
  EXPECT_EQ(bench_->store().pending(), 1);
  EXPECT_EQ(QApplication::activeModalWidget(), nullptr);
  EXPECT_TRUE(bench_->notices.isEmpty());
  EXPECT_FALSE(stored(id).starred);
  EXPECT_FALSE(page_->model().setFilter(QStringLiteral("name:two")).has_value());
  EXPECT_EQ(page_->model().shownRuns(), 1);
  EXPECT_FALSE(page_->model().setFilter(QString()).has_value());
  held->commit();
  held.reset();
  ASSERT_TRUE(written());
  EXPECT_TRUE(stored(id).starred);
}

TEST_F(HardTimes, AWorkspaceOfANewerVersionIsShownAndNothingIsOfferedThatWouldWrite) {
  make({.name = "one"});
  Database(path_.toStdString(), Database::Mode::write).execute("PRAGMA user_version = 99");
  open();
  EXPECT_TRUE(bench_->store().newer());
  EXPECT_EQ(cell(0, "name"), QStringLiteral("one"));
  focusFirstRow();
  for (const char* id : {"runs.star", "runs.tag", "runs.note", "runs.rename", "runs.trash", "runs.lock", "runs.archive"}) {
    EXPECT_FALSE(action(id)->isEnabled()) << id;
    EXPECT_TRUE(action(id)->toolTip().contains(QStringLiteral("can only be read"))) << action(id)->toolTip().toStdString();
  }
  for (const char* id : {"run.resume", "run.stop", "run.mark-stopped"}) EXPECT_FALSE(action(id)->isEnabled()) << id;
  EXPECT_TRUE(action("runs.open")->isEnabled() && action("run.duplicate")->isEnabled());
}

TEST_F(HardTimes, OnAReadOnlyFileSystemRunsAreShownAndNothingIsOfferedThatWouldWrite) {
  if (folder_inside().isEmpty()) {
    if (!namespaces()) GTEST_SKIP() << "no namespaces";
    make({.name = "one"});
    Database(path_.toStdString(), Database::Mode::write).checkpoint(true);
    return run_inside(QStringLiteral("mount --bind \"$F\" \"$F\"; mount -o remount,bind,ro \"$F\""), folder_.path());
  }
  open();
  EXPECT_TRUE(bench_->store().readOnly());
  EXPECT_FALSE(bench_->store().newer());
  EXPECT_EQ(cell(0, "name"), QStringLiteral("one"));
  ASSERT_TRUE(until([this] { return cell(0, "loss") != QStringLiteral("…") && page_->model().detailsIdle(); }));
  focusFirstRow();
  EXPECT_FALSE(action("runs.star")->isEnabled());
  EXPECT_TRUE(action("runs.star")->toolTip().contains(QStringLiteral("can only be read"))) << action("runs.star")->toolTip().toStdString();
}

TEST_F(HardTimes, OnAFullDiskAnEditIsReportedAndGoesInOnceThereIsRoom) {
  if (folder_inside().isEmpty()) {
    if (!namespaces()) GTEST_SKIP() << "no namespaces";
    return run_inside(QStringLiteral("mount -t tmpfs -o size=2m none \"$F\""), folder_.path());
  }
  const std::string id = make({.name = "one"});
  open();
  focusFirstRow();
  std::vector<StoreProblem> problems;
  QObject::connect(&bench_->store(), &StoreService::problem, page_.get(),
                   [&](const StoreProblem& problem) { problems.push_back(problem); });
  const std::string ballast = folder_inside().toStdString() + "/ballast";
  {
    std::ofstream file(ballast, std::ios::binary);
    const std::string block(4096, 'x');
    while (file.write(block.data(), static_cast<std::streamsize>(block.size())).flush()) {
    }
  }
  // Longer than what is left in the pages that there are.
  const std::string note(200000, 'n');
  bench_->store().write(page_.get(), [&](StoreService::Writer& writer) { Annotations(writer.workspace).set_notes(id, note); });
  ASSERT_TRUE(until([&] { return !problems.empty(); }));
  EXPECT_TRUE(problems.front().message.contains(QStringLiteral("no space left"))) << problems.front().message.toStdString();
  EXPECT_EQ(bench_->store().pending(), 0);
  EXPECT_EQ(stored(id).notes, "");
  EXPECT_EQ(cell(0, "name"), QStringLiteral("one"));  // still there
  std::filesystem::remove(ballast);
  press(Qt::Key_S);
  ASSERT_TRUE(written());
  EXPECT_TRUE(stored(id).starred);
}

TEST_F(HardTimes, ADamagedRunIsSaidToBeSoAndCanBeTriedAgainWhileTheOthersWork) {
  const std::string bad = make({.name = "bad"});
  make({.name = "good"});
  {
    Database database(path_.toStdString(), Database::Mode::write);
    database.execute("DELETE FROM summary");
    const std::string of_bad =
        " WHERE lane IN (SELECT step_lane.key FROM step_lane JOIN run ON run.key = step_lane.run WHERE run.id = '" + bad + "')";
    database.execute("UPDATE step SET data = x'00'" + of_bad);
    database.execute("UPDATE step_chunk SET data = x'00'" + of_bad);
  }
  open();
  ASSERT_TRUE(until([this] { return page_->model().detailsIdle() && cell(1, "state").contains(QStringLiteral("Damaged")); }))
      << cell(1, "state").toStdString();
  EXPECT_TRUE(cell(0, "state").contains(QStringLiteral("Finished")));
  page_->table().select({page_->model().index(1, 0).data(RunsModel::id_role).toString()});
  ASSERT_TRUE(until([this] { return find<QLabel>("runs.details.state")->text().contains(QStringLiteral("Damaged")); }));
  EXPECT_TRUE(action("runs.try-again")->isEnabled());
  EXPECT_TRUE(action("run.open-folder")->isEnabled());
  EXPECT_TRUE(action("runs.trash")->isEnabled());
}

TEST_F(HardTimes, WithoutAnEngineResumingSaysWhatWasLookedFor) {
  make({.name = "stopped", .state = "stopped"});
  open(QStringLiteral("/nowhere/syncline-engine"));
  focusFirstRow();
  action("run.resume")->trigger();
  ASSERT_TRUE(until([this] { return !bench_->notices.isEmpty(); }));
  EXPECT_TRUE(bench_->notices.front().contains(QStringLiteral("/nowhere/syncline-engine"))) << bench_->notices.front().toStdString();
  EXPECT_TRUE(bench_->opened_runs.isEmpty());
}

TEST_F(HardTimes, ARunWhoseProcessIsGoneIsLostAndCanBeMarkedFromTheTable) {
  const std::string id = unfinished("gone", gone());
  open();
  EXPECT_TRUE(cell(0, "state").contains(QStringLiteral("Lost"))) << cell(0, "state").toStdString();
  EXPECT_EQ(page_->model().countOf(RunsChip::attention), 1);
  EXPECT_EQ(page_->model().countOf(RunsChip::running), 0);
  focusFirstRow();
  EXPECT_FALSE(action("run.stop")->isEnabled());
  ASSERT_TRUE(action("run.mark-stopped")->isEnabled());
  inDialog<QMessageBox>([](QMessageBox& box) { box.findChild<QPushButton*>(QStringLiteral("runs.mark-stopped.confirm"))->click(); });
  action("run.mark-stopped")->trigger();
  ASSERT_TRUE(until([this] { return cell(0, "state").contains(QStringLiteral("Stopped")); })) << cell(0, "state").toStdString();
  EXPECT_TRUE(stored(id).reason.starts_with("marked as stopped by ")) << stored(id).reason;
  EXPECT_EQ(page_->model().countOf(RunsChip::attention), 0);
}

TEST_F(HardTimes, MarkingARunThatHasSpokenMeanwhileIsRefusedInASentence) {
  const std::string id = unfinished("gone", gone());
  open();
  focusFirstRow();
  inDialog<QMessageBox>([&](QMessageBox& box) {
    RunRegistry(workspace()).finish(id, {.state = "finished", .reason = "", .exit_code = 0, .ended = 0});
    box.findChild<QPushButton*>(QStringLiteral("runs.mark-stopped.confirm"))->click();
  });
  action("run.mark-stopped")->trigger();
  ASSERT_TRUE(until([this] { return !bench_->notices.isEmpty(); }));
  EXPECT_EQ(bench_->notices.front(), QStringLiteral("gone is finished: only a run that is lost or unreachable can be marked as stopped"));
  EXPECT_EQ(stored(id).state, "finished");
}

// Time that the GUI thread computes between two turns of its event loop: what else runs on the machine does not count.
class Stalls : public QObject {
 public:
  Stalls() {
    startTimer(0);
    last_ = now_ms();
  }
  double longest_ms() const { return longest_ms_; }

 protected:
  void timerEvent(QTimerEvent*) override {
    const double now = now_ms();
    longest_ms_ = std::max(longest_ms_, now - last_);
    last_ = now;
  }

 private:
  static double now_ms() {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return 1e3 * static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_nsec);
  }
  double last_ = 0, longest_ms_ = 0;
};

TEST_F(HardTimes, TwoHundredRunsThatFinishAtOnceLeaveTheTableUsableAndTheCountsRight) {
  constexpr int count = 200;
  for (int i = 0; i < count; ++i) unfinished("run " + std::to_string(i), this_process());
  open();
  ASSERT_EQ(page_->model().countOf(RunsChip::running), count);
  focusFirstRow();
  const QString chosen = page_->model().index(0, 0).data(RunsModel::id_role).toString();
  {
    Stalls stalls;
    Database(path_.toStdString(), Database::Mode::write).execute("UPDATE run SET state = 'finished', ended_at = 2e9, exit_code = 0");
    ASSERT_TRUE(until([this] { return page_->model().countOf(RunsChip::running) == 0; }));
    ASSERT_TRUE(until([this] { return cell(0, "state").contains(QStringLiteral("Finished")); }));
    press(Qt::Key_Down);  // still answers to the keyboard
    QTest::qWait(600);    // what follows: details of what is visible, repainting
    EXPECT_LT(stalls.longest_ms(), 50);
  }
  EXPECT_EQ(page_->model().countOf(RunsChip::all), count);
  EXPECT_EQ(page_->model().countOf(RunsChip::attention), 0);
  EXPECT_EQ(table()->currentIndex().row(), 1);
  EXPECT_EQ(page_->model().index(0, 0).data(RunsModel::id_role).toString(), chosen);  // nothing moved under the pointer
  for (int row = 0; row < count; ++row) ASSERT_TRUE(cell(row, "state").contains(QStringLiteral("Finished"))) << row;
}

TEST_F(HardTimes, ALossOfOnlyNaNIsShownAsSuchAndSortedAsMissing) {
  make({.name = "nothing but NaN", .quality = std::numeric_limits<double>::quiet_NaN()});
  make({.name = "low", .quality = 0.5});
  make({.name = "high", .quality = 2});
  open();
  ASSERT_TRUE(until([this] { return page_->model().detailsIdle(); }));
  for (const bool descending : {false, true}) {
    page_->table().setSort(QStringLiteral("loss"), descending);
    ASSERT_TRUE(until([this] { return page_->model().detailsIdle(); }));
    EXPECT_EQ(cell(2, "name"), QStringLiteral("nothing but NaN")) << descending;
    EXPECT_EQ(cell(0, "name"), descending ? QStringLiteral("high") : QStringLiteral("low"));
  }
  EXPECT_EQ(cell(2, "loss"), QStringLiteral("\u2013"));
  page_->table().select({page_->model().index(2, 0).data(RunsModel::id_role).toString()});
  ASSERT_TRUE(until([this] { return find<QLabel>("runs.details.loss")->text() == QStringLiteral("loss NaN"); }))
      << find<QLabel>("runs.details.loss")->text().toStdString();
}

}  // namespace
}  // namespace syncline::ui
