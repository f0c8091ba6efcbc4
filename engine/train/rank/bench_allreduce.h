// SPDX-License-Identifier: Apache-2.0
// `bench allreduce`: our allreduces beside the library's, among the ranks that a launcher started.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/comm/world.h"
#include "engine/experiment/parameter.h"
#include "engine/experiment/topology.h"

namespace syncline {

struct AllreduceChoice {
  std::string label;  // what its rows are called
  std::string name;   // of allreduce_schedules()
  Params options;     // of its parameters, complete
};
// "ring", or with keys of its own "multicolor:colors=2,segments=1"; the others have their defaults. ConfigError in one sentence.
AllreduceChoice allreduce_choice(const std::string& text);

struct AllreduceTime {
  std::string algorithm;  // the choice's label
  std::int64_t bytes = 0;
  double time_s = 0;  // median over the repeats, each the slowest rank's
  double least_s = 0, most_s = 0;
  double bus_bytes_per_s = 0;  // 2 (p-1)/p bytes / time_s
  // Every rank copies what it has to send, 2 (p-1)/p bytes, once, all ranks at the same time: no algorithm over shared memory does less.
  // Over emulated links: how long this algorithm's messages keep the busiest one.
  double bound_s = 0;
};

// Collective over the world, which needs the library under it for "library". Sums are checked first: TrainingError when one is wrong. All
// ranks get the same result. Sizes in bytes, multiples of 4.
// `machines` as in GroupOptions; `links`: of the world, when they are emulated (without "library" then, which passes none of them).
std::vector<AllreduceTime> bench_allreduce(World&, const std::vector<std::int64_t>& sizes, const std::vector<AllreduceChoice>& algorithms,
                                           const std::vector<int>& machines, const std::optional<Topology>& links);

}  // namespace syncline
