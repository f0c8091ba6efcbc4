// SPDX-License-Identifier: Apache-2.0
// describe: the model as a table. plan: what would be sent when.
#include <fmt/format.h>

#include <cstdio>
#include <memory>

#include "app/commands.h"
#include "engine/base/units.h"
#include "engine/data/dataset.h"
#include "engine/model/graph.h"
#include "engine/plan/plan.h"
#include "engine/sim/traced_profile.h"
#include "engine/store/reader.h"
#include "engine/strategy/strategy.h"

namespace syncline::app {
namespace {

ModelDescription description_of(const Experiment& experiment) {
  const DataShape data = data_shape(experiment.data);
  return describe_model(expand_model(experiment.model, data.shape, data.classes), data.shape, data.classes);
}

std::string joined(const std::vector<std::string>& words, const char* separator) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : separator) + word;
  return text;
}

nlohmann::ordered_json to_json(const LayerDescription& layer) {
  nlohmann::ordered_json shapes = nlohmann::ordered_json::array();
  for (const Shape& shape : layer.input_shapes) shapes.push_back(shape.text());
  return {{"name", layer.name},
          {"type", layer.type},
          {"inputs", layer.inputs},
          {"input_shapes", shapes},
          {"output_shape", layer.output.text()},
          {"parameters", layer.parameters},
          {"forward_flop_per_sample", layer.forward_flop},
          {"backward_flop_per_sample", layer.backward_flop},
          {"activation_bytes_per_sample", layer.activation_bytes}};
}

void print_table(const ModelDescription& model) {
  std::printf("%-22s %-14s %-12s %-12s %12s %14s %12s\n", "layer", "type", "in", "out", "parameters", "MFLOP/sample", "activations");
  for (const LayerDescription& layer : model.layers) {
    std::printf("%-22s %-14s %-12s %-12s %12lld %14.3f %12s\n", layer.name.c_str(), layer.type.c_str(),
                layer.input_shapes.empty() ? "" : layer.input_shapes.front().text().c_str(), layer.output.text().c_str(),
                static_cast<long long>(layer.parameters), (layer.forward_flop + layer.backward_flop) / 1e6,
                format_size(static_cast<double>(layer.activation_bytes)).c_str());
  }
  std::printf("\n%lld parameters, %s of gradients; %.1f MFLOP forward and %.1f backward a sample; %s of activations a sample\n",
              static_cast<long long>(model.parameters), format_size(static_cast<double>(model.parameters) * 4).c_str(),
              model.forward_flop / 1e6, model.backward_flop / 1e6, format_size(static_cast<double>(model.activation_bytes)).c_str());
  std::vector<std::string> order;
  for (const LayerSlice& slice : model.slices) order.push_back(slice.name);
  std::printf("order of gradients: %s\n", joined(order, " -> ").c_str());
}

int describe(const ExperimentArguments& arguments, const Global& global) {
  const ModelDescription model = description_of(load(arguments));
  if (!global.json) {
    print_table(model);
    return 0;
  }
  nlohmann::ordered_json layers = nlohmann::ordered_json::array(), slices = nlohmann::ordered_json::array();
  for (const LayerDescription& layer : model.layers) layers.push_back(to_json(layer));
  for (const LayerSlice& slice : model.slices)
    slices.push_back({{"name", slice.name}, {"parameters", slice.count}, {"bytes", slice.count * 4}});
  const nlohmann::ordered_json document = {{"layers", layers},
                                           {"slices", slices},
                                           {"parameters", model.parameters},
                                           {"gradient_bytes", model.parameters * 4},
                                           {"statistics", model.statistics},
                                           {"forward_flop_per_sample", model.forward_flop},
                                           {"backward_flop_per_sample", model.backward_flop},
                                           {"activation_bytes_per_sample", model.activation_bytes}};
  std::printf("%s\n", document.dump(2).c_str());
  return 0;
}

struct PlanArguments {
  ExperimentArguments experiment;
  std::string profile;
};

nlohmann::ordered_json number(const std::optional<double>& value) {
  return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
}

