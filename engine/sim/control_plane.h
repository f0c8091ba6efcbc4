// SPDX-License-Identifier: Apache-2.0
// What agreeing on the order of messages costs, by closed forms: for any number of workers, also more than a simulation holds.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/experiment/experiment.h"

namespace syncline {

struct ControlTime {
  std::string orchestration;
  int workers = 1;
  double cycle_s = 0;  // of one turn in the steady state, over the experiment's slowest link
};
// For each of `workers` and every orchestration that agrees on something. `tensors` that have a number, `requests` newly ready in a turn.
std::vector<ControlTime> control_times(const Experiment&, std::span<const int> workers, std::int64_t tensors, double requests);

// Of the experiment's own orchestration with its number of workers; nullopt where nothing is agreed on.
struct Turns {
  double every_s = 0, turn_s = 0;
};
std::optional<Turns> turns_of(const Experiment&, std::int64_t tensors);

// Buckets of the experiment's plan; of one that needs measured layer times as many as there are tensors, the most it can have.
std::int64_t tensors_of(const Experiment&);

}  // namespace syncline
