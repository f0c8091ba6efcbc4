// SPDX-License-Identifier: Apache-2.0
// Each process of a job is killed or stopped in the middle of training: the job ends soon, says truly why, and leaves nothing behind.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <regex>

#include "engine/metrics/clock.h"
#include "tests/integration/job/job.h"

namespace syncline::test {
namespace {

constexpr std::int64_t middle = 12;  // in the second epoch

std::string host() { return host_name(); }

// What no end of a job may leave.
void expect_nothing_left(const Engine& engine, const RunInfo& run) {
  EXPECT_TRUE(engine.processes().empty());
  EXPECT_EQ(engine.leftovers(run.id), std::vector<std::string>{});
  EXPECT_NE(run.state, "running");
}

class KilledRank : public testing::TestWithParam<int> {};

TEST_P(KilledRank, IsNamedWithItsSignalAndStep) {
  const Engine engine;
  make_endless(engine);
  Job job(engine, "train job.toml --quiet");
  ASSERT_TRUE(job.wait_for_step(middle)) << job.output();
  const pid_t victim = job.pid(GetParam());
  const double start_s = monotonic_s();
  ASSERT_EQ(::kill(victim, SIGKILL), 0);
  EXPECT_EQ(job.wait(10), 4) << job.output();
  EXPECT_LT(monotonic_s() - start_s, 10);
  const RunInfo run = engine.last();
  EXPECT_EQ(run.state, "failed");
  EXPECT_EQ(run.stored_state, "failed");
  std::smatch found;
  ASSERT_TRUE(
      std::regex_match(run.reason, found, std::regex("(rank . \\(pid .*, host .*\\) ended by signal 9 \\(Killed\\)) in step ([0-9]+)")))
      << run.reason;
  EXPECT_EQ(found[1], fmt::format("rank {} (pid {}, host {}) ended by signal 9 (Killed)", GetParam(), victim, host()));
  EXPECT_GE(std::stoll(found[2]), middle);
  EXPECT_NE(job.output().find("failed: " + run.reason), std::string::npos) << job.output();
  expect_nothing_left(engine, run);
  EXPECT_EQ(shared_files(job.supervisor()), std::vector<std::string>{});
}
INSTANTIATE_TEST_SUITE_P(Faults, KilledRank, testing::Values(0, 1));

class KilledSupervisor : public testing::TestWithParam<int> {};

TEST_P(KilledSupervisor, LeavesARunThatSavesAndStops) {
  const Engine engine;
  make_endless(engine);
  Job job(engine, fmt::format("train job.toml --set cluster.workers={} --set train.batch_per_worker=4", GetParam()));
  ASSERT_TRUE(job.wait_for_step(middle, GetParam())) << job.output();
  ::kill(job.supervisor(), SIGKILL);
  EXPECT_TRUE(job.gone(20));
  const RunInfo run = engine.last();
  EXPECT_EQ(run.state, "stopped") << run.reason;
  EXPECT_GE(engine.checkpoint_step(run.id), middle);
  EXPECT_EQ(run.reason,
            fmt::format("stopped after step {} because the supervisor ended; a checkpoint was saved", engine.checkpoint_step(run.id)));
  EXPECT_EQ(run.exit_code, 5);
  expect_nothing_left(engine, run);
  EXPECT_TRUE(eventually(20, [&] { return shared_files(job.supervisor()).empty(); }));
}

INSTANTIATE_TEST_SUITE_P(Faults, KilledSupervisor, testing::Values(1, 2));

TEST(Killed, MpirunAndNothingIsLeft) {
  const Engine engine;
  make_endless(engine);
  Job job(engine, "train job.toml --quiet");
  ASSERT_TRUE(job.wait_for_step(middle)) << job.output();
  ::kill(job.mpirun(), SIGKILL);
  EXPECT_EQ(job.wait(10), 4) << job.output();
  const RunInfo run = engine.last();
  EXPECT_EQ(run.state, "failed");
  EXPECT_TRUE(std::regex_match(run.reason, std::regex("mpirun ended by signal 9 \\(Killed\\) in step [0-9]+"))) << run.reason;
  EXPECT_TRUE(job.gone(20));
  expect_nothing_left(engine, run);
  EXPECT_EQ(shared_files(job.supervisor()), std::vector<std::string>{});
}

TEST(Killed, BothAndAReaderConcludesThatTheRunIsLost) {
  const Engine engine;
  make_endless(engine);
  Job job(engine, "train job.toml --quiet");
  ASSERT_TRUE(job.wait_for_step(middle)) << job.output();
  const pid_t launcher = job.mpirun();
  ::kill(job.supervisor(), SIGSTOP);  // so that it cannot write an exit record between the two
  ::kill(launcher, SIGKILL);
  ::kill(job.supervisor(), SIGKILL);
  EXPECT_EQ(job.wait(20), 128 + SIGKILL);
  EXPECT_TRUE(job.gone(20));
  const RunInfo run = engine.last();
  EXPECT_EQ(run.state, "lost");
  EXPECT_TRUE(run.reason.starts_with("its processes on " + host() + " are gone and left no exit record; last heartbeat ")) << run.reason;
  EXPECT_EQ(engine.checkpoint_step(run.id), -1);
  expect_nothing_left(engine, run);
  EXPECT_EQ(shared_files(job.supervisor()), std::vector<std::string>{});
}

// Nobody can tidy up then; the next who looks into the workspace does.
TEST(Killed, AllAtOnceAndTheNextListingRemovesWhatIsLeft) {
  const Engine engine;
  make_endless(engine);
  Job job(engine, "train job.toml --quiet");
  ASSERT_TRUE(job.wait_for_step(middle)) << job.output();
  const RunInfo run = engine.last();
  const std::vector<pid_t> all = {job.supervisor(), job.mpirun(), job.pid(0), job.pid(1)};
  for (const pid_t pid : all) ::kill(pid, SIGSTOP);
  for (std::size_t k = all.size(); k-- > 0;) ::kill(all[k], SIGKILL);  // the ranks before those whose end they would see
  EXPECT_EQ(job.wait(20), 128 + SIGKILL);
  EXPECT_TRUE(job.gone(20));
  ASSERT_FALSE(shared_files(job.supervisor()).empty());
  ASSERT_EQ(engine.leftovers(run.id).size(), 2u);
  EXPECT_EQ(engine.run("runs").code, 0);
  expect_nothing_left(engine, engine.last());
  EXPECT_EQ(shared_files(job.supervisor()), std::vector<std::string>{});
}

// A stopped process feels nothing but a kill; the others wake it.
TEST(Killed, BothWithAStoppedRankAndItEndsToo) {
  const Engine engine;
  make_endless(engine);
  Job job(engine, "train job.toml --quiet");
  ASSERT_TRUE(job.wait_for_step(middle)) << job.output();
  ::kill(job.pid(1), SIGSTOP);
  const pid_t launcher = job.mpirun();
  ::kill(job.supervisor(), SIGKILL);
  ::kill(launcher, SIGKILL);
  EXPECT_TRUE(job.gone(20));
  expect_nothing_left(engine, engine.last());
  EXPECT_EQ(shared_files(job.supervisor()), std::vector<std::string>{});
}

class StoppedRank : public testing::TestWithParam<int> {};

TEST_P(StoppedRank, IsMissedAndEverythingEnds) {
  constexpr double limit_s = 2;
  const Engine engine;
  make_endless(engine);
  engine.replace("limit_s = 3", "limit_s = 2");
  Job job(engine, "train job.toml --quiet");
  ASSERT_TRUE(job.wait_for_step(middle)) << job.output();
  ASSERT_EQ(::kill(job.pid(GetParam()), SIGSTOP), 0);
  EXPECT_EQ(job.wait(limit_s + 10), 4) << job.output();
  EXPECT_TRUE(job.gone(20));
  const RunInfo run = engine.last();
  EXPECT_EQ(run.state, "failed");
  EXPECT_TRUE(std::regex_match(run.reason, std::regex(fmt::format("rank {}: .* took longer than the limit of 2 s, waiting for rank {}",
                                                                  1 - GetParam(), GetParam()))))
      << run.reason;
  expect_nothing_left(engine, run);
}
INSTANTIATE_TEST_SUITE_P(Faults, StoppedRank, testing::Values(0, 1));

}  // namespace
}  // namespace syncline::test
