// SPDX-License-Identifier: Apache-2.0
// Paced and emulated compute with real ranks: times are the profile's, losses are true where there is arithmetic, and what the machine
// could not keep up with is told.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "engine/plan/plan.h"
#include "engine/sim/preview.h"
#include "engine/sim/profiles.h"
#include "engine/sim/schema.h"
#include "engine/sim/traced_profile.h"
#include "tests/integration/train/engine.h"

namespace syncline::test {
namespace {

using json = nlohmann::json;

// Times of job.toml's layers: conv1 and its batch norm (which applies the ReLU), flatten, dropout, two linear ones.
constexpr char times[] =
    "{ forward_s = [0.002, 0.001, 0, 0, 0.001, 0.001], backward_s = [0.004, 0.002, 0, 0, 0.003, 0.003], update_s = 0.002 }";

std::string emulate(const std::string& profile = times) {
  return " --set cluster.compute=emulate --set 'cluster.profile=" + profile + "' --set train.batch_per_worker=5 ";
}

double median_step(const Engine& engine, int rank) {
  Reader reader(Workspace::open_read_only(engine.workspace()));
  std::vector<double> steps;
  for (const StepSums& sums : reader.steps(engine.last().id, rank, 3, 1 << 20)) steps.push_back(sums.step_s);
  EXPECT_FALSE(steps.empty());
  if (steps.empty()) return 0;
  std::nth_element(steps.begin(), steps.begin() + static_cast<std::ptrdiff_t>(steps.size() / 2), steps.end());
  return steps[steps.size() / 2];
}

TEST(Paced, GivesTheSameBitsAsUnpacedAndTheProfilesTimes) {
  const Engine engine;
  ASSERT_EQ(engine.train("--set train.batch_per_worker=5").code, 0);
  const RunInfo real = engine.last();
  const auto losses = engine.series(real.id, "train_loss");
  // A profile of a run of the same model and batch, through the file that export writes.
  ASSERT_EQ(engine.run("export last --format profile --output layers.json").code, 0);
  const json file = json::parse(std::ifstream(engine.folder() / "layers.json"));
  EXPECT_EQ(file.at("layers").size(), 6u);
  EXPECT_EQ(file.at("batch"), 5);
  EXPECT_EQ(file.at("source"), real.id);

  const std::string scale = " --set cluster.time_scale=30";
  for (const std::string profile : {"last", "layers.json"}) {
    const Ended ended = engine.train("--set train.batch_per_worker=5 --set cluster.compute=paced --set cluster.profile=" + profile + scale);
    ASSERT_EQ(ended.code, 0) << ended.output;
    const RunInfo paced = engine.last();
    EXPECT_EQ(paced.emulated, (std::vector<std::string>{"compute", "paced"}));
    EXPECT_EQ(engine.state(paced.id), engine.state(real.id));
    const auto same = engine.series(paced.id, "train_loss");
    ASSERT_EQ(same.size(), losses.size());
    for (std::size_t k = 0; k < losses.size(); ++k) EXPECT_EQ(same[k].value, losses[k].value) << k;
    EXPECT_EQ(engine.series(paced.id, "test_accuracy").back().value, engine.series(real.id, "test_accuracy").back().value);
    // "last" was the run before this one, and is so for ever.
    if (profile == "last") {
      EXPECT_NE(paced.experiment.find("profile = \"" + real.id + "\""), std::string::npos) << paced.experiment;
    }
    Reader reader(Workspace::open_read_only(engine.workspace()));
    const LayerProfile recorded = profile_from_json(*reader.document(paced.id, "profile"), "recorded");
    const double layers_s = 30 * (recorded.whole_forward_s() + recorded.whole_backward_s());
    // A step that begins late on a busy machine keeps to its schedule's end all the same, so not every one is as long as the profile.
    std::vector<double> steps;
    for (const StepSums& sums : reader.steps(paced.id, 0, 0, 1 << 20)) steps.push_back(sums.forward_s + sums.backward_s);
    ASSERT_GT(steps.size(), 10U);
    std::nth_element(steps.begin(), steps.begin() + static_cast<std::ptrdiff_t>(steps.size() / 2), steps.end());
    EXPECT_GE(steps[steps.size() / 2], layers_s - 25e-6) << "a wait of less than 20 us is left out";
  }
}

TEST(Paced, SixteenEmulatedWorkersTakeTheStepOfTheRecurrence) {
  const Engine engine;
  // An update goes on while the next message is on the wire, which the recurrence does not know: here it is next to nothing.
  const std::string quick_update =
      "{ forward_s = [0.002, 0.001, 0, 0, 0.001, 0.001], backward_s = [0.004, 0.002, 0, 0, 0.003, 0.003], update_s = 0.0001 }";
  const std::string link =
      " --set cluster.link.emulate=true --set 'cluster.link.bandwidth=\"80 Mbit/s\"' --set 'cluster.link.latency=\"1 ms\"'";
  const std::string job =
      emulate(quick_update) + link +
      " --set cluster.workers=16 --set train.steps=25 --set data.train_size=6400 --set cluster.time_scale=10 --set fault.limit_s=30";
  engine.replace("epochs = 4\n", "");
  // What the recurrence says, of the plan and the link that are emulated, ten times as slow.
  std::ifstream stream(engine.folder() / "job.toml");
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  const Parsed parsed = parse_experiment(text, "job.toml", catalogue(),
                                         {{"cluster.compute", "emulate"},
                                          {"cluster.profile", quick_update},
                                          {"cluster.workers", "16"},
                                          {"train.steps", "25"},
                                          {"train.batch_per_worker", "5"},
                                          {"cluster.link.bandwidth", "\"80 Mbit/s\""},
                                          {"cluster.link.latency", "\"1 ms\""},
                                          {"cluster.link.emulate", "true"},
                                          {"cluster.time_scale", "10"}});
  ASSERT_TRUE(parsed.experiment) << to_string(parsed.problems.front());
  double predicted_s = 0, step_s = 1e9;
  for (int attempt = 0; attempt < 5; ++attempt) {  // other work on the machine only ever makes a step longer
    const Ended ended = engine.run("train job.toml" + job, {}, 90);
    ASSERT_EQ(ended.code, 0) << ended.output;
    const RunInfo run = engine.last();
    EXPECT_EQ(run.emulated, (std::vector<std::string>{"link", "compute"}));
    Reader reader(Workspace::open_read_only(engine.workspace()));
    const ModelDescription model = describe_model(*parsed.experiment);
    std::vector<LayerSlice> slices = model.slices;
    const json recorded = json::parse(*reader.document(run.id, "slices"));
    for (std::size_t k = 0; k < slices.size(); ++k) slices[k].layer = recorded[k].at("layer");
    Profile profile = by_slices(parsed.experiment->cluster.profile, slices);
    profile.allreduce = emulated_allreduce(parsed.experiment->cluster.links.front(), 16);
    predicted_s = 10 * timeline(recorded_plan(reader, run, slices), slices, profile).step_s;
    step_s = std::min(step_s, median_step(engine, 0));
    std::printf("try %d: step %.2f ms, recurrence %.2f ms\n", attempt + 1, step_s * 1e3, predicted_s * 1e3);
    if (std::fabs(step_s / predicted_s - 1) < 0.05) break;
  }
  EXPECT_NEAR(step_s / predicted_s, 1, 0.05);
}

TEST(Paced, EmulatedRunsHaveNoLossNoAccuracyAndRealExchanges) {
  const Engine engine;
  const Ended ended = engine.train(emulate() + "--set cluster.workers=3");
  ASSERT_EQ(ended.code, 0) << ended.output;
  const RunInfo run = engine.last();
  EXPECT_EQ(run.state, "finished");
  EXPECT_TRUE(engine.series(run.id, "train_loss").empty());
  EXPECT_TRUE(engine.series(run.id, "test_accuracy").empty());
  const Ended shown = engine.run("show last --json");
  const json summary = json::parse(shown.output).at("summary");
  EXPECT_TRUE(summary.at("final_train_loss").is_null());
  EXPECT_TRUE(summary.at("final_test_accuracy").is_null());
  EXPECT_TRUE(summary.at("best_test_accuracy").is_null());
  EXPECT_EQ(summary.at("samples"), 240);
  EXPECT_GT(summary.at("bytes_sent_per_step_per_worker"), 0.0);
  const std::vector<std::byte> state = engine.state(run.id);
  EXPECT_FALSE(state.empty());
  ASSERT_EQ(engine.train(emulate() + "--set cluster.workers=3").code, 0);
  EXPECT_EQ(engine.state(engine.last().id), state);  // seeded: the same again, whatever the times were
  ASSERT_EQ(engine.train(emulate() + "--set cluster.workers=3 --set seed=4").code, 0);
  EXPECT_NE(engine.state(engine.last().id), state);
  const Ended listed = engine.run("runs");
  EXPECT_NE(listed.output.find("emulated compute"), std::string::npos) << listed.output;
  const Ended text = engine.run("show last");
  EXPECT_NE(text.output.find("emulated compute: times are those of the emulated machine; nothing was computed, so there is no loss"),
            std::string::npos)
      << text.output;
}

TEST(Paced, AStragglerIsAsSlowAsItsFactor) {
  const Engine engine;
  engine.replace("plan = \"wfbp\"\n", "");  // nothing is exchanged
  ASSERT_EQ(engine.train(emulate() + "--set strategy.name=none --set cluster.slowdown=[1,2] --set cluster.time_scale=3").code, 0);
  const double fast_s = median_step(engine, 0), slow_s = median_step(engine, 1);
  EXPECT_GE(fast_s, 0.051 * 0.99);
  EXPECT_GE(slow_s, 0.102 * 0.99);
}

TEST(Paced, OverrunsAreToldAndTakeTheTimesBack) {
  const Engine engine;
  // A hundredth of a millisecond for a step that computes: every one is late.
  const std::string hopeless = "{ forward_s = [0, 0, 0, 0, 0, 1e-6], backward_s = [0, 0, 0, 0, 0, 1e-6], update_s = 0 }";
  const Ended ended = engine.train(" --set cluster.compute=paced --set 'cluster.profile=" + hopeless +
                                   "' --set train.batch_per_worker=300 --set data.train_size=3000");
  ASSERT_EQ(ended.code, 0) << ended.output;
  EXPECT_NE(ended.output.find("no times are given: in "), std::string::npos) << ended.output;
  const json summary = json::parse(engine.run("show last --json").output).at("summary");
  EXPECT_GT(summary.at("emulation_overrun"), 0.02);
  for (const char* key : {"step_s", "forward_s", "comm_s", "samples_per_s", "exposed_comm_s"})
    EXPECT_TRUE(summary.at(key).is_null()) << key;
  EXPECT_FALSE(summary.at("final_train_loss").is_null());
  EXPECT_NE(summary.at("times_withheld").get<std::string>().find("a wait was over before it began"), std::string::npos);
  EXPECT_NE(engine.run("show last").output.find("no times are given"), std::string::npos);
  EXPECT_NE(engine.run("runs").output.find("overrun"), std::string::npos);
}

TEST(Paced, AProfileOfAnotherModelOrBatchIsRefusedBeforeAnythingStarts) {
  const Engine engine;
  ASSERT_EQ(engine.train().code, 0);  // batches of 5 and 4
  const auto refused = [&](const std::string& set, const std::string& sentence) {
    const Ended ended = engine.train(set);
    EXPECT_EQ(ended.code, 2) << ended.output;
    EXPECT_NE(ended.output.find(sentence), std::string::npos) << ended.output;
  };
  const std::string paced = " --set cluster.compute=paced --set cluster.profile=";
  refused(paced + "last --set train.batch_per_worker=8", "the profile is of a batch of ");
  refused(paced + "last --set model.layers.0.channels=5 --set train.batch_per_worker=5",
          "is of another model: model.layers.conv1.channels is 4 there and 5 here; a profile needs the same");
  refused(paced + "nobody", "job.toml: cluster.profile: there is no run \"nobody\"");
  refused(paced + "gone.json", "cannot read the profile gone.json");
  refused(paced + "'{ forward_s = 1, backward_s = [1, 2] }'",
          "the profile has times of 2 layers and the model has 6 (conv1, batch_norm1, flatten1, dropout1, linear1, linear2)");
  for (const char* command : {"plan job.toml", "simulate job.toml --workers 2"}) {
    const Ended ended = engine.run(std::string(command) + " --profile last --set train.batch_per_worker=8");
    EXPECT_EQ(ended.code, 2) << ended.output;
    EXPECT_NE(ended.output.find("the profile is of a batch of "), std::string::npos) << ended.output;
  }
  Reader reader(Workspace::open_read_only(engine.workspace()));
  EXPECT_EQ(reader.runs().size(), 1u);
  ASSERT_EQ(engine.train(emulate()).code, 0);
  refused(paced + "last --set train.batch_per_worker=5", "was paced or emulated itself");
  EXPECT_EQ(engine.run("validate job.toml" + paced + "gone.json").code, 2);
}

// The same file under a launcher of one's own: rank 0 reads the profile for all.
TEST(Paced, UnderAForeignLauncher) {
  const Engine engine;
  ASSERT_EQ(engine.train("--set train.batch_per_worker=5").code, 0);
  const Ended ended =
      engine.run("train job.toml --set train.batch_per_worker=5 --set cluster.compute=emulate --set cluster.profile=last", mpirun(2));
  ASSERT_EQ(ended.code, 0) << ended.output;
  EXPECT_EQ(engine.last().state, "finished");
  EXPECT_EQ(engine.last().emulated, std::vector<std::string>{"compute"});
}

}  // namespace
}  // namespace syncline::test
