// SPDX-License-Identifier: Apache-2.0
// Layer times from a recorded run: what the timeline recurrences and planners take as measured.
#pragma once

#include <span>

#include "engine/experiment/experiment.h"
#include "engine/model/vector.h"
#include "engine/plan/plan.h"
#include "engine/store/reader.h"

namespace syncline {

// Medians over the run's traced steps (the first few left out) of the rank with the longest compute: forward, backward by slice (layers
// without parameters charged to the next slice that becomes ready), update. The cost of an exchange is the formula of `direct` on the
// experiment's emulated link, or without one a fit to the run's own traced exchanges (their transfer, waiting for peers left out).
// Throws ConfigError when the run has no traces or is of another model or batch.
Profile traced_profile(Reader&, const RunInfo&, std::span<const LayerSlice> slices, const Experiment&);

// What an exchange cost in a run, waiting for peers left out: of its emulated link the formula, else the fit. Errors as above.
LinkCost traced_exchange(Reader&, const RunInfo&, const Experiment& of_run);

// The plan that a run used, over these slices (same model). ConfigError when it recorded none.
Plan recorded_plan(Reader&, const RunInfo&, std::span<const LayerSlice> slices);

// T(n) of an allreduce over p ranks whose cards have this bandwidth, both phases one after the other: 2 latency + 2 (p-1)/p n / bandwidth.
LinkCost emulated_allreduce(const LinkSpec&, std::int64_t ranks);
// Of `direct` among the workers of a cluster: twice the longest latency of a route, and per byte twice the time of the link that is busiest
// when every rank sends every other one a p-th. Without machines it is the above.
LinkCost emulated_allreduce(const ClusterSpec&);

}  // namespace syncline
