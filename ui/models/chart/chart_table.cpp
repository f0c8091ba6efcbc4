// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/chart/chart_table.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QSet>
#include <cmath>
#include <limits>

#include "ui/models/chart/metric_axis.h"
#include "ui/models/chart/rank_rates.h"
#include "ui/models/chart/series_cache.h"
#include "ui/models/format.h"

namespace syncline::ui::chart {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
const double none = std::numeric_limits<double>::quiet_NaN();
constexpr qsizetype piece = 1 << 16;  // bytes handed on at once

QString text_of(std::int64_t value) { return QString::number(value); }
QString text_or_nothing(const std::optional<double>& value) { return value && !std::isnan(*value) ? format::exact(*value) : QString(); }

bool aggregated(const TableQuery& query) {
  return query.chart.x_series.isEmpty() && std::any_of(query.chart.curves.begin(), query.chart.curves.end(), [](const CurveQuery& curve) {
           return curve.run_ids.size() > 1 || curve.rank == every_rank;
         });
}

struct Visit {
  const TableQuery& query;
  const std::function<bool(const TableRow&)>& visit;
  double from, to;
  bool row(const TableRow& one) const { return one.x < from || one.x > to || visit(one); }
};

// The samples of one run with all its attempts. False: the visitor has had enough.
bool rows_of_run(Reader& reader, const Visit& to, const CurveQuery& curve, const QString& name, const std::vector<Attempt>& attempts,
                 double shift, MetricLookup* lookup) {
  const Smoothing& smoothing = to.query.chart.smoothing;
  ColumnCache columns;
  std::size_t counted = 0;
  const bool smooth_rows = smoothing.on() && curve.run_ids.size() == 1;
  if (smooth_rows) columns.update(reader, attempts, to.query.chart.axis);
  const std::vector<double>& smoothed = columns.smoothed(smooth_rows ? smoothing : Smoothing{});
  bool going = true;
  std::size_t number = 0;
  for (const Attempt& attempt : attempts) {
    if (lookup != nullptr) lookup->begin(number++, attempt.cutoff_step);
    if (!attempt.series) continue;
    TableRow row;
    row.curve = name;
    row.series = curve.series;
    row.run_id = QString::fromStdString(attempt.run_id);
    row.rank = curve.rank;
    row.attempt = attempt.number;
    reader.each_point(attempt.series->key, [&](const Point& point) {
      row.superseded = static_cast<double>(point.axes.step) >= attempt.cutoff_step;
      row.axes = point.axes;
      row.x = value_of(point.axes, to.query.chart.axis) - shift;
      row.value = point.value;
      if (lookup != nullptr) {
        row.over = lookup->at(point.axes.step);
        row.x = row.over.value_or(none);
      }
      row.smoothed.reset();
      if (smooth_rows && !row.superseded && counted < smoothed.size()) row.smoothed = smoothed[counted++];
      if (going) going = to.row(row);
    });
    if (!going) return false;
  }
  return true;
}

// Every stretch of steps that the ranks' throughput is taken from.
bool rows_of_ranks(Reader& reader, const Visit& to, const CurveQuery& curve, const QString& name, const std::vector<Attempt>& attempts,
                   double shift) {
  constexpr int most = 1 << 14;
  const RankRates rates = read_rank_rates(reader, attempts, to.query.chart.axis, -infinity, infinity, most);
  for (std::size_t i = 0; i < rates.size(); ++i) {
    TableRow row;
    row.curve = name;
    row.series = curve.series;
    if (!attempts.empty()) row.run_id = QString::fromStdString(attempts.front().run_id);
    row.attempt = rates.attempt[i];
    row.axes = rates.axes[i];
    row.x = rates.x[i] - shift;
    row.value = rates.sum[i];
    row.lower = rates.lower[i];
    row.upper = rates.upper[i];
    row.n = rates.ranks[i];
    if (!to.row(row)) return false;
  }
  return true;
}

}  // namespace

