// SPDX-License-Identifier: Apache-2.0
// `simulate` as a person uses it, and its predictions beside a run of the same experiment.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/integration/train/engine.h"

namespace syncline::test {
namespace {

using json = nlohmann::json;

// Times of job.toml's layers: conv1 and its batch norm (which applies the ReLU), flatten, dropout, two linear ones.
constexpr char times[] =
    R"({"syncline": "profile", "forward_s": [0.008, 0.004, 0, 0, 0.004, 0.004], "backward_s": [0.016, 0.008, 0, 0, 0.012, 0.012],
        "update_s": 0.002})";
constexpr char link[] =
    " --set train.batch_per_worker=5 --set 'cluster.link.bandwidth=\"10 Mbit/s\"' --set 'cluster.link.latency=\"2 ms\"' ";

json parsed(const Ended& ended) {
  EXPECT_EQ(ended.code, 0) << ended.output;
  return json::parse(ended.output, nullptr, false);
}

TEST(Simulating, PredictsEachPlanForEachNumberOfWorkers) {
  const Engine engine;
  std::ofstream(engine.folder() / "layers.json") << times;
  const json results = parsed(engine.run("simulate job.toml --workers 1,2,...,64 --plans single,wfbp,optimal --profile layers.json --json" +
                                         std::string(link)))["results"];
  ASSERT_EQ(results.size(), 3u * 7u);
  for (const json& row : results) {
    EXPECT_EQ(row.at("strategy"), "sync");
    EXPECT_TRUE(row.at("measured_step_s").is_null());
    EXPECT_TRUE(row.at("error").is_null());
    const double step_s = row.at("step_s"), exposed_s = row.at("exposed_comm_s");
    EXPECT_NEAR(step_s, 0.070 + exposed_s, 1e-6) << row;
    EXPECT_NEAR(row.at("samples_per_s").get<double>(), 5 * row.at("workers").get<int>() / step_s, 1e-3 / step_s);
    EXPECT_NEAR(row.at("efficiency").get<double>(), 0.070 / step_s, 1e-6);
    if (row.at("workers") == 1) {
      EXPECT_EQ(exposed_s, 0);
    } else {
      EXPECT_GE(step_s, 0.068 + 4e-3 - 1e-9) << "two latencies of the last bucket follow the passes";
    }
  }
  // A person gets a table, with the same numbers.
  const Ended table = engine.run("simulate job.toml --workers 2,4 --profile layers.json" + std::string(link));
  EXPECT_EQ(table.code, 0);
  EXPECT_NE(table.output.find("predictions, not measurements"), std::string::npos) << table.output;
  // Each worker alone.
  const json alone = parsed(engine.run("simulate job.toml --workers 8 --strategies none --profile layers.json --json" + std::string(link)));
  EXPECT_TRUE(alone["results"][0].at("plan").is_null());
  EXPECT_NEAR(alone["results"][0].at("efficiency").get<double>(), 1, 1e-9);
}

TEST(Simulating, StandsBesideWhatWasMeasured) {
  const Engine engine;
  std::ofstream(engine.folder() / "layers.json") << times;
  const Ended trained = engine.train("--set cluster.link.emulate=true --set train.epochs=2" + std::string(link));
  ASSERT_EQ(trained.code, 0) << trained.output;
  const json results =
      parsed(engine.run("simulate job.toml --workers 2,4 --plans wfbp --profile layers.json --json" + std::string(link)))["results"];
  ASSERT_EQ(results.size(), 2u);
  EXPECT_TRUE(results[1].at("measured_step_s").is_null()) << "of four workers there is no run";
  ASSERT_FALSE(results[0].at("measured_step_s").is_null());
  const double step_s = results[0].at("step_s"), measured_s = results[0].at("measured_step_s");
  EXPECT_NEAR(results[0].at("error").get<double>(), step_s / measured_s - 1, 1e-12);
}

TEST(Simulating, SaysWhatIsMissing) {
  const Engine engine;
  std::ofstream(engine.folder() / "layers.json") << times;
  const auto refused = [&](const std::string& arguments, const std::string& text) {
    const Ended ended = engine.run("simulate job.toml " + arguments);
    EXPECT_EQ(ended.code, 2) << ended.output;
    EXPECT_NE(ended.output.find(text), std::string::npos) << ended.output;
  };
  refused("--workers 2,4" + std::string(link), "needs the times of the layers");
  refused("--workers 4,x --profile layers.json", "'x' is no number of workers");
  refused("--workers 2 --profile layers.json --set train.batch_per_worker=5", "needs to know the link");
  refused("--workers 2 --profile nothing.json" + std::string(link), "cannot read the profile nothing.json");
  refused("--workers 2 --profile layers.json --set strategy.allreduce=library" + std::string(link), "cannot be simulated");
}

}  // namespace
}  // namespace syncline::test
