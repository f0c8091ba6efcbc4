// SPDX-License-Identifier: Apache-2.0
// Negotiated orders in virtual time: the policies of real ranks, with cycles that take their closed form.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include "engine/base/random.h"
#include "engine/comm/orchestrations/policy.h"
#include "engine/sim/simulate.h"
#include "engine/strategy/entries.h"
#include "tests/unit/sim/sim_support.h"

namespace syncline::test {
namespace {

constexpr Wire wire{2e-6, 1e-9, 0};

ReleaseOptions options_of(std::string_view name, double cycle_time_s = 1e-3) {
  ReleaseOptions options = release_options(orchestration(name), defaults_of(orchestration(name).parameters));
  options.cycle_time_s = cycle_time_s;
  return options;
}

SimCommOptions world_of(int most_by_messages) {
  SimCommOptions options;
  options.wire = wire;
  options.allreduce = "ring";
  options.most_by_messages = most_by_messages;
  return options;
}

TEST(SimReleases, SumsAreRightAndTheSequenceIsTheSameWhateverOrderARankAsksIn) {
  for (const std::string_view name : {"bitvector", "coordinator"}) {
    for (const int by_messages : {0, 32}) {
      for (const bool separate : {true, false}) {
        SCOPED_TRACE(fmt::format("{}, {} by messages, separate {}", name, by_messages, separate));
        ReleaseOptions options = options_of(name);
        options.setup.separate_groups = separate;
        std::vector<ReleaseCounters> counters(4);
        const SimRun run = on_sim_ranks(4, world_of(by_messages), [&](SimRank rank) {
          constexpr int buckets = 5;
          rank.comm.orchestrate(options);
          const View all = View::host(buckets * 10);
          const std::vector<std::string> names = {"a", "b", "c", "d", "e"};
          for (int step = 0; step < 20; ++step) {
            RandomStream random(1, "order", static_cast<std::uint64_t>(rank.comm.rank()), static_cast<std::uint64_t>(step));
            for (std::int64_t k = 0; k < all.count(); ++k) all.data()[k] = static_cast<float>(k + rank.comm.rank() + step);
            rank.comm.expect(buckets);
            std::vector<int> left = {0, 1, 2, 3, 4};
            std::vector<Work> works;
            while (!left.empty()) {
              rank.context.compute(2e-3 * random.uniform());
              const auto at = static_cast<std::ptrdiff_t>(random.uniform() * static_cast<double>(left.size()));
              const int k = left[static_cast<std::size_t>(at)];
              left.erase(left.begin() + at);
              const View bucket = all.part(k * 10, 10);
              works.push_back(
                  rank.comm.allreduce(bucket, bucket, {.id = k, .negotiated = true, .label = names[static_cast<std::size_t>(k)]}));
            }
            for (Work& work : works) work.wait();
            for (std::int64_t k = 0; k < all.count(); ++k) ASSERT_EQ(all.data()[k], static_cast<float>(4 * (k + step) + 6));
          }
          counters[static_cast<std::size_t>(rank.comm.rank())] = rank.comm.release_counters();
        });
        EXPECT_GT(run.makespan_s, 0);
        for (const ReleaseCounters& each : counters) {
          EXPECT_EQ(each.released, 100);
          EXPECT_EQ(each.sequence_hash, counters[0].sequence_hash);
          EXPECT_EQ(each.state_hash, counters[0].state_hash);
          EXPECT_EQ(each.cycles, counters[0].cycles);
        }
        EXPECT_EQ(counters[0].messages == 100, separate) << counters[0].messages;
      }
    }
  }
}

// A bucket that is ready at t on the last rank leaves at the next boundary of a cycle, which takes its closed form.
TEST(SimReleases, ABucketLeavesAtTheNextCycleAfterTheLastRankHasIt) {
  for (const std::string_view name : {"bitvector", "coordinator"}) {
    const ControlCost cost{.ranks = 4, .latency_s = wire.latency_s, .per_byte_s = wire.per_byte_s};
    double issued_s = 0;
    on_sim_ranks(4, world_of(0), [&](SimRank rank) {
      rank.comm.orchestrate(options_of(name));
      const View bucket = View::host(4);
      const auto step = [&](double at_s) {
        rank.context.sleep_until(at_s - 0.0055);
        rank.comm.expect(1);
        rank.context.sleep_until(rank.comm.rank() == 3 ? at_s : at_s - 0.004);
        Work work = rank.comm.allreduce(bucket, bucket, {.id = 0, .negotiated = true, .label = "only"});
        work.wait();
        issued_s = work.times().issued_s;
      };
      step(0.1);
      step(0.2);  // its cycles are at 0.1945, 0.1955, ... , 0.1995, 0.2005
    });
    const double cycle_s = name == "bitvector" ? bits_cost_s(cost, 1) : root_cost_s(cost, 1.0 / 4, 0) - root_cost_s(cost, 0, 0);
    EXPECT_GE(issued_s, 0.2005 + cycle_s - 1e-9) << name;
    EXPECT_LT(issued_s, 0.2005 + cycle_s + 60e-6) << name;
  }
}

TEST(SimReleases, CyclesWithoutAnythingNewAreCountedAsIfTheyHadRun) {
  std::vector<ReleaseCounters> counters(3);
  on_sim_ranks(3, world_of(0), [&](SimRank rank) {
    rank.comm.orchestrate(options_of("bitvector"));
    const View bucket = View::host(4);
    rank.comm.expect(1);
    rank.context.compute(1.0);
    rank.comm.allreduce(bucket, bucket, {.id = 0, .negotiated = true, .label = "only"}).wait();
    counters[static_cast<std::size_t>(rank.comm.rank())] = rank.comm.release_counters();
  });
  for (const ReleaseCounters& each : counters) {
    EXPECT_NEAR(static_cast<double>(each.cycles), 1001, 2);
    EXPECT_EQ(each.control_messages, each.cycles * 4 + (&each == &counters[0] ? 4 : 2));
  }
}

SimulationRequest request_of(const ModelledStep& step, int workers, const std::string& name, double message_cost_s = 0) {
  SimulationRequest request{.experiment = {}, .strategy = &sync_entry, .step = &step};
  Experiment& experiment = request.experiment;
  experiment.name = "simulated";
  experiment.train.steps = 100;
  experiment.cluster.workers = workers;
  experiment.strategy.name = "sync";
  experiment.strategy.plan = "wfbp";
  experiment.strategy.plan_options = {};
  experiment.strategy.options = defaults_of(sync_entry.parameters);
  experiment.strategy.orchestration = name;
  experiment.strategy.orchestration_options =
      with_defaults(orchestration(name).parameters,
                    name == "static" ? std::map<std::string, Value, std::less<>>{}
                                     : std::map<std::string, Value, std::less<>>{{"control_message_cost", Value{message_cost_s}}});
  request.wire = wire;
  request.most_by_messages = 0;
  return request;
}

TEST(SimReleases, TheCoordinatorFallsBehindTheBitsWithMoreWorkers) {
  const std::vector<std::int64_t> elements(100, 4000);
  const std::vector<double> backward_s(100, 500e-6);
  const ModelledStep step = modelled_step(elements, backward_s, 20e-3);
  double gap_before_s = 0;
  for (const int workers : {4, 8, 64}) {
    const double fixed_s = simulate(request_of(step, workers, "static")).step_s;
    const double bits_s = simulate(request_of(step, workers, "bitvector", 1e-3)).step_s;
    const double coordinator_s = simulate(request_of(step, workers, "coordinator", 1e-3)).step_s;
    EXPECT_LT(fixed_s, bits_s) << workers;
    EXPECT_LT(bits_s, coordinator_s) << workers;
    EXPECT_GT(coordinator_s - bits_s, gap_before_s) << workers;
    gap_before_s = coordinator_s - bits_s;
  }
}

TEST(SimReleases, ARandomOrderIsSimulatedWithEveryOrchestration) {
  const std::vector<std::int64_t> elements(20, 1000);
  const std::vector<double> backward_s(20, 1e-3);
  const ModelledStep step = modelled_step(elements, backward_s, 5e-3);
  for (const std::string name : {"static", "bitvector", "coordinator"}) {
    SimulationRequest request = request_of(step, 5, name);
    request.experiment.strategy.submit_order = "random";
    request.experiment.strategy.hook_jitter_s = 1e-3;
    const SimulationResult result = simulate(request);
    EXPECT_GT(result.step_s, step.compute_s()) << name;
    EXPECT_LT(result.step_s, step.compute_s() + 40e-3) << name;
  }
}

}  // namespace
}  // namespace syncline::test
