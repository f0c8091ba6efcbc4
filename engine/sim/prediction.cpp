// SPDX-License-Identifier: Apache-2.0
#include "engine/sim/prediction.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <map>

#include "engine/base/error.h"
#include "engine/comm/orchestrations/policy.h"
#include "engine/sim/profiles.h"
#include "engine/sim/schema.h"
#include "engine/sim/traced_profile.h"

namespace syncline {
namespace {

bool describes_a_link(const ClusterSpec& cluster) {
  return std::any_of(cluster.links.begin(), cluster.links.end(),
                     [](const LinkSpec& link) { return link.bandwidth_bytes_per_s > 0 || link.latency_s > 0; });
}

// A run's exchanges cost a + b n with its algorithm and workers. Closed forms are linear in latency and time per byte, so these follow.
std::optional<Wire> wire_of(const LinkCost& fitted, const std::string& allreduce, int workers) {
  const ScheduleEntry& entry = allreduce_schedule(allreduce);
  if (workers < 2 || entry.cost_s == nullptr || fitted.per_byte_s <= 0) return std::nullopt;
  const Params options = defaults_of(entry.parameters);
  const double latencies = entry.cost_s({.size = workers, .bytes = 0, .alpha_s = 1, .options = &options});
  const double bytes = entry.cost_s({.size = workers, .bytes = 1, .beta_s = 1, .options = &options});
  return Wire{.latency_s = fitted.latency_s / latencies, .per_byte_s = fitted.per_byte_s / bytes};
}

[[noreturn]] void no_times() {
  throw ConfigError(
      "a simulation needs the times of the layers: --profile RUN (a traced run of this model and batch), --profile FILE.json or "
      "cluster.profile would be right");
}

// Backward runs from the last layer down.
ModelledStep modelled_step_of_its_own(const LayerProfile& times) {
  const std::vector<std::int64_t> elements(times.elements.rbegin(), times.elements.rend());
  const std::vector<double> backward_s(times.backward_s.rbegin(), times.backward_s.rend());
  ModelledStep step = modelled_step(elements, backward_s, times.whole_forward_s());
  step.update_s = times.update_s;
  return step;
}

bool says_how_it_was_timed(std::string_view key) {
  for (const std::string_view prefix : {"checkpoint.", "fault.", "cluster.profile", "cluster.time_scale", "cluster.slowdown",
                                        "cluster.jitter", "train.target", "train.stop_at_target"})
    if (key.starts_with(prefix)) return true;
  for (const std::string_view other : {"name", "train.steps", "train.epochs", "train.evaluate_every", "cluster.compute",
                                       "cluster.threads_per_worker", "cluster.link.emulate", "cluster.emulate_link"})
    if (key == other) return true;
  return false;
}

// These are written only where compute is not real, so they are compared by their values.
bool disturbed_alike(const ClusterSpec& a, const ClusterSpec& b) {
  if (a.time_scale != b.time_scale || a.jitter_std != b.jitter_std || (a.jitter_std > 0 && a.jitter_seed != b.jitter_seed)) return false;
  for (std::int64_t worker = 0; worker < a.workers; ++worker) {
    const auto of = [worker](const ClusterSpec& cluster) {
      const bool given = cluster.slowdown.size() <= 1 || worker < static_cast<std::int64_t>(cluster.slowdown.size());
      return given ? cluster.slowdown_of(worker) : 1;
    };
    if (of(a) != of(b)) return false;
  }
  return true;
}

std::vector<std::pair<std::string, std::string>> what_is_trained(const std::string& complete) {
  auto settings = settings_of(complete);
  std::erase_if(settings, [](const auto& setting) { return says_how_it_was_timed(setting.first); });
  std::sort(settings.begin(), settings.end());
  return settings;
}

// What the other entry has too; of the rest its defaults.
Params carried_over(const Params& given, std::span<const Parameter> parameters) {
  std::map<std::string, Value, std::less<>> kept;
  for (const Parameter& parameter : parameters)
    if (const auto found = given.all().find(parameter.key); found != given.all().end()) kept.insert(*found);
  return with_defaults(parameters, kept);
}

}  // namespace

PredictionInputs prediction_inputs(const Experiment& experiment, const std::string& profile, Reader* reader,
                                   const std::filesystem::path& workspace) {
  PredictionInputs inputs;
  LayerProfile times;
  const bool from_run = !profile.empty() && !names_profile_file(profile);
  if (from_run) {
    if (reader == nullptr)
      throw ConfigError(fmt::format("there is no run '{}': the workspace {} holds none yet", profile, workspace.string()));
    const RunInfo run = reader->resolve(profile);
    times = layer_profile(*reader, run, experiment);
    if (!describes_a_link(experiment.cluster) && run.workers > 1) {
      const Parsed parsed = parse_experiment(run.experiment, run.id, catalogue());
      if (parsed.experiment)
        inputs.wire = wire_of(traced_exchange(*reader, run, *parsed.experiment), parsed.experiment->strategy.allreduce, run.workers);
    }
  } else if (!profile.empty()) {
    times = read_profile_file(profile);
    if (!times.elements.empty()) {
      if (const std::string misfit = misfit_of_batch(times.batch, experiment); !misfit.empty()) throw ConfigError(misfit);
      inputs.step = std::make_shared<const ModelledStep>(modelled_step_of_its_own(times));
      return inputs;
    }
  } else {
    if (experiment.cluster.profile_from.empty() && experiment.cluster.profile.layer_count() == 0) no_times();
    times = experiment_profile(experiment, workspace);
  }
  if (!profile.empty()) {
    if (const std::string misfit = misfit_of_profile(times, experiment, timed_layers(experiment)); !misfit.empty())
      throw ConfigError(misfit);
  }
  inputs.step = std::make_shared<const ModelledStep>(modelled_step(experiment, times));
  return inputs;
}

SimulationRequest prediction_request(const Experiment& experiment, const PredictionInputs& inputs, int workers) {
  SimulationRequest request{.experiment = experiment, .strategy = &strategy_entry(experiment.strategy.name), .step = inputs.step.get()};
  request.experiment.cluster.workers = workers;
  if (inputs.wire) {
    request.wire = inputs.wire;
    request.wire->latency_s *= experiment.cluster.time_scale;
    request.wire->per_byte_s *= experiment.cluster.time_scale;
  }
  return request;
}

Experiment with_strategy(Experiment experiment, const std::string& name) {
  const StrategyEntry& entry = strategy_entry(name);
  experiment.strategy.name = name;
  experiment.strategy.options = carried_over(experiment.strategy.options, entry.parameters);
  experiment.complete.clear();
  std::vector<Problem> problems;
  if (entry.check != nullptr) entry.check(experiment.strategy.options, experiment, problems);
  if (!problems.empty()) throw ConfigError(problems.front().message, problems.front().origin);
  return experiment;
}

Experiment with_plan(Experiment experiment, const std::string& name) {
  experiment.strategy.plan_options = defaults_of(planner(name).parameters);
  experiment.strategy.plan = name;
  experiment.complete.clear();
  return experiment;
}

Experiment with_orchestration(Experiment experiment, const std::string& name) {
  StrategySpec& strategy = experiment.strategy;
  strategy.orchestration_options = carried_over(strategy.orchestration_options, orchestration(name).parameters);
  strategy.orchestration = name;
  experiment.complete.clear();
  return experiment;
}

std::vector<int> worker_list(const std::string& text) {
  const auto wrong = [&](const std::string& why) {
    throw ConfigError(fmt::format("--workers {}: {}; a list as 2,4,8 or 4,8,...,1024 would be right", text, why));
  };
  std::vector<int> workers;
  bool go_on = false;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t comma = std::min(text.find(',', at), text.size());
    const std::string word = text.substr(at, comma - at);
    at = comma + 1;
    if (word == "...") {
      if (workers.size() < 2 || go_on) wrong("'...' goes on from two numbers or three");
      go_on = true;
      continue;
    }
    int number = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
    if (error != std::errc() || end != word.data() + word.size() || number < 1 || number > 65536)
      wrong(fmt::format("'{}' is no number of workers from 1 to 65536", word));
    if (go_on) {
      const std::size_t size = workers.size();
      const int last = workers[size - 1], before = workers[size - 2];
      const bool adds = size > 2 && last - before == before - workers[size - 3];
      if (last <= before || (!adds && last % before != 0)) wrong(fmt::format("how {}, {} goes on is not clear", before, last));
      for (std::int64_t next = last; next < number;) {
        next = adds ? next + (last - before) : next * (last / before);
        if (next < number) workers.push_back(static_cast<int>(next));
        if (next > number) wrong(fmt::format("{}, {}, ... does not come to {}", before, last, number));
      }
      go_on = false;
    }
    workers.push_back(number);
  }
  if (go_on) wrong("'...' needs a number behind it");
  return workers;
}

bool is_measurement_of(const std::string& run_experiment, const Experiment& experiment) {
  const Parsed parsed = parse_experiment(run_experiment, "run", catalogue());
  if (!parsed.experiment) return false;
  if (experiment.complete.empty()) return false;
  auto here = what_is_trained(experiment.complete);
  for (auto& [key, value] : here)
    if (key == "cluster.workers") value = std::to_string(experiment.cluster.workers);
  return what_is_trained(parsed.experiment->complete) == here && disturbed_alike(parsed.experiment->cluster, experiment.cluster);
}

}  // namespace syncline
