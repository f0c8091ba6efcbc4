// SPDX-License-Identifier: Apache-2.0
#include "engine/sim/profiles.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/data/dataset.h"
#include "engine/experiment/topology.h"
#include "engine/model/arena.h"
#include "engine/model/graph.h"
#include "engine/model/structure.h"
#include "engine/sim/schema.h"
#include "engine/sim/traced_profile.h"

namespace syncline {
namespace {

std::vector<std::pair<std::string, std::string>> model_settings(const std::string& complete) {
  std::vector<std::pair<std::string, std::string>> settings = settings_of(complete);
  std::erase_if(settings, [](const auto& each) { return !each.first.starts_with("model.") || each.first == "model.buffers"; });
  return settings;
}

// How the run's model or the shape of its data differ from the experiment's; empty: not at all.
std::string other_model(const RunInfo& run, const Experiment& experiment) {
  const Parsed parsed = parse_experiment(run.experiment, run.id, catalogue());
  if (!parsed.experiment) return {};
  const auto there = model_settings(parsed.experiment->complete), here = model_settings(experiment.complete);
  const auto differs = std::mismatch(there.begin(), there.end(), here.begin(), here.end());
  if (differs.first != there.end() && differs.second != here.end() && differs.first->first == differs.second->first)
    return fmt::format("{} is {} there and {} here", differs.first->first, differs.first->second, differs.second->second);
  if (differs.first != there.end() || differs.second != here.end())
    return fmt::format("{} is in one of them only", (differs.first != there.end() ? differs.first : differs.second)->first);
  try {
    const DataShape other = data_shape(parsed.experiment->data), own = data_shape(experiment.data);
    if (other.shape != own.shape || other.classes != own.classes)
      return fmt::format("samples are {} in {} classes there and {} in {} here", other.shape.text(), other.classes, own.shape.text(),
                         own.classes);
  } catch (const DataError&) {  // said by whoever needs the data
  }
  return {};
}

// As a graph runs it.
Structure timed_model(const Experiment& experiment) {
  const DataShape data = data_shape(experiment.data);
  Structure model = resolve(expand_model(experiment.model, data.shape, data.classes), data.shape, data.classes);
  fuse(model);
  return model;
}

std::vector<std::string> names_of(const Structure& model) {
  std::vector<std::string> names;
  for (const Node& node : model.nodes) names.push_back(node.spec.name);
  return names;
}

}  // namespace

std::vector<std::string> timed_layers(const Experiment& experiment) { return names_of(timed_model(experiment)); }

LayerProfile layer_profile(Reader& reader, const RunInfo& run, const Experiment& experiment) {
  if (const std::string difference = other_model(run, experiment); !difference.empty())
    throw ConfigError(fmt::format("run {} ({}) is of another model: {}; a profile needs the same", run.id, run.name, difference));
  return layer_profile(reader, run);
}

std::string misfit_of_profile(const LayerProfile& profile, const Experiment& experiment, std::span<const std::string> layers) {
  if (!profile.elements.empty())
    return "the profile is of a model of its own (it has elements), which only 'simulate' takes; one of this model would be right";
  if (profile.layer_count() != layers.size())
    return fmt::format("the profile has times of {} layer{} and the model has {} ({}); one time for each would be right",
                       profile.layer_count(), profile.layer_count() == 1 ? "" : "s", layers.size(), fmt::join(layers, ", "));
  for (std::size_t layer = 0; layer < profile.layers.size(); ++layer) {
    if (profile.layers[layer] != layers[layer])
      return fmt::format("the profile is of another model: its layer {} is '{}', and '{}' here", layer + 1, profile.layers[layer],
                         layers[layer]);
  }
  return misfit_of_batch(profile.batch, experiment);
}

std::string misfit_of_batch(std::int64_t batch, const Experiment& experiment) {
  for (std::int64_t worker = 0; batch != 0 && worker < experiment.cluster.workers; ++worker) {
    if (experiment.batch_of(worker) == batch) continue;
    return fmt::format(
        "the profile is of a batch of {} and worker {} has {}: train.batch_per_worker = {}, or a profile made at that batch, would be "
        "right",
        batch, worker, experiment.batch_of(worker), batch);
  }
  return {};
}

LayerProfile experiment_profile(const Experiment& experiment, const std::filesystem::path& workspace) {
  const ClusterSpec& cluster = experiment.cluster;
  const auto read = [&]() -> LayerProfile {
    if (cluster.profile_from.empty()) return cluster.profile;
    if (names_profile_file(cluster.profile_from)) return read_profile_file(cluster.profile_from);
    if (!std::filesystem::exists(workspace))
      throw ConfigError(fmt::format("there is no run '{}': the workspace {} holds none yet", cluster.profile_from, workspace.string()));
    Reader reader(Workspace::open_read_only(workspace));
    return layer_profile(reader, reader.resolve(cluster.profile_from), experiment);
  };
  const auto fail = [](const std::string& sentence) { throw ConfigError(sentence, {.file = {}, .key = "cluster.profile"}); };
  LayerProfile profile;
  try {
    profile = read();
  } catch (const ConfigError& error) {
    fail(error.what());
  }
  if (const std::string misfit = misfit_of_profile(profile, experiment, timed_layers(experiment)); !misfit.empty()) fail(misfit);
  return profile;
}

std::vector<double> worker_speeds(const Topology& topology) {
  std::vector<double> speeds;
  for (const int machine : topology.machine_of_ranks()) speeds.push_back(topology.machines()[static_cast<std::size_t>(machine)].speed);
  return speeds;
}

Profile paced_profile(const LayerProfile& times, const Experiment& experiment) {
  const Structure model = timed_model(experiment);
  if (const std::string misfit = misfit_of_profile(times, experiment, names_of(model)); !misfit.empty())
    throw ConfigError(misfit, {.file = {}, .key = "cluster.profile"});
  Profile profile = by_slices(times, lay_out(model).slices);
  ClusterSpec cluster = experiment.cluster;
  scale_links(cluster);
  double factor = 0;
  const std::vector<double> speeds = worker_speeds(Topology(cluster));
  for (std::int64_t worker = 0; worker < cluster.workers; ++worker)
    factor = std::max(factor, cluster.time_scale * cluster.slowdown_of(worker) / speeds[static_cast<std::size_t>(worker)]);
  profile.forward_s *= factor;
  profile.update_s *= factor;
  for (double& seconds : profile.backward_s) seconds *= factor;
  profile.allreduce = emulated_allreduce(cluster);
  return profile;
}

Profile by_slices(const LayerProfile& times, std::span<const LayerSlice> slices) {
  Profile profile;
  profile.forward_s = times.whole_forward_s();
  profile.update_s = times.update_s;
  profile.backward_s.assign(slices.size(), 0);
  // Backward runs from the highest layer down.
  for (std::size_t layer = 0; layer < times.layer_count(); ++layer) {
    std::size_t charged = slices.size() - 1;  // below the last slice: nothing waits for it, but the step does
    for (std::size_t slice = slices.size(); slice-- > 0;) {
      if (slices[slice].layer <= static_cast<int>(layer)) charged = slice;
    }
    profile.backward_s[charged] += times.backward_s[layer];
  }
  return profile;
}

}  // namespace syncline
