// SPDX-License-Identifier: Apache-2.0
// Training through the command line, with real ranks under mpirun.
#include <gtest/gtest.h>

#include <cmath>

#include "engine/metrics/statistics.h"
#include "tests/integration/train/engine.h"

namespace syncline::test {
namespace {

TEST(Train, PlansGiveTheSameBitsOverMpi) {
  for (const int ranks : {2, 3, 4}) {
    const Engine engine;
    engine.replace("epochs = 4", "steps = 50");
    const std::string job = "--set cluster.workers=" + std::to_string(ranks) + " --set train.batch_per_worker=3 ";
    std::vector<std::byte> first;
    for (const std::string plan : {"--set strategy.plan=single", "--set strategy.plan=wfbp",
                                   "--set strategy.plan=threshold --set strategy.plan_options.threshold_bytes=700",
                                   "--set strategy.plan=wfbp --set strategy.overlap=false"}) {
      const Ended ended = engine.train(job + plan);
      ASSERT_EQ(ended.code, 0) << ended.output;
      const std::vector<std::byte> state = engine.state(engine.last().id);
      ASSERT_FALSE(state.empty());
      if (first.empty()) first = state;
      EXPECT_EQ(state, first) << plan << " on " << ranks << " ranks";
    }
  }
}

// LC3: the reported loss is the mean over all samples of the step, whatever the number of ranks. Without batch norm, whose statistics are
// each worker's own.
TEST(Train, TheLossIsThatOfTheGlobalBatch) {
  const Engine engine;
  engine.replace("  { type = \"batch_norm\" },\n", "");
  std::vector<Point> reference;
  for (const int ranks : {1, 2, 4}) {
    const Ended ended =
        engine.train("--set train.batch_per_worker=" + std::to_string(12 / ranks) + " --set cluster.workers=" + std::to_string(ranks));
    ASSERT_EQ(ended.code, 0) << ended.output;
    const auto losses = engine.series(engine.last().id, "train_loss");
    ASSERT_EQ(losses.size(), 20u);
    if (reference.empty()) reference = losses;
    for (std::size_t k = 0; k < losses.size(); ++k)
      EXPECT_NEAR(losses[k].value, reference[k].value, 1e-5) << "step " << k << ", " << ranks << " ranks";
  }
}

TEST(Train, ResumesAsIfItHadNeverStopped) {
  const Engine engine;
  ASSERT_EQ(engine.train().code, 0);
  const RunInfo whole = engine.last();
  ASSERT_EQ(engine.train("--set train.epochs=1").code, 0);
  const RunInfo first = engine.last();
  const Ended resumed = engine.run("train --resume " + first.id + " --set train.epochs=4");
  ASSERT_EQ(resumed.code, 0) << resumed.output;
  const RunInfo second = engine.last();
  EXPECT_EQ(second.resumed_from, first.id);
  EXPECT_EQ(second.attempt_of, first.id);
  EXPECT_EQ(engine.state(second.id), engine.state(whole.id));
  const auto all = engine.series(whole.id, "train_loss"), rest = engine.series(second.id, "train_loss");
  ASSERT_EQ(rest.size(), 21u);
  for (std::size_t k = 0; k < rest.size(); ++k) {
    EXPECT_EQ(rest[k].axes.step, all[k + 7].axes.step);
    EXPECT_EQ(rest[k].value, all[k + 7].value);
    EXPECT_EQ(rest[k].axes.samples, all[k + 7].axes.samples);
  }
  const Ended other = engine.run("train --resume " + first.id + " --set seed=4");
  EXPECT_EQ(other.code, 2);
  EXPECT_NE(other.output.find("seed"), std::string::npos);
}

TEST(Train, UnderAForeignLauncherAndAlone) {
  const Engine engine;
  const Ended ended = engine.run("train job.toml", mpirun(2));
  ASSERT_EQ(ended.code, 0) << ended.output;
  EXPECT_EQ(engine.last().state, "finished");
  EXPECT_EQ(engine.checkpoint_step(engine.last().id), 28);
  EXPECT_EQ(engine.series(engine.last().id, "train_loss").size(), 28u);

  const Ended wrong = engine.run("train job.toml", mpirun(3));
  EXPECT_NE(wrong.output.find("the experiment asks for 2 workers and 3 ranks were started"), std::string::npos) << wrong.output;

  const Ended alone = engine.train("--set cluster.workers=1 --set train.batch_per_worker=9");
  ASSERT_EQ(alone.code, 0) << alone.output;
  EXPECT_EQ(engine.last().state, "finished");
}

TEST(Train, DryRunRecordsNothing) {
  const Engine engine;
  const Ended ended = engine.train("--dry-run");
  EXPECT_EQ(ended.code, 0) << ended.output;
  EXPECT_NE(ended.output.find("dry run: 2 ranks"), std::string::npos) << ended.output;
  EXPECT_FALSE(std::filesystem::exists(engine.workspace()));
}

// PT3: evaluating more often changes nothing.
TEST(Train, EvaluationChangesNothing) {
  const Engine engine;
  ASSERT_EQ(engine.train("--set 'train.evaluate_every=\"3 steps\"'").code, 0);
  const RunInfo often = engine.last();
  ASSERT_EQ(engine.train("--set train.evaluate_every=never").code, 0);
  const RunInfo once = engine.last();
  EXPECT_EQ(engine.state(often.id), engine.state(once.id));
  EXPECT_EQ(engine.series(often.id, "test_accuracy").size(), 10u);
  EXPECT_EQ(engine.series(once.id, "test_accuracy").size(), 1u);

  // Each evaluation is also an occasion to measure how the clocks stand: start and evaluations, for two ranks.
  Reader reader(Workspace::open_read_only(engine.workspace()));
  EXPECT_EQ(reader.clocks(once.id).size(), 2u * (1 + 1));
  const std::vector<ClockRecord> clocks = reader.clocks(often.id);
  ASSERT_EQ(clocks.size(), 2u * (1 + 10));
  for (std::size_t k = 0; k < clocks.size(); ++k) {
    EXPECT_EQ(clocks[k].rank, static_cast<int>(k % 2));
    EXPECT_LE(std::fabs(clocks[k].offset.offset_s), clocks[k].offset.bound_s);  // one machine, one clock
    if (k >= 2) {
      EXPECT_GT(clocks[k].offset.at_s, clocks[k - 2].offset.at_s);
    }
  }
}

// T = K + E + O on every step of every rank, and each rank's steps are all there.
TEST(Train, TheSumsOfEveryStepAddUp) {
  const Engine engine;
  ASSERT_EQ(engine.train("--set cluster.link.emulate=true --set 'cluster.link.bandwidth=\"10 Mbit/s\"'").code, 0);
  const RunInfo run = engine.last();
  Reader reader(Workspace::open_read_only(engine.workspace()));
  for (const int rank : {0, 1}) {
    const auto steps = reader.steps(run.id, rank);
    ASSERT_EQ(steps.size(), 28u);
    for (const StepSums& sums : steps) {
      EXPECT_NEAR(sums.step_s, sums.compute_s + sums.exposed_s + sums.other_s, 1e-6);
      EXPECT_GT(sums.compute_s, 0);
      EXPECT_GT(sums.comm_s, 0);
      EXPECT_GT(sums.bytes_sent, 0);
    }
  }
  EXPECT_EQ(reader.traces(run.id).size(), 2u * 20u);
  EXPECT_TRUE(reader.document(run.id, "plan"));
}

// A step of rank 0 takes 90 ms and one of rank 1 takes 15: what rank 1 then waits is waiting for a peer, no slow transfer.
TEST(Train, WaitingForASlowPeerIsToldFromTransfer) {
  const Engine engine;
  ASSERT_EQ(
      engine
          .train("--set strategy.plan=single --set train.batch_per_worker=5 --set cluster.compute=emulate --set cluster.slowdown=[6,1] "
                 "--set 'cluster.profile={ forward_s = [0, 0, 0, 0, 0, 0.005], backward_s = [0, 0, 0, 0, 0, 0.01], update_s = 0 }'")
          .code,
      0);
  const RunInfo run = engine.last();
  Reader reader(Workspace::open_read_only(engine.workspace()));
  std::vector<double> waits[2];
  for (const int rank : {0, 1}) {
    for (const StepSums& sums : reader.steps(run.id, rank)) {
      if (!sums.is(step_peer_wait_known)) continue;
      EXPECT_NEAR(sums.comm_s, sums.peer_wait_s + sums.transfer_s, 1e-9);
      waits[rank].push_back(sums.peer_wait_s);
    }
    ASSERT_GT(waits[rank].size(), reader.steps(run.id, rank).size() / 2) << "the peers' times are known of most steps";
  }
  EXPECT_GT(median(waits[1]), 3 * median(waits[0]));
}

}  // namespace
}  // namespace syncline::test
