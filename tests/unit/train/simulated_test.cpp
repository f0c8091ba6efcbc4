// SPDX-License-Identifier: Apache-2.0
// The simulator against real ranks: the same hooks at the same points, and one strategy, known to this folder's tests alone, in both.
#include <gtest/gtest.h>

#include "engine/sim/profiles.h"
#include "engine/sim/simulate.h"
#include "engine/train/rank/supervised_task.h"
#include "tests/unit/train/job.h"

namespace syncline::test {
namespace {

class Log final : public Hooks {
 public:
  void before_forward(int slice) override { add("before ", slice); }
  void gradient_ready(int slice) override { add("ready ", slice); }
  void forward_done(int layer) override { add("forward ", layer); }
  void backward_done(int layer) override { add("backward ", layer); }
  std::vector<std::string> lines;

 private:
  void add(const char* what, int number) { lines.push_back(what + std::to_string(number)); }
};

LayerProfile even_profile(const Experiment& experiment, double seconds) {
  LayerProfile profile;
  profile.forward_s.assign(timed_layers(experiment).size(), seconds);
  profile.backward_s.assign(profile.forward_s.size(), 2 * seconds);
  return profile;
}

TEST(Simulated, AModelledTaskFiresTheHooksOfTheSupervisedOne) {
  for (const std::int64_t micro_batches : {1, 3}) {
    JobConfig config = small_job(1);
    Experiment& experiment = config.experiment;
    experiment.train.micro_batches = micro_batches;
    const Split split = open_data(experiment.data, experiment.seed);
    LoaderOptions options;
    options.batch_per_rank = {9};
    options.prefetch = 0;
    const auto loader = make_loader(split.train, options);
    const auto backend = make_cpu_backend(1);
    SupervisedTask real({.layers = experiment.model.layers,
                         .input = split.train->shape(),
                         .classes = split.train->classes(),
                         .batch = 9,
                         .micro_batches = micro_batches},
                        *backend);
    const View params = backend->allocate(real.graph().parameter_count()), grads = backend->allocate(real.graph().parameter_count()),
               statistics = backend->allocate(real.statistic_count());
    real.initialise({params, grads, statistics}, 1);
    Log expected, modelled;
    real.compute({params, grads, statistics}, *loader, 0, expected);

    const ModelledStep step = modelled_step(experiment, even_profile(experiment, 1e-3));
    ASSERT_EQ(step.slices.size(), real.slices().size());
    for (std::size_t k = 0; k < step.slices.size(); ++k) {
      EXPECT_EQ(step.slices[k].name, real.slices()[k].name);
      EXPECT_EQ(step.slices[k].offset, real.slices()[k].offset);
      EXPECT_EQ(step.slices[k].count, real.slices()[k].count);
    }
    EXPECT_EQ(step.statistics, real.statistic_count());
    VirtualWorld world;
    world.add(0, [&](RankContext& context) {
      ModelledTask task(step, {.micro_batches = micro_batches}, context);
      FullBatches batches(9, 9, 10);
      const auto result = task.compute({}, batches, 0, modelled);
      EXPECT_EQ(result.samples, 9);
      EXPECT_NEAR(context.now_s(), 3e-3 * static_cast<double>(step.layers.size()), 1e-12) << "all micro-batches together";
    });
    world.run();
    EXPECT_EQ(modelled.lines, expected.lines) << micro_batches << " micro-batches";
  }
}

TEST(Simulated, AStrategyOfATestFileTrainsAndIsSimulatedWithTheSamePlan) {
  JobConfig config = small_job(3);
  config.experiment.train.epochs = 1;
  const JobOutcome trained = run_job(config);
  EXPECT_FALSE(trained.losses.empty());

  const ModelledStep step = modelled_step(config.experiment, even_profile(config.experiment, 1e-3));
  SimulationRequest request{.experiment = config.experiment, .strategy = config.strategy, .step = &step};
  request.wire = Wire{1e-4, 1e-8, 0};
  const SimulationResult simulated = simulate(request);
  EXPECT_EQ(simulated.groups.size(), trained.buckets);
  const double compute_s = 3e-3 * static_cast<double>(step.layers.size());
  EXPECT_GT(simulated.step_s, compute_s) << "the last bucket is never hidden";
  EXPECT_LT(simulated.step_s, compute_s + 3e-3);
  EXPECT_NEAR(simulated.step_s, compute_s + simulated.exposed_s, 1e-9);
}

}  // namespace
}  // namespace syncline::test
