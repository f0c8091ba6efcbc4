// SPDX-License-Identifier: GPL-3.0-or-later
// The tabs of a comparison that ask more than the summaries answer: settings, scaling, time to target.
#include <QCoreApplication>
#include <QRegularExpression>
#include <algorithm>
#include <cmath>

#include "engine/experiment/experiment.h"
#include "ui/models/compare_data.h"
#include "ui/models/format.h"
#include "ui/models/runs_columns.h"

namespace syncline::ui {

namespace {

QString tr(const char* text) { return QCoreApplication::translate("Compare", text); }

// Samples of one step: of a worker and of all. batch_per_worker is one number for all or a list with one for each.
std::pair<double, double> batches_of(const RunInfo& run) {
  double sum = 0;
  int n = 0;
  for (const auto& [key, value] : settings_of(run.experiment)) {
    if (key != "train.batch_per_worker") continue;
    static const QRegularExpression number(QStringLiteral("\\d+"));
    for (auto found = number.globalMatch(QString::fromStdString(value)); found.hasNext();) {
      sum += found.next().captured().toDouble();
      ++n;
    }
  }
  if (n == 0) return {0, 0};
  const double per_worker = sum / n;
  return {per_worker, per_worker * run.workers};
}

}  // namespace

std::vector<ComparedSetting> compare_settings(const std::vector<ComparedItem>& items) {
  std::vector<ComparedSetting> rows;
  std::map<QString, std::size_t> places;
  for (std::size_t column = 0; column < items.size(); ++column) {
    std::vector<std::pair<std::string, std::string>> settings;
    try {
      settings = settings_of(items[column].runs.front()->info.experiment);
    } catch (const std::exception&) {
      continue;  // a stored text that is no TOML has no settings to compare; its summary still counts
    }
    for (const auto& [name, value] : settings) {
      const QString key = QString::fromStdString(name);
      if (key == u"name") continue;
      const auto [place, added] = places.try_emplace(key, rows.size());
      if (added) rows.push_back({key, QStringList(static_cast<qsizetype>(items.size()), QString()), true});
      rows[place->second].values[static_cast<qsizetype>(column)] = QString::fromStdString(value);
    }
  }
  for (ComparedSetting& row : rows) {
    row.equal = std::all_of(row.values.begin(), row.values.end(), [&row](const QString& value) { return value == row.values.front(); });
  }
  return rows;
}

void name_by_difference(std::vector<ComparedItem>& items) {
  constexpr qsizetype most_named = 4;
  const bool groups = std::any_of(items.begin(), items.end(), [](const ComparedItem& item) { return item.runs.size() > 1; });
  std::vector<QStringList> parts(items.size());
  for (const ComparedSetting& setting : compare_settings(items)) {
    if (setting.equal || (groups && setting.key == u"seed")) continue;
    for (std::size_t i = 0; i < items.size(); ++i) {
      const QString& value = setting.values[static_cast<qsizetype>(i)];
      parts[i] << setting.key.section(u'.', -1) + u' ' + (value.isEmpty() ? format::missing : value);
    }
  }
  for (std::size_t i = 0; i < items.size(); ++i) {
    const qsizetype more = parts[i].size() - most_named;
    if (parts[i].isEmpty()) continue;
    QString name = parts[i].mid(0, most_named).join(QStringLiteral(" \u00b7 "));
    if (more > 0) name += QCoreApplication::translate("Compare", " and %1 more").arg(more);
    items[i].name = with_mark(name, items[i]);
  }
}

std::vector<ComparedCollective> collectives_side_by_side(const std::vector<Collectives>& runs) {
  std::vector<ComparedCollective> rows;
  for (std::size_t run = 0; run < runs.size(); ++run) {
    for (const CollectiveRow& row : runs[run].rows) {
      auto found = std::find_if(rows.begin(), rows.end(), [&row](const ComparedCollective& one) { return one.name == row.name; });
      if (found == rows.end()) found = rows.insert(rows.end(), {row.name, std::vector<std::optional<CollectiveRow>>(runs.size())});
      found->of[run] = row;
    }
  }
  return rows;
}

std::vector<DiffLine> diff_lines(const QString& before, const QString& after) {
  const QStringList a = before.split(u'\n'), b = after.split(u'\n');
  const auto n = static_cast<std::size_t>(a.size()), m = static_cast<std::size_t>(b.size());
  // Longest common subsequence; experiments have hundreds of lines, not thousands.
  std::vector<std::vector<int>> longest(n + 1, std::vector<int>(m + 1, 0));
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t j = m; j-- > 0;) {
      longest[i][j] = a[static_cast<qsizetype>(i)] == b[static_cast<qsizetype>(j)] ? longest[i + 1][j + 1] + 1
                                                                                   : std::max(longest[i + 1][j], longest[i][j + 1]);
    }
  }
  std::vector<DiffLine> lines;
  std::size_t i = 0, j = 0;
  while (i < n || j < m) {
    const QString* left = i < n ? &a[static_cast<qsizetype>(i)] : nullptr;
    const QString* right = j < m ? &b[static_cast<qsizetype>(j)] : nullptr;
    if (left != nullptr && right != nullptr && *left == *right) {
      lines.push_back({' ', *left});
      ++i, ++j;
    } else if (left != nullptr && (right == nullptr || longest[i + 1][j] >= longest[i][j + 1])) {
      lines.push_back({'-', *left});
      ++i;
    } else {
      lines.push_back({'+', *right});
      ++j;
    }
  }
  return lines;
}

