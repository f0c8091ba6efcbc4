// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/workspace_pulse.h"

#include <QDateTime>

#include "engine/store/saved.h"
#include "tests/unit/store/fixture.h"
#include "ui/models/runs_tree.h"

namespace syncline::ui {
namespace {

using WorkspacePulseTest = StoreTest;

TEST_F(WorkspacePulseTest, CountsRunsByConcludedStateAndDraftsWithoutTheTrash) {
  const Workspace at = workspace();
  RunRegistry registry(at);
  registry.create(new_run("going"));  // this process is its rank 0
  NewRun gone = new_run("gone");
  gone.rank0.start_ticks += 1;  // a process of this number, but another one
  gone.supervisor = gone.rank0;
  registry.create(gone);
  const std::string done = registry.create(new_run("done"));
  registry.finish(done, {.state = "finished", .reason = "", .exit_code = 0, .ended = 0});
  const std::string old = registry.create(new_run("old"));
  registry.finish(old, {.state = "failed", .reason = "no", .exit_code = 4, .ended = 0});
  Annotations(at).set_trashed(old, true);
  SavedTexts(at).put({.id = "", .kind = "draft", .name = "d", .content = "x"});
  Reader reader(at);
  const WorkspacePulse pulse = pulse_of(reader, {});
  EXPECT_EQ(pulse.runs, 3);
  EXPECT_EQ(pulse.drafts, 1);
  EXPECT_EQ(pulse.states.value(QStringLiteral("running")), 1);
  EXPECT_EQ(pulse.states.value(QStringLiteral("lost")), 1);
  EXPECT_EQ(pulse.states.value(QStringLiteral("finished")), 1);
  EXPECT_FALSE(pulse.states.contains(QStringLiteral("failed")));
  EXPECT_EQ(activity_text(pulse), QStringLiteral("1 running, 1 lost"));
}

TEST_F(WorkspacePulseTest, ALostAttemptThatWasResumedIsNotLostAnyMore) {
  const Workspace at = workspace();
  RunRegistry registry(at);
  NewRun gone = new_run("resumed");
  gone.rank0.start_ticks += 1;
  gone.supervisor = gone.rank0;
  const std::string first = registry.create(gone);
  Reader reader(at);
  EXPECT_EQ(activity_text(pulse_of(reader, {})), QStringLiteral("1 lost"));
  NewRun again = new_run("resumed");
  again.attempt_of = first;
  const std::string second = registry.create(again);
  EXPECT_EQ(activity_text(pulse_of(reader, {})), QStringLiteral("1 running"));
  registry.finish(second, {.state = "finished", .reason = "", .exit_code = 0, .ended = 0});
  EXPECT_EQ(activity_text(pulse_of(reader, {})), QStringLiteral("no run is active"));
}

TEST_F(WorkspacePulseTest, ItsNumberOfRunsIsThatOfTheRunsPage) {
  const Workspace at = workspace();
  RunRegistry registry(at);
  const auto make = [&](const std::string& name, const std::string& attempt_of = {}) {
    NewRun run = new_run(name);
    run.attempt_of = attempt_of;
    const std::string id = registry.create(run);
    registry.finish(id, {.state = "finished", .reason = "", .exit_code = 0, .ended = 0});
    return id;
  };
  const std::string first = make("resumed");
  make("resumed", first);
  make("resumed", first);
  const std::string archived = make("archived");
  make("archived", archived);
  Annotations(at).add_tag(archived, archived_tag);
  Annotations(at).set_trashed(make("trashed"), true);
  make("alone");
  Reader reader(at);
  const RunsSnapshotPtr rows = read_runs(reader, nullptr);
  const auto shown =
      std::count_if(rows->rows.begin(), rows->rows.end(), [](const RunRowPtr& row) { return chip_lets_through(RunsChip::all, *row); });
  EXPECT_EQ(pulse_of(reader, {}).runs, 2);
  EXPECT_EQ(pulse_of(reader, {}).runs, shown);
}

TEST_F(WorkspacePulseTest, ARunThatWasGoingIsReportedOnceItHasEnded) {
  const Workspace at = workspace();
  RunRegistry registry(at);
  const std::string id = registry.create(new_run("going"));
  Reader reader(at);
  const WorkspacePulse before = pulse_of(reader, {});
  ASSERT_EQ(before.active.size(), 1U);
  registry.finish(id, {.state = "failed", .reason = "rank 1 ended by signal 9", .exit_code = 4, .ended = 0});
  const WorkspacePulse after = pulse_of(reader, {before.active.front().id});
  ASSERT_EQ(after.ended.size(), 1U);
  EXPECT_EQ(after.ended.front().reason, QStringLiteral("rank 1 ended by signal 9"));
  EXPECT_TRUE(after.active.empty());
  EXPECT_EQ(activity_text(after), QStringLiteral("no run is active"));
}

TEST_F(WorkspacePulseTest, TheNewestSignOfLifeIsTheLatestHeartbeat) {
  const Workspace at = workspace();
  RunRegistry registry(at);
  const std::string id = registry.create(new_run("going"));
  Reader reader(at);
  const double before = static_cast<double>(QDateTime::currentMSecsSinceEpoch()) / 1e3;
  registry.heartbeat(id);
  const WorkspacePulse pulse = pulse_of(reader, {});
  ASSERT_TRUE(pulse.newest_s.has_value());
  EXPECT_GE(*pulse.newest_s, before - 1);
}

}  // namespace
}  // namespace syncline::ui
