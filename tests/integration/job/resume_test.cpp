// SPDX-License-Identifier: Apache-2.0
// Going on after an end, as a user does it: by name, with what may differ and what may not, from parameters only, and by the supervisor.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <fstream>
#include <map>

#include "engine/store/registry.h"
#include "engine/train/rank/checkpoint.h"
#include "tests/integration/job/job.h"

namespace syncline::test {
namespace {

// The values of a series as `export --format json` gives them, by step.
std::map<std::int64_t, double> exported(const Engine& engine, const std::string& run, const std::string& name) {
  const Ended ended = engine.run(fmt::format("export {} --format json --output out.json", run));
  EXPECT_EQ(ended.code, 0) << ended.output;
  std::ifstream stream(engine.folder() / "out.json");
  const nlohmann::json document = nlohmann::json::parse(stream);
  std::map<std::int64_t, double> values;
  for (const auto& series : document.at("series")) {
    if (series.at("name") != name) continue;
    const auto column = [&, names = series.at("columns").get<std::vector<std::string>>()](const char* wanted) {
      return static_cast<std::size_t>(std::find(names.begin(), names.end(), wanted) - names.begin());
    };
    for (const auto& point : series.at("points")) values[point.at(column("step"))] = point.at(column("value")).get<double>();
  }
  return values;
}

// A rank with SYNCLINE_FAULT=...:until=go goes on.
void go_on(const Engine& engine) { std::ofstream(engine.folder() / "go") << "go"; }

TEST(Resuming, AStopInMidEpochLeavesNoTraceInTheLosses) {
  const Engine engine;
  engine.replace("limit_s = 3", "limit_s = 60");
  engine.replace("epochs = 4", "steps = 60");
  ASSERT_EQ(engine.train("--name whole").code, 0);
  // The stop falls where it falls: the run waits in step 17 until the signal has come to rank 0.
  Job job(engine, "train job.toml --name parts --quiet", "SYNCLINE_FAULT=1:17:data:until=go");
  ASSERT_TRUE(job.wait_for_step(15)) << job.output();
  ::kill(job.supervisor(), SIGTERM);
  Requests requests(Workspace::open(engine.workspace()));
  ASSERT_TRUE(eventually(30, [&, id = engine.last().id] {
    const auto asked = requests.of(id);
    return !asked.empty() && asked[0].stage == "accepted";
  })) << job.output();
  go_on(engine);
  ASSERT_EQ(job.wait(30), 5) << job.output();
  const RunInfo first = engine.last();
  const std::int64_t stopped = engine.checkpoint_step(first.id);
  EXPECT_NE(stopped % 7, 0) << "not in mid-epoch";
  const Ended resumed = engine.run("train --resume last");
  ASSERT_EQ(resumed.code, 0) << resumed.output;
  const RunInfo second = engine.last();
  EXPECT_EQ(second.name, "parts");
  EXPECT_EQ(second.attempt, 2);
  auto both = exported(engine, first.id, "train_loss");
  EXPECT_EQ(both.size(), static_cast<std::size_t>(stopped));
  for (const auto& [step, loss] : exported(engine, second.id, "train_loss")) {
    EXPECT_TRUE(both.emplace(step, loss).second) << step;
  }
  EXPECT_EQ(both, exported(engine, "whole", "train_loss"));  // to the last bit: JSON numbers are written to come back as they were
  EXPECT_EQ(both.size(), 60u);
}

// What a rank holds in an epoch is a function of the seed: it is read again from the source, and goes on changing places. Measuring for the
// plan takes more batches than an epoch has.
TEST(Resuming, SamplesInMemoryAreWhereTheyWere) {
  const Engine engine;
  engine.replace("epochs = 4", "steps = 30");
  const std::string memory =
      " --set data.residency=memory --set strategy.plan=mg-wfbp --set 'train.batch_per_worker=[8, 7]' --set 'checkpoint.every=\"12 "
      "steps\"' --set checkpoint.keep=9";
  ASSERT_EQ(engine.train("--name whole" + memory).code, 0);
  const auto exchanges = exported(engine, "whole", "data_exchange_bytes");
  EXPECT_EQ(exchanges.size(), 7u) << "epochs of 4 steps";
  const Ended resumed = engine.run("train --resume whole --from-step 12 --name rest");
  ASSERT_EQ(resumed.code, 0) << resumed.output;
  auto whole = exported(engine, "whole", "train_loss");
  std::erase_if(whole, [](const auto& point) { return point.first < 12; });
  EXPECT_EQ(whole, exported(engine, engine.last().id, "train_loss"));
  EXPECT_EQ(engine.run("validate job.toml --set cluster.compute=emulate --set data.residency=memory").code, 2);
}

TEST(Resuming, WhatMayDifferAndWhatMayNot) {
  const Engine engine;
  engine.replace("epochs = 4", "steps = 10");
  ASSERT_EQ(engine.train("--name first").code, 0);
  const RunInfo first = engine.last();
  const Ended other = engine.run("train --resume last --set train.optimizer.lr=0.02 --json");
  EXPECT_EQ(other.code, 2);
  const std::string message = nlohmann::json::parse(other.output).at("error").at("message");
  EXPECT_NE(message.find("train.optimizer.lr"), std::string::npos) << message;
  EXPECT_EQ(engine.last().id, first.id);  // nothing was recorded

  ASSERT_EQ(engine.run("train --resume first --set train.steps=14 --set 'checkpoint.every=\"2 steps\"'").code, 0);
  const RunInfo longer = engine.last();
  EXPECT_EQ(longer.attempt_of, first.id);
  EXPECT_EQ(longer.attempt, 2);
  EXPECT_EQ(engine.series(longer.id, "train_loss").size(), 4u);

  const Ended beyond = engine.run("train --resume no-such-run");
  EXPECT_EQ(beyond.code, 2);
  EXPECT_NE(beyond.output.find("no-such-run"), std::string::npos) << beyond.output;
}

TEST(Resuming, FromAnOlderCheckpointTheSameStepsFollowAgain) {
  const Engine engine;
  engine.replace("epochs = 4", "steps = 30");
  ASSERT_EQ(engine.train("--name whole --set 'checkpoint.every=\"10 steps\"' --set checkpoint.keep=5").code, 0);
  const RunInfo whole = engine.last();
  const Ended none = engine.run("train --resume whole --from-step 7");
  EXPECT_EQ(none.code, 2);
  EXPECT_NE(none.output.find("no checkpoint of that step; it has those of steps 30, 20, 10"), std::string::npos) << none.output;
  EXPECT_EQ(engine.run("train job.toml --from-step 10").code, 2);
  EXPECT_EQ(engine.last().id, whole.id);  // nothing was recorded

  const Ended again = engine.run("train --resume whole --from-step 10");
  ASSERT_EQ(again.code, 0) << again.output;
  const RunInfo second = engine.last();
  EXPECT_EQ(second.resumed_from, whole.id);
  EXPECT_EQ(second.attempt, 2);
  const auto first = exported(engine, whole.id, "train_loss"), repeated = exported(engine, second.id, "train_loss");
  ASSERT_EQ(repeated.size(), 20u);
  EXPECT_EQ(repeated.begin()->first, 10);
  for (const auto& [step, loss] : repeated) EXPECT_EQ(loss, first.at(step)) << step;
  EXPECT_EQ(engine.state(second.id), engine.state(whole.id));
}

TEST(Restarting, AnAttemptThatDiesBeforeItsFirstCheckpointStartsFromTheOneThatWasChosen) {
  const Engine engine;
  engine.replace("epochs = 4", "steps = 30");
  engine.replace("limit_s = 3", "limit_s = 30\nmax_restarts = 1");
  ASSERT_EQ(engine.train("--name whole --set 'checkpoint.every=\"10 steps\"' --set checkpoint.keep=5").code, 0);
  const RunInfo whole = engine.last();
  Job job(engine, "train --resume whole --from-step 10 --set 'checkpoint.every=\"20 steps\"'", "SYNCLINE_FAULT=0:15:data:until=go");
  ASSERT_TRUE(job.wait_for_step(14)) << job.output();
  ::kill(job.pid(1), SIGKILL);
  go_on(engine);
  EXPECT_EQ(job.wait(30), 0) << job.output();
  const RunInfo last = engine.last();
  EXPECT_EQ(last.attempt, 3);
  EXPECT_EQ(last.resumed_from, whole.id);
  EXPECT_EQ(engine.series(last.id, "train_loss").size(), 20u);
}

TEST(Resuming, AnAttemptThatDiedBeforeItsFirstCheckpointGoesOnFromWhereItBegan) {
  const Engine engine;
  engine.replace("epochs = 4", "steps = 30");
  ASSERT_EQ(engine.train("--name whole --set 'checkpoint.every=\"10 steps\"' --set checkpoint.keep=5").code, 0);
  const RunInfo whole = engine.last();
  Job job(engine, "train --resume whole --from-step 10 --set 'checkpoint.every=\"20 steps\"'", "SYNCLINE_FAULT=0:15:data:until=go");
  ASSERT_TRUE(job.wait_for_step(14)) << job.output();
  ::kill(job.pid(1), SIGKILL);
  go_on(engine);
  ASSERT_EQ(job.wait(30), 4) << job.output();
  const RunInfo died = engine.last();
  EXPECT_EQ(died.resumed_from, whole.id);
  ASSERT_TRUE(committed_checkpoints(Workspace::open_read_only(engine.workspace()).run_folder(died.id) / "checkpoints").empty());

  const Ended later = engine.run(fmt::format("train --resume {} --from-step 20", died.id));
  EXPECT_EQ(later.code, 2);  // it never had that one: it began before
  EXPECT_NE(later.output.find("no checkpoint of that step; it has those of step 10"), std::string::npos) << later.output;
  EXPECT_EQ(engine.last().id, died.id);

  for (const std::string& how : {fmt::format("train --resume {}", died.id), fmt::format("train --resume {} --from-step 10", died.id),
                                 fmt::format("launch --resume {} --on local --detach", died.id)}) {
    ASSERT_EQ(engine.run(how).code, 0) << how;
    const RunInfo again = engine.last();
    ASSERT_NE(again.id, died.id) << how;
    ASSERT_TRUE(eventually(30, [&] { return engine.last().state == "finished"; })) << how << engine.last().reason;
    EXPECT_EQ(again.resumed_from, whole.id) << how;  // whose checkpoint it is
    EXPECT_EQ(again.attempt_of, whole.id) << how;
    const auto losses = engine.series(again.id, "train_loss");
    ASSERT_EQ(losses.size(), 20u) << how;
    EXPECT_EQ(losses.front().axes.step, 10) << how;
  }
}

TEST(Resuming, WithoutACheckpointNothingStarts) {
  const Engine engine;
  Job job(engine, "train job.toml --set 'checkpoint.every=\"never\"'", "SYNCLINE_FAULT=0:5:data:until=go");
  ASSERT_TRUE(job.wait_for_step(4)) << job.output();
  ::kill(job.pid(1), SIGKILL);
  go_on(engine);
  ASSERT_EQ(job.wait(30), 4) << job.output();
  const RunInfo only = engine.last();
  const Ended resumed = engine.run("train --resume last --set train.epochs=8");
  EXPECT_EQ(resumed.code, 2);
  EXPECT_NE(resumed.output.find("has saved no checkpoint, so there is nothing to resume from"), std::string::npos) << resumed.output;
  EXPECT_EQ(engine.last().id, only.id) << "no run is left of the attempt";
}

TEST(Resuming, ParametersOnlyStartANewRun) {
  const Engine engine;
  ASSERT_EQ(engine.train("--name first").code, 0);
  const RunInfo first = engine.last();
  const Ended started = engine.train("--init-from last --name second");
  ASSERT_EQ(started.code, 0) << started.output;
  const RunInfo run = engine.last();
  EXPECT_EQ(run.resumed_from, "");
  EXPECT_EQ(run.attempt_of, "");
  EXPECT_NE(started.output.find("from the checkpoint of step 28"), std::string::npos) << started.output;
  const auto before = engine.series(first.id, "train_loss"), after = engine.series(run.id, "train_loss");
  ASSERT_EQ(after.size(), 28u);
  EXPECT_EQ(after.front().axes.step, 0);
  EXPECT_LT(after.front().value, 0.5 * before.front().value);  // it begins where the other had come to
  // Workers that never met have parameters of their own; those of the first one are what a synchronous run starts from.
  EXPECT_EQ(engine.train("--name last").code, 2);  // it would hide the newest run
  const std::string together = "name = \"sync\"\nplan = \"wfbp\"", apart = "name = \"none\"";
  engine.replace(together, apart);
  ASSERT_EQ(engine.train("--name apart").code, 0);
  engine.replace(apart, together);
  const Ended joined = engine.train("--init-from apart --name joined");
  EXPECT_EQ(joined.code, 0) << joined.output;
}

TEST(Restarting, ARunThatLostARankGoesOnFromItsNewestCheckpoint) {
  const Engine engine;
  engine.replace("epochs = 4", "steps = 40");
  ASSERT_EQ(engine.train("--name whole").code, 0);
  const RunInfo whole = engine.last();
  engine.replace("limit_s = 3", "limit_s = 30\nmax_restarts = 1");
  // It waits in one step, so that the kill comes in the middle.
  Job job(engine, "train job.toml --set 'checkpoint.every=\"10 steps\"'", "SYNCLINE_FAULT=0:25:data:until=go");
  ASSERT_TRUE(job.wait_for_step(24)) << job.output();
  ::kill(job.pid(1), SIGKILL);
  go_on(engine);
  EXPECT_EQ(job.wait(30), 0) << job.output();
  const RunInfo second = engine.last();
  EXPECT_EQ(second.state, "finished");
  EXPECT_EQ(second.attempt, 2);
  const RunInfo first = Reader(Workspace::open_read_only(engine.workspace())).run(second.resumed_from);
  EXPECT_EQ(second.attempt_of, first.id);
  EXPECT_EQ(first.state, "failed");
  EXPECT_NE(first.reason.find("ended by signal 9 (Killed) in step "), std::string::npos) << first.reason;
  EXPECT_NE(job.output().find("restart 1 of 1 from the newest checkpoint"), std::string::npos) << job.output();
  EXPECT_NE(job.output().find("from the checkpoint of step 20"), std::string::npos) << job.output();
  EXPECT_EQ(engine.state(second.id), engine.state(whole.id));
}

TEST(Restarting, WithoutACheckpointThereIsNothingToStartFrom) {
  const Engine engine;
  engine.replace("limit_s = 3", "limit_s = 3\nmax_restarts = 2");
  const Ended ended = engine.train("", "SYNCLINE_FAULT=1:3:forward:kill");
  EXPECT_EQ(ended.code, 4) << ended.output;
  EXPECT_EQ(engine.last().attempt, 1);
}

class FailureThatWouldRepeat : public testing::TestWithParam<const char*> {};

// A checkpoint is there; but the same would happen again.
TEST_P(FailureThatWouldRepeat, IsFollowedByNoRestart) {
  const Engine engine;
  engine.replace("limit_s = 3", "limit_s = 3\nmax_restarts = 2");
  const Ended ended = engine.train("--set 'checkpoint.every=\"4 steps\"'", std::string("SYNCLINE_FAULT=") + GetParam());
  EXPECT_EQ(ended.code, 4) << ended.output;
  EXPECT_GE(engine.checkpoint_step(engine.last().id), 4);
  EXPECT_EQ(engine.last().attempt, 1) << ended.output;
}
INSTANTIATE_TEST_SUITE_P(Restarting, FailureThatWouldRepeat, testing::Values("1:10:collective:nan", "1:10:forward:throw"));

// A rank that hangs is as good as gone.
TEST(Restarting, ARunWithASilentRankGoesOn) {
  const Engine engine;
  engine.replace("limit_s = 3", "limit_s = 2\nmax_restarts = 1");
  const Ended ended = engine.train("--set 'checkpoint.every=\"4 steps\"'", "SYNCLINE_FAULT=1:10:forward:stop");
  EXPECT_EQ(engine.last().attempt, 2) << ended.output;
  EXPECT_NE(ended.output.find("restart 1 of 1 from the newest checkpoint"), std::string::npos) << ended.output;
}

}  // namespace
}  // namespace syncline::test