int plan(const PlanArguments& arguments, const Global& global) {
  const Experiment experiment = load(arguments.experiment);
  const StrategyEntry& strategy = strategy_entry(experiment.strategy.name);
  if (!strategy.traits(experiment.strategy.options).exchanges_gradients) {
    throw ConfigError(fmt::format("strategy '{}' sends no gradients, so there is nothing to plan", experiment.strategy.name));
  }
  const ModelDescription model = description_of(experiment);
  const PlannerEntry& entry = planner(experiment.strategy.plan);
  std::optional<Profile> profile;
  if (!arguments.profile.empty()) {
    const Workspace workspace = Workspace::open_read_only(workspace_path(global.workspace));
    Reader reader(workspace);
    profile = traced_profile(reader, reader.resolve(arguments.profile), model.slices, experiment);
  } else if (entry.needs_profile) {
    throw ConfigError(fmt::format("plan '{}' needs layer times: give --profile RUN, a run of this model and batch", entry.name));
  }
  const Plan made = entry.make(model.slices, profile.value_or(Profile{}), experiment.strategy.plan_options);
  std::optional<Timeline> times;
  if (profile) times = timeline(made, model.slices, *profile);

  nlohmann::ordered_json buckets = nlohmann::ordered_json::array();
  for (std::size_t k = 0; k < made.groups().size(); ++k) {
    const Group& group = made.groups()[k];
    nlohmann::ordered_json layers = nlohmann::ordered_json::array();
    for (int slice = group.first; slice <= group.last; ++slice) layers.push_back(model.slices[static_cast<std::size_t>(slice)].name);
    const auto time = [&](double Timeline::Exchange::*member) { return times ? number(times->groups[k].*member) : number({}); };
    buckets.push_back({{"layers", layers},
                       {"bytes", group.count * 4},
                       {"ready_s", time(&Timeline::Exchange::ready_s)},
                       {"start_s", time(&Timeline::Exchange::start_s)},
                       {"end_s", time(&Timeline::Exchange::end_s)}});
  }
  if (global.json) {
    const nlohmann::ordered_json document = {{"buckets", buckets},
                                             {"step_s", times ? number(times->step_s + profile->update_s) : number({})},
                                             {"exposed_comm_s", times ? number(times->exposed_s) : number({})}};
    std::printf("%s\n", document.dump(2).c_str());
    return 0;
  }
  std::printf("%-8s %10s %10s %10s %10s  %s\n", "bucket", "bytes", "ready", "start", "end", "layers");
  for (std::size_t k = 0; k < made.groups().size(); ++k) {
    const auto time = [&](double Timeline::Exchange::*member) {
      return times ? format_duration(times->groups[k].*member) : std::string("-");
    };
    std::printf("%-8zu %10s %10s %10s %10s  %s\n", k, format_size(static_cast<double>(made.groups()[k].count) * 4).c_str(),
                time(&Timeline::Exchange::ready_s).c_str(), time(&Timeline::Exchange::start_s).c_str(),
                time(&Timeline::Exchange::end_s).c_str(), joined(buckets[k]["layers"].get<std::vector<std::string>>(), " ").c_str());
  }
  if (times) {
    std::printf("\npredicted step %s, exposed communication %s\n", format_duration(times->step_s + profile->update_s).c_str(),
                format_duration(times->exposed_s).c_str());
  } else {
    std::printf("\nno times: give --profile RUN, a traced run of this model and batch\n");
  }
  return 0;
}

}  // namespace

Action define_describe(CLI::App& sub, const Global& global) {
  auto arguments = std::make_shared<ExperimentArguments>();
  add_experiment_options(sub, *arguments);
  return [arguments, &global] { return describe(*arguments, global); };
}

Action define_plan(CLI::App& sub, const Global& global) {
  auto arguments = std::make_shared<PlanArguments>();
  add_experiment_options(sub, arguments->experiment);
  sub.add_option("--profile", arguments->profile, "take layer times from this run's traces")->type_name("RUN");
  return [arguments, &global] { return plan(*arguments, global); };
}

}  // namespace syncline::app
