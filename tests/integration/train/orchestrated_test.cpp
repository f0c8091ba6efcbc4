// SPDX-License-Identifier: Apache-2.0
// Orders that are agreed on, with real ranks under mpirun and in predictions.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/integration/train/engine.h"

namespace syncline::test {
namespace {

using json = nlohmann::json;

constexpr char any_order[] = " --set strategy.submit_order=random --set 'strategy.hook_jitter=\"200 us\"' --set strategy.plan=wfbp ";

TEST(Orchestrated, LossesAreTheSameOverMpiWhicheverWayTheOrderIsAgreedOn) {
  const Engine engine;
  std::vector<std::byte> first;
  std::vector<Point> losses;
  for (const std::string name : {"static", "bitvector", "coordinator"}) {
    const Ended ended =
        engine.run("train job.toml --set cluster.workers=3 --set train.batch_per_worker=3 --set strategy.orchestration=" + name + any_order,
                   "SYNCLINE_CHECK_COLLECTIVES=1");
    ASSERT_EQ(ended.code, 0) << ended.output;
    const std::string id = engine.last().id;
    if (first.empty()) {
      first = engine.state(id);
      losses = engine.series(id, "train_loss");
      EXPECT_TRUE(engine.series(id, "control_cycles").empty());
      continue;
    }
    EXPECT_EQ(engine.state(id), first) << name;
    const auto mine = engine.series(id, "train_loss");
    ASSERT_EQ(mine.size(), losses.size());
    for (std::size_t k = 0; k < mine.size(); ++k) EXPECT_EQ(mine[k].value, losses[k].value) << name << ", step " << k;

    // What the turns took is recorded for every step.
    const auto cycles = engine.series(id, "control_cycles"), bytes = engine.series(id, "control_bytes"),
               slow = engine.series(id, "slow_path_runs"), sent = engine.series(id, "data_allreduces"),
               messages = engine.series(id, "control_messages");
    ASSERT_EQ(cycles.size(), losses.size());
    ASSERT_EQ(engine.series(id, "control_s").size(), losses.size());
    for (std::size_t k = 1; k < cycles.size(); ++k) {
      EXPECT_GE(cycles[k].value, 1);
      EXPECT_EQ(sent[k].value, sent[0].value) << "each bucket is a message of its own";
      EXPECT_EQ(messages[k].value, 4 * cycles[k].value) << "two exchanges of three ranks, or two messages of each other rank";
      EXPECT_EQ(slow[k].value, name == "coordinator" ? cycles[k].value : 0) << name << ", step " << k;
      if (name == "bitvector") {
        EXPECT_EQ(bytes[k].value, 8 * cycles[k].value);
      }
    }
  }
}

TEST(Orchestrated, ARunThatWasStoppedGoesOnAsIfItHadNotBeen) {
  const Engine engine;
  const std::string how = std::string("--set strategy.orchestration=bitvector") + any_order;
  ASSERT_EQ(engine.train(how).code, 0);
  const RunInfo whole = engine.last();
  ASSERT_EQ(engine.train(how + "--set train.epochs=1").code, 0);
  const Ended resumed = engine.run("train --resume " + engine.last().id + " --set train.epochs=4");
  ASSERT_EQ(resumed.code, 0) << resumed.output;
  EXPECT_EQ(engine.state(engine.last().id), engine.state(whole.id));
}

constexpr char times[] =
    R"({"syncline": "profile", "forward_s": [0.008, 0.004, 0, 0, 0.004, 0.004], "backward_s": [0.016, 0.008, 0, 0, 0.012, 0.012],
        "update_s": 0.002})";
constexpr char link[] =
    " --set train.batch_per_worker=5 --set strategy.plan=wfbp --set 'cluster.link.bandwidth=\"1 Gbit/s\"' --set "
    "'cluster.link.latency=\"100 us\"' ";

TEST(Orchestrated, PredictionsCompareOrchestrations) {
  const Engine engine;
  std::ofstream(engine.folder() / "layers.json") << times;
  const Ended ended = engine.run(
      "simulate job.toml --workers 8,512 --orchestrations static,bitvector,coordinator --profile layers.json --json" + std::string(link));
  ASSERT_EQ(ended.code, 0) << ended.output;
  std::map<std::pair<std::string, int>, double> step_s;
  const json document = json::parse(ended.output);
  for (const json& row : document["results"]) step_s[{row.at("orchestration"), row.at("workers")}] = row.at("step_s");
  ASSERT_EQ(step_s.size(), 6U);
  for (const int workers : {8, 512}) {
    EXPECT_LE((step_s[{"static", workers}]), (step_s[{"bitvector", workers}]));
    EXPECT_LT((step_s[{"bitvector", workers}]), (step_s[{"coordinator", workers}]));
  }
  EXPECT_GT((step_s[{"coordinator", 512}]) - (step_s[{"bitvector", 512}]), (step_s[{"coordinator", 8}]) - (step_s[{"bitvector", 8}]));
}