std::vector<ScalingCurve> scaling_of(const std::vector<ComparedItem>& items, bool strong) {
  std::map<QString, std::vector<const ComparedItem*>> by_strategy;
  for (const ComparedItem& item : items) {
    if (item.spreadOf("samples_per_s").n == 0) continue;
    const RunInfo& run = item.runs.front()->info;
    by_strategy[QString::fromStdString(run.plan.empty() || run.strategy == "none" ? run.strategy : run.strategy + ", " + run.plan)]
        .push_back(&item);
  }
  std::vector<ScalingCurve> curves;
  for (auto& [name, members] : by_strategy) {
    std::stable_sort(members.begin(), members.end(),
                     [](const ComparedItem* a, const ComparedItem* b) { return a->workers() < b->workers(); });
    const auto wanted = batches_of(members.front()->runs.front()->info);
    const auto batch_of = [strong](const std::pair<double, double>& batch) { return strong ? batch.second : batch.first; };
    // Runs of one size and batch say the same thing again: they are averaged.
    std::map<std::pair<int, double>, std::vector<const ComparedItem*>> sizes;
    for (const ComparedItem* item : members) sizes[{item->workers(), batch_of(batches_of(item->runs.front()->info))}].push_back(item);
    ScalingCurve curve{name, {}, {}};
    std::size_t counted = 0;
    for (const auto& [size, alike] : sizes) {
      std::vector<std::pair<const RunInfo*, double>> values;
      QStringList names;
      for (const ComparedItem* item : alike) {
        names << item->name;
        for (const ComparedRun* run : item->runs) {
          if (const auto value = value_of(run->summary, "samples_per_s")) values.emplace_back(&run->info, *value);
        }
      }
      const Spread spread = spread_over_seeds(values).spread;
      ScalingPoint point{alike.front(), names.join(QStringLiteral(", ")), size.first, spread.mean, 0, 0, spread.deviation, spread.n, {}};
      if (size.second != batch_of(wanted)) {
        point.excluded = strong ? tr("global batch %1 instead of %2").arg(size.second).arg(batch_of(wanted))
                                : tr("batch per worker %1 instead of %2").arg(size.second).arg(batch_of(wanted));
      } else if (counted++ == 0) {
        curve.reference = point.name;
      }
      curve.points.push_back(point);
    }
    const auto base =
        std::find_if(curve.points.begin(), curve.points.end(), [](const ScalingPoint& point) { return point.excluded.isEmpty(); });
    const double least = base->throughput;
    const int fewest = base->workers;
    for (ScalingPoint& point : curve.points) {
      point.speed_up = point.throughput / least;
      point.efficiency = point.speed_up * fewest / point.workers;
      if (counted == 1 && point.excluded.isEmpty()) point.excluded = tr("the only number of workers: nothing scales");
    }
    curves.push_back(std::move(curve));
  }
  return curves;
}

std::optional<Axes> reached_at(const std::vector<Point>& points, const TargetQuestion& question) {
  std::optional<Axes> since;
  int kept = 0;
  for (const Point& point : points) {
    const bool holds =
        std::isfinite(point.value) && (question.at_least ? point.value >= question.threshold : point.value <= question.threshold);
    if (!holds) {
      kept = 0;
      since.reset();
      continue;
    }
    if (kept++ == 0) since = point.axes;
    if (kept >= question.kept) return since;
  }
  return std::nullopt;
}

std::map<std::string, TargetAnswer> read_targets(Reader& reader, const std::vector<std::string>& run_ids, const TargetQuestion& question) {
  std::map<std::string, TargetAnswer> answers;
  for (const std::string& id : run_ids) {
    TargetAnswer& answer = answers[id];
    const auto series = reader.find_series(id, question.series.toStdString());
    if (!series) continue;
    if (const auto at = reached_at(reader.points(series->key), question)) {
      answer = {at->active_s, at->elapsed_s, static_cast<double>(at->samples), static_cast<double>(at->bytes)};
    }
  }
  return answers;
}

QString target_text(SummaryMetric::Quantity quantity, const std::vector<std::optional<double>>& values) {
  std::vector<double> reached;
  for (const auto& value : values) {
    if (value) reached.push_back(*value);
  }
  if (reached.empty()) return format::missing;
  if (reached.size() == values.size()) {
    const Spread spread = spread_of(reached);
    return spread.n == 1 ? quantity_text(quantity, spread.mean) : spread_text(quantity, spread.mean, spread.deviation, spread.n);
  }
  const auto [least, most] = std::minmax_element(reached.begin(), reached.end());
  const QString from = quantity_text(quantity, *least), to = quantity_text(quantity, *most);
  return from == to ? from : tr("%1 to %2").arg(from, to);
}

}  // namespace syncline::ui
