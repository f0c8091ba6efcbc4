// SPDX-License-Identifier: Apache-2.0
// Layer times against the model and batch that they stand for.
#include "engine/sim/profiles.h"

#include <gtest/gtest.h>

#include "engine/model/arena.h"
#include "engine/sim/preview.h"
#include "engine/sim/schema.h"

namespace syncline {
namespace {

constexpr char times[] = "{ forward_s = [1, 2, 3, 4], backward_s = [10, 20, 30, 40], update_s = 5 }";

Parsed parsed(const std::string& more, const Overrides& overrides = {}) {
  const std::string text = R"(name = "job"
[model]
layers = [{ type = "conv", channels = 4, kernel = 3 }, { type = "relu" }, { type = "flatten" }, { type = "linear", features = 8 },
          { type = "relu" }, { type = "linear", features = 3 }]
[data]
source = "synthetic"
classes = 3
height = 6
width = 6
[train]
steps = 1
[strategy]
name = "sync"
[cluster]
workers = 4
)" + more;
  Parsed result = parse_experiment(text, "job.toml", catalogue(), overrides);
  if (result.experiment) result.problems = check_model(*result.experiment, "job.toml");
  return result;
}

Experiment job(const std::string& more) {
  Parsed result = parsed(more);
  EXPECT_TRUE(result.problems.empty()) << to_string(result.problems.front());
  return *std::move(result.experiment);
}

std::string problem(const std::string& more) {
  const Parsed result = parsed(more);
  return result.problems.empty() ? "" : to_string(result.problems.front());
}

std::string with(const std::string& profile) { return "compute = \"emulate\"\nprofile = " + profile + "\n"; }

TEST(Profiles, TimeTheLayersOfAStepWithoutActivationsThatOthersApply) {
  EXPECT_EQ(timed_layers(job("")), (std::vector<std::string>{"conv1", "flatten1", "linear1", "linear2"}));
}

TEST(Profiles, ThatDoNotFitAreProblemsOfTheExperiment) {
  EXPECT_EQ(problem(with(times)), "");
  EXPECT_EQ(
      problem(with("{ forward_s = 1, backward_s = [1, 2, 3] }")),
      "job.toml: cluster.profile: the profile has times of 3 layers and the model has 4 (conv1, flatten1, linear1, linear2); one time "
      "for each would be right");
  EXPECT_EQ(
      problem(with("\"nowhere.json\"")),
      "job.toml: cluster.profile: cannot read the profile nowhere.json; 'export RUN --format profile --output nowhere.json' writes one "
      "from a traced run");
  EXPECT_EQ(problem(with("\"a run\"")), "");  // looked at where the workspace is known
}

TEST(Profiles, AreOfOneBatchAndModel) {
  const Experiment experiment = job("");
  const std::vector<std::string> layers = timed_layers(experiment);
  LayerProfile profile{
      .model = {}, .source = {}, .batch = 64, .layers = layers, .forward_s = {1}, .backward_s = {1, 2, 3, 4}, .update_s = 0};
  EXPECT_EQ(misfit_of_profile(profile, experiment, layers), "");
  profile.batch = 32;
  EXPECT_EQ(misfit_of_profile(profile, experiment, layers),
            "the profile is of a batch of 32 and worker 0 has 64: train.batch_per_worker = 32, or a profile made at that batch, would be "
            "right");
  profile.layers[1] = "pool1";
  EXPECT_EQ(misfit_of_profile(profile, experiment, layers), "the profile is of another model: its layer 2 is 'pool1', and 'flatten1' here");
}

TEST(Profiles, BySlicesChargeEachLayerToTheNextGradientThatBecomesReady) {
  const Experiment experiment = job(with(times));
  const Profile profile = paced_profile(experiment.cluster.profile, experiment);
  EXPECT_EQ(profile.forward_s, 10);
  EXPECT_EQ(profile.update_s, 5);
  // linear2 and its bias, linear1 and its bias, then the convolution, which waits for flatten's backward too.
  ASSERT_EQ(profile.backward_s.size(), 6u);
  EXPECT_EQ(profile.backward_s[0], 40);
  EXPECT_EQ(profile.backward_s[2], 30);
  EXPECT_EQ(profile.backward_s[4], 30);
  EXPECT_EQ(profile.backward_s[1] + profile.backward_s[3] + profile.backward_s[5], 0);
}

TEST(Profiles, APlannedStepHasItsUpdateOnce) {
  const Experiment experiment = job(with(times));  // no link is given: exchanges cost nothing
  const PlannedMessages planned =
      plan_messages(experiment, describe_model(experiment), paced_profile(experiment.cluster.profile, experiment));
  EXPECT_DOUBLE_EQ(planned.step_s.value(), 10 + 100 + 5);
}

TEST(Profiles, OfAStragglerOverASlowedLink) {
  const Experiment experiment =
      job(with(times) + "time_scale = 2\nslowdown = [1, 1, 3, 1]\n[cluster.link]\nbandwidth = 1000\nlatency = 0.5\n");
  const Profile profile = paced_profile(experiment.cluster.profile, experiment);
  EXPECT_EQ(profile.forward_s, 60);
  EXPECT_EQ(profile.update_s, 30);
  EXPECT_EQ(profile.backward_s[0], 240);
  EXPECT_DOUBLE_EQ(profile.allreduce.latency_s, 2 * 0.5 * 2);
  EXPECT_DOUBLE_EQ(profile.allreduce.per_byte_s, 2 * 0.75 / 500);
}

TEST(Profiles, OfAMachineThatIsSlowerThanTheOthers) {
  const Experiment experiment = job(with(times) + R"(
[[cluster.nodes]]
name = "a"
cores = 3
speed = 2
[[cluster.nodes]]
name = "b"
cores = 1
speed = 0.5
[[cluster.links]]
from = "a"
to = "b"
)");
  EXPECT_EQ(worker_speeds(Topology(experiment.cluster)), (std::vector<double>{2, 2, 2, 0.5}));
  EXPECT_EQ(paced_profile(experiment.cluster.profile, experiment).forward_s, 20);
  EXPECT_EQ(worker_speeds(Topology(job("").cluster)), std::vector<double>(4, 1));
}

TEST(Profiles, OfARunNeedAWorkspaceThatHasIt) {
  const Experiment experiment = job(with("\"a run\""));
  try {
    experiment_profile(experiment, "/nowhere/w.db");
    FAIL();
  } catch (const ConfigError& error) {
    EXPECT_STREQ(error.what(), "there is no run 'a run': the workspace /nowhere/w.db holds none yet");
    EXPECT_EQ(error.origin().key, "cluster.profile");
  }
}

}  // namespace
}  // namespace syncline
