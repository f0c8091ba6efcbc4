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
#include "engine/store/seeds.h"
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
  bool aggregate = false;
};

struct Run {
  RunInfo info;
  Summary summary;
};

// One run, or all that were given of one experiment.
struct Column {
  std::vector<Run> runs;
  const RunInfo& first() const { return runs.front().info; }
  SeedsSpread spread(std::string_view key) const {
    std::vector<std::pair<const RunInfo*, double>> values;
    for (const Run& run : runs) {
      if (const auto value = value_of(run.summary, key)) values.emplace_back(&run.info, *value);
    }
    return spread_over_seeds(values);
  }
  int seeds() const {
    std::vector<const RunInfo*> infos;
    for (const Run& run : runs) infos.push_back(&run.info);
    return distinct_seeds(infos);
  }
  std::string runs_text() const {
    const int n = seeds(), all = static_cast<int>(runs.size());
    if (all == 1) return "single run";
    if (n == all) return fmt::format("{} seeds", n);
    return n == 1 ? fmt::format("{} runs of one seed", all) : fmt::format("{} seeds, {} runs", n, all);
  }
};

std::vector<SummaryMetric> chosen(const std::string& key) {
  if (key.empty()) return {compared_metrics().begin(), compared_metrics().end()};
  if (const auto metric = summary_metric(key)) return {*metric};
  throw ConfigError(fmt::format("--metric {}: there is no such metric; the metrics are {}", key, fmt::join(summary_keys(), ", ")));
}

std::string spread_text(const SummaryMetric& metric, const SeedsSpread& of) {
  const auto& [spread, runs, copies] = of;
  if (spread.n == 0) return "-";
  if (spread.n == 1) return written(metric, spread.mean);
  const std::string over = copies && spread.n == runs ? fmt::format("{} runs", runs) : fmt::format("n = {}", spread.n);
  return fmt::format("{} \u00b1 {} ({})", written(metric, spread.mean), written(metric, spread.deviation), over);
}

std::string difference_text(const SummaryMetric& metric, const Spread& of, const Spread& baseline) {
  const double value = of.mean, base = baseline.mean;
  if (value == base) return "=";
  if (base == 0) return "";
  const double relative = value / base - 1;
  if (within_spread(of, baseline)) return fmt::format("{:+.1f} % within spread", 100 * relative);
  const bool good = (relative > 0) == (metric.better == SummaryMetric::higher);
  const char* word = metric.better == SummaryMetric::neither ? "" : good ? " better" : " worse";
  return fmt::format("{:+.1f} %{}", 100 * relative, word);
}

// Settings in which the runs differ, name and seed aside.
std::vector<std::string> differing_settings(const std::vector<Column>& columns) {
  std::vector<std::string> lines;
  for (std::size_t i = 1; i < columns.size(); ++i) {
    const bool several = columns.front().runs.size() > 1 || columns[i].runs.size() > 1;
    for (const Difference& one : differences(columns.front().first().experiment, columns[i].first().experiment)) {
      if (one.key == "name" || (several && one.key == "seed")) continue;
      lines.push_back(fmt::format("{}: {} = {} instead of {}", columns[i].first().name, one.key, one.after.empty() ? "(none)" : one.after,
                                  one.before.empty() ? "(none)" : one.before));
    }
  }
  return lines;
}

// aggregate: with n, deviation, ids and seeds; "run" and "summary" are then of the first of each.
nlohmann::ordered_json document(const std::vector<Column>& columns, const std::vector<SummaryMetric>& wanted, bool aggregate) {
  nlohmann::ordered_json runs = nlohmann::ordered_json::array();
  const Column& base = columns.front();
  for (const Column& column : columns) {
    nlohmann::ordered_json change = nlohmann::ordered_json::object();
    for (const SummaryMetric& metric : wanted) {
      const Spread value = column.spread(metric.key).spread, reference = base.spread(metric.key).spread;
      nlohmann::ordered_json& entry = change[std::string(metric.key)];
      entry = {{"value", nullptr}, {"difference", nullptr}, {"relative", nullptr}};
      if (aggregate) entry.update({{"deviation", nullptr}, {"n", value.n}});
      if (value.n > 0) entry["value"] = value.mean;
      if (aggregate && value.n > 1) entry["deviation"] = value.deviation;
      if (value.n == 0 || reference.n == 0) continue;
      entry["difference"] = value.mean - reference.mean;
      if (reference.mean != 0) entry["relative"] = value.mean / reference.mean - 1;
    }
    runs.push_back({{"run", run_json(column.first(), false)}, {"summary", to_json(column.runs.front().summary)}, {"metrics", change}});
    if (!aggregate) continue;
    nlohmann::ordered_json ids = nlohmann::ordered_json::array();
    for (const Run& run : column.runs) ids.push_back(run.info.id);
    runs.back()["runs"] = ids;
    runs.back()["seeds"] = column.seeds();
  }
  return {{"baseline", base.first().id}, {"runs", runs}, {"differing_settings", differing_settings(columns)}};
}

