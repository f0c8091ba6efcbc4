// SPDX-License-Identifier: Apache-2.0
// Jobs are asked to stop and to save: by signals, by other processes, once and twice; and one that runs without whoever started it.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <fstream>

#include "engine/metrics/clock.h"
#include "tests/integration/job/job.h"

namespace syncline::test {
namespace {

class Signalled : public testing::TestWithParam<int> {};

TEST_P(Signalled, OnceSavesAndStopsAndTheRunGoesOnLater) {
  const Engine engine;
  make_endless(engine);
  Job job(engine, "train job.toml");
  ASSERT_TRUE(job.wait_for_step(10)) << job.output();
  ::kill(job.supervisor(), GetParam());
  EXPECT_EQ(job.wait(30), 5) << job.output();
  const RunInfo run = engine.last();
  const std::int64_t step = engine.checkpoint_step(run.id);
  EXPECT_EQ(run.state, "stopped");
  EXPECT_EQ(run.reason, fmt::format("stopped on request after step {}; a checkpoint was saved", step));
  const auto losses = engine.series(run.id, "train_loss");
  ASSERT_FALSE(losses.empty());
  EXPECT_EQ(losses.back().axes.step, step - 1);  // the last step is in the checkpoint, and recorded
  EXPECT_NE(job.output().find("stopping after a checkpoint; ask again to end at once"), std::string::npos) << job.output();
  EXPECT_TRUE(job.gone(20));

  const Ended resumed = engine.run(fmt::format("train --resume last --set train.steps={}", step + 5));
  EXPECT_EQ(resumed.code, 0) << resumed.output;
  EXPECT_EQ(engine.series(engine.last().id, "train_loss").size(), 5u);
}
INSTANTIATE_TEST_SUITE_P(Requests, Signalled, testing::Values(SIGTERM, SIGINT));

TEST(Requests, ASecondSignalEndsAtOnce) {
  const Engine engine;
  make_endless(engine);
  // The checkpoint that the first one asks for never comes to an end.
  Job job(engine, "train job.toml --set fault.limit_s=60", "SYNCLINE_FAULT=1:0:checkpoint:sleep");
  ASSERT_TRUE(job.wait_for_step(5)) << job.output();
  ::kill(job.supervisor(), SIGINT);
  ASSERT_TRUE(eventually(20, [&] { return job.output().find("stopping after a checkpoint") != std::string::npos; })) << job.output();
  EXPECT_FALSE(job.wait(1));
  ::kill(job.supervisor(), SIGINT);
  EXPECT_EQ(job.wait(20), 5) << job.output();
  EXPECT_TRUE(job.gone(20));
  const RunInfo run = engine.last();
  EXPECT_EQ(run.state, "stopped");
  EXPECT_TRUE(run.reason.starts_with("stopped at once on request in step ")) << run.reason;
  EXPECT_EQ(shared_files(job.supervisor()), std::vector<std::string>{});
}

TEST(Requests, FromAnotherProcess) {
  const Engine engine;
  make_endless(engine);
  Job job(engine, "train job.toml --quiet");
  ASSERT_TRUE(job.wait_for_step(5)) << job.output();
  const Ended busy = engine.run("delete last");
  EXPECT_EQ(busy.code, 2);
  EXPECT_NE(busy.output.find("stop it before deleting it"), std::string::npos) << busy.output;

  const nlohmann::json saved = parse_json(engine.run("checkpoint last --wait 30 --json"));
  const std::string id = engine.last().id;
  EXPECT_EQ(saved.at("run"), id);
  EXPECT_EQ(saved.at("stage"), "done");
  const std::int64_t first = engine.checkpoint_step(id);
  EXPECT_GE(first, 5);
  EXPECT_TRUE(job.in_step(first));  // it goes on
  EXPECT_EQ(engine.last().state, "running");

  const Ended stopped = engine.run("stop last --wait 30");
  EXPECT_EQ(stopped.code, 0) << stopped.output;
  const std::int64_t second = engine.checkpoint_step(id);
  EXPECT_GT(second, first);
  EXPECT_EQ(stopped.output, fmt::format("job is stopped: stopped on request after step {}; a checkpoint was saved\n", second));
  EXPECT_EQ(job.wait(20), 5);
  EXPECT_EQ(engine.run("stop last").code, 2);  // nothing to stop any more
}

TEST(Requests, NowNeedsNoCheckpoint) {
  const Engine engine;
  make_endless(engine);
  Job job(engine, "train job.toml --quiet");
  ASSERT_TRUE(job.wait_for_step(5)) << job.output();
  const Ended stopped = engine.run("stop last --now --wait 30");
  EXPECT_EQ(stopped.code, 0) << stopped.output;
  EXPECT_EQ(job.wait(20), 5);
  EXPECT_EQ(engine.last().state, "stopped");
  EXPECT_EQ(engine.checkpoint_step(engine.last().id), -1);
}

// Ranks that do not answer for fault.grace_s are ended by their supervisor.
TEST(Requests, NowEndsRanksThatDoNotAnswer) {
  const Engine engine;
  make_endless(engine);
  Job job(engine, "train job.toml --quiet --set fault.limit_s=60");
  ASSERT_TRUE(job.wait_for_step(5)) << job.output();
  for (const int rank : {0, 1}) ASSERT_EQ(::kill(job.pid(rank), SIGSTOP), 0);
  const Ended stopped = engine.run("stop last --now --wait 30");
  EXPECT_EQ(stopped.code, 0) << stopped.output;
  EXPECT_NE(stopped.output.find("its supervisor did not answer and was sent a signal"), std::string::npos) << stopped.output;
  EXPECT_EQ(job.wait(20), 5) << job.output();
  EXPECT_TRUE(job.gone(20));
  EXPECT_TRUE(engine.last().reason.starts_with("stopped at once on request in step ")) << engine.last().reason;
}

TEST(Requests, AForeignLauncherGetsItsRanksBackAndNothingElse) {
  const Engine engine;
  const Ended ended = engine.run("train job.toml --quiet", mpirun(2));
  EXPECT_EQ(ended.code, 0) << ended.output;
  EXPECT_EQ(engine.leftovers(engine.last().id), std::vector<std::string>{});
}

// The window keeps the id before it launches: after a crash it launches again.
TEST(Requests, ALaunchRepeatedUnderItsIdMakesOneRun) {
  const Engine engine;
  make_endless(engine);
  const std::string id = "019ace5c-7a3e-7cc1-8a6e-0242ac120002", launch = "launch job.toml --on local --detach --id " + id;
  {
    Job starter(engine, launch);
    ASSERT_EQ(starter.wait(30), 0) << starter.output();
    ASSERT_TRUE(starter.wait_for_step(1)) << starter.output();
    const Ended again = engine.run(launch + " --json");
    EXPECT_EQ(again.code, 0) << again.output;
    EXPECT_EQ(again.output, "{\n  \"id\": \"" + id + "\"\n}\n");
    EXPECT_EQ(engine.run("stop " + id + " --wait 30").code, 0);
    EXPECT_TRUE(starter.gone(20));
  }
  EXPECT_EQ(Reader(Workspace::open_read_only(engine.workspace())).runs().size(), 1U);
  const Ended wrong = engine.run("launch job.toml --on local --detach --id mine");
  EXPECT_EQ(wrong.code, 2);
  EXPECT_NE(wrong.output.find("--id mine: an id looks like"), std::string::npos) << wrong.output;
}

TEST(Requests, ADetachedRunNeedsNobody) {
  const Engine engine;
  make_endless(engine);
  std::string id;
  {
    Job starter(engine, "launch job.toml --on local --detach");
    ASSERT_EQ(starter.wait(30), 0) << starter.output();
    id = starter.output().substr(0, starter.output().find('\n'));
    EXPECT_EQ(id, engine.last().id);
    ::kill(-starter.supervisor(), SIGHUP);  // the session that started it ends
    ASSERT_TRUE(starter.wait_for_step(10)) << starter.output();
    const RunInfo run = engine.last();
    EXPECT_EQ(run.state, "running");
    EXPECT_NE(::getsid(static_cast<pid_t>(run.supervisor.pid)), starter.supervisor());
    const Ended stopped = engine.run("stop " + id + " --wait 30");
    EXPECT_EQ(stopped.code, 0) << stopped.output;
    EXPECT_TRUE(starter.gone(20));
  }
  for (const int left : engine.processes()) ::kill(left, SIGKILL);
  EXPECT_EQ(engine.last().exit_code, 5);
  std::ifstream log(Workspace::open_read_only(engine.workspace()).run_folder(id) / "log.txt");
  std::string text((std::istreambuf_iterator<char>(log)), {});
  EXPECT_NE(text.find("stopped on request after step"), std::string::npos) << text;
}

}  // namespace
}  // namespace syncline::test
