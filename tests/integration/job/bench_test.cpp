// SPDX-License-Identifier: Apache-2.0
// What bench prints: its form, and that its numbers fit each other. How fast anything is stands in tests/bench.
#include <gtest/gtest.h>

#include <fstream>
#include <map>

#include "tests/integration/job/job.h"

namespace syncline::test {
namespace {

using nlohmann::json;

json rows_of(const Engine& engine, const std::string& command) {
  const json document = parse_json(engine.run(command + " --json"));
  EXPECT_EQ(document.size(), 1u);
  return document.at("rows");
}

double ratio(const json& row) { return row.at("ratio").get<double>(); }

TEST(Bench, AStepIsTheSumOfItsLayers) {
  const Engine engine;
  const json rows = rows_of(engine, "bench step job.toml");
  std::map<std::string, json> layers;
  double forward = 0, backward = 0, update = 0, bound = 0;
  for (const json& row : rows) {
    const std::string layer = row.at("layer");
    EXPECT_TRUE(layers.emplace(layer, row).second) << layer;
    if (layer == "step" || layer == "sum") continue;
    for (const char* key : {"forward_s", "backward_s", "update_s"}) EXPECT_GE(row.at(key), 0) << layer;
    EXPECT_GT(row.at("forward_s").get<double>() + row.at("backward_s").get<double>(), 0) << layer;
    forward += row.at("forward_s").get<double>();
    backward += row.at("backward_s").get<double>();
    update += row.at("update_s").get<double>();
    if (row.at("bound_s").is_null()) continue;
    EXPECT_GT(row.at("bound_s"), 0) << layer;
    bound += row.at("bound_s").get<double>();
  }
  ASSERT_GE(layers.size(), 2u + 4u);
  const json sum = layers.at("sum"), step = layers.at("step");
  EXPECT_NEAR(sum.at("forward_s"), forward, 1e-12);
  EXPECT_NEAR(sum.at("backward_s"), backward, 1e-12);
  EXPECT_NEAR(sum.at("update_s"), update, 1e-12);
  EXPECT_GT(update, 0);
  EXPECT_NEAR(sum.at("bound_s"), bound, 1e-12);
  EXPECT_NEAR(step.at("samples_per_s").get<double>() * step.at("time_s").get<double>(), 5, 1e-6);  // rank 0's batch
  EXPECT_NEAR(ratio(step), bound / step.at("time_s").get<double>(), 1e-9);
}

TEST(Bench, OperationsCountEachLayerThatRunsThem) {
  const Engine engine;
  const json rows = rows_of(engine, "bench ops job.toml");
  double time = 0, bound = 0;
  ASSERT_GT(rows.size(), 4u);
  for (const json& row : rows) {
    EXPECT_GT(row.at("time_s"), 0) << row;
    EXPECT_GT(row.at("bound_s"), 0) << row;
    EXPECT_NEAR(ratio(row), row.at("bound_s").get<double>() / row.at("time_s").get<double>(), 1e-9);
    if (row.at("operation") == "sum") continue;
    EXPECT_EQ(row.at("times"), row.at("layers").size());
    EXPECT_FALSE(row.at("bound").get<std::string>().empty());
    time += row.at("times").get<double>() * row.at("time_s").get<double>();
    bound += row.at("times").get<double>() * row.at("bound_s").get<double>();
  }
  EXPECT_EQ(rows.back().at("operation"), "sum");
  EXPECT_NEAR(rows.back().at("time_s"), time, 1e-9);
  EXPECT_NEAR(rows.back().at("bound_s"), bound, 1e-9);
}

TEST(Bench, AllreducesHaveTheBusBandwidthOfTheFormula) {
  const Engine engine;
  const json rows = rows_of(engine, "bench allreduce --workers 3 --sizes 4096,262144");
  const std::vector<std::string> algorithms{"direct", "ring", "halving-doubling", "tree", "multicolor", "library"};
  ASSERT_EQ(rows.size(), 2 * algorithms.size());
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const json& row = rows[k];
    EXPECT_EQ(row.at("workers"), 3);
    EXPECT_EQ(row.at("bytes"), k < algorithms.size() ? 4096 : 262144);
    EXPECT_EQ(row.at("allreduce"), algorithms[k % algorithms.size()]);
    const double time_s = row.at("time_s"), moved = 2.0 * (3 - 1) / 3 * row.at("bytes").get<double>();
    EXPECT_GT(time_s, 0);
    EXPECT_LE(row.at("least_s"), time_s);
    EXPECT_GE(row.at("most_s"), time_s);
    EXPECT_NEAR(row.at("bus_bytes_per_s").get<double>() * time_s, moved, 1e-6 * moved);
    EXPECT_GT(row.at("bound_s"), 0);
    EXPECT_NEAR(ratio(row), row.at("bound_s").get<double>() / time_s, 1e-9);
  }
}

// Two levels where there are two, and no library where links are emulated, which its messages would not pass.
TEST(Bench, AllreducesOverAFilesMachinesAndLinks) {
  const Engine engine;
  std::ofstream(engine.folder() / "job.toml", std::ios::app)
      << "[cluster.link]\nemulate = true\n[[cluster.nodes]]\nname = \"left\"\ncores = 2\n[[cluster.nodes]]\nname = \"right\"\ncores = 1\n"
         "[[cluster.links]]\nfrom = \"left\"\nto = \"right\"\nbandwidth = \"1 Gbit/s\"\nlatency = \"1 ms\"\n";
  const json rows = rows_of(engine, "bench allreduce job.toml --set cluster.workers=3 --set train.batch_per_worker=4 --sizes 4096");
  std::vector<std::string> algorithms;
  for (const json& row : rows) {
    algorithms.push_back(row.at("allreduce"));
    EXPECT_GE(row.at("least_s"), 2e-3) << "there and back: " << row;
    EXPECT_GT(row.at("bound_s"), 4096.0 / 2 / 125e6 - 1e-12) << row;  // half of it at least, to a machine of one rank
    EXPECT_LE(row.at("bound_s"), row.at("least_s"));
  }
  EXPECT_EQ(algorithms, (std::vector<std::string>{"direct", "ring", "halving-doubling", "tree", "multicolor", "hierarchical"}));
}

TEST(Bench, SaysWhatItCannotMeasure) {
  const Engine engine;
  for (const auto& [command, sentence] :
       {std::pair("bench step", "take an experiment file or --model NAME"), std::pair("bench ops job.toml --model lenet", "one of the two"),
        std::pair("bench allreduce --sizes 10", "multiples of 4"), std::pair("bench allreduce --workers 1", "two or more workers")}) {
    const Ended ended = engine.run(command);
    EXPECT_EQ(ended.code, 2) << command;
    EXPECT_NE(ended.output.find(sentence), std::string::npos) << ended.output;
  }
}

}  // namespace
}  // namespace syncline::test