void each_row(Reader& reader, const TableQuery& query, const std::function<bool(const TableRow&)>& visit) {
  const ChartQuery& chart = query.chart;
  const Visit to{query, visit, std::isnan(chart.from) ? -infinity : chart.from, std::isnan(chart.to) ? infinity : chart.to};
  for (std::size_t i = 0; i < chart.curves.size(); ++i) {
    const CurveQuery& curve = chart.curves[i];
    const QString name = i < query.names.size() ? query.names[i] : curve.id;
    QSet<std::string> roots;
    std::vector<ColumnCache> seeds;
    std::vector<std::vector<double>> starts;
    FirstPoints firsts;
    for (const QString& id : curve.run_ids) {
      const bool over_metric = !chart.x_series.isEmpty();
      const bool ranks = curve.rank == every_rank && !over_metric;
      const std::vector<Attempt> attempts =
          attempts_of(reader, firsts, id.toStdString(), curve.series.toStdString(), std::max(-1, curve.rank), chart.axis);
      if (attempts.empty() || roots.contains(attempts.front().run_id)) continue;
      roots.insert(attempts.front().run_id);
      if (over_metric) {
        MetricLookup lookup(reader, firsts, id.toStdString(), chart.x_series, std::max(-1, curve.rank));
        if (!rows_of_run(reader, to, curve, name, attempts, 0, &lookup)) return;
        continue;
      }
      double shift = 0;
      if (chart.align_starts || curve.run_ids.size() > 1) {
        seeds.emplace_back().update(reader, attempts, chart.axis);
        if (chart.align_starts && !seeds.back().x().empty()) shift = seeds.back().x().front();
      }
      if (curve.run_ids.size() > 1) {
        starts.push_back(seeds.back().x());
        for (double& x : starts.back()) x -= shift;
      }
      if (ranks) {
        if (!rows_of_ranks(reader, to, curve, name, attempts, shift)) return;
        continue;
      }
      if (!rows_of_run(reader, to, curve, name, attempts, shift, nullptr)) return;
    }
    if (starts.size() < 2) continue;
    std::vector<SeedSamples> samples;
    for (std::size_t seed = 0; seed < starts.size(); ++seed) samples.push_back({starts[seed], seeds[seed].y()});
    const Aggregate mean = aggregate(samples, chart.band);
    std::vector<double> smoothed;
    if (chart.smoothing.on()) smoothed = smooth(mean.x, mean.mean, chart.smoothing);
    for (std::size_t at = 0; at < mean.x.size(); ++at) {
      TableRow row;
      row.curve = name;
      row.series = curve.series;
      row.rank = curve.rank;
      row.x = mean.x[at];
      row.value = mean.mean[at];
      row.lower = mean.lower[at];
      row.upper = mean.upper[at];
      row.n = mean.n[at];
      if (!smoothed.empty()) row.smoothed = smoothed[at];
      if (!to.row(row)) return;
    }
  }
}

QStringList table_columns(const TableQuery& query) {
  QStringList columns = {QStringLiteral("curve"),   QStringLiteral("series"), QStringLiteral("run"),
                         QStringLiteral("attempt"), QStringLiteral("rank"),   QStringLiteral("superseded")};
  for (int i = 0; i < x_axis_count; ++i) columns.append(axis_stored_name(static_cast<XAxis>(i)));
  if (query.chart.align_starts) columns.append(QString(axis_stored_name(query.chart.axis) % QStringLiteral("_since_start")));
  if (!query.chart.x_series.isEmpty()) columns.append(query.chart.x_series);
  columns.append(QStringLiteral("value"));
  if (query.chart.smoothing.on()) columns.append(QStringLiteral("smoothed"));
  if (aggregated(query)) columns += {QStringLiteral("n"), QStringLiteral("lower"), QStringLiteral("upper")};
  return columns;
}

