// SPDX-License-Identifier: Apache-2.0
// compare: runs side by side, with the difference to one of them.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>

#include "app/commands.h"
#include "app/commands/output.h"
#include "engine/base/units.h"
#include "engine/experiment/experiment.h"
#include "engine/store/emulation.h"
#include "engine/store/reader.h"
#include "engine/store/summary.h"

namespace syncline::app {
namespace {

std::string written(const SummaryMetric& metric, double value) {
  switch (metric.quantity) {
    case SummaryMetric::share:
      return percent(value);
    case SummaryMetric::accuracy:
      return accuracy(value);
    case SummaryMetric::duration:
      return format_duration(value);
    case SummaryMetric::count:
    case SummaryMetric::rate:
      return format_count(value);
    case SummaryMetric::bytes:
      return format_size(value);
    case SummaryMetric::plain:
      break;
  }
  return fixed(value);
}

struct Arguments {
  std::vector<std::string> runs;
  std::string baseline, metric;
};

struct Column {
  RunInfo run;
  Summary summary;
};

std::vector<SummaryMetric> chosen(const std::string& key) {
  if (key.empty()) return {compared_metrics().begin(), compared_metrics().end()};
  if (const auto metric = summary_metric(key)) return {*metric};
  throw ConfigError(fmt::format("--metric {}: there is no such metric; the metrics are {}", key, fmt::join(summary_keys(), ", ")));
}

std::string difference_text(const SummaryMetric& metric, double value, double base) {
  if (value == base) return "=";
  if (base == 0) return "";
  const double relative = value / base - 1;
  const bool good = (relative > 0) == (metric.better == SummaryMetric::higher);
  const char* word = metric.better == SummaryMetric::neither ? "" : good ? " better" : " worse";
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

nlohmann::ordered_json document(const std::vector<Column>& columns, const std::vector<SummaryMetric>& wanted) {
  nlohmann::ordered_json runs = nlohmann::ordered_json::array();
  const Column& base = columns.front();
  for (const Column& column : columns) {
    nlohmann::ordered_json change = nlohmann::ordered_json::object();
    for (const SummaryMetric& metric : wanted) {
      const auto value = value_of(column.summary, metric.key), reference = value_of(base.summary, metric.key);
      nlohmann::ordered_json& entry = change[std::string(metric.key)];
      entry = {{"value", nullptr}, {"difference", nullptr}, {"relative", nullptr}};
      if (value) entry["value"] = *value;
      if (!value || !reference) continue;
      entry["difference"] = *value - *reference;
      if (*reference != 0) entry["relative"] = *value / *reference - 1;
    }
    runs.push_back({{"run", run_json(column.run, false)}, {"summary", to_json(column.summary)}, {"metrics", change}});
  }
  return {{"baseline", base.run.id}, {"runs", runs}, {"differing_settings", differing_settings(columns)}};
}

void print_table(const std::vector<Column>& columns, const std::vector<SummaryMetric>& wanted) {
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
  const auto is_emulated = [](const Column& column) { return !column.run.emulated.empty(); };
  if (std::any_of(columns.begin(), columns.end(), is_emulated)) {
    std::vector<std::string> row = {"times of"};
    for (std::size_t i = 0; i < columns.size(); ++i) {
      row.push_back(is_emulated(columns[i]) ? emulation_text(columns[i].run) : "this machine");
      if (i > 0) row.emplace_back("");
    }
    table.row(row);
  }
  for (const SummaryMetric& metric : wanted) {
    std::vector<std::string> row = {std::string(metric.name)};
    const auto reference = value_of(columns.front().summary, metric.key);
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const auto value = value_of(columns[i].summary, metric.key);
      row.push_back(text_or_dash(value, [&](double number) { return written(metric, number); }));
      if (i > 0) row.push_back(value && reference ? difference_text(metric, *value, *reference) : "");
    }
    table.row(row);
  }
  table.print();
  for (const Column& column : columns) {
    if (column.run.state != "finished") std::printf("%s is %s\n", column.run.name.c_str(), column.run.state.c_str());
    if (const auto why = times_withheld(column.summary)) std::printf("%s: %s\n", column.run.name.c_str(), why->c_str());
  }
  const auto settings = differing_settings(columns);
  if (!settings.empty()) std::printf("\nsettings that differ from the baseline\n");
  for (const std::string& line : settings) std::printf("  %s\n", line.c_str());
}

int compare(const Arguments& arguments, const Global& global) {
  const std::vector<SummaryMetric> wanted = chosen(arguments.metric);
  Reader reader(Workspace::open_read_only(workspace_path(global.workspace)));
  std::vector<Column> columns;
  const auto add = [&](const std::string& what) {
    const RunInfo run = reader.resolve(what);
    for (const Column& have : columns) {
      if (have.run.id == run.id) return;
    }
    columns.push_back({run, summarise(reader, run)});
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
