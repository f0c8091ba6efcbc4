// SPDX-License-Identifier: Apache-2.0
// Emulated links between thread ranks keep bandwidth within 3 % and latency within 50 us, shared or not, in each direction for itself.
// The same over MPI: integration_mpi_comm links and shared_links.
#include <gtest/gtest.h>

#include "engine/comm/thread_world.h"
#include "tests/integration/overlap/link_times.h"

namespace syncline::test {
namespace {

class Links : public testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(Of, Links, testing::Bool(), [](const auto& at) { return at.param ? "AllPairs" : "EachPair"; });

TEST_P(Links, KeepBandwidthAndLatency) {
  ThreadWorldOptions options;
  options.links = measured_links(GetParam());
  ThreadWorld world(4, options);
  run_ranks(world, [](World& each) {
    const std::vector<std::string> wrong = wrong_links_at_best(each, GetParam());
    if (each.rank() != 0) return;
    for (const std::string& text : wrong) ADD_FAILURE() << text;
  });
}

// Machines exchange what their ranks added up: half of the vector out and half in for each phase, which is the vector once in each
// direction. The slower direction is the bound.
TEST(Links, ATwoLevelAllreduceTakesTheTimeOfTheSlowLinkBetweenMachines) {
  ThreadWorldOptions options;
  options.links = measured_links(true);
  options.group.machines = {0, 0, 1, 1};
  const auto best = [&](const char* name) {
    options.group.allreduce = name;
    ThreadWorld world(4, options);
    double shortest = 1e9;
    run_ranks(world, [&](World& each) {
      const View view = View::host(250'000);
      for (int repeat = 0; repeat < 6; ++repeat) {
        each.communicator().barrier().wait();
        Work work = each.communicator().allreduce(view, view);
        work.wait();
        if (each.rank() == 0) shortest = std::min(shortest, work.times().done_s - work.times().issued_s);
      }
    });
    return shortest;
  };
  const double bound = 1e6 / link_back + 2 * link_latency;
  const double two_levels = best("hierarchical"), flat = best("direct");
  EXPECT_GT(two_levels, 0.97 * bound);
  EXPECT_LT(two_levels, 1.1 * bound);
  EXPECT_GT(flat, 1.8 * two_levels) << "every rank of a machine sends its own to the other machine";
}

}  // namespace
}  // namespace syncline::test
