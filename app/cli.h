// SPDX-License-Identifier: Apache-2.0
// The command line of syncline-engine: one table of commands (commands.cpp), one file a command or family in app/commands/.
#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "engine/base/error.h"
#include "engine/experiment/experiment.h"

namespace syncline::app {

struct Global {                        // what every command takes
  std::string workspace;               // --workspace; empty: the default place (engine/store)
  bool json = false;                   // --json: one JSON document on standard output and nothing else
  std::vector<std::string> arguments;  // argv[1..] as typed
  std::string program;                 // absolute path of this executable
};

// What a command does once its options are parsed; returns the exit code. Throws Error for what a person should read.
using Action = std::function<int()>;

// Adds the command's options to `sub` and returns its action; both keep what they share alive themselves.
using Define = Action (*)(CLI::App& sub, const Global&);

struct Command {
  const char* name;
  const char* summary;  // one line of --help
  Define define;
  bool hidden = false;  // used by this program itself
};
const std::vector<Command>& commands();  // commands.cpp: one line a command

// One JSON document, indented, with a newline. NaN and infinities become null.
void print_json(const nlohmann::json&);

// FILE and --set KEY=VALUE, common to train, validate, plan, simulate.
struct ExperimentArguments {
  std::string file;
  std::vector<std::string> sets;
  Overrides overrides() const;  // ConfigError for a --set without "="
};
void add_experiment_options(CLI::App& sub, ExperimentArguments&, bool file_required = true);

// The validated experiment, or a ProblemsError with everything that is wrong with it, the model's shapes included.
Experiment load(const ExperimentArguments&);

// All problems of an experiment at once; --json lists them in error.problems.
class ProblemsError : public ConfigError {
 public:
  explicit ProblemsError(std::vector<Problem>);
  const std::vector<Problem>& problems() const { return problems_; }

 private:
  std::vector<Problem> problems_;
};

}  // namespace syncline::app