void print_table(const std::vector<Column>& columns, const std::vector<SummaryMetric>& wanted) {
  std::vector<std::string> heads = {""};
  std::vector<bool> right = {false};
  for (std::size_t i = 0; i < columns.size(); ++i) {
    heads.push_back(columns[i].first().name + (i == 0 ? " (baseline)" : ""));
    right.push_back(true);
    if (i == 0) continue;
    heads.emplace_back("");
    right.push_back(false);
  }
  Table table(heads, right);
  const auto is_emulated = [](const Column& column) { return !column.first().emulated.empty(); };
  if (std::any_of(columns.begin(), columns.end(), is_emulated)) {
    std::vector<std::string> row = {"times of"};
    for (std::size_t i = 0; i < columns.size(); ++i) {
      row.push_back(is_emulated(columns[i]) ? emulation_text(columns[i].first()) : "this machine");
      if (i > 0) row.emplace_back("");
    }
    table.row(row);
  }
  if (std::any_of(columns.begin(), columns.end(), [](const Column& column) { return column.runs.size() > 1; })) {
    std::vector<std::string> row = {"of"};
    for (std::size_t i = 0; i < columns.size(); ++i) {
      row.push_back(columns[i].runs_text());
      if (i > 0) row.emplace_back("");
    }
    table.row(row);
  }
  for (const SummaryMetric& metric : wanted) {
    std::vector<std::string> row = {std::string(metric.name)};
    const Spread reference = columns.front().spread(metric.key).spread;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const SeedsSpread value = columns[i].spread(metric.key);
      row.push_back(spread_text(metric, value));
      if (i > 0) row.push_back(value.spread.n > 0 && reference.n > 0 ? difference_text(metric, value.spread, reference) : "");
    }
    table.row(row);
  }
  table.print();
  for (const Column& column : columns) {
    for (const Run& run : column.runs) {
      if (run.info.state != "finished") std::printf("%s is %s\n", run.info.name.c_str(), run.info.state.c_str());
      if (const auto why = times_withheld(run.summary)) std::printf("%s: %s\n", run.info.name.c_str(), why->c_str());
    }
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
    for (Column& have : columns) {
      if (std::any_of(have.runs.begin(), have.runs.end(), [&](const Run& one) { return one.info.id == run.id; })) return;
    }
    const auto alike = [&](const Column& have) { return have.first().group_key == run.group_key && have.first().kind == run.kind; };
    const auto group = arguments.aggregate ? std::find_if(columns.begin(), columns.end(), alike) : columns.end();
    Column& column = group != columns.end() ? *group : columns.emplace_back();
    column.runs.push_back({run, summarise(reader, run)});
  };
  if (!arguments.baseline.empty()) add(arguments.baseline);
  for (const std::string& what : arguments.runs) add(what);
  if (columns.size() < 2) {
    throw ConfigError(columns.size() == 1 && columns.front().runs.size() > 1
                          ? "compare --aggregate: these are runs of one experiment; another one is needed to compare with"
                          : "compare: at least two different runs are needed");
  }
  if (global.json) {
    print_document(document(columns, wanted, arguments.aggregate));
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
  sub.add_flag("--aggregate", arguments->aggregate, "runs of one experiment as one: mean and spread over its seeds");
  sub.add_option("--metric", arguments->metric, "one key of the summary only")->type_name("M");
  return [arguments, &global] { return compare(*arguments, global); };
}

}  // namespace syncline::app