TEST(Orchestrated, APredictionOfAnotherOrchestrationStandsBesideWhatWasMeasured) {
  const Engine engine;
  std::ofstream(engine.folder() / "layers.json") << times;
  const Ended trained =
      engine.train("--set strategy.orchestration=bitvector --set cluster.link.emulate=true --set train.epochs=2" + std::string(link));
  ASSERT_EQ(trained.code, 0) << trained.output;
  const Ended ended =
      engine.run("simulate job.toml --workers 2 --orchestrations static,bitvector --profile layers.json --json" + std::string(link));
  ASSERT_EQ(ended.code, 0) << ended.output;
  const json results = json::parse(ended.output)["results"];
  ASSERT_EQ(results.size(), 2U);
  EXPECT_TRUE(results[0]["measured_step_s"].is_null()) << results[0];
  EXPECT_TRUE(results[1]["measured_step_s"].is_number()) << results[1];
}

// The card's fourth reproduction: linear against logarithmic, in this order from 16 ranks on.
TEST(Orchestrated, TheControlTimeOfATurnIsShownForAnyNumberOfRanks) {
  const Engine engine;
  const Ended ended =
      engine.run("simulate job.toml --control --tensors 161 --workers 8,16,64,512,4096,27600 --json --set 'cluster.link.latency=\"2 us\"'");
  ASSERT_EQ(ended.code, 0) << ended.output;
  std::map<std::pair<std::string, int>, double> cycle_s;
  const json document = json::parse(ended.output);
  for (const json& row : document["control"]) cycle_s[{row.at("orchestration"), row.at("workers")}] = row.at("cycle_s");
  ASSERT_EQ(cycle_s.size(), 12U);
  for (const int workers : {16, 64, 512, 4096, 27600})
    EXPECT_LT((cycle_s[{"bitvector", workers}]), (cycle_s[{"coordinator", workers}])) << workers;
  EXPECT_NEAR((cycle_s[{"bitvector", 4096}]), 2 * 12 * 2e-6 + 161e-9, 1e-9);
  EXPECT_NEAR((cycle_s[{"coordinator", 27600}]), 2 * 27599 * 2e-6 + 27600 * 1e-6, 1e-6);
  EXPECT_LT((cycle_s[{"bitvector", 27600}]) / (cycle_s[{"bitvector", 16}]), 4);
  EXPECT_GT((cycle_s[{"coordinator", 27600}]) / (cycle_s[{"coordinator", 16}]), 1000);
}

TEST(Orchestrated, APlanSaysHowOftenItsOrderIsAgreedOn) {
  const Engine engine;
  const Ended fixed = engine.run("plan job.toml --json");
  EXPECT_FALSE(json::parse(fixed.output).contains("agreed")) << fixed.output;
  const Ended agreed = engine.run(
      "plan job.toml --json --set strategy.orchestration=bitvector --set 'strategy.orchestration_options.cycle_time=\"2 ms\"' --set "
      "'cluster.link.latency=\"1 ms\"'");
  ASSERT_EQ(agreed.code, 0) << agreed.output;
  const json document = json::parse(agreed.output);
  EXPECT_EQ(document["agreed"]["every_s"], 0.002);
  EXPECT_NEAR(document["agreed"]["turn_s"].get<double>(), 0.002, 1e-6) << "two ranks: there and back";
}

TEST(Orchestrated, KeysThatMeanNothingAreRefusedWithWhatWouldBeRight) {
  const Engine engine;
  const Ended other = engine.run("validate job.toml --set strategy.orchestration=static --set strategy.orchestration_options.cycle_time=1");
  EXPECT_EQ(other.code, 2);
  EXPECT_NE(other.output.find("cycle_time"), std::string::npos) << other.output;
  const Ended none = engine.run("validate job.toml --set strategy.name=none --set strategy.submit_order=random");
  EXPECT_EQ(none.code, 2);
  EXPECT_NE(none.output.find("exchanges no gradients"), std::string::npos) << none.output;
}

}  // namespace
}  // namespace syncline::test
