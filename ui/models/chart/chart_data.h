// SPDX-License-Identifier: GPL-3.0-or-later
// What a chart asks for and what it gets: values, made on the reader thread, drawn on the GUI thread.
#pragma once

#include <QString>
#include <QStringList>
#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "engine/store/records.h"
#include "ui/models/chart/aggregation.h"
#include "ui/models/chart/reduction.h"
#include "ui/models/chart/smoothing.h"

namespace syncline::ui::chart {

struct CurveQuery {
  QString id;
  QStringList run_ids;  // several: aggregated over them
  QString series;
  int rank = -1;
  bool operator==(const CurveQuery&) const = default;
};

struct ChartQuery {
  std::vector<CurveQuery> curves;
  XAxis axis = XAxis::step;
  QString x_series;  // another series instead of the axis (metric_axis.h); empty: the axis
  bool align_starts = false;
  double from = 0, to = 0;  // NaN: from the first, to the last sample
  int pixels = 0;           // between from and to
  bool logarithmic = false;
  Smoothing smoothing;
  Band band = Band::deviation;
  bool events = true;
};

// A sample as it was recorded (or a mean over seeds), for reading values off: never an interpolation.
struct Reading {
  double x = 0, y = 0;
  double smoothed = 0;          // NaN: no smoothing
  double lower = 0, upper = 0;  // of an aggregate; NaN: no band
  int n = 1;                    // seeds
  int attempt = 1;
  std::optional<Axes> axes;  // none for an aggregate
};

struct CurveData {
  QString id;
  QString why_missing;  // empty: there is data
  Reduced line;         // all samples that count, or the mean over the seeds; over another series every one of them, as recorded
  Reduced partial;      // the part of a mean where a seed has ended: dashed
  Reduced superseded;   // samples of earlier attempts that a resume replaced: dotted
  Reduced smoothed;
  ReducedBand band;
  std::vector<Reduced> seeds;                 // thin lines, where asked for
  std::vector<Reading> readings;              // rising x
  std::optional<Reading> last;                // the newest of all, also when out of range
  std::optional<double> best_low, best_high;  // lowest and highest sample in the range read
  std::int64_t samples = 0;                   // stored, over all runs and attempts
  std::int64_t nonfinite = 0;                 // in the range read
  std::optional<double> first_nonfinite;
  int seeds_count = 1, seeds_stopped_early = 0, attempts = 1;
  std::vector<std::pair<double, int>> seeds_left;  // x where n falls, and what is left
  double typical_interval_s = 0;                   // wall time between the last samples; 0: not known
  bool running = false;                            // one of its runs is not over
  double first_x = 0, last_x = 0;                  // of the whole series
};

struct EventMark {
  double x = 0;
  std::int64_t step = 0;
  double wall_s = 0;
  QString kind, text, run_id;
};

struct ChartData {
  ChartQuery query;
  double from = 0, to = 0;         // what was read
  double first_x = 0, last_x = 0;  // of all curves
  std::vector<CurveData> curves;   // as in the query
  std::vector<EventMark> events;
  QStringList metrics;                             // series of these runs that may take the place of the axis
  std::array<QString, x_axis_count> axis_reasons;  // why an axis cannot be chosen; empty: it can
  bool steps_differ = false;                       // curves of different strategies or numbers of workers: a step is not the same for all
  bool any() const;
  std::int64_t per_column() const;
};

// The index of the last value that is not above x; none: all are.
std::optional<std::size_t> last_at_or_before(const std::vector<double>& values, double x);
const Reading* reading_at(const CurveData&, double x);

// Names and units of x axes.
QString axis_label(XAxis);                    // "step", "active time"
QString counted(double, XAxis);               // "200 steps", "3.4 s": a distance along the axis
QString metric_label(const QString& series);  // "train loss"
QString axis_stored_name(XAxis);              // "step", "active_s"

}  // namespace syncline::ui::chart
