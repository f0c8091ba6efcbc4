// SPDX-License-Identifier: Apache-2.0
// `bench ops`: each operation of a model in this moment, beside oneDNN's own primitive for it in the fastest format found.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "engine/experiment/experiment.h"
#include "kernels/backend.h"

namespace syncline {

struct OperationTime {
  std::string shape, pass;          // "conv 28x28x16 to 16, 3x3"; "forward", "backward weights", "backward input", "backward"
  std::vector<std::string> layers;  // that run it once a step
  double time_s = 0, bound_s = 0;   // of one call: ours, the fastest bare primitive's
  std::string bound;                // that primitive's implementation
};

struct OperationBench {
  std::span<const LayerSpec> layers;  // expanded
  Shape input;
  std::int64_t classes = 0, rows = 64;
  int repeats = 15;
};

// Convolutions, fully connected layers, batch normalisation and pooling; operations of the same shape are measured once. One thread; the
// smallest CPU time of the repeats, both sides in turn, so that other programs disturb neither.
std::vector<OperationTime> bench_operations(const OperationBench&);

}  // namespace syncline
