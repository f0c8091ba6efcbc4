// SPDX-License-Identifier: Apache-2.0
#include "engine/sim/preview.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "engine/base/error.h"
#include "engine/comm/group.h"
#include "engine/comm/schedules/schedule.h"
#include "engine/experiment/topology.h"
#include "engine/model/memory_plan.h"
#include "engine/optim/description.h"
#include "engine/optim/loader.h"
#include "engine/optim/optimizer.h"
#include "engine/strategy/strategy.h"

namespace syncline {
namespace {

bool is_plugin(const Experiment& experiment) { return experiment.train.optimizer.name.starts_with("plugin:"); }

}  // namespace

ModelDescription describe_model(const Experiment& experiment) {
  const DataShape data = data_shape(experiment.data);
  return describe_model(expand_model(experiment.model, data.shape, data.classes), data.shape, data.classes);
}

std::vector<std::int64_t> PlannedMessages::elements() const {
  std::vector<std::int64_t> counts;
  for (const PlannedMessage& message : messages) counts.push_back(message.elements);
  return counts;
}

bool exchanges_gradients(const Experiment& experiment) {
  return strategy_entry(experiment.strategy.name).traits(experiment.strategy.options).exchanges_gradients;
}

bool plan_needs_profile(const Experiment& experiment) { return planner(experiment.strategy.plan).needs_profile; }

PlannedMessages plan_messages(const Experiment& experiment, const ModelDescription& model, const std::optional<Profile>& profile) {
  if (!exchanges_gradients(experiment)) {
    throw ConfigError(fmt::format("strategy '{}' sends no gradients, so there is nothing to plan", experiment.strategy.name));
  }
  const PlannerEntry& entry = planner(experiment.strategy.plan);
  if (entry.needs_profile && !profile) {
    throw ConfigError(fmt::format("plan '{}' needs layer times: give --profile RUN, a run of this model and batch", entry.name));
  }
  const Plan plan = entry.make(model.slices, profile.value_or(Profile{}), experiment.strategy.plan_options);
  PlannedMessages planned;
  for (const Group& group : plan.groups()) {
    PlannedMessage message;
    for (int slice = group.first; slice <= group.last; ++slice)
      message.layers.push_back(model.slices[static_cast<std::size_t>(slice)].name);
    message.elements = group.count;
    planned.messages.push_back(std::move(message));
  }
  if (!profile) return planned;
  const Timeline times = timeline(plan, model.slices, *profile);
  for (std::size_t k = 0; k < planned.messages.size(); ++k) planned.messages[k].times = times.groups[k];
  planned.step_s = times.step_s;  // with the update
  planned.exposed_s = times.exposed_s;
  return planned;
}

std::optional<double> bytes_sent_per_rank(const Experiment& experiment, std::span<const std::int64_t> elements) {
  const std::int64_t ranks = experiment.cluster.workers;
  if (ranks <= 1) return 0;
  const auto entries = allreduce_schedules();
  const auto entry =
      std::find_if(entries.begin(), entries.end(), [&](const ScheduleEntry& each) { return each.name == experiment.strategy.allreduce; });
  if (entry == entries.end() || entry->build == nullptr) return std::nullopt;
  const Params options = with_defaults(entry->parameters, experiment.strategy.allreduce_options.all());
  const auto chunk = static_cast<std::int64_t>(options.real("chunk_bytes")) / 4;
  std::vector<int> machines;
  if (!experiment.cluster.nodes.empty()) machines = Topology(experiment.cluster).machine_of_ranks();
  machines.resize(machines.empty() ? 0 : static_cast<std::size_t>(ranks));  // without servers
  double most = 0;
  for (int rank = 0; rank < static_cast<int>(ranks); ++rank) {
    double sent = 0;
    for (const std::int64_t count : elements) {
      const Traffic traffic = entry->traffic(
          {.rank = rank, .size = static_cast<int>(ranks), .count = count, .chunk = chunk, .options = &options, .machines = machines});
      sent += static_cast<double>(traffic.elements) * 4;
    }
    most = std::max(most, sent);
  }
  return most;
}

std::optional<MemoryNeed> memory_per_rank(const Experiment& experiment, const std::vector<LayerSpec>& layers, const DataShape& data) {
  if (is_plugin(experiment)) return std::nullopt;
  const auto arrays = static_cast<double>(describe(*find_rule(experiment.train.optimizer.name)).state_arrays);
  const ModelDescription model = describe_model(layers, data.shape, data.classes);
  Structure structure = resolve(layers, data.shape, data.classes);
  fuse(structure);
  const std::vector<std::int64_t>& batches = experiment.train.batch_per_worker;
  const std::int64_t parts = experiment.train.micro_batches;
  const std::int64_t rows = (*std::max_element(batches.begin(), batches.end()) + parts - 1) / parts;
  const auto parameters = static_cast<double>(model.parameters), statistics = static_cast<double>(model.statistics);
  MemoryNeed need;
  need.activations = 4.0 * static_cast<double>(plan_memory(structure, rows).pool);
  need.values = 4.0 * (parameters * (2 + arrays) + statistics);
  need.checkpoint = 4.0 * (parameters * (1 + arrays) + statistics);
  return need;
}

EpochSteps steps_per_epoch(std::int64_t samples, std::int64_t global_batch, bool drop_last) {
  if (global_batch < 1 || samples < 0) return {};
  const std::int64_t remainder = samples % global_batch;
  return {samples / global_batch + (remainder > 0 && !drop_last ? 1 : 0), remainder};
}

std::int64_t total_steps(const Experiment& experiment, std::int64_t train_samples) {
  if (experiment.train.steps) return *experiment.train.steps;
  const EpochSteps epoch = steps_per_epoch(train_samples, experiment.global_batch(), experiment.data.last_batch == "drop");
  return epoch.steps * experiment.train.epochs.value_or(0);
}

std::optional<std::vector<double>> learning_rates(const Experiment& experiment, std::int64_t total, std::span<const std::int64_t> steps) {
  const OptimizerSpec& optimizer = experiment.train.optimizer;
  if (is_plugin(experiment) && !optimizer.options.has("lr")) return std::nullopt;
  const double lr = optimizer.options.has("lr") ? optimizer.options.real("lr") : learning_rate(optimizer);
  const std::unique_ptr<Schedule> schedule = make_schedule(experiment.train.schedule, lr, experiment.cluster.workers, total);
  std::vector<double> rates;
  for (const std::int64_t step : steps) rates.push_back(schedule->lr(step));
  return rates;
}

}  // namespace syncline
