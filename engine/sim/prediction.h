// SPDX-License-Identifier: Apache-2.0
// From an experiment and a profile to simulations: what `simulate` and the window ask for.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/sim/preview.h"
#include "engine/sim/simulate.h"
#include "engine/store/reader.h"

namespace syncline {

struct PredictionInputs {
  std::shared_ptr<const ModelledStep> step;
  std::optional<Wire> wire;  // fitted to the profile's run, where the experiment describes no link
};

// Layer times of a run or a file; `profile` empty: the experiment's cluster.profile. A file with elements stands for a model of its own in
// the place of the experiment's. ConfigError where there are none, or of another model.
PredictionInputs prediction_inputs(const Experiment&, const std::string& profile, Reader* reader, const std::filesystem::path& workspace);
// The experiment with so many workers. `inputs` outlives the request.
SimulationRequest prediction_request(const Experiment&, const PredictionInputs& inputs, int workers);

// The experiment with another strategy, plan or orchestration and that one's defaults, but for keys of the strategy or orchestration that
// both have. `complete` is empty then: no run counts as a measurement of it. ConfigError for an unknown name or keys that have no meaning
// together.
Experiment with_strategy(Experiment, const std::string& name);
Experiment with_plan(Experiment, const std::string& name);
Experiment with_orchestration(Experiment, const std::string& name);

// "2,4,8", "4,8,...,1024" (times two each), "2,4,6,...,16" (three that differ by the same go on so). ConfigError for anything else.
std::vector<int> worker_list(const std::string& text);

// Whether a run's experiment trains the same in the same way, so that its step time is what a prediction for this one should be: everything
// is equal but name, length, evaluation, target, checkpoints, faults, and how compute and links were timed.
bool is_measurement_of(const std::string& run_experiment, const Experiment&);

}  // namespace syncline