QStringList table_cells(const TableRow& row, const TableQuery& query) {
  QStringList cells = {row.curve,
                       row.series,
                       row.run_id,
                       row.attempt > 0 ? QString::number(row.attempt) : QString(),
                       row.rank >= 0 ? QString::number(row.rank) : QString(),
                       row.superseded ? QStringLiteral("yes") : QString()};
  if (row.axes) {
    const Axes& axes = *row.axes;
    cells += {text_of(axes.step),           text_of(axes.samples),         format::exact(axes.epoch),
              text_of(axes.gradients),      text_of(axes.rounds),          text_of(axes.bytes),
              format::exact(axes.active_s), format::exact(axes.elapsed_s), QString::number(axes.wall_s, 'f', 6)};
  } else {
    for (int i = 0; i < x_axis_count; ++i) {
      cells.append(static_cast<XAxis>(i) == query.chart.axis && !query.chart.align_starts ? format::exact(row.x) : QString());
    }
  }
  if (query.chart.align_starts) cells.append(format::exact(row.x));
  if (!query.chart.x_series.isEmpty()) cells.append(row.over ? format::exact(*row.over) : QString());
  cells.append(format::exact(row.value));
  if (query.chart.smoothing.on()) cells.append(text_or_nothing(row.smoothed));
  if (aggregated(query)) {
    cells.append(row.axes && row.n <= 1 ? QString() : QString::number(row.n));
    cells.append(text_or_nothing(row.lower));
    cells.append(text_or_nothing(row.upper));
  }
  return cells;
}

QByteArray quoted_cell(const QString& cell, TableFormat format) {
  QByteArray text = cell.toUtf8();
  if (format == TableFormat::json) {
    const QByteArray list = QJsonDocument(QJsonArray{cell}).toJson(QJsonDocument::Compact);
    return list.mid(1, list.size() - 2);
  }
  if (format == TableFormat::tsv) return text.replace('\t', ' ').replace('\n', ' ').replace('\r', ' ');
  if (!text.contains('"') && !text.contains(',') && !text.contains('\n') && !text.contains('\r')) return text;
  return '"' + text.replace("\"", "\"\"") + '"';
}

void write_table(Reader& reader, const TableQuery& query, TableFormat format, const std::function<bool(const QByteArray&)>& write) {
  const QStringList columns = table_columns(query);
  const char separator = format == TableFormat::tsv ? '\t' : ',';
  QByteArray text;
  const auto put = [&](const QStringList& cells) {
    for (qsizetype i = 0; i < cells.size(); ++i) {
      if (i > 0) text += separator;
      text += quoted_cell(cells[i], format);
    }
  };
  bool first = true;
  if (format == TableFormat::json) {
    text = "{\"columns\":[";
    put(columns);
    text += "],\"rows\":[";
  } else {
    put(columns);
    text += '\n';
  }
  bool going = true;
  each_row(reader, query, [&](const TableRow& row) {
    const QStringList cells = table_cells(row, query);
    if (format == TableFormat::json) {
      text += std::exchange(first, false) ? "\n[" : ",\n[";
      for (qsizetype i = 0; i < cells.size(); ++i) {
        if (i > 0) text += ',';
        // Numbers as numbers; what JSON has no number for (NaN, infinities) and texts as texts, nothing as null.
        bool number = false;
        if (i > 2) cells[i].toDouble(&number);
        const bool finite = number && !cells[i].contains(u'n', Qt::CaseInsensitive);
        text += cells[i].isEmpty() ? QByteArray("null") : finite ? cells[i].toLatin1() : quoted_cell(cells[i], format);
      }
      text += ']';
    } else {
      put(cells);
      text += '\n';
    }
    if (text.size() >= piece) {
      going = write(text);
      text.clear();
    }
    return going;
  });
  if (format == TableFormat::json) text += "\n]}\n";
  if (going) write(text);
}

}  // namespace syncline::ui::chart
