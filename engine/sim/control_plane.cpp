// SPDX-License-Identifier: Apache-2.0
#include "engine/sim/control_plane.h"

#include <algorithm>

#include "engine/comm/orchestrations/policy.h"
#include "engine/data/dataset.h"
#include "engine/experiment/topology.h"
#include "engine/model/arena.h"
#include "engine/model/graph.h"
#include "engine/model/structure.h"
#include "engine/plan/plan.h"
#include "engine/sim/network.h"

namespace syncline {

Experiment with_orchestration(Experiment experiment, const std::string& name) {
  const OrchestrationEntry& entry = orchestration(name);
  std::map<std::string, Value, std::less<>> kept;
  for (const Parameter& parameter : entry.parameters) {
    const auto given = experiment.strategy.orchestration_options.all().find(parameter.key);
    if (given != experiment.strategy.orchestration_options.all().end()) kept.insert(*given);
  }
  experiment.strategy.orchestration = name;
  experiment.strategy.orchestration_options = with_defaults(entry.parameters, kept);
  experiment.complete.clear();
  return experiment;
}

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
  const DataShape data = data_shape(experiment.data);
  Structure structure = resolve(expand_model(experiment.model, data.shape, data.classes), data.shape, data.classes);
  fuse(structure);
  const Arena arena = lay_out(structure);
  const PlannerEntry& entry = planner(experiment.strategy.plan);
  if (entry.needs_profile) return static_cast<std::int64_t>(arena.slices.size());
  return static_cast<std::int64_t>(entry.make(arena.slices, {}, experiment.strategy.plan_options).groups().size());
}

}  // namespace syncline
