// SPDX-License-Identifier: Apache-2.0
#include "engine/experiment/experiment.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <limits>
#include <sstream>

#include "engine/experiment/experiment_reader.h"
#include "engine/experiment/overrides.h"

namespace syncline {
namespace {

std::optional<Problem> syntax_problem(std::string_view toml, const std::string& file) {
  const auto parsed = document::parse(toml);
  const auto* error = std::get_if<document::SyntaxError>(&parsed);
  if (error == nullptr) return std::nullopt;
  return Problem{{file, error->line, error->column, {}}, "this is no TOML: " + error->message};
}

int order_of(const Problem& problem) { return problem.origin.line > 0 ? problem.origin.line : std::numeric_limits<int>::max(); }

}  // namespace

std::int64_t Experiment::batch_of(std::int64_t worker) const {
  const std::vector<std::int64_t>& batches = train.batch_per_worker;
  if (worker < 0 || worker >= cluster.workers || batches.empty()) {
    throw UsageError(fmt::format("there is no worker {} of {}", worker, cluster.workers));
  }
  return batches.size() == 1 ? batches.front() : batches.at(static_cast<std::size_t>(worker));
}

double ClusterSpec::slowdown_of(std::int64_t worker) const {
  if (slowdown.empty()) return 1;
  return slowdown.size() == 1 ? slowdown.front() : slowdown.at(static_cast<std::size_t>(worker));
}

std::int64_t Experiment::global_batch() const {
  std::int64_t sum = 0;
  for (std::int64_t worker = 0; worker < cluster.workers; ++worker) sum += batch_of(worker);
  return sum;
}

Parsed parse_experiment(std::string_view toml, const std::string& file, const Catalogue& catalogue, const Overrides& overrides) {
  Parsed result;
  if (std::optional<Problem> problem = syntax_problem(toml, file)) {
    result.problems.push_back(*std::move(problem));
    return result;
  }
  OverriddenText text = apply_overrides(toml, overrides);
  const auto parsed = document::parse(text.text);
  ProblemList problems(file);
  Reading reading = ExperimentReader(std::get<document::Node>(parsed), catalogue, problems).read();
  for (Problem& problem : problems.take()) {
    problem.origin = text.origin(std::move(problem.origin));
    result.problems.push_back(std::move(problem));
  }
  result.problems.insert(result.problems.end(), text.problems.begin(), text.problems.end());
  std::stable_sort(result.problems.begin(), result.problems.end(),
                   [](const Problem& a, const Problem& b) { return order_of(a) < order_of(b); });
  if (!result.problems.empty()) return result;
  for (LayerSpec& layer : reading.experiment.model.layers) layer.origin = text.origin(std::move(layer.origin));
  reading.experiment.complete = print_complete(reading);
  reading.experiment.as_typed = std::move(text.text);
  result.experiment = std::move(reading.experiment);
  return result;
}

Experiment load_experiment(const std::filesystem::path& path, const Catalogue& catalogue, const Overrides& overrides) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored))
    throw ConfigError(fmt::format("cannot read the experiment file {}: it is a folder", path.string()), {path.string(), 0, 0, {}});
  errno = 0;
  std::ifstream stream(path, std::ios::binary);
  std::ostringstream text;
  if (stream) text << stream.rdbuf();
  if (!stream || stream.bad() || text.fail()) {
    const std::string reason = errno != 0 ? std::strerror(errno) : "it is empty or no file";
    throw ConfigError(fmt::format("cannot read the experiment file {}: {}", path.string(), reason), {path.string(), 0, 0, {}});
  }
  Parsed parsed = parse_experiment(text.str(), path.string(), catalogue, overrides);
  if (parsed.experiment) return *std::move(parsed.experiment);
  std::string message;
  for (const Problem& problem : parsed.problems) message += (message.empty() ? "" : "\n") + to_string(problem);
  throw ConfigError(message, parsed.problems.front().origin);
}

std::string to_string(const Problem& problem) {
  const Origin& origin = problem.origin;
  std::string text = origin.file;
  if (origin.line > 0) text += fmt::format(":{}", origin.line);
  const bool named = origin.file.starts_with("--set " + origin.key + "=");
  if (!origin.key.empty() && !named) text += (text.empty() ? "" : ": ") + origin.key;
  return text + (text.empty() ? "" : ": ") + problem.message;
}

}  // namespace syncline
