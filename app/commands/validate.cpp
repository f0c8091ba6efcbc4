// SPDX-License-Identifier: Apache-2.0
// validate: everything that is wrong with an experiment file, or the complete experiment.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "app/commands.h"
#include "engine/optim/loader.h"
#include "engine/optim/plugin_check.h"

namespace syncline::app {
namespace {

// An optimizer from a plugin: is it there, can this engine load it, and are these its options? Whether their values suit it only it knows.
void check_plugin_of(const Experiment& experiment, const std::string& file, const Global& global) {
  constexpr std::string_view prefix = "plugin:";
  const OptimizerSpec& optimizer = experiment.train.optimizer;
  if (!optimizer.name.starts_with(prefix)) return;
  const Origin origin{.file = file, .key = "train.optimizer.name"};
  const std::string name = optimizer.name.substr(prefix.size());
  Examined examined;
  try {
    examined = examine_plugin(plugin_file(name), {.command = {global.program, "plugin-child"}});
  } catch (const ConfigError& error) {
    throw ProblemsError({{origin, error.what()}});
  }
  if (!examined.description) throw ProblemsError({{origin, examined.problem}});
  std::vector<std::string> known = {"lr"};
  for (const OptionDescription& option : examined.description->options)
    if (option.key != "lr") known.push_back(option.key);
  std::vector<Problem> problems;
  for (const auto& [key, value] : optimizer.options.all()) {
    if (std::ranges::find(known, key) != known.end()) continue;
    problems.push_back({{.file = file, .key = "train.optimizer." + key},
                        fmt::format("unknown key '{}'; the plugin '{}' has '{}'", key, name, fmt::join(known, "', '"))});
  }
  if (!problems.empty()) throw ProblemsError(std::move(problems));
}

}  // namespace

Action define_validate(CLI::App& sub, const Global& global) {
  struct Options {
    ExperimentArguments experiment;
    bool print = false;
  };
  const auto options = std::make_shared<Options>();
  add_experiment_options(sub, options->experiment);
  sub.add_flag("--print", options->print, "print the complete experiment, every default filled in");
  return [options, &global] {
    const Experiment experiment = load(options->experiment);
    check_plugin_of(experiment, options->experiment.file, global);
    if (global.json) {
      print_json({{"valid", true}, {"file", options->experiment.file}, {"name", experiment.name}, {"experiment", experiment.complete}});
    } else if (options->print) {
      fmt::print("{}", experiment.complete);
    } else {
      fmt::print("{}: valid\n", options->experiment.file);
    }
    return static_cast<int>(ExitCode::done);
  };
}

}  // namespace syncline::app
