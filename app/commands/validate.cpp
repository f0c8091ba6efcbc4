// SPDX-License-Identifier: Apache-2.0
// validate: everything that is wrong with an experiment file, or the complete experiment.
#include <fmt/format.h>

#include <memory>

#include "app/commands.h"

namespace syncline::app {

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
