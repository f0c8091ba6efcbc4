// SPDX-License-Identifier: Apache-2.0
// Training over the machines and links of a topology: what is exchanged arrives, and takes the time of its routes.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "tests/integration/train/engine.h"

namespace syncline::test {
namespace {

constexpr double latency_s = 20e-3;

// The job on two machines of two workers with a slow link between them.
std::string add_machines(const Engine& engine) {
  engine.replace("epochs = 4", "steps = 30\nevaluate_every = \"never\"");
  engine.replace("batch_per_worker = [5, 4]", "batch_per_worker = 4");
  engine.replace("plan = \"wfbp\"", "plan = \"single\"");
  std::ofstream(engine.folder() / "job.toml", std::ios::app)
      << "[cluster.link]\nemulate = true\n[[cluster.nodes]]\nname = \"left\"\ncores = 2\n[[cluster.nodes]]\nname = \"right\"\ncores = 2\n"
         "[[cluster.links]]\nfrom = \"left\"\nto = \"right\"\nbandwidth = \"1 Gbit/s\"\nlatency = \"20 ms\"\nshared = true\n";
  return "--set cluster.workers=4 ";
}

// Seconds of the shortest exchange of a step after the first ones, over all ranks: other work on the machine makes them longer only.
double shortest_exchange(const Engine& engine, int ranks) {
  Reader reader(Workspace::open_read_only(engine.workspace()));
  double shortest = 1e9;
  for (int rank = 0; rank < ranks; ++rank) {
    const auto steps = reader.steps(engine.last().id, rank);
    EXPECT_EQ(steps.size(), 30u);
    for (std::size_t k = 5; k < steps.size(); ++k) shortest = std::min(shortest, steps[k].comm_s);
  }
  return shortest;
}

TEST(Train, StepsOverTwoMachinesTakeTheTimeOfTheLinkBetweenThem) {
  const Engine engine;
  const std::string four = add_machines(engine);
  for (const std::string allreduce : {"hierarchical", "direct"}) {
    const Ended ended = engine.train(four + "--set strategy.allreduce=" + allreduce);
    ASSERT_EQ(ended.code, 0) << ended.output;
    const double seconds = shortest_exchange(engine, 4);
    EXPECT_GE(seconds, 2 * latency_s) << allreduce << ": there and back";
    EXPECT_LT(seconds, 3 * latency_s) << allreduce;
  }
}

TEST(Train, WorkersOfOneMachineWaitForNoLink) {
  const Engine engine;
  add_machines(engine);
  const Ended ended = engine.train();
  ASSERT_EQ(ended.code, 0) << ended.output;
  EXPECT_LT(shortest_exchange(engine, 2), latency_s);
}

TEST(Train, TwoLevelsWithoutMachinesAreRefusedWithTheLine) {
  const Engine engine;
  engine.replace("plan = \"wfbp\"", "allreduce = \"hierarchical\"");
  const Ended ended = engine.train();
  EXPECT_EQ(ended.code, 2);
  EXPECT_NE(ended.output.find("job.toml:29: strategy.allreduce: 'hierarchical' adds up inside machines first"), std::string::npos)
      << ended.output;
}

TEST(Train, ADryRunSaysHowManyLinksAreEmulated) {
  const Engine engine;
  const Ended ended = engine.train(add_machines(engine) + "--dry-run");
  EXPECT_EQ(ended.code, 0) << ended.output;
  EXPECT_NE(ended.output.find("direct allreduce over MPI over 1 emulated link;"), std::string::npos) << ended.output;
}

}  // namespace
}  // namespace syncline::test
