// SPDX-License-Identifier: Apache-2.0
#include "app/cli.h"

#include <cstdio>
#include <fstream>
#include <sstream>

#include "engine/sim/schema.h"

namespace syncline::app {
namespace {

std::string joined(const std::vector<Problem>& problems) {
  std::string text;
  for (const Problem& problem : problems) text += (text.empty() ? "" : "\n") + to_string(problem);
  return text;
}

Origin first_origin(const std::vector<Problem>& problems) { return problems.empty() ? Origin{} : problems.front().origin; }

}  // namespace

ProblemsError::ProblemsError(std::vector<Problem> problems)
    : ConfigError(joined(problems), first_origin(problems)), problems_(std::move(problems)) {}

void print_json(const nlohmann::json& document) {
  const std::string text = document.dump(2, ' ', false, nlohmann::json::error_handler_t::replace);
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fputc('\n', stdout);
}

Overrides ExperimentArguments::overrides() const {
  Overrides overrides;
  for (const std::string& set : sets) {
    const std::size_t equals = set.find('=');
    if (equals == std::string::npos || equals == 0) {
      throw ConfigError("--set " + set + ": expected KEY=VALUE, for example --set train.epochs=2");
    }
    overrides.emplace_back(set.substr(0, equals), set.substr(equals + 1));
  }
  return overrides;
}

void add_experiment_options(CLI::App& sub, ExperimentArguments& arguments, bool file_required) {
  auto* file = sub.add_option("FILE", arguments.file, "the experiment file (TOML)");
  if (file_required) file->required();
  sub.add_option("--set", arguments.sets, "replace one value, for example train.epochs=2")->type_name("KEY=VALUE")->take_all();
}

Experiment load(const ExperimentArguments& arguments) {
  std::ifstream stream(arguments.file, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  if (!stream) throw ConfigError("cannot read the experiment file " + arguments.file, Origin{arguments.file, 0, 0, {}});
  Parsed parsed = parse_experiment(text.str(), arguments.file, catalogue(), arguments.overrides());
  if (parsed.experiment) {
    std::vector<Problem> problems = check_model(*parsed.experiment, arguments.file);
    if (problems.empty()) return *std::move(parsed.experiment);
    parsed.problems = std::move(problems);
  }
  throw ProblemsError(std::move(parsed.problems));
}

}  // namespace syncline::app
