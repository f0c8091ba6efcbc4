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

TEST(TheCatalogue, TakesATopologyAndSaysWhichOfItsLinksIsTooSlow) {
  const std::string topology = std::string(job) + R"([cluster.link]
emulate = true
[[cluster.nodes]]
name = "a"
cores = 1
[[cluster.nodes]]
name = "b"
cores = 1
[[cluster.links]]
from = "a"
to = "b"
bandwidth = "1 Gbit/s"
bandwidth_back = "100 bit/s"
)";
  const Parsed parsed = parse_experiment(topology, "job.toml", catalogue());
  ASSERT_TRUE(parsed.experiment);
  const std::vector<Problem> problems = check_model(*parsed.experiment, "job.toml");
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_EQ(problems[0].origin.key, "cluster.links.0.bandwidth");
}

}  // namespace
}  // namespace syncline
