// SPDX-License-Identifier: Apache-2.0
// `bench step`: forward, backward and update of each layer of one rank, in this moment.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/experiment/experiment.h"
#include "kernels/view.h"

namespace syncline {

struct LayerTime {
  std::string layer;                                   // after fusion, in topological order
  double forward_s = 0, backward_s = 0, update_s = 0;  // the loss is part of the last layer's backward
  // The same passes by oneDNN's bare primitives (see bench_ops.h), where it has some; the update has no bound.
  std::optional<double> bound_s;
};

struct StepTimes {
  std::vector<LayerTime> layers;
  double step_s = 0;  // everything from the batch in memory to the updated parameters, data and exchanges left out
};

struct StepBench {
  const Experiment& experiment;  // its model, rank 0's batch in one piece, and optimizer
  Shape input;
  std::int64_t classes = 0;
  int threads = 1, steps = 20;
  bool bounds = true;
};

// Medians over the steps after two that warm up. Random pixels and labels.
StepTimes bench_step(const StepBench&);

}  // namespace syncline
