// SPDX-License-Identifier: Apache-2.0
// What an experiment comes to before it runs: its model, the messages of a step, bytes, memory, learning rates. `describe`, `plan` and the
// desktop all ask here, so that they say the same; the desktop sees the algorithms through this folder alone.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/data/dataset.h"
#include "engine/experiment/experiment.h"
#include "engine/model/graph.h"
#include "engine/plan/plan.h"

namespace syncline {

ModelDescription describe_model(const Experiment&);  // looks at the data's headers; DataError, ConfigError

struct PlannedMessage {
  std::vector<std::string> layers;  // names of the slices that travel together
  std::int64_t elements = 0;
  std::optional<Timeline::Exchange> times;  // with a profile, from the step's start
};
struct PlannedMessages {
  std::vector<PlannedMessage> messages;     // in the order of sending
  std::optional<double> step_s, exposed_s;  // with a profile; the step includes the update
  std::vector<std::int64_t> elements() const;
};
bool exchanges_gradients(const Experiment&);
bool plan_needs_profile(const Experiment&);  // grouped by measured layer times
// Not for a strategy that exchanges no gradients, nor without the profile that the plan needs: ConfigError.
PlannedMessages plan_messages(const Experiment&, const ModelDescription&, const std::optional<Profile>&);

// What the busiest rank sends in one exchange of each of these messages; nullopt where the library decides.
std::optional<double> bytes_sent_per_rank(const Experiment&, std::span<const std::int64_t> elements);

struct MemoryNeed {        // bytes of one rank
  double activations = 0;  // and their gradients, for the largest part of a batch that is computed at a time
  double values = 0;       // parameters, gradients, the optimizer's state, running statistics
  double checkpoint = 0;   // on disk
};
// nullopt for a plugin, which is never loaded here.
std::optional<MemoryNeed> memory_per_rank(const Experiment&, const std::vector<LayerSpec>&, const DataShape&);

struct EpochSteps {
  std::int64_t steps = 0, remainder = 0;  // remainder: samples of the last, smaller batch, or dropped
};
EpochSteps steps_per_epoch(std::int64_t samples, std::int64_t global_batch, bool drop_last);
std::int64_t total_steps(const Experiment&, std::int64_t train_samples);

// Of these steps, from 0. nullopt for a plugin whose own rate is used.
std::optional<std::vector<double>> learning_rates(const Experiment&, std::int64_t total_steps, std::span<const std::int64_t> steps);

}  // namespace syncline
