// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/run_page_communication.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <variant>

#include "engine/experiment/document.h"
#include "engine/experiment/text_edit.h"
#include "engine/metrics/statistics.h"
#include "ui/models/format.h"

namespace syncline::ui {

namespace {

double mean_step(const std::vector<StepBucket>& buckets) {
  double sum = 0;
  std::int64_t count = 0;
  for (const StepBucket& bucket : buckets) {
    sum += bucket.mean.step_s * static_cast<double>(bucket.count);
    count += bucket.count;
  }
  return count > 0 ? sum / static_cast<double>(count) : 0;
}

// Mean steps of all ranks over the range from a few buckets each.
std::vector<std::pair<double, int>> ranks_by_step(Reader& reader, const std::string& run_id, std::int64_t from, std::int64_t to) {
  std::vector<std::pair<double, int>> found;
  for (const int rank : reader.ranks(run_id)) found.emplace_back(mean_step(reader.step_buckets(run_id, rank, from, to, 8)), rank);
  std::sort(found.begin(), found.end());
  return found;
}

int chosen_rank(Reader& reader, const std::string& run_id, const RankChoice& choice, std::optional<int> slowest, std::int64_t from,
                std::int64_t to) {
  if (choice.kind == RankChoice::one) return choice.rank;
  if (choice.kind == RankChoice::slowest && slowest) return *slowest;
  const auto ranks = ranks_by_step(reader, run_id, from, to);
  if (ranks.empty()) return -1;
  return choice.kind == RankChoice::slowest ? ranks.back().second : ranks[(ranks.size() - 1) / 2].second;
}

struct Gathered {
  std::vector<double> times;
  double time_s = 0, hidden_s = 0;
  std::int64_t bytes = 0, sent = 0;
  std::map<std::uint64_t, std::pair<double, double>> issues;  // sequence: earliest, latest
  std::map<std::uint64_t, int> ranks;
};

}  // namespace

StepSplit read_split(Reader& reader, const std::string& run_id, const RankChoice& choice, std::optional<int> slowest,
                     std::int64_t from_step, std::int64_t to_step, int most_bars) {
  StepSplit split;
  split.rank = chosen_rank(reader, run_id, choice, slowest, from_step, to_step);
  if (split.rank < 0) return split;
  split.buckets = reader.step_buckets(run_id, split.rank, from_step, to_step, std::max(1, most_bars));
  std::int64_t steps = 0, separated = 0, by_estimate = 0;
  for (const StepBucket& bucket : split.buckets) {
    split.bucketed = split.bucketed || bucket.count > 1;
    if (bucket.mean.comm_s <= 0) continue;
    split.no_communication = false;
    const bool known = bucket.mean.is(step_peer_wait_known), estimated = bucket.mean.is(step_peer_wait_estimated);
    steps += bucket.count;
    if (known || estimated) separated += bucket.count;
    if (estimated) by_estimate += bucket.count;
  }
  // As the summary has it: waiting counts as separated when it is known for most steps.
  split.waiting_separated = 2 * separated >= steps;
  split.waiting_estimated = 2 * by_estimate >= steps && steps > 0;
  return split;
}

ExposedMap read_exposed_map(Reader& reader, const std::string& run_id, std::int64_t from_step, std::int64_t to_step, int most_columns) {
  ExposedMap map;
  std::vector<std::vector<StepBucket>> by_rank;
  std::map<std::int64_t, std::size_t> column;
  for (const int rank : reader.ranks(run_id)) {
    by_rank.push_back(reader.step_buckets(run_id, rank, from_step, to_step, std::max(1, most_columns)));
    map.ranks.push_back(rank);
    for (const StepBucket& bucket : by_rank.back()) {
      column.emplace(bucket.first_step, 0);
      map.steps_per_cell = std::max(map.steps_per_cell, bucket.count);
    }
  }
  for (auto& [step, at] : column) {
    at = map.steps.size();
    map.steps.push_back(step);
  }
  map.exposed_s.assign(map.ranks.size() * map.steps.size(), std::numeric_limits<double>::quiet_NaN());
  double worst = 0;
  for (std::size_t row = 0; row < by_rank.size(); ++row) {
    double sum = 0;
    for (const StepBucket& bucket : by_rank[row]) {
      map.exposed_s[row * map.steps.size() + column[bucket.first_step]] = bucket.max_exposed_s;
      sum += bucket.mean.exposed_s * static_cast<double>(bucket.count);
    }
    if (sum > worst) {
      worst = sum;
      map.worst_rank = map.ranks[row];
    }
  }
  return map;
}

std::vector<CollectiveRow> collectives_of(const Timeline& timeline) {
  std::map<QString, Gathered> by_name;
  for (const TimelineLane& lane : timeline.lanes) {
    for (const TimelineEvent& event : lane.events) {
      if (event.kind != TimelineKind::exchange) continue;
      Gathered& all = by_name[event.title()];
      all.times.push_back(event.duration_s());
      all.time_s += event.duration_s();
      all.hidden_s += event.hidden_s;
      all.bytes = std::max(all.bytes, event.bytes);
      all.sent = std::max(all.sent, event.sent_bytes);
      const auto [issue, added] = all.issues.try_emplace(event.sequence, event.start_s, event.start_s);
      issue->second = {std::min(issue->second.first, event.start_s), std::max(issue->second.second, event.start_s)};
      ++all.ranks[event.sequence];
    }
  }
  std::vector<CollectiveRow> rows;
  for (const auto& [name, all] : by_name) {
    CollectiveRow row;
    row.name = name;
    row.n = static_cast<std::int64_t>(all.issues.size());
    row.bytes = all.bytes;
    row.sent_bytes = all.sent;
    row.p50_s = quantile(all.times, 0.5);
    row.p99_s = quantile(all.times, 0.99);
    std::vector<double> skews;
    for (const auto& [sequence, ranks] : all.ranks) {
      const auto& issue = all.issues.at(sequence);
      if (ranks == timeline.ranks && ranks > 1) skews.push_back(issue.second - issue.first);
    }
    if (!skews.empty()) row.skew_s = quantile(skews, 0.5);
    if (row.p50_s > 0) row.algorithm_bytes_per_s = static_cast<double>(row.bytes) / row.p50_s;
    if (name.startsWith(QStringLiteral("bucket")) && timeline.ranks > 1) {  // gradients are reduced over all ranks
      row.kind = QStringLiteral("allreduce");
      row.bus_bytes_per_s = row.algorithm_bytes_per_s * 2 * (timeline.ranks - 1) / timeline.ranks;
    }
    if (all.time_s > 0) row.hidden_share = all.hidden_s / all.time_s;
    rows.push_back(row);
  }
  return rows;
}

Collectives read_collectives(Reader& reader, const std::string& run_id, std::int64_t from_step, std::int64_t to_step, int most_steps) {
  Collectives result;
  const TimelineIndex index = read_timeline_index(reader, run_id, 0);
  std::vector<std::int64_t> steps;
  for (const TracedStep& step : index.steps) {
    if (step.step >= from_step && step.step <= to_step) steps.push_back(step.step);
  }
  result.traced_steps_there = static_cast<int>(steps.size());
  if (steps.size() > static_cast<std::size_t>(most_steps)) steps.erase(steps.begin(), steps.end() - most_steps);
  result.traced_steps = static_cast<int>(steps.size());
  std::vector<StepTrace> traces;
  for (const auto& info : index.traces) {
    if (!std::binary_search(steps.begin(), steps.end(), info.step)) continue;
    if (auto trace = reader.trace(run_id, info.step, info.rank)) traces.push_back(std::move(*trace));
  }
  result.rows = collectives_of(make_timeline(traces, index));
  return result;
}

void CollectivesTable::setRows(std::vector<CollectiveRow> rows) {
  if (rows.size() == rows_.size()) {  // the selection and the scroll position stay while it is live
    rows_ = std::move(rows);
    if (!rows_.empty()) Q_EMIT dataChanged(index(0, 0), index(static_cast<int>(rows_.size()) - 1, column_count - 1));
    return;
  }
  beginResetModel();
  rows_ = std::move(rows);
  endResetModel();
}

int CollectivesTable::rowCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : static_cast<int>(rows_.size()); }
int CollectivesTable::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : column_count; }

