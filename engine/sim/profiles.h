// SPDX-License-Identifier: Apache-2.0
// Layer times for paced and emulated workers and for predictions: from a run's traces, a file or the experiment, checked against the model
// and batch that they are to stand for.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "engine/experiment/experiment.h"
#include "engine/experiment/topology.h"
#include "engine/model/vector.h"
#include "engine/plan/plan.h"
#include "engine/store/reader.h"

namespace syncline {

// What a step times, in the order of forward, as spans and Hooks count layers: those of the model, without activations that the layer
// before them applies. Looks at the data's headers; DataError, ConfigError.
std::vector<std::string> timed_layers(const Experiment&);

// Medians over the traced steps of a run (as traced_profile()), of the rank with the longest compute. `experiment`: the run's own model is
// compared with it. ConfigError in one sentence where the run has no layer times of its own (not traced, itself paced or emulated), or is
// of another model, input or batch.
LayerProfile layer_profile(Reader&, const RunInfo&, const Experiment&);
// The same without an experiment to be used in: what `export --format profile` writes.
LayerProfile layer_profile(Reader&, const RunInfo&);

// Of cluster.profile, whatever it is. The workspace is opened only where it names a run. ConfigError with the key.
LayerProfile experiment_profile(const Experiment&, const std::filesystem::path& workspace);
// What is wrong with a profile for this experiment, in one sentence; empty: nothing.
std::string misfit_of_profile(const LayerProfile&, const Experiment&, std::span<const std::string> timed_layers);
// The same for the batch of its times alone; 0: not known.
std::string misfit_of_batch(std::int64_t batch, const Experiment&);

// By slices, as planners and timelines take it: a layer without parameters is charged to the next slice that becomes ready. `slices` must
// say their layer. The cost of an exchange is left open.
Profile by_slices(const LayerProfile&, std::span<const LayerSlice> slices);
// By which the times of each rank with a place are divided: the speed of the machine of [[cluster.nodes]] that it is on; 1 where none are
// described.
std::vector<double> worker_speeds(const Topology&);
// What a paced or emulated run of this experiment will keep to: by slices, of its slowest worker, times and [cluster.link] scaled; without
// jitter. ConfigError for a profile that does not fit.
Profile paced_profile(const LayerProfile&, const Experiment&);

}  // namespace syncline
