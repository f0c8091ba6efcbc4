// SPDX-License-Identifier: Apache-2.0
// Paced and emulated compute in the experiment file, and the file of layer times.
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/unit/experiment/parse_support.h"

namespace syncline {
namespace {

using test::experiment;
using test::minimal;
using test::problems;
using test::Texts;

std::string with_cluster(std::string_view keys) { return minimal("[cluster]\n" + std::string(keys)); }

TEST(Compute, TakesARunAFileOrTheTimesThemselves) {
  const Experiment run =
      experiment(with_cluster("compute = \"paced\"\nprofile = \"quickstart\"\nworkers = 2\nslowdown = [1, 1.5]\n"
                              "jitter = { std = 0.05, seed = 7 }\ntime_scale = 4\n"));
  EXPECT_EQ(run.cluster.compute, "paced");
  EXPECT_EQ(run.cluster.profile_from, "quickstart");
  EXPECT_EQ(run.cluster.time_scale, 4);
  EXPECT_EQ(run.cluster.slowdown, (std::vector<double>{1, 1.5}));
  EXPECT_EQ(run.cluster.jitter_std, 0.05);
  EXPECT_EQ(run.cluster.jitter_seed, 7u);

  const Experiment table =
      experiment(with_cluster("compute = \"emulate\"\nprofile = { forward_s = [0.001, 2e-3], backward_s = [1, 2], update_s = 0.5 }\n"));
  EXPECT_TRUE(table.cluster.profile_from.empty());
  EXPECT_EQ(table.cluster.profile.forward_s, (std::vector<double>{0.001, 0.002}));
  EXPECT_EQ(table.cluster.profile.backward_s, (std::vector<double>{1, 2}));
  EXPECT_EQ(table.cluster.profile.update_s, 0.5);
  EXPECT_EQ(experiment(minimal(), {{"cluster.compute", "emulate"}, {"cluster.profile", "last"}}).cluster.profile_from, "last");
  EXPECT_EQ(experiment(minimal(), {{"cluster.compute", "emulate"}, {"cluster.profile", "{ forward_s = 1, backward_s = [1, 2] }"}})
                .cluster.profile.whole_forward_s(),
            1);
}

TEST(Compute, PrintsItselfInFull) {
  const Experiment table = experiment(with_cluster(
      "compute = \"emulate\"\nslowdown = 2\nprofile = { forward_s = [0.001, 2e-3], backward_s = [1.5, 2], update_s = 0.5 }\n"));
  EXPECT_NE(table.complete.find("compute = \"emulate\"\ntime_scale = 1.0\nslowdown = [2.0]\n"
                                "profile = { forward_s = [0.001, 0.002], backward_s = [1.5, 2.0], update_s = 0.5 }\n"
                                "jitter = { std = 0.0, seed = 1 }\n"),
            std::string::npos)
      << table.complete;
  const Experiment run = experiment(with_cluster("compute = \"paced\"\nprofile = \"a.json\"\njitter = { std = 0.1 }\n"));
  EXPECT_NE(run.complete.find("compute = \"paced\"\nprofile = \"a.json\"\ntime_scale = 1.0\nslowdown = [1.0]\n"
                              "jitter = { std = 0.1, seed = 1 }\n"),
            std::string::npos)
      << run.complete;
  for (const Experiment& each : {table, run}) {
    const Experiment again = experiment(each.complete);
    EXPECT_EQ(again.complete, each.complete);
    EXPECT_EQ(again.cluster.profile, each.cluster.profile);
    EXPECT_EQ(again.cluster.profile_from, each.cluster.profile_from);
    EXPECT_EQ(again.cluster.slowdown, each.cluster.slowdown);
  }
  EXPECT_EQ(experiment(minimal()).complete.find("profile"), std::string::npos);
}

TEST(Compute, SaysEverythingThatIsWrong) {
  EXPECT_EQ(
      problems(with_cluster("compute = \"paced\"\nslowdown = [1, 2, 3]\nworkers = 2\njitter = { std = 3, sed = 1 }\ntime_scale = 0\n")),
      (Texts{"a.toml:10: cluster.profile: is missing: layer times of the machine that is paced or emulated, at this model and batch: a "
             "traced run, a .json file ('export RUN --format profile' writes it), or a table { forward_s = [..], backward_s = [..], "
             "update_s = x }",
             "a.toml:12: cluster.slowdown: has 3 values for 2 workers; give one number for all, or one for each",
             "a.toml:14: cluster.jitter.std: must be between 0 and 2, not 3",
             "a.toml:14: cluster.jitter.sed: unknown key 'sed'; did you mean 'std'?",
             "a.toml:15: cluster.time_scale: must be between 1e-06 and 1000000, not 0"}));
  EXPECT_EQ(problems(with_cluster("profile = \"x\"\njitter = { std = 0.1 }\n")),
            (Texts{"a.toml:11: cluster.profile: applies only with compute = paced | emulate",
                   "a.toml:12: cluster.jitter: applies only with compute = paced | emulate"}));
  EXPECT_EQ(
      problems(with_cluster("compute = \"emulate\"\nprofile = 3\n")),
      (Texts{"a.toml:12: cluster.profile: must be a run, a .json file or a table { forward_s = [..], backward_s = [..], update_s = x }, "
             "not the number 3"}));
  EXPECT_EQ(
      problems(with_cluster("compute = \"emulate\"\nprofile = { forward_s = [1, 2], backward_s = [1, 2, 3] }\n")),
      (Texts{"a.toml:12: cluster.profile: forward_s has 2 values and backward_s 3; both need one for each layer (forward_s may have a "
             "single one for all)"}));
  EXPECT_EQ(problems(with_cluster("compute = \"emulate\"\nprofile = { forward_s = [-1], backward = [1] }\n")),
            (Texts{"a.toml:12: cluster.profile.forward_s: element 1: must be between 0 and 1000000, not -1",
                   "a.toml:12: cluster.profile.backward: unknown key 'backward'; did you mean 'backward_s'?",
                   "a.toml:12: cluster.profile.backward_s: is missing: seconds of each layer's backward, in the order of forward"}));
  EXPECT_EQ(
      problems(minimal("[cluster]\ncompute = \"emulate\"\nprofile = \"x\"\n", "name = \"sync\"", "epochs = 1\ntarget_accuracy = 0.9")),
      (Texts{"a.toml:8: train.target_accuracy: does not apply: compute = \"emulate\" does no arithmetic, so there is no accuracy to "
             "reach; leave the key out"}));
}

TEST(Compute, AFactorForEachWorkerAndStep) {
  ClusterSpec cluster;
  cluster.workers = 3;
  cluster.time_scale = 2;
  cluster.slowdown = {1, 1, 1.5};
  EXPECT_EQ(pace_factor(cluster, 0, 0), 2);
  EXPECT_EQ(pace_factor(cluster, 2, 7), 3);
  cluster.jitter_std = 0.2;
  double sum = 0, squares = 0;
  constexpr int count = 20000;
  for (int step = 0; step < count; ++step) {
    const double factor = pace_factor(cluster, 0, step) / 2;
    ASSERT_GT(factor, 0);
    sum += factor;
    squares += factor * factor;
  }
  EXPECT_NEAR(sum / count, 1, 0.01);
  EXPECT_NEAR(std::sqrt(squares / count - sum * sum / count / count), 0.2, 0.01);
  EXPECT_EQ(pace_factor(cluster, 1, 5), pace_factor(cluster, 1, 5));
  EXPECT_NE(pace_factor(cluster, 1, 5), pace_factor(cluster, 0, 5));
  EXPECT_NE(pace_factor(cluster, 1, 5), pace_factor(cluster, 1, 6));
}

std::string problem_of_file(const std::string& text) {
  const std::filesystem::path path = std::filesystem::temp_directory_path() / ("profile." + std::to_string(::getpid()) + ".json");
  std::ofstream(path) << text;
  std::string message;
  try {
    read_profile_file(path);
  } catch (const ConfigError& error) {
    message = error.what();
  }
  std::filesystem::remove(path);
  const std::size_t at = message.find(path.string());
  return at == std::string::npos ? message : message.replace(at, path.string().size(), "FILE");
}

TEST(ProfileFile, ReadsWhatIsWritten) {
  const LayerProfile profile{.model = "lenet",
                             .source = "0193",
                             .batch = 64,
                             .layers = {"conv1", "fc1"},
                             .forward_s = {0.1 + 0.2, 2},
                             .backward_s = {3, 4},
                             .update_s = 1.0 / 3};
  EXPECT_EQ(profile_from_json(to_json(profile).dump(), "x"), profile);
  EXPECT_EQ(profile.forward_of(1), 2);
  EXPECT_TRUE(names_profile_file("a.json"));
  EXPECT_TRUE(names_profile_file("./a"));
  EXPECT_FALSE(names_profile_file("last"));
}

TEST(ProfileFile, SaysWhatIsWrongInOneSentence) {
  EXPECT_EQ(problem_of_file("[1]"), "the profile FILE is no JSON object; 'export RUN --format profile' writes one from a traced run");
  EXPECT_EQ(problem_of_file("{"), "the profile FILE is no JSON object; 'export RUN --format profile' writes one from a traced run");
  EXPECT_EQ(problem_of_file("{\"forward_s\": [1]}"),
            "the profile FILE has no list backward_s: it needs forward_s and backward_s, in seconds by layer");
  EXPECT_EQ(problem_of_file("{\"forward_s\": [1], \"backward_s\": [\"a\"]}"),
            "the profile FILE: backward_s must hold numbers of seconds, not \"a\"");
  EXPECT_EQ(problem_of_file("{\"forward_s\": [1], \"backward_s\": [1], \"batch\": 1.5}"),
            "the profile FILE: batch must be a whole number of samples, not 1.5");
  EXPECT_EQ(problem_of_file("{\"forward_s\": [0], \"backward_s\": [0, 0]}"),
            "the profile FILE: all of its times are 0, so there is nothing to keep to");
  EXPECT_EQ(problem_of_file("{\"forward_s\": [1], \"backward_s\": [-1]}"), "the profile FILE: its times must be at least 0 seconds");
  EXPECT_EQ(problem_of_file("{\"forward_s\": [1], \"backward_s\": [1], \"layers\": [\"a\", \"b\"]}"),
            "the profile FILE: layers has 2 names and backward_s 1 values");
  EXPECT_THROW(read_profile_file("/nowhere/x.json"), ConfigError);
}

}  // namespace
}  // namespace syncline