QVariant CollectivesTable::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || static_cast<std::size_t>(index.row()) >= rows_.size()) return {};
  if (role == Qt::TextAlignmentRole) return int((index.column() <= kind_column ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
  if (role != Qt::DisplayRole && role != Qt::UserRole) return {};
  const bool raw = role == Qt::UserRole;
  const CollectiveRow& row = rows_[static_cast<std::size_t>(index.row())];
  const auto number = [raw](double value, QString (*written)(double)) { return raw ? QVariant(value) : QVariant(written(value)); };
  const auto maybe = [&](const std::optional<double>& value, QString (*written)(double)) {
    return value ? number(*value, written) : raw ? QVariant() : QVariant(format::missing);
  };
  switch (index.column()) {
    case name_column:
      return row.name;
    case kind_column:
      return row.kind.isEmpty() ? format::missing : row.kind;
    case n_column:
      return raw ? QVariant(qint64(row.n)) : QVariant(format::count(row.n));
    case bytes_column:
      return number(static_cast<double>(row.bytes), format::traffic);
    case median_column:
      return number(row.p50_s, format::duration);
    case tail_column:
      return number(row.p99_s, format::duration);
    case skew_column:
      return maybe(row.skew_s, format::duration);
    case algorithm_column:
      return number(row.algorithm_bytes_per_s, format::trafficRate);
    case bus_column:
      return maybe(row.bus_bytes_per_s, format::trafficRate);
    case hidden_column:
      return maybe(row.hidden_share, format::share);
    default:
      return {};
  }
}

QVariant CollectivesTable::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal) return {};
  if (role == Qt::TextAlignmentRole) return int((section <= kind_column ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
  static const auto titles = [] {
    return QStringList{tr("Exchange"), tr("Kind"), tr("n"),         tr("Bytes"), tr("Time p50"),
                       tr("Time p99"), tr("Skew"), tr("Algorithm"), tr("Bus"),   tr("Hidden")};
  };
  static const auto helps = [] {
    return QStringList{tr("Bucket of gradients, or what else was exchanged"),
                       tr("Kind of collective"),
                       tr("Collectives in the traced steps looked at"),
                       tr("Payload of one"),
                       tr("From issued to done, median over ranks and steps"),
                       tr("From issued to done, 99th percentile"),
                       tr("Latest minus earliest issue over the ranks, median"),
                       tr("Algorithm bandwidth: bytes ÷ median time"),
                       tr("Bus bandwidth: algorithm bandwidth × 2(n−1)/n for an all-reduce over n ranks, to be held against the link"),
                       tr("Share of its time during which the rank computed")};
  };
  if (role == Qt::DisplayRole) return titles().value(section);
  if (role == Qt::ToolTipRole) return helps().value(section);
  return {};
}

OverlapFigures overlap_figures(const Summary& summary) {
  OverlapFigures figures;
  figures.hidden = format::orMissing(summary.hidden_comm_fraction, format::share);
  figures.exposed = format::orMissing(summary.exposed_comm_s, format::duration);
  if (summary.exposed_comm_s && summary.step_s.value_or(0) > 0)
    figures.exposed += QStringLiteral(" (%1)").arg(format::share(*summary.exposed_comm_s / *summary.step_s));
  figures.blocked = format::orMissing(summary.blocked_s, format::duration);
  figures.inflation = format::orMissing(summary.compute_inflation, format::share);
  figures.without_communication = format::orMissing(summary.step_without_comm_s, format::duration);
  if (summary.exposed_comm_s && summary.blocked_s) {
    const double apart = std::abs(*summary.exposed_comm_s - *summary.blocked_s);
    figures.disagree = apart > 0.2e-3 && apart > 0.1 * std::max(*summary.exposed_comm_s, *summary.blocked_s);
  }
  return figures;
}

std::string compute_only_experiment(const std::string& complete, const std::string& name) {
  std::string text = complete;
  const auto replace = [&text](const KeyPath& key, const std::string& value) {
    if (const auto change = replace_value(text, key, value)) text = with_replacement(text, *change);
  };
  const auto parsed = document::parse(complete);
  const auto* root = std::get_if<document::Node>(&parsed);
  const document::Node* strategy = root != nullptr ? root->find("strategy") : nullptr;
  if (strategy != nullptr) {
    for (const document::Member& member : strategy->members) {
      if (member.key == "name") continue;
      if (const auto change = remove_value(text, {"strategy", member.key})) text = with_replacement(text, *change);
    }
  }
  replace({"strategy", "name"}, document::print_text("none"));
  replace({"name"}, document::print_text(name));
  return text;
}

}  // namespace syncline::ui
