// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/editor/examination.h"

#include <QCoreApplication>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "engine/base/error.h"
#include "engine/launch/command.h"
#include "engine/launch/process.h"
#include "engine/sim/preview.h"
#include "engine/sim/schema.h"
#include "ui/models/editor/field_values.h"
#include "ui/models/editor/layer_rows.h"
#include "ui/models/format.h"

namespace syncline::ui {

namespace {

constexpr const char* file_name = "";  // of a draft; problems name line and key
constexpr int rate_samples = 400;

QString say(const char* text) { return QCoreApplication::translate("Examination", text); }
QString words(const std::string& text) { return QString::fromStdString(text); }
QString formula() { return say("formula"); }

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
  const EpochSteps epoch = steps_per_epoch(data.train_size, batch, drop);
  result.steps_per_epoch = epoch.steps;
  result.total_steps = total_steps(experiment, data.train_size);
  result.data_facts << say("%1 per epoch, each of %2 over %3")
                           .arg(format::counted(epoch.steps, say("%1 step"), say("%1 steps")),
                                format::counted(batch, say("%1 sample"), say("%1 samples")),
                                format::counted(experiment.cluster.workers, say("%1 worker"), say("%1 workers")));
  if (epoch.remainder > 0)
    result.data_facts << (drop ? format::counted(epoch.remainder, say("the %1 sample left at the end of an epoch is dropped"),
                                                 say("the %1 samples left at the end of an epoch are dropped"))
                               : format::counted(
                                     epoch.remainder,
                                     say("the last step of an epoch has the %1 sample that is left, weighted by its number"),
                                     say("the last step of an epoch has the %1 samples that are left, weighted by their number")));
}

void examine_plan(const ModelParts& parts, std::optional<Profile> profile, Examination& result) {
  if (!result.experiment || !parts.description) return;
  const Experiment& experiment = *result.experiment;
  const ModelDescription& model = *parts.description;
  if (profile && profile->backward_s.size() != model.slices.size()) profile.reset();  // of the model as it was before
  if (profile && (!exchanges_gradients(experiment) || experiment.cluster.workers == 1)) {
    result.step_s = std::accumulate(profile->backward_s.begin(), profile->backward_s.end(), profile->forward_s + profile->update_s);
  }
  if (!exchanges_gradients(experiment)) {
    result.buckets_note =
        say("The strategy '%1' sends no gradients, so there are no messages to list").arg(words(experiment.strategy.name));
    return;
  }
  if (experiment.cluster.workers == 1) {
    result.buckets_note = say("One rank does not communicate; with more workers these would be the messages of a step");
  }
  try {
    if (plan_needs_profile(experiment) && !profile) {
      result.buckets_note = say("The plan '%1' groups by layer times that are measured when a run starts; with a profiled run of this "
                                "model and batch the messages are listed here")
                                .arg(words(experiment.strategy.plan));
      return;
    }
    const PlannedMessages planned = plan_messages(experiment, model, profile);
    for (const PlannedMessage& message : planned.messages) {
      BucketRow row;
      for (const std::string& layer : message.layers) row.layers << words(layer);
      row.bytes = message.elements * 4;
      if (message.times) {
        row.ready_s = message.times->ready_s;
        row.start_s = message.times->start_s;
        row.end_s = message.times->end_s;
      }
      result.buckets.push_back(std::move(row));
    }
    const auto count = static_cast<std::int64_t>(planned.messages.size());
    result.bucket_totals = (count == 1 ? say("%1 message per step, %2 in all") : say("%1 messages per step, %2 in all"))
                               .arg(format::count(count), format::traffic(static_cast<double>(model.parameters) * 4));
    if (experiment.cluster.workers > 1) result.step_s = planned.step_s;
    if (planned.step_s)
      result.bucket_totals +=
          say("; predicted step %1, exposed communication %2").arg(format::duration(*planned.step_s), format::duration(*planned.exposed_s));
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
  LearningRate& rate = result.learning_rate;
  if (!result.total_steps || *result.total_steps < 1) {
    rate.note = say("The curve needs the number of steps, which needs the data");
    return;
  }
  try {
    const std::int64_t total = *result.total_steps, count = std::min<std::int64_t>(total, rate_samples);
    std::vector<std::int64_t> steps;
    for (std::int64_t i = 0; i < count; ++i) steps.push_back(count == 1 ? 0 : i * (total - 1) / (count - 1));
    const std::optional<std::vector<double>> rates = learning_rates(*result.experiment, total, steps);
    if (!rates) {
      rate.note = say("The plugin's own learning rate is used; give lr to see the curve");
      return;
    }
    rate.steps.assign(steps.begin(), steps.end());
    rate.rates = *rates;
    rate.first = rate.rates.front();
    rate.last = rate.rates.back();
    rate.most = *std::max_element(rate.rates.begin(), rate.rates.end());
  } catch (const Error& error) {
    rate.note = words(error.what());
  }
}

void estimate_memory(const ModelParts& parts, Examination& result) {
  const Experiment& experiment = *result.experiment;
  try {
    const std::optional<MemoryNeed> need = memory_per_rank(experiment, parts.layers, *result.data);
    if (!need) {
      result.estimates.push_back({say("Memory per rank"), format::missing, say("the optimizer is a plugin; the dry run tells"), {}});
      return;
    }
    result.checkpoint_bytes = need->checkpoint;
    result.estimates.push_back({say("Memory per rank"), format::bytes(need->activations + need->values), formula(),
                                say("%1 of activations and their gradients; %2 of parameters, gradients and optimizer state")
                                    .arg(format::bytes(need->activations), format::bytes(need->values))});
  } catch (const Error& error) {
    result.estimates.push_back({say("Memory per rank"), format::missing, words(error.what()), {}});
  }
}

void estimate_traffic(const ModelParts& parts, Examination& result) {
  const Experiment& experiment = *result.experiment;
  if (!exchanges_gradients(experiment)) {
    result.estimates.push_back({say("Sent per step"), format::missing, say("no gradients are exchanged"), {}});
    return;
  }
  std::vector<std::int64_t> elements;
  for (const BucketRow& bucket : result.buckets) elements.push_back(bucket.bytes / 4);
  // Whatever the groups, the same gradients are sent.
  const bool grouped = !elements.empty();
  if (!grouped) elements.push_back(parts.description->parameters);
  const auto bytes = bytes_sent_per_rank(experiment, elements);
  if (bytes)
    result.estimates.push_back({say("Sent per step"), say("%1 per rank").arg(format::traffic(*bytes)), formula(),
                                grouped ? say("what the busiest rank sends in the %1 exchanges of a step")
                                              .arg(format::count(static_cast<std::int64_t>(elements.size())))
                                        : say("what the busiest rank sends in a step, however its gradients are grouped")});
  else
    result.estimates.push_back({say("Sent per step"), format::missing, say("the MPI library decides"), {}});
}

void examine_estimates(const ModelParts& parts, const QString& profiled_run, Examination& result) {
  if (result.parameters)
    result.estimates.push_back(
        {say("Parameters"), format::shortCount(static_cast<double>(*result.parameters)), formula(), format::count(*result.parameters)});
  else
    result.estimates.push_back({say("Parameters"), format::missing, say("no estimate: the model has no shapes yet"), {}});
  if (!result.experiment) return;
  const Experiment& experiment = *result.experiment;
  if (parts.description) {
    estimate_memory(parts, result);
    estimate_traffic(parts, result);
  }
  result.estimates.push_back(
      {say("Global batch"), format::counted(experiment.global_batch(), say("%1 sample"), say("%1 samples")), formula(), {}});
  if (result.total_steps) result.estimates.push_back({say("Steps"), format::count(*result.total_steps), formula(), {}});
  const int cores = core_count(), ranks = static_cast<int>(experiment.cluster.workers);
  const int threads = resolve_threads(static_cast<int>(experiment.cluster.threads_per_worker), ranks, cores);
  result.estimates.push_back({say("Cores here"),
                              say("%1 × %2 of %3").arg(format::count(ranks), format::count(threads), format::count(cores)), formula(),
                              say("ranks × threads each, of the cores that this program may use")});
  if (result.step_s) {
    result.estimates.push_back({say("Step time"), format::duration(*result.step_s), say("layer times"),
                                profiled_run.isEmpty() ? say("from measured layer times of this model and batch")
                                                       : say("from the layer times of the traced run %1").arg(profiled_run)});
  } else {
    result.estimates.push_back({say("Step time"), format::missing, say("no estimate: no traced run of this model and batch here"), {}});
  }
}

}  // namespace

Examination examine(const std::string& text) { return examine(text, {}, catalogue()); }

Examination examine(const std::string& text, const std::optional<Profile>& profile, const Catalogue& known, const QString& profiled_run) {
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
    examine_estimates(parts, profiled_run, result);
  } catch (const std::exception& error) {
    Problem problem;
    problem.message = error.what();
    result.problems.push_back(std::move(problem));
  }
  return result;
}

}  // namespace syncline::ui
