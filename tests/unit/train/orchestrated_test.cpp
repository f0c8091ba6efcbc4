// SPDX-License-Identifier: Apache-2.0
// The three orchestrations through the real training loop: the order in which buckets are sent changes nothing that is learned.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <set>

#include "engine/comm/orchestrations/policy.h"
#include "engine/sim/profiles.h"
#include "engine/sim/simulate.h"
#include "engine/strategy/entries.h"
#include "engine/train/handover.h"
#include "tests/unit/train/job.h"

namespace syncline::test {
namespace {

JobConfig job(int ranks, const std::string& name, const std::string& plan = "wfbp", const Options& options = {}) {
  JobConfig config = small_job(ranks);
  config.strategy = &syncline::sync_entry;
  StrategySpec& strategy = config.experiment.strategy;
  strategy.name = "sync";
  strategy.options = defaults_of(syncline::sync_entry.parameters);
  strategy.plan = plan;
  strategy.plan_options = defaults_of(planner(plan).parameters);
  strategy.orchestration = name;
  strategy.orchestration_options = with_defaults(orchestration(name).parameters, options);
  return config;
}

void scatter(JobConfig& config) {
  config.experiment.strategy.submit_order = "random";
  config.experiment.strategy.hook_jitter_s = 200e-6;
}

constexpr std::string_view names[] = {"static", "bitvector", "coordinator"};

TEST(Orchestrated, LossesAndParametersAreTheSameBitsInAnyOrderOfSubmission) {
  for (const std::string plan : {"wfbp", "grouped", "single", "threshold"}) {
    const JobOutcome expected = run_job(job(3, "static", plan));
    for (const std::string_view name : names) {
      SCOPED_TRACE(fmt::format("{}, {}", plan, name));
      JobConfig config = job(3, std::string(name), plan);
      scatter(config);
      config.world.group.check = true;  // every exchange is compared across ranks before it runs
      const JobOutcome outcome = run_job(config);
      EXPECT_EQ(outcome.losses, expected.losses);
      for (const RankOutcome& rank : outcome.ranks) EXPECT_EQ(rank.params, expected.ranks[0].params);
    }
  }
}

TEST(Orchestrated, MergedBucketsChangeNothing) {
  const JobOutcome expected = run_job(job(2, "static"));
  for (const std::string_view name : {"bitvector", "coordinator"}) {
    JobConfig config = job(2, std::string(name), "wfbp", {{"separate_groups", Value{false}}, {"cycle_time", Value{2e-3}}});
    scatter(config);
    EXPECT_EQ(run_job(config).losses, expected.losses) << name;
  }
}

TEST(Orchestrated, AResumedRunEndsAsOneThatNeverStopped) {
  for (const std::string_view name : names) {
    JobConfig config = job(2, std::string(name));
    scatter(config);
    config.experiment.train.epochs = 2;
    const JobOutcome whole = run_job(config);
    Folder folder;
    JobConfig first = config;
    first.save_to = folder.path();
    first.wanted = [](int rank, std::int64_t now) { return rank == 0 && now == 5 ? stop_after_checkpoint : 0u; };
    EXPECT_EQ(run_job(first).ranks[0].result.ended, TrainResult::stopped);
    JobConfig second = config;
    second.resume_from = folder.path();
    const JobOutcome resumed = run_job(second);
    EXPECT_EQ(resumed.ranks[0].params, whole.ranks[0].params) << name;
    for (const auto& [step, loss] : resumed.losses) EXPECT_EQ(loss, whole.losses.at(step)) << name << ", step " << step;
  }
}

TEST(Orchestrated, ARankThatFailsInTheMiddleOfAStepIsTheReasonThatIsGiven) {
  JobConfig config = job(3, "bitvector");
  config.at_step = [](int rank, std::int64_t step) {
    if (rank == 1 && step == 3) throw DataError("the samples of rank 1 are gone");
  };
  EXPECT_THROW(run_job(config), DataError);
}

TEST(Handover, ARandomOrderIsOneOfAllSlicesAndAnotherOnEachRankAndStep) {
  RealClock clock;
  std::set<std::vector<int>> orders;
  for (int rank = 0; rank < 3; ++rank) {
    Handover handover({.random_order = true, .seed = 5, .rank = rank, .slices = 30}, clock);
    for (std::int64_t step = 0; step < 4; ++step) {
      std::vector<int> order;
      handover.begin(step);
      for (int slice = 0; slice < 30; ++slice) {
        handover.ready(slice, [&](int ready) {
          EXPECT_LE(ready, slice) << "a gradient that is not final yet";
          order.push_back(ready);
        });
        EXPECT_LT(static_cast<std::size_t>(slice) - order.size() + 1, handover.most_waiting());
      }
      EXPECT_EQ(std::set<int>(order.begin(), order.end()).size(), 30U);
      EXPECT_EQ(order.size(), 30U);
      orders.insert(order);
    }
  }
  EXPECT_EQ(orders.size(), 12U);
}

}  // namespace
}  // namespace syncline::test
