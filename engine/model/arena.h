// SPDX-License-Identifier: Apache-2.0
// Where each parameter lies in the arena: dense, in the order in which the backward pass completes gradients. A layer whose weights decay
// and whose bias does not has two slices, "fc1" and "fc1.bias", which complete at the same moment: weight decay, and the norms of
// layer-wise optimizers, then see whole weights only, as frameworks' parameter groups without decay do. Any other layer has one.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/model/structure.h"
#include "engine/model/vector.h"

namespace syncline {

struct Range {
  std::int64_t offset = 0, count = 0;
};

struct NodeArena {
  std::vector<Range> parameters;  // in the order of Node::parameters
  std::vector<Range> statistics;  // in the statistics vector, which goes in topological order
  int first_slice = 0, slice_count = 0;
};

struct Arena {
  std::vector<LayerSlice> slices;
  std::vector<NodeArena> nodes;  // topological order
  std::int64_t parameters = 0, statistics = 0;
};

Arena lay_out(const Structure&);

// Each parameter is a function of the seed and its name ("conv1.weight"), whatever else the model contains.
void initialise(const Structure&, const Arena&, Backend&, const View& params, const View& statistics, std::uint64_t seed);

}  // namespace syncline
