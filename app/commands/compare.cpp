// SPDX-License-Identifier: Apache-2.0
// compare: runs side by side, with the difference to one of them.
#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <memory>

#include "app/commands.h"
#include "app/commands/output.h"
#include "engine/base/units.h"
#include "engine/experiment/experiment.h"
#include "engine/store/reader.h"
#include "engine/store/summary.h"

namespace syncline::app {
namespace {

struct Metric {
  const char* key;
  const char* name;
  enum Better { lower, higher, neither } better;
  std::string (*format)(double);
};
// In the order printed. Further keys of the summary can be named with --metric.
constexpr Metric metrics[] = {
    {"final_train_loss", "train loss", Metric::lower, fixed},
    {"final_test_accuracy", "test accuracy", Metric::higher, accuracy},
    {"best_test_accuracy", "best test accuracy", Metric::higher, accuracy},
    {"time_to_target_s", "time to target", Metric::lower, format_duration},
    {"samples_per_s", "samples/s", Metric::higher, format_count},
    {"step_s", "step", Metric::lower, format_duration},
    {"compute_s", "compute", Metric::lower, format_duration},
    {"comm_s", "communication", Metric::neither, format_duration},
    {"exposed_comm_s", "exposed communication", Metric::lower, format_duration},
    {"hidden_transfer_fraction", "hidden transfer", Metric::higher, percent},
    {"blocked_s", "blocked", Metric::lower, format_duration},
    {"compute_inflation", "compute inflation", Metric::lower, percent},
    {"bytes_sent_per_step_per_worker", "sent per step", Metric::neither, format_size},
    {"wall_s", "wall time", Metric::lower, format_duration},
};

struct Arguments {
  std::vector<std::string> runs;
  std::string baseline, metric;
};

struct Column {
  RunInfo run;
  nlohmann::ordered_json summary;
  std::optional<double> value(const std::string& key) const {
    const auto found = summary.find(key);
    if (found == summary.end() || !found->is_number()) return std::nullopt;
    return found->get<double>();
  }
};

std::vector<Metric> chosen(const std::string& key) {
  if (key.empty()) return {std::begin(metrics), std::end(metrics)};
  for (const Metric& metric : metrics) {
    if (key == metric.key) return {metric};
  }
  static const nlohmann::ordered_json all = to_json(Summary{});
  const auto found = all.find(key);
  if (found == all.end()) {
    std::vector<std::string> names;
    for (const auto& [name, value] : all.items()) names.push_back(name);
    throw ConfigError(fmt::format("--metric {}: there is no such metric; the metrics are {}", key, fmt::join(names, ", ")));
  }
  return {Metric{found.key().c_str(), found.key().c_str(), Metric::neither, fixed}};
}

std::string difference_text(const Metric& metric, double value, double base) {
  if (value == base) return "=";
  if (base == 0) return "";
  const double relative = value / base - 1;
  const bool good = (relative > 0) == (metric.better == Metric::higher);
  const char* word = metric.better == Metric::neither ? "" : good ? " better" : " worse";
  return fmt::format("{:+.1f} %{}", 100 * relative, word);
}

// Settings in which the runs differ, name and seed aside.
std::vector<std::string> differing_settings(const std::vector<Column>& columns) {
  std::vector<std::string> lines;
  for (std::size_t i = 1; i < columns.size(); ++i) {
    for (const Difference& one : differences(columns.front().run.experiment, columns[i].run.experiment)) {
      if (one.key == "name") continue;
      lines.push_back(fmt::format("{}: {} = {} instead of {}", columns[i].run.name, one.key, one.after.empty() ? "(none)" : one.after,
                                  one.before.empty() ? "(none)" : one.before));
    }
  }
  return lines;
}

nlohmann::ordered_json document(const std::vector<Column>& columns, const std::vector<Metric>& wanted) {
  nlohmann::ordered_json runs = nlohmann::ordered_json::array();
  const Column& base = columns.front();
  for (const Column& column : columns) {
    nlohmann::ordered_json change = nlohmann::ordered_json::object();
    for (const Metric& metric : wanted) {
      const auto value = column.value(metric.key), reference = base.value(metric.key);
      nlohmann::ordered_json& entry = change[metric.key];
      entry = {{"value", nullptr}, {"difference", nullptr}, {"relative", nullptr}};
      if (value) entry["value"] = *value;
      if (!value || !reference) continue;
      entry["difference"] = *value - *reference;
      if (*reference != 0) entry["relative"] = *value / *reference - 1;
    }
    runs.push_back({{"run", run_json(column.run, false)}, {"summary", column.summary}, {"metrics", change}});
  }
  return {{"baseline", base.run.id}, {"runs", runs}, {"differing_settings", differing_settings(columns)}};
}

void print_table(const std::vector<Column>& columns, const std::vector<Metric>& wanted) {
  std::vector<std::string> heads = {""};
  std::vector<bool> right = {false};
  for (std::size_t i = 0; i < columns.size(); ++i) {
    heads.push_back(columns[i].run.name + (i == 0 ? " (baseline)" : ""));
    right.push_back(true);
    if (i == 0) continue;
    heads.emplace_back("");
    right.push_back(false);
  }
  Table table(heads, right);
  for (const Metric& metric : wanted) {
    std::vector<std::string> row = {metric.name};
    const auto reference = columns.front().value(metric.key);
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const auto value = columns[i].value(metric.key);
      row.push_back(text_or_dash(value, metric.format));
      if (i > 0) row.push_back(value && reference ? difference_text(metric, *value, *reference) : "");
    }
    table.row(row);
  }
  table.print();
  for (const Column& column : columns) {
    if (column.run.state != "finished") std::printf("%s is %s\n", column.run.name.c_str(), column.run.state.c_str());
  }
  const auto settings = differing_settings(columns);
  if (!settings.empty()) std::printf("\nsettings that differ from the baseline\n");
  for (const std::string& line : settings) std::printf("  %s\n", line.c_str());
}

int compare(const Arguments& arguments, const Global& global) {
  const std::vector<Metric> wanted = chosen(arguments.metric);
  Reader reader(Workspace::open_read_only(workspace_path(global.workspace)));
  std::vector<Column> columns;
  const auto add = [&](const std::string& what) {
    const RunInfo run = reader.resolve(what);
    for (const Column& have : columns) {
      if (have.run.id == run.id) return;
    }
    columns.push_back({run, to_json(summarise(reader, run))});
  };
  if (!arguments.baseline.empty()) add(arguments.baseline);
  for (const std::string& what : arguments.runs) add(what);
  if (columns.size() < 2) throw ConfigError("compare: at least two different runs are needed");
  if (global.json) {
    print_document(document(columns, wanted));
  } else {
    print_table(columns, wanted);
  }
  return 0;
}

}  // namespace

Action define_compare(CLI::App& sub, const Global& global) {
  auto arguments = std::make_shared<Arguments>();
  sub.add_option("RUN", arguments->runs, "two runs or more; the first is the baseline")->required();
  sub.add_option("--baseline", arguments->baseline, "the run that the others are compared with")->type_name("RUN");
  sub.add_option("--metric", arguments->metric, "one key of the summary only")->type_name("M");
  return [arguments, &global] { return compare(*arguments, global); };
}

}  // namespace syncline::app
