// SPDX-License-Identifier: Apache-2.0
#include "engine/sim/schema.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/base/units.h"
#include "engine/comm/orchestrations/policy.h"
#include "engine/comm/schedules/schedule.h"
#include "engine/data/dataset.h"
#include "engine/model/graph.h"
#include "engine/optim/optimizer.h"
#include "engine/plan/plan.h"
#include "engine/sim/profiles.h"
#include "engine/strategy/strategy.h"

namespace syncline {
namespace {

constexpr Entry no_codec = {
    .name = "none", .title = "None", .paper = "", .summary = "Gradients travel as they are, in fp32.", .parameters = {}};
template <class Rows>
std::vector<Entry> entries(const Rows& rows) {
  std::vector<Entry> result;
  for (const auto& row : rows) result.push_back({row.name, row.title, row.paper, row.summary, row.parameters});
  return result;
}

Catalogue make_catalogue() {
  Catalogue all;
  for (const StrategyEntry* entry : strategies()) {
    Catalogue::Strategy strategy;
    static_cast<Entry&>(strategy) = {entry->name, entry->title, entry->paper, entry->summary, entry->parameters};
    strategy.exchanges_gradients = entry->traits(defaults_of(entry->parameters)).exchanges_gradients;
    all.strategies.push_back(strategy);
  }
  all.plans = entries(planners());
  all.allreduces = entries(allreduce_schedules());
  all.codecs = {no_codec};
  all.orchestrations = entries(orchestrations());
  all.optimizers = entries(optimizer_entries());
  all.schedules = entries(schedule_entries());
  for (const LayerEntry* entry : layer_entries()) all.layers.push_back({entry->type, entry->title, "", entry->summary, entry->parameters});
  all.zoo = entries(zoo_entries());
  all.sources = entries(source_entries());
  all.augmentations = entries(augmentation_entries());
  return all;
}

Problem problem_of(const ConfigError& error, const std::string& file, std::string_view key) {
  Origin origin = error.origin();
  if (origin.file.empty()) origin.file = file;
  if (origin.key.empty()) origin.key = key;
  return {std::move(origin), error.what()};
}

// A link so slow that one message of an exchange outlasts the limit would end the job in its first step, with a peer to blame.
void check_time_of_a_message(const Experiment& experiment, std::int64_t parameters, const std::string& file,
                             std::vector<Problem>& problems) {
  const ClusterSpec& cluster = experiment.cluster;
  const Params& options = experiment.strategy.allreduce_options;
  if (!cluster.emulate_link || cluster.workers < 2 || !options.has("chunk_bytes")) return;
  const double share = 4.0 * static_cast<double>(parameters) / static_cast<double>(cluster.workers);
  const double bytes = std::min(options.real("chunk_bytes"), share);
  std::int64_t number = -1;  // of [[cluster.links]]; [cluster.link] comes first
  for (const LinkSpec& link : cluster.links) {
    number += link.from.empty() ? 0 : 1;
    const double back = link.bandwidth_back_bytes_per_s,
                 rate = back > 0 ? std::min(back, link.bandwidth_bytes_per_s) : link.bandwidth_bytes_per_s;
    if (rate <= 0) continue;
    const double seconds = link.latency_s + bytes / rate;
    if (seconds <= experiment.fault.limit_s) continue;
    problems.push_back(
        {{.file = file, .key = link.from.empty() ? "cluster.link.bandwidth" : fmt::format("cluster.links.{}.bandwidth", number)},
         fmt::format("a message of {} takes {} over this link, longer than fault.limit_s = {}: a faster link, a smaller "
                     "strategy.allreduce_options.chunk_bytes or a longer limit would be right",
                     format_size(bytes), format_duration(seconds), format_duration(experiment.fault.limit_s))});
    return;
  }
}

// The model against the data's shape, as far as that is known without the files.
void check_shapes(const Experiment& experiment, const std::string& file, std::vector<Problem>& problems) {
  DataShape data;
  try {
    data = data_shape(experiment.data);
  } catch (const DataError&) {
    return;  // said when it runs, with exit code 3
  } catch (const ConfigError& error) {
    problems.push_back(problem_of(error, file, "data"));
    return;
  }
  try {
    const ModelDescription model = describe_model(expand_model(experiment.model, data.shape, data.classes), data.shape, data.classes);
    if (model.parameters == 0)
      problems.push_back({{.file = file, .key = "model"}, "the model has no parameters, so there is nothing to train"});
    check_time_of_a_message(experiment, model.parameters, file, problems);
  } catch (const ConfigError& error) {
    problems.push_back(problem_of(error, file, "model"));
  }
  std::int64_t batch = 0, ranks = experiment.cluster.workers;
  for (std::int64_t worker = 0; worker < ranks; ++worker) batch += experiment.batch_of(worker);
  if (experiment.data.last_batch == "drop" && batch > data.train_size)
    problems.push_back({{.file = file, .key = "train.batch_per_worker"},
                        fmt::format("the global batch has {} samples and the training set {}: with last_batch = \"drop\" no step is left",
                                    batch, data.train_size)});
}

// Layer times that stand in the experiment or in a file; a run's are looked at where the workspace is known.
void check_profile(const Experiment& experiment, const std::string& file, std::vector<Problem>& problems) {
  const ClusterSpec& cluster = experiment.cluster;
  const bool of_run = !cluster.profile_from.empty() && !names_profile_file(cluster.profile_from);
  if (cluster.real_compute() || of_run || !problems.empty()) return;
  try {
    experiment_profile(experiment, {});
  } catch (const DataError&) {  // said when it runs
  } catch (const ConfigError& error) {
    problems.push_back(problem_of(error, file, "cluster.profile"));
  }
}

}  // namespace

const Catalogue& catalogue() {
  static const Catalogue all = make_catalogue();
  return all;
}

std::vector<Problem> check_model(const Experiment& experiment, const std::string& file) {
  std::vector<Problem> problems;
  check_shapes(experiment, file, problems);
  check_profile(experiment, file, problems);
  if (experiment.cluster.device == "cuda")
    problems.push_back({{.file = file, .key = "cluster.device"}, "this build has no CUDA; \"cpu\" and \"auto\" compute on the processor"});
  const StrategyEntry& strategy = strategy_entry(experiment.strategy.name);
  if (strategy.check != nullptr) strategy.check(experiment.strategy.options, experiment, problems);
  return problems;
}

}  // namespace syncline
