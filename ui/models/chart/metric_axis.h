// SPDX-License-Identifier: GPL-3.0-or-later
// A series drawn over another one of the same run instead of over an axis: each sample stands at the last value that the other had by its
// step. Such a line may turn back; nothing is averaged, smoothed or reduced on it.
#pragma once

#include <QStringList>
#include <optional>
#include <string>
#include <vector>

#include "ui/models/chart/chart_data.h"
#include "ui/models/chart/series_cache.h"

namespace syncline::ui::chart {

// Up to so many samples a line is drawn through them and each can be read off; more are drawn as where they lie how densely.
inline constexpr std::size_t most_exact_samples = 50000;

// The other series of one run, asked for by rising steps within each attempt.
class MetricLookup {
 public:
  // Of the rank asked for, else of the run as a whole.
  MetricLookup(Reader&, FirstPoints&, const std::string& run_id, const QString& series, int rank);
  // In the order of the run's attempts, from 0. Samples of `cutoff_step` and later were replaced by the next one.
  void begin(std::size_t attempt, double cutoff_step);
  std::optional<double> at(std::int64_t step);  // none: nothing had been recorded by then

 private:
  void advance(double up_to_step);
  Reader& reader_;
  std::vector<Attempt> attempts_;
  std::vector<Point> points_;
  std::size_t next_ = 0;
  double cutoff_ = 0;
  std::optional<double> last_, kept_;  // kept: of samples that count, for the next attempt
};

// The samples of one run that count, with the x that they get. Read again only when more was recorded.
class MetricPairs {
 public:
  void update(Reader&, FirstPoints&, const std::string& run_id, const std::vector<Attempt>&, const QString& x_series, int rank);
  const std::vector<double>& x() const { return x_; }
  const std::vector<double>& y() const { return y_; }
  const std::vector<Reading>& readings() const { return readings_; }  // empty: there are more than can be read off

 private:
  std::vector<std::int64_t> known_;  // what it was made from: key and count of each series
  QString series_;
  std::vector<double> x_, y_;
  std::vector<Reading> readings_;
};

// What the samples of one run add to a curve.
void add_pairs(const MetricPairs&, bool logarithmic, CurveData&);
// Where the curve lies, and its readings by rising x; once all of its runs have been added.
void finish_pairs(const QString& x_series, CurveData&);

// Names of the series that a run has as a whole.
QStringList metrics_of(Reader&, const std::string& run_id);

}  // namespace syncline::ui::chart
