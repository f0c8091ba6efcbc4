// SPDX-License-Identifier: Apache-2.0
// simulate: what a step would take with other numbers of workers, plans or strategies, by the same code in virtual time.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <memory>
#include <set>

#include "app/commands.h"
#include "app/commands/output.h"
#include "engine/base/units.h"
#include "engine/sim/control_plane.h"
#include "engine/sim/prediction.h"
#include "engine/store/reader.h"
#include "engine/store/summary.h"

namespace syncline::app {
namespace {

struct Arguments {
  ExperimentArguments experiment;
  std::string workers, plans, strategies, orchestrations, profile, level = "auto";
  std::int64_t steps = 0, tensors = 0;
  double requests = 1;
  bool control = false;
};

std::vector<std::string> words(const std::string& list) {
  std::vector<std::string> result;
  for (std::size_t at = 0; at <= list.size() && !list.empty();) {
    const std::size_t comma = std::min(list.find(',', at), list.size());
    result.push_back(list.substr(at, comma - at));
    at = comma + 1;
  }
  return result;
}

std::optional<double> measured_step_s(Reader& reader, const Experiment& experiment) {
  const auto runs = reader.runs();
  for (auto run = runs.rbegin(); run != runs.rend(); ++run) {
    if (run->state != "finished" || run->trashed || run->workers != experiment.cluster.workers) continue;
    if (is_measurement_of(run->experiment, experiment)) return summarise(reader, *run).step_s;
  }
  return std::nullopt;
}

struct Variant {
  ExperimentArguments arguments;
  Experiment experiment;
};

// With each of these values of one key of [strategy], or as it is where there are none: as if --set had said so, where the other keys allow
// that.
std::vector<Variant> varied(const Variant& given, const std::string& key, const std::vector<std::string>& values,
                            Experiment (*replaced)(Experiment, const std::string&)) {
  if (values.empty()) return {given};
  std::vector<Variant> variants;
  for (const std::string& value : values) {
    Variant& variant = variants.emplace_back(given);
    variant.arguments.sets.push_back("strategy." + key + "=\"" + value + "\"");
    try {
      variant.experiment = load(variant.arguments);
    } catch (const ConfigError&) {  // keys that only the value before has
      variant.experiment = replaced(given.experiment, value);
    }
  }
  return variants;
}

struct Row {
  std::string strategy;
  std::optional<std::string> plan, orchestration;  // none where no gradients are exchanged
  SimulationResult result;
  std::optional<double> measured_s;
  std::optional<double> error() const {
    return measured_s && *measured_s > 0 ? std::optional(result.step_s / *measured_s - 1) : std::nullopt;
  }
};

nlohmann::ordered_json to_json(const Row& row) {
  const auto number = [](const std::optional<double>& value) {
    return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
  };
  const SimulationResult& result = row.result;
  return {{"workers", result.workers},
          {"plan", row.plan ? nlohmann::ordered_json(*row.plan) : nlohmann::ordered_json(nullptr)},
          {"strategy", row.strategy},
          {"step_s", result.step_s},
          {"exposed_comm_s", result.exposed_s},
          {"samples_per_s", result.samples_per_s},
          {"efficiency", result.efficiency},
          {"measured_step_s", number(row.measured_s)},
          {"error", number(row.error())},
          {"orchestration", row.orchestration ? nlohmann::ordered_json(*row.orchestration) : nlohmann::ordered_json(nullptr)},
          {"compute_s", result.compute_s},
          {"comm_s", result.comm_s},
          {"buckets", row.plan ? nlohmann::ordered_json(result.groups.size()) : nlohmann::ordered_json(nullptr)}};
}

void print_table(const std::vector<Row>& rows) {
  Table table(
      {"strategy", "plan", "order", "workers", "step", "samples/s", "efficiency", "exposed", "share", "buckets", "measured", "error"},
      {false, false, false, true, true, true, true, true, true, true, true, true});
  for (const Row& row : rows) {
    const SimulationResult& result = row.result;
    table.row({row.strategy, row.plan.value_or("-"), row.orchestration.value_or("-"), std::to_string(result.workers),
               format_duration(result.step_s), format_count(result.samples_per_s), percent(result.efficiency),
               format_duration(result.exposed_s), percent(result.step_s > 0 ? result.exposed_s / result.step_s : 0),
               row.plan ? std::to_string(result.groups.size()) : std::string("-"), text_or_dash(row.measured_s, format_duration),
               text_or_dash(row.error(), [](double share) { return fmt::format("{:+.1f} %", 100 * share); })});
  }
  table.print();
  for (const Row& row : rows) {
    if (!row.result.contention) continue;
    const Contention& contention = *row.result.contention;
    std::printf(
        "\n%d workers exchange by a closed form; by what %d of them take message by message its latency counts %.2f times, its bytes "
        "%.2f\n",
        row.result.workers, contention.ranks, contention.latency, contention.bytes);
  }
  std::printf(
      "\npredictions, not measurements: layer times from a profile, the network from the experiment's links or, without any, from the "
      "profile's run\n");
}

// Of the control plane alone: no training is simulated, so any number of workers will do.
int run_control(const Arguments& arguments, const Global& global) {
  const std::vector<int> workers = worker_list(arguments.workers);
  const Experiment experiment = load(arguments.experiment);
  const std::int64_t tensors = arguments.tensors > 0 ? arguments.tensors : tensors_of(experiment);
  const std::vector<ControlTime> times = control_times(experiment, workers, tensors, arguments.requests);
  if (global.json) {
    nlohmann::ordered_json rows = nlohmann::ordered_json::array();
    for (const ControlTime& each : times)
      rows.push_back({{"orchestration", each.orchestration}, {"workers", each.workers}, {"cycle_s", each.cycle_s}});
    print_document({{"tensors", tensors}, {"requests", arguments.requests}, {"control", rows}});
    return 0;
  }
  Table table({"orchestration", "workers", "turn"}, {false, true, true});
  for (const ControlTime& each : times) table.row({each.orchestration, std::to_string(each.workers), format_duration(each.cycle_s)});
  table.print();
  std::printf("\none turn of the agreement on the order of %lld buckets, %g of them newly ready, by closed forms over the slowest link\n",
              static_cast<long long>(tensors), arguments.requests);
  return 0;
}

int run(const Arguments& arguments, const Global& global) {
  const std::vector<int> workers = worker_list(arguments.workers);
  const auto workspace = workspace_path(global.workspace);
  std::optional<Reader> reader;
  if (std::filesystem::exists(workspace)) reader.emplace(Workspace::open_read_only(workspace));

  const Variant given{arguments.experiment, load(arguments.experiment)};
  std::vector<Row> rows;
  for (const Variant& strategy : varied(given, "name", words(arguments.strategies), with_strategy)) {
    const bool exchanges = exchanges_gradients(strategy.experiment);
    const auto where_exchanged = [exchanges](const std::string& list) { return exchanges ? words(list) : std::vector<std::string>(); };
    for (const Variant& plan : varied(strategy, "plan", where_exchanged(arguments.plans), with_plan)) {
      for (const Variant& order : varied(plan, "orchestration", where_exchanged(arguments.orchestrations), with_orchestration)) {
        const Experiment& experiment = order.experiment;
        const PredictionInputs inputs = prediction_inputs(experiment, arguments.profile, reader ? &*reader : nullptr, workspace);
        for (const int count : workers) {
          SimulationRequest request = prediction_request(experiment, inputs, count);
          request.steps = arguments.steps;
          if (arguments.level == "formula") request.most_by_messages = 0;
          if (arguments.level == "messages") request.most_by_messages = count;
          Row row{.strategy = experiment.strategy.name,
                  .plan = exchanges ? std::optional(experiment.strategy.plan) : std::nullopt,
                  .orchestration = exchanges ? std::optional(experiment.strategy.orchestration) : std::nullopt,
                  .result = simulate(request),
                  .measured_s = {}};
          if (reader) row.measured_s = measured_step_s(*reader, request.experiment);
          rows.push_back(std::move(row));
        }
      }
    }
  }
  if (!global.json) {
    print_table(rows);
    return 0;
  }
  nlohmann::ordered_json results = nlohmann::ordered_json::array();
  for (const Row& row : rows) results.push_back(to_json(row));
  print_document({{"results", results}});
  return 0;
}

}  // namespace

Action define_simulate(CLI::App& sub, const Global& global) {
  auto arguments = std::make_shared<Arguments>();
  add_experiment_options(sub, arguments->experiment);
  sub.add_option("--workers", arguments->workers, "numbers of workers, for example 2,4,8 or 4,8,...,1024")->type_name("LIST")->required();
  sub.add_option("--plans", arguments->plans, "plans to compare, for example wfbp,mg-wfbp; else the experiment's")->type_name("LIST");
  sub.add_option("--strategies", arguments->strategies, "strategies to compare; else the experiment's")->type_name("LIST");
  sub.add_option("--orchestrations", arguments->orchestrations, "orchestrations to compare; else the experiment's")->type_name("LIST");
  sub.add_flag("--control", arguments->control, "only the time that one turn of each negotiated orchestration takes");
  sub.add_option("--tensors", arguments->tensors, "with --control: buckets that are agreed on; else those of the plan")
      ->check(CLI::Range(1, 1000000));
  sub.add_option("--requests", arguments->requests, "with --control: buckets that are newly ready in a turn")->check(CLI::Range(0.0, 1e6));
  sub.add_option("--profile", arguments->profile, "layer times from this run's traces or file; else cluster.profile")->type_name("RUN");
  sub.add_option("--level", arguments->level, "auto: exchanges of at most 32 ranks move by move; messages: all; formula: none")
      ->check(CLI::IsMember({"auto", "messages", "formula"}));
  sub.add_option("--steps", arguments->steps, "steps to simulate after the first ones; else enough for one round of the strategy")
      ->check(CLI::Range(1, 100000));
  return [arguments, &global] { return arguments->control ? run_control(*arguments, global) : run(*arguments, global); };
}

}  // namespace syncline::app
