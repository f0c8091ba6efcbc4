// SPDX-License-Identifier: GPL-3.0-or-later
// What has been read of a series, so that a live chart reads only what is new. Lives on the reader thread.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "engine/store/reader.h"
#include "ui/models/chart/smoothing.h"

namespace syncline::ui::chart {

// One attempt of a run: the same run, started again from a checkpoint.
struct Attempt {
  std::string run_id, state, strategy;
  int number = 1, workers = 1;
  std::optional<SeriesInfo> series;
  double cutoff_step = 0;  // samples of this step and later were replaced by the next attempt; infinite: none
  double cutoff_x = 0;     // the last x that counts, on the axis asked for; infinite: all
};

// The first point of a series never changes: read once.
class FirstPoints {
 public:
  const Point* of(Reader&, std::int64_t series);  // nullptr: there is none

 private:
  std::map<std::int64_t, Point> known_;
};

// All attempts of the run that `run_id` is one of, oldest first, each with its series.
std::vector<Attempt> attempts_of(Reader&, FirstPoints&, const std::string& run_id, const std::string& series, int rank, XAxis);

// The part of one series that is in view and somewhat more, at the level of detail for its width; grows by what was recorded since.
class ViewCache {
 public:
  // Reads what covers from..to (infinite: everything), detailed enough for so many pixels. What is known already is not read again: most
  // zooms and pans find what they need here.
  void update(Reader&, const SeriesInfo&, XAxis, double from, double to, int pixels);
  const std::vector<SeriesBucket>& buckets() const { return buckets_; }  // before the points
  const std::vector<Point>& points() const { return points_; }

 private:
  bool covers(double from, double to, int pixels) const;
  bool grow(Reader&, const SeriesInfo&);
  std::vector<SeriesBucket> buckets_;
  std::vector<Point> points_;
  std::int64_t key_ = -1, count_ = -1;
  XAxis axis_ = XAxis::step;
  double from_ = 0, to_ = 0;  // what has been read
  int pixels_ = 0;            // between them
};

// All samples of a run that count, over its attempts: for smoothing and aggregation, which need every one.
class ColumnCache {
 public:
  void update(Reader&, const std::vector<Attempt>&, XAxis);
  const std::vector<double>& x() const { return x_; }
  const std::vector<double>& y() const { return y_; }
  const std::vector<double>& smoothed(const Smoothing&);

 private:
  struct Part {
    std::int64_t key = -1;
    double cutoff_step = 0;
    std::int64_t last_sequence = -1, count = 0;
    bool operator==(const Part&) const = default;
  };
  std::vector<Part> parts_;
  XAxis axis_ = XAxis::step;
  std::vector<double> x_, y_, smoothed_;
  Smoothing smoothing_;
};

}  // namespace syncline::ui::chart
