// SPDX-License-Identifier: Apache-2.0
// Resuming is bitwise the same as never having stopped (engine notes 6.4; EL4, MG5).
#include <gtest/gtest.h>

#include "tests/unit/train/job.h"

namespace syncline::test {
namespace {

void expect_same_end(const JobOutcome& whole, const JobOutcome& resumed, const std::string& what) {
  ASSERT_EQ(whole.ranks.size(), resumed.ranks.size());
  for (std::size_t rank = 0; rank < whole.ranks.size(); ++rank) {
    EXPECT_EQ(whole.ranks[rank].params, resumed.ranks[rank].params) << what << ", rank " << rank;
    EXPECT_EQ(whole.ranks[rank].statistics, resumed.ranks[rank].statistics) << what << ", rank " << rank;
    EXPECT_EQ(whole.ranks[rank].result.steps, resumed.ranks[rank].result.steps);
    EXPECT_EQ(whole.ranks[rank].result.samples, resumed.ranks[rank].result.samples);
    EXPECT_EQ(whole.ranks[rank].result.epochs, resumed.ranks[rank].result.epochs);
    EXPECT_GT(resumed.ranks[rank].active_s, resumed.ranks[rank].active_before_s);
    EXPECT_EQ(whole.ranks[rank].result.train_loss, resumed.ranks[rank].result.train_loss) << what;
    EXPECT_EQ(whole.ranks[rank].result.test_accuracy, resumed.ranks[rank].result.test_accuracy) << what;
    EXPECT_EQ(whole.ranks[rank].result.best_accuracy, resumed.ranks[rank].result.best_accuracy) << what;
  }
  for (const auto& [step, loss] : resumed.losses) EXPECT_EQ(whole.losses.at(step), loss) << what << ", step " << step;
  EXPECT_FALSE(resumed.losses.empty());
}

// Stops at the step after `meeting` by request, with a checkpoint.
JobConfig stopping(JobConfig config, std::int64_t meeting, const std::filesystem::path& folder) {
  config.save_to = folder;
  config.wanted = [meeting](int rank, std::int64_t now) { return rank == 0 && now == meeting ? stop_after_checkpoint : 0u; };
  return config;
}

// 20 steps of 3 epochs; stopped after step 10 (in the middle of epoch 2, whose last batch is uneven), resumed, stopped after 14, resumed.
void check_twice(const JobConfig& config, const std::string& what) {
  Folder first, second, third;
  const JobOutcome whole = run_job(config);
  const JobOutcome stopped = run_job(stopping(config, 9, first.path()));
  EXPECT_EQ(stopped.ranks[0].result.ended, TrainResult::stopped);
  EXPECT_EQ(stopped.ranks[0].result.steps, 10);
  EXPECT_EQ(stopped.losses.size(), 10u);
  JobConfig again = stopping(config, 3, second.path());
  again.resume_from = first.path();
  EXPECT_EQ(run_job(again).ranks[0].result.steps, 14);
  JobConfig last = config;
  last.resume_from = second.path();
  last.save_to = third.path();
  const JobOutcome resumed = run_job(last);
  EXPECT_EQ(resumed.losses.begin()->first, 14);
  EXPECT_EQ(resumed.checkpoints, std::vector<std::int64_t>{whole.ranks[0].result.steps});  // a finished run has one of its last step
  expect_same_end(whole, resumed, what);
}

JobConfig three_epochs(int ranks) {
  JobConfig config = small_job(ranks);
  config.experiment.train.epochs = 3;
  return config;
}

TEST(Resume, SgdWithDropoutAndBatchNorm) {
  for (const int ranks : {1, 2, 3}) check_twice(three_epochs(ranks), "sgd, " + std::to_string(ranks) + " ranks");
}

TEST(Resume, AdamCosineAugmentationAndThresholdBuckets) {
  for (const int ranks : {1, 2, 3}) {
    JobConfig config = three_epochs(ranks);
    set_optimizer(config.experiment, "adam", {{"lr", {0.01}}});
    set_schedule(config.experiment, "cosine", {{"warmup_steps", {std::int64_t{3}}}});
    config.experiment.data.augment = {"crop", "flip"};
    config.experiment.strategy.plan = "threshold";
    config.experiment.strategy.plan_options = with_defaults(planner("threshold").parameters, {{"threshold_bytes", {700.0}}});
    check_twice(config, "adam, " + std::to_string(ranks) + " ranks");
  }
}

TEST(Resume, Lamb) {
  for (const int ranks : {1, 2}) {
    JobConfig config = three_epochs(ranks);
    set_optimizer(config.experiment, "lamb", {{"lr", {0.01}}});
    config.experiment.train.micro_batches = 2;
    check_twice(config, "lamb, " + std::to_string(ranks) + " ranks");
  }
}

TEST(Resume, ReplicasThatDifferKeepTheirOwnParameters) {
  JobConfig config = three_epochs(2);
  config.strategy = &strategy_entry("none");
  const JobOutcome whole = run_job(config);
  EXPECT_NE(whole.ranks[0].params, whole.ranks[1].params);
  check_twice(config, "none");
}

// MG5: a checkpoint does not depend on how gradients were sent.
TEST(Resume, AnotherPlanGoesOnFromTheSameCheckpoint) {
  Folder folder;
  JobConfig config = three_epochs(3);
  config.experiment.strategy.plan = "single";
  const JobOutcome whole = run_job(config);
  run_job(stopping(config, 9, folder.path()));
  config.experiment.strategy.plan = "wfbp";
  config.strategy = &late_sync_entry;
  config.resume_from = folder.path();
  expect_same_end(whole, run_job(config), "another plan");
}

// Measured again, the groups could differ, and a ring adds in another order then: the plan goes on with the run.
TEST(Resume, APlanFromMeasuredTimesIsKept) {
  Folder folder;
  JobConfig config = three_epochs(3);
  config.experiment.strategy.plan = "mg-wfbp";
  config.strategy = &sync_entry;
  config.world.group.allreduce = "ring";
  const JobOutcome stopped = run_job(stopping(config, 9, folder.path()));
  EXPECT_GT(stopped.link_measurements, 0);
  config.resume_from = folder.path();
  const JobOutcome resumed = run_job(config);
  EXPECT_EQ(resumed.plan, stopped.plan);
  EXPECT_EQ(resumed.link_measurements, 0);
  config.experiment.strategy.plan = "optimal";  // another planner measures for itself
  EXPECT_GT(run_job(config).link_measurements, 0);
}

// Stopped without a word after the last checkpoint: the steps in between are done again, alike.
TEST(Resume, FromAnOlderCheckpointByInterval) {
  Folder folder;
  JobConfig config = three_epochs(2);
  const JobOutcome whole = run_job(config);
  JobConfig killed = config;
  killed.experiment.checkpoint.every = {Every::steps, 4};
  killed.save_to = folder.path();
  killed.wanted = [](int rank, std::int64_t meeting) {
    return rank == 1 && meeting == 9 ? stop_after_step : 0u;
  };  // leaves at 10, saves nothing
  EXPECT_EQ(run_job(killed).checkpoints, (std::vector<std::int64_t>{4, 8}));
  config.resume_from = folder.path();
  const JobOutcome resumed = run_job(config);
  EXPECT_EQ(resumed.losses.begin()->first, 8);
  expect_same_end(whole, resumed, "by interval");
}

TEST(Resume, CheckpointByRequestByEpochAndAtTheEnd) {
  Folder folder;
  JobConfig config = three_epochs(2);
  config.keep = 10;
  config.save_to = folder.path();
  config.experiment.checkpoint.every = {Every::epochs, 2};
  config.wanted = [](int rank, std::int64_t meeting) { return rank == 0 && meeting == 5 ? checkpoint_now : 0u; };
  EXPECT_EQ(run_job(config).checkpoints, (std::vector<std::int64_t>{6, 14, 21}));
}

TEST(Resume, AFinishedRunGoesOnWithMoreEpochs) {
  Folder folder;
  JobConfig config = three_epochs(2);
  const JobOutcome whole = run_job(config);
  JobConfig shorter = config;
  shorter.experiment.train.epochs = 2;
  shorter.save_to = folder.path();
  run_job(shorter);
  config.resume_from = folder.path();
  expect_same_end(whole, run_job(config), "more epochs");
}

TEST(Resume, ParametersAloneStartANewTrajectory) {
  Folder folder;
  JobConfig config = three_epochs(2);
  config.save_to = folder.path();
  const JobOutcome before = run_job(config);
  JobConfig after = small_job(1);
  after.parameters_from = folder.path();
  after.experiment.train.epochs.reset();
  after.experiment.train.steps = 1;
  set_optimizer(after.experiment, "adam", {{"lr", {1e-9}}});
  const JobOutcome outcome = run_job(after);
  EXPECT_EQ(outcome.ranks[0].result.steps, 1);
  for (std::size_t k = 0; k < outcome.ranks[0].params.size(); ++k) EXPECT_NEAR(outcome.ranks[0].params[k], before.ranks[0].params[k], 1e-6);
}

TEST(Resume, AnotherNumberOfWorkersOnlyWhereNothingIsPerWorker) {
  Folder with_statistics, plain;
  JobConfig config = three_epochs(2);
  config.save_to = with_statistics.path();
  run_job(config);
  JobConfig other = three_epochs(3);
  other.experiment.train.epochs = 5;
  other.resume_from = with_statistics.path();
  try {
    run_job(other);
    FAIL() << "state of two workers was given to three";
  } catch (const ConfigError& error) {
    EXPECT_EQ(error.origin().key, "cluster.workers");
    EXPECT_NE(std::string(error.what()).find("batch-norm-statistics"), std::string::npos) << error.what();
  }
  const auto without = [](JobConfig job) {
    job.experiment.model.layers = {layer("flatten", "flat"), layer("linear", "fc1", {{"features", {std::int64_t{8}}}}),
                                   layer("tanh", "tanh1"), layer("linear", "fc2", {{"features", {std::int64_t{3}}}})};
    return job;
  };
  const JobOutcome whole = run_job(without(three_epochs(2)));
  run_job(stopping(without(three_epochs(2)), 9, plain.path()));
  JobConfig three = without(three_epochs(3));
  three.resume_from = plain.path();
  const JobOutcome resumed = run_job(three);
  EXPECT_EQ(resumed.losses.begin()->first, 10);
  for (const auto& [step, loss] : resumed.losses) EXPECT_NEAR(whole.losses.at(step), loss, 1e-5);
}

// PT4: what is evaluated and saved follows model.buffers; each worker goes on with its own.
TEST(Resume, BatchNormValuesFollowThePolicy) {
  for (const std::string policy : {"average", "rank0"}) {
    Folder folder;
    JobConfig config = three_epochs(2);
    config.experiment.model.buffers = policy;
    config.save_to = folder.path();
    const JobOutcome outcome = run_job(config);
    const auto& zero = outcome.ranks[0].statistics;
    const auto& one = outcome.ranks[1].statistics;
    EXPECT_NE(zero, one);
    EXPECT_EQ(outcome.ranks[1].evaluated_statistics, outcome.ranks[0].evaluated_statistics);
    const auto found = newest_checkpoint(folder.path(), [](const std::string& text) { FAIL() << text; });
    ASSERT_TRUE(found);
    const OpenedCheckpoint opened(*found, 1, 2);
    const View merged = View::host(static_cast<std::int64_t>(zero.size())), own = View::host(merged.count());
    opened.read_block("merged_statistics", merged);
    opened.read_block("statistics", own);
    for (std::size_t k = 0; k < zero.size(); ++k) {
      EXPECT_EQ(own.data()[k], one[k]);
      if (policy == "rank0")
        EXPECT_EQ(merged.data()[k], zero[k]);
      else
        EXPECT_NEAR(merged.data()[k], (zero[k] + one[k]) / 2, 1e-6);
    }
  }
}

}  // namespace
}  // namespace syncline::test
