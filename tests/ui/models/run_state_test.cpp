// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include "engine/experiment/experiment.h"
#include "engine/sim/schema.h"
#include "ui/models/format.h"
#include "ui/models/run_page_communication.h"
#include "ui/models/run_page_settings.h"
#include "ui/models/run_page_state.h"

namespace syncline::ui {
namespace {

constexpr double now = 1.8e9;

RunSnapshot running() {
  RunSnapshot snapshot;
  snapshot.run.id = "id";
  snapshot.run.name = "a run";
  snapshot.run.kind = "measured";
  snapshot.run.state = snapshot.run.stored_state = "running";
  snapshot.run.workers = 2;
  snapshot.run.created = now - 100;
  snapshot.run.heartbeat = now - 1;
  snapshot.run.supervisor = {"host", "boot", 7, 8};
  Axes at;
  at.step = 41;
  at.wall_s = now - 0.5;
  snapshot.position = at;
  snapshot.total_steps = 100;
  snapshot.typical_step_s = 0.02;
  return snapshot;
}

RunSnapshot ended(const std::string& state, const std::string& reason = {}) {
  RunSnapshot snapshot = running();
  snapshot.run.state = snapshot.run.stored_state = state;
  snapshot.run.reason = reason;
  snapshot.run.ended = now;
  return snapshot;
}

TEST(ShownStateTest, IsRunningWhileStepsAdvance) {
  const ShownState state = shown_state(running(), now);
  EXPECT_EQ(state.word, QStringLiteral("Running"));
  EXPECT_EQ(state.icon, QStringLiteral("▶"));
  EXPECT_EQ(state.tone, Tone::good);
}

TEST(ShownStateTest, IsStartingUntilTheFirstStepWithTheRanksThatReport) {
  RunSnapshot snapshot = running();
  snapshot.position.reset();
  snapshot.ranks_reporting = 1;
  EXPECT_EQ(shown_state(snapshot, now).text(), QStringLiteral("Starting, 1 of 2 ranks"));
  snapshot.run.state = "queued";
  EXPECT_EQ(shown_state(snapshot, now).word, QStringLiteral("Starting"));
  snapshot.run.supervisor = {};
  EXPECT_EQ(shown_state(snapshot, now).word, QStringLiteral("Queued"));
}

TEST(ShownStateTest, HasNoProgressAfterAMinuteOrTenTypicalSteps) {
  RunSnapshot snapshot = running();
  snapshot.position->wall_s = now - 59;
  EXPECT_EQ(shown_state(snapshot, now).word, QStringLiteral("Running"));
  snapshot.position->wall_s = now - 120;
  EXPECT_EQ(shown_state(snapshot, now).word, QStringLiteral("No progress"));
  EXPECT_EQ(shown_state(snapshot, now).detail, format::duration(120));
  snapshot.typical_step_s = 30;  // ten of them are five minutes
  EXPECT_EQ(shown_state(snapshot, now).word, QStringLiteral("Running"));
}

TEST(ShownStateTest, IsStoppingWithTheStageOfTheRequestUntilTheEndIsKnown) {
  RunSnapshot snapshot = running();
  snapshot.run.state = "stopping";
  snapshot.requests = {{.id = 1,
                        .run_id = "id",
                        .kind = "stop-after-checkpoint",
                        .by = "workbench",
                        .stage = "asked",
                        .note = "",
                        .asked_at = now - 12,
                        .acknowledged_at = {}}};
  EXPECT_EQ(shown_state(snapshot, now).text(), QStringLiteral("Stopping, not answered yet, ") + format::duration(12));
  snapshot.requests[0].stage = "announced for step 120";
  EXPECT_EQ(shown_state(snapshot, now).detail, QStringLiteral("announced for step 120, ") + format::duration(12));
}

TEST(ShownStateTest, SaysUnreachableOfUsAndLostOfTheJob) {
  RunSnapshot unknown = ended("unknown", "unknown since then");
  unknown.run.heartbeat = now - 5 * 3600;
  EXPECT_EQ(shown_state(unknown, now).text(), QStringLiteral("Unreachable, ") + format::duration(5 * 3600));
  EXPECT_EQ(shown_state(ended("lost", "gone"), now).text(), QStringLiteral("Lost, gone"));
  EXPECT_EQ(shown_state(ended("failed", "rank 1 ended by signal 9"), now).text(), QStringLiteral("Failed, rank 1 ended by signal 9"));
  EXPECT_EQ(shown_state(ended("finished"), now).text(), QStringLiteral("Finished"));
  EXPECT_EQ(shown_state(ended("stopped"), now).icon, QStringLiteral("■"));
}

TEST(ShownStateTest, MarksAPrediction) {
  RunSnapshot snapshot = ended("finished");
  snapshot.run.kind = "prediction";
  EXPECT_EQ(shown_state(snapshot, now).word, QStringLiteral("Prediction"));
}

TEST(RequestTextTest, FollowsACheckpointUntilSomeSecondsAfterItIsDone) {
  RunSnapshot snapshot = running();
  EXPECT_EQ(request_text(snapshot, now), QString());
  snapshot.requests = {{.id = 1,
                        .run_id = "id",
                        .kind = "checkpoint",
                        .by = "",
                        .stage = "accepted",
                        .note = "",
                        .asked_at = now - 2,
                        .acknowledged_at = {}}};
  EXPECT_EQ(request_text(snapshot, now), QStringLiteral("checkpoint: accepted, ") + format::duration(2));
  snapshot.requests[0].stage = "done";
  snapshot.requests[0].acknowledged_at = now - 5;
  EXPECT_EQ(request_text(snapshot, now), QStringLiteral("checkpoint: done"));
  snapshot.requests[0].acknowledged_at = now - 50;
  EXPECT_EQ(request_text(snapshot, now), QString());
  snapshot.requests = {
      {.id = 2, .run_id = "id", .kind = "stop-now", .by = "", .stage = "accepted", .note = "", .asked_at = now, .acknowledged_at = {}}};
  EXPECT_EQ(request_text(snapshot, now), QString());
}

TEST(ForceTest, IsOfferedAfterTheGraceTimeOnly) {
  RunSnapshot snapshot = running();
  snapshot.grace_s = 30;
  EXPECT_FALSE(force_offered(snapshot, now));
  snapshot.requests = {{.id = 1,
                        .run_id = "id",
                        .kind = "stop-now",
                        .by = "",
                        .stage = "accepted",
                        .note = "",
                        .asked_at = now - 20,
                        .acknowledged_at = {}}};
  EXPECT_FALSE(force_offered(snapshot, now));
  snapshot.requests[0].asked_at = now - 31;
  EXPECT_TRUE(force_offered(snapshot, now));
  snapshot.requests[0].stage = "done";
  EXPECT_FALSE(force_offered(snapshot, now));
}

std::vector<ProgressPoint> steady(double step_s, int points = 60) {
  std::vector<ProgressPoint> progress;
  for (int k = 0; k < points; ++k) progress.push_back({step_s * 10 * k, 10 * k});
  return progress;
}

TEST(RemainingTimeTest, IsTheStepsLeftAtTheRecentPaceRounded) {
  EXPECT_DOUBLE_EQ(*remaining_time(steady(0.1), 591 + 1000), 120);   // 1000 steps of 0.1 s, to whole minutes: 100 s
  EXPECT_DOUBLE_EQ(*remaining_time(steady(0.1), 591 + 230), 25);     // 23 s, to 5
  EXPECT_DOUBLE_EQ(*remaining_time(steady(10), 591 + 1000), 10200);  // 10 000 s, to ten minutes
  EXPECT_DOUBLE_EQ(*remaining_time(steady(0.1), 591), 0);
}

TEST(RemainingTimeTest, IsNotSaidWithTooFewPointsOrAnUnsteadyPace) {
  EXPECT_FALSE(remaining_time(steady(0.1, 9), 1000).has_value());
  std::vector<ProgressPoint> slowing = steady(0.1);
  for (std::size_t k = 40; k < slowing.size(); ++k) slowing[k].active_s += static_cast<double>(k - 40) * 3;  // three times slower
  EXPECT_FALSE(remaining_time(slowing, 10'000).has_value());
  EXPECT_FALSE(remaining_time({}, 1000).has_value());
  EXPECT_FALSE(remaining_time(std::vector<ProgressPoint>(20), 1000).has_value());
}

std::vector<QString> causes(const RunSnapshot& snapshot) {
  std::vector<QString> found;
  for (const Banner& banner : banners_of(snapshot)) found.push_back(banner.cause);
  return found;
}

TEST(BannerTest, IsShownForADeadRankWithLogAndResume) {
  RunSnapshot snapshot = ended("failed", "rank 1 (pid 5, host a) ended by signal 9 in step 30");
  snapshot.checkpoints = {{.sequence = 1, .step = 20, .wall_s = now, .path = "checkpoints/step_000020", .bytes = 5, .verified = true}};
  const std::vector<Banner> banners = banners_of(snapshot);
  ASSERT_EQ(banners.size(), 1u);
  EXPECT_EQ(banners[0].cause, QStringLiteral("rank-died"));
  EXPECT_TRUE(banners[0].with_log && banners[0].with_resume);
  snapshot.checkpoints.clear();
  EXPECT_FALSE(banners_of(snapshot)[0].with_resume);
  snapshot.inherited = CheckpointRecord{.sequence = 1, .step = 10, .wall_s = now, .path = {}, .bytes = 5, .verified = true};
  EXPECT_TRUE(banners_of(snapshot)[0].with_resume) << "it goes on from where it began itself";
  EXPECT_EQ(newest_checkpoint(snapshot)->step, 10);
}

TEST(BannerTest, TellsAFailedStartFromAFailedRun) {
  RunSnapshot snapshot = ended("failed", "asked for 8 ranks, got 1");
  EXPECT_EQ(causes(snapshot), (std::vector<QString>{QStringLiteral("failed")}));
  snapshot.position.reset();
  EXPECT_EQ(causes(snapshot), (std::vector<QString>{QStringLiteral("failed-start")}));
}

TEST(BannerTest, SaysWhatHappensNextAfterALossThatIsNotFinite) {
  RunSnapshot snapshot = running();
  snapshot.run.experiment = "[train]\non_divergence = \"continue\"\n";
  snapshot.events = {{.sequence = 1,
                      .wall_s = now,
                      .active_s = 1,
                      .step = 12,
                      .rank = -1,
                      .kind = "divergence",
                      .text = "the loss of rank 1 is not finite"}};
  const std::vector<Banner> banners = banners_of(snapshot);
  ASSERT_EQ(banners.size(), 1u);
  EXPECT_TRUE(banners[0].text.contains(QStringLiteral("rank 1")) && banners[0].text.contains(QStringLiteral("continue")))
      << banners[0].text.toStdString();
}

TEST(BannerTest, CollapsesRepetitions) {
  RunSnapshot snapshot = running();
  for (int k = 0; k < 5; ++k)
    snapshot.events.push_back(
        {.sequence = k, .wall_s = now, .active_s = 1, .step = k, .rank = -1, .kind = "dropped", .text = "rank 1 left out 3 records"});
  EXPECT_EQ(causes(snapshot), (std::vector<QString>{QStringLiteral("dropped")}));
  EXPECT_TRUE(causes(running()).empty());
}

TEST(ReasonTest, SaysWhyARunCannotBeResumed) {
  EXPECT_FALSE(reason_not_to_resume(running()).isEmpty());
  EXPECT_FALSE(reason_not_to_resume(ended("stopped")).isEmpty());  // no checkpoint
  RunSnapshot stopped = ended("stopped");
  stopped.checkpoints.emplace_back();
  EXPECT_TRUE(reason_not_to_resume(stopped).isEmpty());
  RunSnapshot done = ended("finished");
  done.checkpoints.emplace_back();
  done.position->step = 99;
  EXPECT_FALSE(reason_not_to_resume(done).isEmpty());
  EXPECT_TRUE(reason_not_to_stop(running()).isEmpty());
  EXPECT_FALSE(reason_not_to_stop(done).isEmpty());
}

TEST(OverlapFiguresTest, MarkExposedAndBlockedThatDoNotAgree) {
  Summary summary;
  summary.step_s = 0.04;
  summary.exposed_comm_s = 0.0026;
  summary.blocked_s = 0.0027;
  EXPECT_FALSE(overlap_figures(summary).disagree);
  EXPECT_EQ(overlap_figures(summary).exposed, format::duration(0.0026) + QStringLiteral(" (%1)").arg(format::share(0.065)));
  EXPECT_EQ(overlap_figures(summary).hidden, format::missing);
  summary.blocked_s = 0.0035;
  EXPECT_TRUE(overlap_figures(summary).disagree);
  summary.exposed_comm_s = 1e-5;  // far apart by share, not by time
  summary.blocked_s = 1e-4;
  EXPECT_FALSE(overlap_figures(summary).disagree);
}

TEST(ComputeOnlyTest, IsAValidExperimentThatTheEngineTakesForTheCounterpart) {
  const Parsed given = parse_experiment(
      "name = \"one\"\n[model]\nzoo = \"mlp\"\n[data]\nsource = \"synthetic\"\n[train]\nsteps = 5\n[cluster]\nworkers = 2\n"
      "link = { bandwidth = \"1 Gbit/s\", emulate = true }\n[strategy]\nname = \"sync\"\nplan = \"wfbp\"\nallreduce = \"direct\"\n",
      "one.toml", catalogue());
  ASSERT_TRUE(given.experiment.has_value());
  const std::string text = compute_only_experiment(given.experiment->complete, "one, compute only");
  const Parsed changed = parse_experiment(text, "two.toml", catalogue());
  ASSERT_TRUE(changed.experiment.has_value()) << (changed.problems.empty() ? "" : to_string(changed.problems[0]));
  EXPECT_EQ(changed.experiment->strategy.name, "none");
  EXPECT_EQ(changed.experiment->name, "one, compute only");
  EXPECT_EQ(baseline_key(changed.experiment->complete), baseline_key(given.experiment->complete));
}

TEST(SettingRowsTest, SayWhichValuesWereTyped) {
  RunInfo run;
  run.experiment_as_typed = "[train]\nsteps = 5\noptimizer = { lr = 0.1 }\n";
  run.experiment = "[train]\nsteps = 5\nbatch_per_worker = 64\noptimizer = { name = \"sgd\", lr = 0.1 }\n";
  const std::vector<SettingRow> rows = settings_of(run);
  ASSERT_EQ(rows.size(), 4u);
  EXPECT_EQ(rows[0], (SettingRow{QStringLiteral("train.steps"), QStringLiteral("5"), QStringLiteral("typed")}));
  EXPECT_EQ(rows[1].origin, QStringLiteral("default"));
  EXPECT_EQ(rows[2], (SettingRow{QStringLiteral("train.optimizer.name"), QStringLiteral("\"sgd\""), QStringLiteral("default")}));
  EXPECT_EQ(rows[3].origin, QStringLiteral("typed"));
}

TEST(SettingTest, IsReadByItsDottedKey) {
  EXPECT_EQ(setting_of("[train]\nsteps = 5\non_divergence = \"fail\"\n", "train.on_divergence"), "fail");
  EXPECT_EQ(setting_of("[train]\nsteps = 5\n", "train.steps"), "5");
  EXPECT_EQ(setting_of("[train]\nsteps = 5\n", "train.epochs"), "");
  EXPECT_EQ(setting_of("not toml [", "train.epochs"), "");
}

}  // namespace
}  // namespace syncline::ui
