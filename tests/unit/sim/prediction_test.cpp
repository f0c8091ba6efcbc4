// SPDX-License-Identifier: Apache-2.0
#include "engine/sim/prediction.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>

#include "engine/base/error.h"
#include "engine/sim/profiles.h"
#include "engine/sim/schema.h"

namespace syncline {
namespace {

using Numbers = std::vector<int>;

TEST(WorkerList, GoesOnAsItBegan) {
  EXPECT_EQ(worker_list("4"), Numbers{4});
  EXPECT_EQ(worker_list("2,3,16"), (Numbers{2, 3, 16}));
  EXPECT_EQ(worker_list("4,8,...,64"), (Numbers{4, 8, 16, 32, 64}));
  EXPECT_EQ(worker_list("1,2,...,8,12"), (Numbers{1, 2, 4, 8, 12}));
  EXPECT_EQ(worker_list("2,4,6,...,12"), (Numbers{2, 4, 6, 8, 10, 12}));
}

TEST(WorkerList, SaysWhatIsWrong) {
  for (const char* wrong : {"", "0", "4,", "a", "4,...,8", "4,8,...", "4,8,...,24", "8,4,...,2", "4,8,...,...,16", "1e3", "70000"})
    EXPECT_THROW(worker_list(wrong), ConfigError) << wrong;
}

const char* const text = R"(
name = "here"
[model]
zoo = "mlp"
[data]
source = "synthetic"
[train]
steps = 10
batch_per_worker = 16
[strategy]
name = "sync"
[cluster]
workers = 2
[cluster.link]
bandwidth = "1 Gbit/s"
latency = "100 us"
)";

Experiment parsed(const Overrides& overrides = {}) {
  const Parsed result = parse_experiment(text, "test", catalogue(), overrides);
  for (const Problem& problem : result.problems) ADD_FAILURE() << to_string(problem);
  return result.experiment.value();
}

TEST(Prediction, ARunOfTheSameTrainingIsAMeasurement) {
  const Experiment experiment = parsed();
  const auto of = [&](const Overrides& overrides) { return is_measurement_of(parsed(overrides).complete, experiment); };
  EXPECT_TRUE(of({}));
  EXPECT_TRUE(of({{"name", "another"}, {"train.steps", "500"}, {"cluster.link.emulate", "true"}}));
  const std::string times = "{ forward_s = [0.01], backward_s = [0.02], update_s = 0.001 }";
  EXPECT_TRUE(of({{"cluster.compute", "emulate"}, {"cluster.profile", times}}));
  EXPECT_FALSE(of({{"cluster.compute", "emulate"}, {"cluster.profile", times}, {"cluster.slowdown", "[1, 2]"}}));
  EXPECT_FALSE(of({{"cluster.compute", "emulate"}, {"cluster.profile", times}, {"cluster.time_scale", "2"}}));
  EXPECT_FALSE(of({{"strategy.plan", "single"}}));
  EXPECT_FALSE(of({{"cluster.link.bandwidth", "\"2 Gbit/s\""}}));
  EXPECT_FALSE(of({{"train.batch_per_worker", "32"}}));
  EXPECT_FALSE(of({{"cluster.workers", "4"}}));
  Experiment four = experiment;
  four.cluster.workers = 4;
  EXPECT_TRUE(is_measurement_of(parsed({{"cluster.workers", "4"}}).complete, four));
}

TEST(Prediction, TakesTimesFromAFileAndTheLinkFromTheExperiment) {
  const Experiment experiment = parsed();
  LayerProfile profile;
  profile.forward_s = {0.01};
  profile.backward_s.assign(timed_layers(experiment).size(), 0.02);
  profile.update_s = 0.003;
  const std::string file = testing::TempDir() + "syncline_prediction_test.json";
  std::ofstream(file) << to_json(profile).dump();
  const PredictionInputs inputs = prediction_inputs(experiment, file, nullptr, "nowhere.db");
  std::remove(file.c_str());
  const double alone_s = 0.013 + 0.02 * static_cast<double>(profile.backward_s.size());
  EXPECT_NEAR(inputs.step->compute_s(), alone_s, 1e-12);
  const SimulationResult alone = simulate(prediction_request(experiment, inputs, 1)),
                         four = simulate(prediction_request(experiment, inputs, 4));
  EXPECT_NEAR(alone.step_s, alone_s, 1e-9);
  EXPECT_EQ(four.workers, 4);
  EXPECT_NEAR(four.step_s, alone_s + four.exposed_s, 1e-6);
  EXPECT_GT(four.exposed_s, 200e-6) << "two latencies at least";
}

TEST(Prediction, AnotherStrategyOrPlanKeepsWhatItKnows) {
  Experiment experiment = parsed({{"strategy.plan", "threshold"}, {"strategy.overlap", "false"}});
  const Experiment alone = with_strategy(experiment, "none"), back = with_strategy(alone, "sync"), same = with_strategy(experiment, "sync");
  EXPECT_EQ(alone.strategy.name, "none");
  EXPECT_FALSE(alone.strategy.options.has("overlap"));
  EXPECT_TRUE(back.strategy.options.flag("overlap")) << "its default";
  EXPECT_FALSE(same.strategy.options.flag("overlap"));
  EXPECT_FALSE(is_measurement_of(experiment.complete, same)) << "how it was written is not known";
  EXPECT_EQ(with_plan(experiment, "optimal").strategy.plan_options.all().size(), 0u);
  EXPECT_THROW(with_strategy(experiment, "nonsense"), ConfigError);
  EXPECT_THROW(with_plan(experiment, "nonsense"), ConfigError);
}

TEST(Prediction, SaysWhereTimesWouldComeFrom) {
  const Experiment experiment = parsed();
  EXPECT_THROW(prediction_inputs(experiment, "", nullptr, "nowhere.db"), ConfigError) << "no times";
  EXPECT_THROW(prediction_inputs(experiment, "somewhere", nullptr, "nowhere.db"), ConfigError) << "no such run";
  EXPECT_THROW(prediction_inputs(experiment, "nowhere.json", nullptr, "nowhere.db"), ConfigError) << "no such file";
}

}  // namespace
}  // namespace syncline
