// SPDX-License-Identifier: Apache-2.0
#include "engine/sim/control_plane.h"

#include <algorithm>

#include "engine/comm/orchestrations/policy.h"
#include "engine/experiment/topology.h"
#include "engine/sim/network.h"
#include "engine/sim/prediction.h"

namespace syncline {

std::vector<ControlTime> control_times(const Experiment& experiment, std::span<const int> workers, std::int64_t tensors, double requests) {
  ClusterSpec cluster = experiment.cluster;
  if (cluster.nodes.empty()) cluster.workers = std::max<std::int64_t>(2, cluster.workers);
  const Wire wire = bottleneck(Topology(cluster), 0, cluster.time_scale);
  std::vector<ControlTime> times;
  for (const OrchestrationEntry& entry : orchestrations()) {
    if (entry.cycle_cost_s == nullptr) continue;
    const Experiment with = with_orchestration(experiment, std::string(entry.name));
    const ReleaseOptions options = release_options(entry, with.strategy.orchestration_options);
    for (const int count : workers) {
      const ControlCost cost{
          .ranks = count, .latency_s = wire.latency_s, .per_byte_s = wire.per_byte_s, .message_cost_s = options.control_message_cost_s};
      times.push_back({std::string(entry.name), count, entry.cycle_cost_s(cost, tensors, requests)});
    }
  }
  return times;
}

std::optional<Turns> turns_of(const Experiment& experiment, std::int64_t tensors) {
  const OrchestrationEntry& entry = orchestration(experiment.strategy.orchestration);
  if (entry.make == nullptr) return std::nullopt;
  Turns turns{.every_s = release_options(entry, experiment.strategy.orchestration_options).cycle_time_s};
  const int workers[] = {static_cast<int>(experiment.cluster.workers)};
  for (const ControlTime& each : control_times(experiment, workers, tensors, 1))
    if (each.orchestration == entry.name) turns.turn_s = each.cycle_s;
  return turns;
}

std::int64_t tensors_of(const Experiment& experiment) {
  const std::vector<LayerSlice> slices = describe_model(experiment).slices;
  const PlannerEntry& entry = planner(experiment.strategy.plan);
  if (entry.needs_profile) return static_cast<std::int64_t>(slices.size());
  return static_cast<std::int64_t>(entry.make(slices, {}, experiment.strategy.plan_options).groups().size());
}

}  // namespace syncline
