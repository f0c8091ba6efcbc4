// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>

#include "tests/unit/train/job.h"

namespace syncline::test {
namespace {

void set_plan(Experiment& experiment, const std::string& plan, std::int64_t threshold_bytes = 0) {
  experiment.strategy.plan = plan;
  Options options;
  if (plan == "threshold") options["threshold_bytes"] = {static_cast<double>(threshold_bytes)};
  experiment.strategy.plan_options = with_defaults(planner(plan).parameters, options);
}

double largest_difference(const std::vector<float>& a, const std::vector<float>& b) {
  EXPECT_EQ(a.size(), b.size());
  double most = 0;
  for (std::size_t k = 0; k < a.size(); ++k) most = std::max(most, std::fabs(static_cast<double>(a[k]) - b[k]));
  return most;
}

TEST(Trainer, LearnsAndCountsItsSteps) {
  JobConfig config = small_job(1);
  config.experiment.train.epochs = 6;
  const JobOutcome outcome = run_job(config);
  EXPECT_EQ(outcome.ranks[0].result.ended, TrainResult::finished);
  EXPECT_EQ(outcome.ranks[0].result.steps, 42);
  EXPECT_EQ(outcome.ranks[0].result.samples, 360);
  EXPECT_DOUBLE_EQ(outcome.ranks[0].result.epochs, 6);
  ASSERT_EQ(outcome.losses.size(), 42u);
  EXPECT_LT(outcome.losses.rbegin()->second, 0.7 * outcome.losses.begin()->second);
  EXPECT_EQ(outcome.evaluations.size(), 6u);
  EXPECT_EQ(outcome.evaluations.back().samples, 23);
}

// DS1, DS3, MG1: whatever the buckets and whenever they are sent, the same bits.
TEST(Trainer, PlansAndOverlapGiveTheSameBits) {
  for (const int ranks : {2, 3, 4}) {
    std::vector<std::vector<float>> ends;
    std::vector<std::size_t> buckets;
    for (const auto& [plan, bytes] : std::vector<std::pair<std::string, std::int64_t>>{
             {"single", 0}, {"wfbp", 0}, {"threshold", 4}, {"threshold", 700}, {"threshold", 1 << 20}}) {
      JobConfig config = small_job(ranks);
      config.experiment.train.epochs.reset();
      config.experiment.train.steps = 50;
      config.evaluate = false;
      set_plan(config.experiment, plan, bytes);
      const JobOutcome outcome = run_job(config);
      for (const RankOutcome& rank : outcome.ranks) EXPECT_EQ(rank.params, outcome.ranks[0].params);
      ends.push_back(outcome.ranks[0].params);
      buckets.push_back(outcome.buckets);
    }
    JobConfig late = small_job(ranks);
    late.strategy = &late_sync_entry;
    late.experiment.train.epochs.reset();
    late.experiment.train.steps = 50;
    late.evaluate = false;
    ends.push_back(run_job(late).ranks[0].params);
    for (const auto& end : ends) EXPECT_EQ(end, ends[0]) << ranks << " ranks";
    EXPECT_EQ(buckets, (std::vector<std::size_t>{1, 4, 7, 2, 1}));
  }
}

// LB1, PT1: 60 samples in global batches of 9: the last has 6. The mean is over the samples really used, on any number of ranks.
TEST(Trainer, UnevenLastBatchWeighsSamplesAlike) {
  JobConfig alone = small_job(1);
  alone.experiment.model.layers = {layer("flatten", "flat"), layer("linear", "fc1", {{"features", {std::int64_t{8}}}}),
                                   layer("tanh", "tanh1"), layer("linear", "fc2", {{"features", {std::int64_t{3}}}})};
  const JobOutcome reference = run_job(alone);
  for (const int ranks : {2, 3, 4, 5}) {
    JobConfig config = small_job(ranks);
    config.experiment.model = alone.experiment.model;
    const JobOutcome outcome = run_job(config);
    EXPECT_EQ(outcome.samples.at(6), 6);
    EXPECT_EQ(outcome.samples, reference.samples);
    for (const auto& [step, loss] : reference.losses)
      EXPECT_NEAR(outcome.losses.at(step), loss, 1e-5) << "step " << step << ", " << ranks << " ranks";
    EXPECT_LT(largest_difference(outcome.ranks[0].params, reference.ranks[0].params), 2e-6);
    EXPECT_NEAR(*outcome.ranks[0].result.test_loss, *reference.ranks[0].result.test_loss, 1e-5);
  }
}

// A last batch of one sample leaves every other rank without one.
TEST(Trainer, RanksWithoutASampleJoinWithWeightZero) {
  JobConfig config = small_job(4);
  config.experiment.data.options.set("train_size", {std::int64_t{19}});
  config.experiment.model.layers = {layer("flatten", "flat"), layer("linear", "fc", {{"features", {std::int64_t{3}}}})};
  JobConfig alone = config;
  alone.ranks = 1;
  alone.batch_per_rank = {9};
  const JobOutcome outcome = run_job(config), reference = run_job(alone);
  EXPECT_EQ(outcome.samples.at(2), 1);
  EXPECT_LT(largest_difference(outcome.ranks[3].params, reference.ranks[0].params), 2e-6);
}

TEST(Trainer, MicroBatchesGiveTheWholeBatchsGradient) {
  for (const int ranks : {1, 2}) {
    JobConfig whole = small_job(ranks);
    whole.experiment.model.layers = {layer("flatten", "flat"), layer("dropout", "drop", {{"rate", {0.3}}}),
                                     layer("linear", "fc1", {{"features", {std::int64_t{8}}}}), layer("relu", "relu"),
                                     layer("linear", "fc2", {{"features", {std::int64_t{3}}}})};
    whole.experiment.train.epochs = 1;
    JobConfig cut = whole;
    cut.experiment.train.micro_batches = 3;
    EXPECT_LT(largest_difference(run_job(whole).ranks[0].params, run_job(cut).ranks[0].params), 1e-6);
  }
}

// PT3: evaluation never changes the run.
TEST(Trainer, EvaluationChangesNothing) {
  JobConfig with = small_job(2), without = small_job(2);
  with.experiment.train.evaluate_every = "2 steps";
  without.evaluate = false;
  const JobOutcome a = run_job(with), b = run_job(without);
  EXPECT_EQ(a.losses, b.losses);
  EXPECT_EQ(a.ranks[0].params, b.ranks[0].params);
  EXPECT_EQ(a.ranks[1].statistics, b.ranks[1].statistics);
  EXPECT_EQ(a.evaluations.size(), 7u);
  EXPECT_TRUE(b.evaluations.empty());
}

TEST(Trainer, StopReachesEveryRankInTheSameStep) {
  for (const int asking : {0, 2}) {
    JobConfig config = small_job(3);
    config.experiment.train.epochs = 50;
    config.evaluate = false;
    config.wanted = [&](int rank, std::int64_t meeting) { return rank == asking && meeting == 4 ? stop_after_step : 0u; };
    const JobOutcome outcome = run_job(config);
    for (const RankOutcome& rank : outcome.ranks) {
      EXPECT_EQ(rank.result.ended, TrainResult::stopped);
      EXPECT_EQ(rank.result.steps, 5);  // asked at the meeting of step 4, read at the next
    }
    EXPECT_EQ(outcome.losses.size(), 5u);
    EXPECT_EQ(outcome.ranks[0].result.reason, "stopped on request after step 5");
  }
}

TEST(Trainer, TargetEndsTheRunAndIsTimed) {
  JobConfig config = small_job(2);
  config.experiment.train.epochs = 40;
  config.experiment.train.target_accuracy = 0.6;
  config.experiment.train.stop_at_target = true;
  const JobOutcome outcome = run_job(config);
  for (const RankOutcome& rank : outcome.ranks) {
    EXPECT_EQ(rank.result.ended, TrainResult::target_reached);
    EXPECT_EQ(rank.result.steps, outcome.ranks[0].result.steps);
    ASSERT_TRUE(rank.result.time_to_target_s);
  }
  EXPECT_GE(*outcome.ranks[0].result.test_accuracy, 0.6);
  EXPECT_LT(outcome.ranks[0].result.epochs, 40);
}

TEST(Trainer, DifferentParametersStopTheRunWithStepAndLayer) {
  JobConfig config = small_job(2);
  config.strategy = &broken_entry;
  config.evaluate = false;
  try {
    run_job(config);
    FAIL() << "the difference was not found";
  } catch (const TrainingError& error) {
    EXPECT_NE(std::string(error.what()).find("after 6 steps the parameters of layer "), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("on rank 1 differ from rank 0's"), std::string::npos) << error.what();
  }
}

TEST(Trainer, NotFiniteLossFailsStopsOrGoesOn) {
  JobConfig config = small_job(2);
  config.evaluate = false;
  config.faults[1] = {.rank = 1, .step = 4, .phase = TrainPhase::collective, .action = FaultPlan::nan};
  try {
    run_job(config);
    FAIL() << "the run went on";
  } catch (const TrainingError& error) {
    EXPECT_EQ(std::string(error.what()),
              "the loss is not finite in step 4 on rank 1; a smaller learning rate may help, or on_divergence = \"continue\" to go on "
              "regardless");
  }
  config.experiment.train.on_divergence = "stop";
  const JobOutcome stopped = run_job(config);
  EXPECT_EQ(stopped.ranks[0].result.ended, TrainResult::diverged);
  EXPECT_EQ(stopped.ranks[0].result.steps, 6);
  config.experiment.train.on_divergence = "continue";
  const JobOutcome went_on = run_job(config);
  EXPECT_EQ(went_on.ranks[0].result.ended, TrainResult::finished);
  EXPECT_EQ(went_on.ranks[0].result.steps, 14);
  EXPECT_EQ(went_on.events, std::vector<std::string>{"the loss is not finite in step 4 on rank 1"});
}

TEST(Trainer, DifferentJobsAreToldApartBeforeTheFirstStep) {
  const auto run = [](const std::function<void(Experiment&)>& change) {
    ThreadWorld world(2);
    std::string message;
    try {
      run_ranks(world, [&](World& mine) {
        Experiment experiment = small_job(2).experiment;
        if (mine.rank() == 1) change(experiment);
        const auto control = mine.communicator().duplicate("control");
        compare_facts(*control, {{"line 1 of the complete experiment", experiment.complete}, {"slice 0", std::to_string(experiment.seed)}});
      });
    } catch (const TrainingError& error) {
      message = error.what();
    }
    return message;
  };
  EXPECT_EQ(run([](Experiment&) {}), "");
  EXPECT_EQ(run([](Experiment& other) { other.seed = 8; }),
            "rank 1 does not run the same job as rank 0: slice 0 is '8' there and '7' on rank 0; every rank needs the same program, "
            "experiment and data");
}

}  // namespace
}  // namespace syncline::test
