// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/chart/metric_axis.h"

#include <QCoreApplication>
#include <algorithm>
#include <cmath>
#include <limits>

#include "ui/models/format.h"

namespace syncline::ui::chart {

namespace {

const double none = std::numeric_limits<double>::quiet_NaN();
constexpr std::int64_t worth_reading = 64;  // one of so many samples has to be new where there are more than can be read off

MarkKind mark_of(double y) {
  if (std::isnan(y)) return MarkKind::nan;
  if (std::isinf(y)) return y > 0 ? MarkKind::positive_infinity : MarkKind::negative_infinity;
  return MarkKind::not_positive;
}

}  // namespace

MetricLookup::MetricLookup(Reader& reader, FirstPoints& firsts, const std::string& run_id, const QString& series, int rank)
    : reader_(reader) {
  const std::string name = series.toStdString();
  attempts_ = attempts_of(reader, firsts, run_id, name, rank, XAxis::step);
  const auto recorded = [](const Attempt& attempt) { return attempt.series.has_value(); };
  if (rank >= 0 && std::none_of(attempts_.begin(), attempts_.end(), recorded))
    attempts_ = attempts_of(reader, firsts, run_id, name, -1, XAxis::step);
}

void MetricLookup::advance(double up_to_step) {
  for (; next_ < points_.size() && static_cast<double>(points_[next_].axes.step) <= up_to_step; ++next_) {
    last_ = points_[next_].value;
    if (static_cast<double>(points_[next_].axes.step) < cutoff_) kept_ = last_;
  }
}

void MetricLookup::begin(std::size_t attempt, double cutoff_step) {
  advance(std::numeric_limits<double>::infinity());
  last_ = kept_;
  next_ = 0;
  points_.clear();
  if (attempt >= attempts_.size() || !attempts_[attempt].series) return;
  points_ = reader_.points(attempts_[attempt].series->key);
  cutoff_ = std::min(cutoff_step, attempts_[attempt].cutoff_step);
}

std::optional<double> MetricLookup::at(std::int64_t step) {
  advance(static_cast<double>(step));
  return last_;
}

void MetricPairs::update(Reader& reader, FirstPoints& firsts, const std::string& run_id, const std::vector<Attempt>& attempts,
                         const QString& x_series, int rank) {
  std::vector<std::int64_t> now;
  const std::string name = x_series.toStdString();
  std::int64_t added = 0, all = 0;
  for (const Attempt& attempt : attempts) {
    for (const auto& series : {attempt.series, reader.find_series(attempt.run_id, name, rank), reader.find_series(attempt.run_id, name)}) {
      now.push_back(series ? series->key : -1);
      now.push_back(series ? series->count : 0);
      all += now.back();
      const std::size_t at = now.size() - 1;
      added += now.back() - (at < known_.size() ? known_[at] : 0);
    }
  }
  const bool same_series = x_series == series_ && now.size() == known_.size();
  if (same_series && now == known_) return;
  if (same_series && x_.size() > most_exact_samples && added >= 0 && added * worth_reading < all) return;
  known_ = std::move(now);
  series_ = x_series;
  x_.clear();
  y_.clear();
  readings_.clear();
  MetricLookup lookup(reader, firsts, run_id, x_series, rank);
  bool exact = true;
  for (std::size_t i = 0; i < attempts.size(); ++i) {
    const Attempt& attempt = attempts[i];
    lookup.begin(i, attempt.cutoff_step);
    if (!attempt.series) continue;
    reader.each_point(attempt.series->key, [&](const Point& point) {
      if (static_cast<double>(point.axes.step) >= attempt.cutoff_step) return;
      const std::optional<double> x = lookup.at(point.axes.step);
      if (!x || !std::isfinite(*x)) return;  // it has no place
      x_.push_back(*x);
      y_.push_back(point.value);
      if (exact) readings_.push_back({*x, point.value, none, none, none, 1, attempt.number, point.axes});
      exact = exact && readings_.size() <= most_exact_samples;
    });
  }
  if (!exact) {
    readings_.clear();
    readings_.shrink_to_fit();
  }
}

void add_pairs(const MetricPairs& pairs, bool logarithmic, CurveData& curve) {
  Reduced& line = curve.line;
  if (!line.x.empty() && !pairs.x().empty()) {  // one run ends, the next begins
    line.x.push_back(line.x.back());
    line.y.push_back(none);
  }
  for (std::size_t i = 0; i < pairs.x().size(); ++i) {
    const double x = pairs.x()[i], y = pairs.y()[i];
    const bool drawable = std::isfinite(y) && !(logarithmic && y <= 0);
    line.x.push_back(x);
    line.y.push_back(drawable ? y : none);
    if (!drawable) line.marks.push_back({mark_of(y), x, 1, y, y});
  }
  curve.readings.insert(curve.readings.end(), pairs.readings().begin(), pairs.readings().end());
  if (!pairs.x().empty() && curve.last) {
    curve.last->x = pairs.x().back();
    curve.last->y = pairs.y().back();
  }
}

void finish_pairs(const QString& x_series, CurveData& curve) {
  Reduced& line = curve.line;
  if (line.x.empty()) {
    curve.samples = 0;
    curve.why_missing = QCoreApplication::translate("chart", "no sample has a value of %1 by its step").arg(format::titleOf(x_series));
    return;
  }
  find_dots(line);
  const auto [least, most] = std::minmax_element(line.x.begin(), line.x.end());
  curve.first_x = *least;
  curve.last_x = *most;
  std::stable_sort(curve.readings.begin(), curve.readings.end(), [](const Reading& a, const Reading& b) { return a.x < b.x; });
}

QStringList metrics_of(Reader& reader, const std::string& run_id) {
  QStringList names;
  for (const SeriesInfo& series : reader.series(run_id)) {
    if (series.rank < 0) names.append(QString::fromStdString(series.name));
  }
  return names;
}

}  // namespace syncline::ui::chart
