// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/editor/examination.h"

#include <QCoreApplication>
#include <algorithm>
#include <cmath>

#include "engine/base/error.h"
#include "engine/comm/schedules/schedule.h"
#include "engine/launch/command.h"
#include "engine/launch/process.h"
#include "engine/model/memory_plan.h"
#include "engine/optim/description.h"
#include "engine/optim/loader.h"
#include "engine/optim/optimizer.h"
#include "engine/sim/schema.h"
#include "engine/strategy/strategy.h"
#include "ui/models/editor/field_values.h"
#include "ui/models/editor/layer_rows.h"
#include "ui/models/format.h"

namespace syncline::ui {

namespace {

constexpr const char* file_name = "";        // of a draft; problems name line and key
constexpr double most_expanded_moves = 2e5;  // of all ranks; beyond, the closed form
constexpr int rate_samples = 400;

QString say(const char* text) { return QCoreApplication::translate("Examination", text); }
QString words(const std::string& text) { return QString::fromStdString(text); }
QString formula() { return say("formula"); }

bool is_plugin(const std::string& optimizer) { return optimizer.starts_with("plugin:"); }

// Arrays as large as the parameters that the optimizer keeps. A plugin's number is known to the engine alone: plugins are never loaded
// here.
std::optional<std::int64_t> state_arrays(const OptimizerSpec& optimizer) {
  if (is_plugin(optimizer.name)) return std::nullopt;
  try {
    return describe(*find_rule(optimizer.name)).state_arrays;
  } catch (const Error&) {
    return std::nullopt;
  }
}

std::int64_t largest_batch(const Experiment& experiment) {
  const std::vector<std::int64_t>& batches = experiment.train.batch_per_worker;
  return *std::max_element(batches.begin(), batches.end());
}

void examine_data(Examination& result) {
  if (!result.data) return;
  const DataShape& data = *result.data;
  result.data_facts << say("%1 training and %2 test samples of %3 in %4 classes")
                           .arg(format::count(data.train_size), format::count(data.test_size), words(data.shape.text()),
                                format::count(data.classes));
  if (!result.experiment) return;
  const Experiment& experiment = *result.experiment;
  const std::int64_t batch = experiment.global_batch();
  result.global_batch = batch;
  const bool drop = experiment.data.last_batch == "drop";
  const EpochCount epoch = epoch_count(data.train_size, batch, drop);
  result.steps_per_epoch = epoch.steps;
  result.total_steps = experiment.train.steps ? experiment.train.steps : std::optional(epoch.steps * experiment.train.epochs.value_or(0));
  result.data_facts << say("%1 steps per epoch, each of %2 samples over %3 workers")
                           .arg(format::count(epoch.steps), format::count(batch), format::count(experiment.cluster.workers));
  if (epoch.remainder > 0)
    result.data_facts << (drop ? say("the %1 samples left at the end of an epoch are dropped").arg(format::count(epoch.remainder))
                               : say("the last step of an epoch has the %1 samples that are left, weighted by their number")
                                     .arg(format::count(epoch.remainder)));
}

void examine_plan(const ModelParts& parts, std::optional<Profile> profile, Examination& result) {
  if (!result.experiment || !parts.description) return;
  const Experiment& experiment = *result.experiment;
  const ModelDescription& model = *parts.description;
  if (profile && profile->backward_s.size() != model.slices.size()) profile.reset();  // of the model as it was before
  const StrategyEntry& strategy = strategy_entry(experiment.strategy.name);
  if (!strategy.traits(experiment.strategy.options).exchanges_gradients) {
    result.buckets_note = say("The strategy '%1' sends no gradients, so there are no messages to list").arg(text_of(strategy.name));
    return;
  }
  if (experiment.cluster.workers == 1) {
    result.buckets_note = say("One rank does not communicate; with more workers these would be the messages of a step");
  }
  try {
    const PlannerEntry& planner_used = planner(experiment.strategy.plan);
    if (planner_used.needs_profile && !profile) {
      result.buckets_note = say("The plan '%1' groups by measured layer times: there is no profiled run of this model and batch")
                                .arg(words(experiment.strategy.plan));
      return;
    }
    const Plan plan = planner_used.make(model.slices, profile.value_or(Profile{}), experiment.strategy.plan_options);
    std::optional<Timeline> times;
    if (profile) times = timeline(plan, model.slices, *profile);
    for (std::size_t k = 0; k < plan.groups().size(); ++k) {
      const Group& group = plan.groups()[k];
      BucketRow row;
      for (int slice = group.first; slice <= group.last; ++slice) row.layers << words(model.slices[static_cast<std::size_t>(slice)].name);
      row.bytes = group.count * 4;
      if (times) {
        row.ready_s = times->groups[k].ready_s;
        row.start_s = times->groups[k].start_s;
        row.end_s = times->groups[k].end_s;
      }
      result.buckets.push_back(std::move(row));
    }
    const auto count = static_cast<std::int64_t>(plan.groups().size());
    result.bucket_totals = (count == 1 ? say("%1 message per step, %2 in all") : say("%1 messages per step, %2 in all"))
                               .arg(format::count(count), format::traffic(static_cast<double>(model.parameters) * 4));
    if (times)
      result.bucket_totals += say("; predicted step %1, exposed communication %2")
                                  .arg(format::duration(times->step_s + profile->update_s), format::duration(times->exposed_s));
  } catch (const Error& error) {
    result.buckets_note = words(error.what());
  }
}

// Which message each layer's gradients travel in, for the brackets beside the table.
void bracket_layers(const ModelParts& parts, Examination& result) {
  if (!parts.description) return;
  const auto row_of_slice = [&](const QString& slice_name) -> LayerRow* {
    for (const LayerSlice& slice : parts.description->slices) {
      if (words(slice.name) != slice_name || slice.layer < 0) continue;
      const QString layer = words(parts.description->layers[static_cast<std::size_t>(slice.layer)].name);
      for (LayerRow& row : result.layers) {
        if (row.name == layer) return &row;
      }
    }
    return nullptr;
  };
  for (std::size_t k = 0; k < result.buckets.size(); ++k) {
    for (const QString& slice : result.buckets[k].layers) {
      if (LayerRow* row = row_of_slice(slice)) row->bucket = static_cast<int>(k);
    }
  }
  int before = -1;
  std::size_t first_without = 0;
  for (std::size_t i = 0; i < result.layers.size(); ++i) {
    const int bucket = result.layers[i].bucket;
    if (bucket < 0) continue;
    for (std::size_t gap = first_without; gap < i && bucket == before; ++gap) result.layers[gap].bucket = bucket;
    before = bucket;
    first_without = i + 1;
  }
}

void examine_rate(Examination& result) {
  if (!result.experiment) return;
  const TrainSpec& train = result.experiment->train;
  LearningRate& rate = result.learning_rate;
  if (is_plugin(train.optimizer.name) && !train.optimizer.options.has("lr")) {
    rate.note = say("The plugin's own learning rate is used; give lr to see the curve");
    return;
  }
  if (!result.total_steps || *result.total_steps < 1) {
    rate.note = say("The curve needs the number of steps, which needs the data");
    return;
  }
  try {
    const double lr = train.optimizer.options.has("lr") ? train.optimizer.options.real("lr") : learning_rate(train.optimizer);
    const std::int64_t total = *result.total_steps;
    const std::unique_ptr<Schedule> schedule = make_schedule(train.schedule, lr, result.experiment->cluster.workers, total);
    const std::int64_t count = std::min<std::int64_t>(total, rate_samples);
    for (std::int64_t i = 0; i < count; ++i) {
      const std::int64_t step = count == 1 ? 0 : i * (total - 1) / (count - 1);
      rate.steps.push_back(static_cast<double>(step));
      rate.rates.push_back(schedule->lr(step));
    }
    rate.first = rate.rates.front();
    rate.last = rate.rates.back();
    rate.most = *std::max_element(rate.rates.begin(), rate.rates.end());
  } catch (const Error& error) {
    rate.note = words(error.what());
  }
}

void estimate_memory(const ModelParts& parts, Examination& result) {
  const Experiment& experiment = *result.experiment;
  const ModelDescription& model = *parts.description;
  const std::optional<std::int64_t> arrays = state_arrays(experiment.train.optimizer);
  if (!arrays) {
    result.estimates.push_back({say("Memory per rank"), format::missing, say("the optimizer is a plugin; the dry run tells"), {}});
    return;
  }
  try {
    Structure structure = resolve(parts.layers, result.data->shape, result.data->classes);
    fuse(structure);
    const std::int64_t parts_of_batch = experiment.train.micro_batches;
    const std::int64_t rows = (largest_batch(experiment) + parts_of_batch - 1) / parts_of_batch;
    const double pool = 4.0 * static_cast<double>(plan_memory(structure, rows).pool);
    const double values =
        4.0 * (static_cast<double>(model.parameters) * static_cast<double>(2 + *arrays) + static_cast<double>(model.statistics));
    result.checkpoint_bytes =
        4.0 * (static_cast<double>(model.parameters) * static_cast<double>(1 + *arrays) + static_cast<double>(model.statistics));
    result.estimates.push_back({say("Memory per rank"), format::bytes(pool + values), formula(),
                                say("%1 of activations and their gradients for %2 samples; %3 of parameters, gradients and optimizer state")
                                    .arg(format::bytes(pool), format::count(rows), format::bytes(values))});
  } catch (const Error& error) {
    result.estimates.push_back({say("Memory per rank"), format::missing, words(error.what()), {}});
  }
}

void estimate_traffic(Examination& result) {
  const Experiment& experiment = *result.experiment;
  if (result.buckets.empty()) {
    result.estimates.push_back({say("Sent per step"), format::missing, say("no gradients are exchanged"), {}});
    return;
  }
  std::vector<std::int64_t> elements;
  for (const BucketRow& bucket : result.buckets) elements.push_back(bucket.bytes / 4);
  const Params& options = experiment.strategy.allreduce_options;
  const std::int64_t chunk = options.has("chunk_bytes") ? static_cast<std::int64_t>(options.real("chunk_bytes")) / 4 : 65536;
  const auto bytes = bytes_sent_per_rank(experiment.strategy.allreduce, experiment.cluster.workers, chunk, elements);
  if (bytes)
    result.estimates.push_back(
        {say("Sent per step"), say("%1 per rank").arg(format::traffic(*bytes)), formula(),
         say("what the busiest rank sends in the %1 exchanges of a step").arg(format::count(static_cast<std::int64_t>(elements.size())))});
  else
    result.estimates.push_back({say("Sent per step"), format::missing, say("the MPI library decides"), {}});
}

void examine_estimates(const ModelParts& parts, const std::optional<Profile>& profile, Examination& result) {
  if (result.parameters)
    result.estimates.push_back(
        {say("Parameters"), format::shortCount(static_cast<double>(*result.parameters)), formula(), format::count(*result.parameters)});
  else
    result.estimates.push_back({say("Parameters"), format::missing, say("no estimate: the model has no shapes yet"), {}});
  if (!result.experiment) return;
  const Experiment& experiment = *result.experiment;
  if (parts.description) {
    estimate_memory(parts, result);
    estimate_traffic(result);
  }
  result.estimates.push_back({say("Global batch"), say("%1 samples").arg(format::count(experiment.global_batch())), formula(), {}});
  if (result.total_steps) result.estimates.push_back({say("Steps"), format::count(*result.total_steps), formula(), {}});
  const int cores = core_count(), ranks = static_cast<int>(experiment.cluster.workers);
  const int threads = resolve_threads(static_cast<int>(experiment.cluster.threads_per_worker), ranks, cores);
  result.estimates.push_back({say("Cores here"),
                              say("%1 × %2 of %3").arg(format::count(ranks), format::count(threads), format::count(cores)), formula(),
                              say("ranks × threads each, of the cores that this program may use")});
  if (!profile) result.estimates.push_back({say("Step time"), format::missing, say("no estimate: no profile for this model here"), {}});
}

}  // namespace

EpochCount epoch_count(std::int64_t samples, std::int64_t global_batch, bool drop) {
  if (global_batch < 1 || samples < 0) return {};
  const std::int64_t remainder = samples % global_batch;
  return {samples / global_batch + (remainder > 0 && !drop ? 1 : 0), remainder};
}

std::optional<double> bytes_sent_per_rank(const std::string& allreduce, std::int64_t ranks, std::int64_t chunk_elements,
                                          const std::vector<std::int64_t>& bucket_elements) {
  if (ranks <= 1) return 0;
  const ScheduleEntry* entry = nullptr;
  for (const ScheduleEntry& each : allreduce_schedules()) {
    if (each.name == allreduce) entry = &each;
  }
  if (entry == nullptr || entry->build == nullptr) return std::nullopt;
  double most = 0;
  double chunks = 0;
  for (const std::int64_t elements : bucket_elements) chunks += 1 + static_cast<double>(elements) / static_cast<double>(chunk_elements);
  if (chunks * static_cast<double>(ranks * ranks) > most_expanded_moves) {  // every byte leaves its rank twice, but for the rank's own part
    for (const std::int64_t elements : bucket_elements)
      most += 2.0 * static_cast<double>(ranks - 1) * std::ceil(static_cast<double>(elements) / static_cast<double>(ranks)) * 4;
    return most;
  }
  for (int rank = 0; rank < static_cast<int>(ranks); ++rank) {
    double sent = 0;
    for (const std::int64_t elements : bucket_elements) {
      const CollectiveSchedule schedule =
          entry->build({.rank = rank, .size = static_cast<int>(ranks), .count = elements, .chunk = chunk_elements});
      for (const Move& move : schedule.moves) {
        if (move.kind == Move::send) sent += static_cast<double>(move.count) * 4;
      }
    }
    most = std::max(most, sent);
  }
  return most;
}

Examination examine(const std::string& text) { return examine(text, {}, catalogue()); }

Examination examine(const std::string& text, const std::optional<Profile>& profile, const Catalogue& known) {
  Examination result;
  result.text = text;
  const auto tree = document::parse(text);
  Parsed parsed = parse_experiment(text, file_name, known);
  result.problems = std::move(parsed.problems);
  result.experiment = std::move(parsed.experiment);
  const auto* root = std::get_if<document::Node>(&tree);
  if (root == nullptr) return result;
  try {
    if (result.experiment) result.problems = check_model(*result.experiment, file_name);
    const ModelParts parts = examine_model(*root, result);
    if (parts.description) result.layer_specs = parts.layers;
    examine_data(result);
    examine_plan(parts, profile, result);
    bracket_layers(parts, result);
    examine_rate(result);
    examine_estimates(parts, profile, result);
  } catch (const std::exception& error) {
    Problem problem;
    problem.message = error.what();
    result.problems.push_back(std::move(problem));
  }
  return result;
}

}  // namespace syncline::ui
