// SPDX-License-Identifier: Apache-2.0
// The catalogue that this program really has, made of all its registries.
#include <gtest/gtest.h>

#include "engine/experiment/sections.h"
#include "engine/sim/schema.h"

namespace syncline {
namespace {

constexpr char job[] = R"(name = "job"
[model]
zoo = "mlp"
[data]
source = "synthetic"
[train]
steps = 1
[strategy]
name = "sync"
[cluster]
workers = 2
)";

TEST(TheCatalogue, HasNoMistakes) {
  EXPECT_EQ(mistakes_of(catalogue()), std::vector<std::string>{});
  EXPECT_FALSE(catalogue().layers.empty());
  EXPECT_FALSE(catalogue().optimizers.empty());
}

TEST(TheCatalogue, RefusesATopologyThatWouldHaveNoEffect) {
  ASSERT_TRUE(parse_experiment(job, "job.toml", catalogue()).experiment);
  const std::string topology = std::string(job) + R"([[cluster.nodes]]
name = "a"
[[cluster.nodes]]
name = "b"
[[cluster.links]]
from = "a"
to = "b"
bandwidth = "1 Gbit/s"
)";
  const Parsed parsed = parse_experiment(topology, "job.toml", catalogue());
  EXPECT_FALSE(parsed.experiment);
  ASSERT_EQ(parsed.problems.size(), 2u);
  EXPECT_EQ(to_string(parsed.problems[0]),
            "job.toml:12: cluster.nodes: machines of different kinds are not told apart yet: the launcher places the ranks; leave "
            "[[cluster.nodes]] out");
  EXPECT_EQ(to_string(parsed.problems[1]),
            "job.toml:16: cluster.links: links between named machines are not emulated yet: [cluster.link] is one link for every pair of "
            "ranks");
}

}  // namespace
}  // namespace syncline
