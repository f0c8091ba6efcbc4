// SPDX-License-Identifier: Apache-2.0
// describe: the model as a table. plan: what would be sent when.
#include <fmt/format.h>

#include <cstdio>
#include <memory>

#include "app/commands.h"
#include "engine/base/units.h"
#include "engine/sim/control_plane.h"
#include "engine/sim/preview.h"
#include "engine/sim/profiles.h"
#include "engine/sim/traced_profile.h"
#include "engine/store/reader.h"

namespace syncline::app {
namespace {

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
  const ModelDescription model = describe_model(load(arguments));
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

// Layer times asked for, or those that the experiment's workers are to keep to.
std::optional<Profile> profile_for(const PlanArguments& arguments, const Experiment& experiment, const ModelDescription& model,
                                   const Global& global) {
  if (names_profile_file(arguments.profile)) return paced_profile(read_profile_file(arguments.profile), experiment);
  const std::filesystem::path path = workspace_path(global.workspace);
  if (!arguments.profile.empty()) {
    Reader reader(Workspace::open_read_only(path));
    return traced_profile(reader, reader.resolve(arguments.profile), model.slices, experiment);
  }
  if (experiment.cluster.real_compute()) return std::nullopt;
  return paced_profile(experiment_profile(experiment, path), experiment);
}

int plan(const PlanArguments& arguments, const Global& global) {
  const Experiment experiment = load(arguments.experiment);
  const ModelDescription model = describe_model(experiment);
  const std::optional<Profile> profile = profile_for(arguments, experiment, model, global);
  const PlannedMessages planned = plan_messages(experiment, model, profile);
  const auto time_of = [](const PlannedMessage& message, double Timeline::Exchange::*member) {
    return message.times ? std::optional(*message.times.*member) : std::nullopt;
  };
  nlohmann::ordered_json buckets = nlohmann::ordered_json::array();
  for (const PlannedMessage& message : planned.messages) {
    buckets.push_back({{"layers", message.layers},
                       {"bytes", message.elements * 4},
                       {"ready_s", number(time_of(message, &Timeline::Exchange::ready_s))},
                       {"start_s", number(time_of(message, &Timeline::Exchange::start_s))},
                       {"end_s", number(time_of(message, &Timeline::Exchange::end_s))}});
  }
  const std::optional<Turns> turns = turns_of(experiment, static_cast<std::int64_t>(planned.messages.size()));
  if (global.json) {
    nlohmann::ordered_json document = {
        {"buckets", buckets}, {"step_s", number(planned.step_s)}, {"exposed_comm_s", number(planned.exposed_s)}};
    if (turns) document["agreed"] = {{"every_s", turns->every_s}, {"turn_s", turns->turn_s}};
    std::printf("%s\n", document.dump(2).c_str());
    return 0;
  }
  std::printf("%-8s %10s %10s %10s %10s  %s\n", "bucket", "bytes", "ready", "start", "end", "layers");
  for (std::size_t k = 0; k < planned.messages.size(); ++k) {
    const PlannedMessage& message = planned.messages[k];
    const auto time = [&](double Timeline::Exchange::*member) {
      const std::optional<double> value = time_of(message, member);
      return value ? format_duration(*value) : std::string("-");
    };
    std::printf("%-8zu %10s %10s %10s %10s  %s\n", k, format_size(static_cast<double>(message.elements) * 4).c_str(),
                time(&Timeline::Exchange::ready_s).c_str(), time(&Timeline::Exchange::start_s).c_str(),
                time(&Timeline::Exchange::end_s).c_str(), joined(message.layers, " ").c_str());
  }
  if (planned.step_s) {
    std::printf("\npredicted step %s, exposed communication %s\n", format_duration(*planned.step_s).c_str(),
                format_duration(*planned.exposed_s).c_str());
  } else {
    std::printf("\nno times: give --profile RUN, a traced run of this model and batch, or a file of layer times\n");
  }
  if (turns) {
    std::printf(
        "\nthe order is agreed on every %s ('%s'): a bucket leaves up to that time, and the %s of a turn, after it is ready on the last "
        "worker, which the times here leave out; 'simulate' has it\n",
        format_duration(turns->every_s).c_str(), experiment.strategy.orchestration.c_str(), format_duration(turns->turn_s).c_str());
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
  sub.add_option("--profile", arguments->profile, "take layer times from this run's traces, or from a .json file")->type_name("RUN");
  return [arguments, &global] { return plan(*arguments, global); };
}

}  // namespace syncline::app
