// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/chart/series_cache.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace syncline::ui::chart {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr std::int64_t most_points_per_pixel = 16;  // of a view that grows: then its level of detail is chosen anew
constexpr std::int64_t most_buckets_per_pixel = 16;
constexpr double read_beyond = 0.25;  // of the range asked for, on both sides

}  // namespace

const Point* FirstPoints::of(Reader& reader, std::int64_t series) {
  const auto known = known_.find(series);
  if (known != known_.end()) return &known->second;
  const SeriesView view = reader.read(series, XAxis::step, -infinity, -infinity, 0);
  return view.points.empty() ? nullptr : &known_.emplace(series, view.points.front()).first->second;
}

std::vector<Attempt> attempts_of(Reader& reader, FirstPoints& firsts, const std::string& run_id, const std::string& series, int rank,
                                 XAxis axis) {
  Statement select = reader.database().prepare(
      "SELECT id, attempt, state, strategy, workers FROM run WHERE id = (SELECT coalesce(attempt_of, id) FROM run WHERE id = ?1) OR "
      "attempt_of = (SELECT coalesce(attempt_of, id) FROM run WHERE id = ?1) ORDER BY attempt");
  select.bind_all(run_id);
  std::vector<Attempt> attempts;
  while (select.step()) {
    attempts.push_back({select.text(0), select.text(2), select.text(3), static_cast<int>(select.integer(1)),
                        static_cast<int>(select.integer(4)), std::nullopt, infinity, infinity});
  }
  // Evaluations are few: what a resumed attempt takes the place of begins where it began to train, not where it was first evaluated.
  const bool evaluation = attempts.size() > 1 && (series == series::test_loss || series == series::test_accuracy);
  double next_first_step = infinity;
  for (auto attempt = attempts.rbegin(); attempt != attempts.rend(); ++attempt) {
    attempt->series = reader.find_series(attempt->run_id, series, rank);
    attempt->cutoff_step = next_first_step;
    if (attempt->series && std::isfinite(next_first_step)) {
      // The last sample before the step with which the next attempt begins.
      const SeriesView view = reader.read(attempt->series->key, XAxis::step, next_first_step - 0.5, next_first_step - 0.5, 0);
      attempt->cutoff_x = -infinity;
      for (const Point& point : view.points) {
        if (static_cast<double>(point.axes.step) < next_first_step) attempt->cutoff_x = value_of(point.axes, axis);
      }
    }
    const auto begins = [&](const std::optional<SeriesInfo>& of) {
      const Point* first = of ? firsts.of(reader, of->key) : nullptr;
      return first == nullptr ? infinity : static_cast<double>(first->axes.step);
    };
    next_first_step = std::min(next_first_step, begins(attempt->series));
    // One after n steps is of what the attempt began with.
    if (evaluation) next_first_step = std::min(next_first_step, begins(reader.find_series(attempt->run_id, series::train_loss)) + 1);
  }
  return attempts;
}

// Enough is known of from..to: all of it has been read, as samples or in buckets as fine as the reader gives, but not so many that they are
// a burden.
bool ViewCache::covers(double from, double to, int pixels) const {
  if (from < from_ || to > to_) return false;
  const auto first = std::partition_point(buckets_.begin(), buckets_.end(),
                                          [&](const SeriesBucket& bucket) { return value_of(bucket.last_axes, axis_) < from; });
  const auto last =
      std::partition_point(first, buckets_.end(), [&](const SeriesBucket& bucket) { return value_of(bucket.first_axes, axis_) <= to; });
  const auto known = std::distance(first, last);
  if (known == 0) return true;
  // One bucket for two pixels is the coarsest that the reader gives.
  return 2 * known >= pixels && known <= most_buckets_per_pixel * std::max(1, pixels);
}

// Takes what was recorded since. False: it is so much that the level of detail has to be chosen anew.
bool ViewCache::grow(Reader& reader, const SeriesInfo& info) {
  const std::int64_t added = info.count - count_;
  if (added == 0) return true;
  if (added < 0 || (points_.empty() && buckets_.empty())) return false;
  if (points_.empty()) {  // there are samples right of the view already
    count_ = info.count;
    return true;
  }
  const double last_x = value_of(points_.back().axes, axis_);
  if (last_x <= to_) {
    if (static_cast<std::int64_t>(points_.size()) + added > most_points_per_pixel * std::max(1, pixels_)) return false;
    const std::int64_t last_sequence = points_.back().sequence;
    for (const Point& point : reader.points(info.key, count_)) {
      if (point.sequence <= last_sequence) continue;
      if (value_of(points_.back().axes, axis_) > to_) break;  // one neighbour outside is enough
      points_.push_back(point);
    }
  }  // else what is new lies to the right of the view
  count_ = info.count;
  return true;
}

void ViewCache::update(Reader& reader, const SeriesInfo& info, XAxis axis, double from, double to, int pixels) {
  const bool everything = std::isinf(from) && std::isinf(to);
  const bool known =
      key_ == info.key && axis_ == axis && (everything ? from_ == from && to_ == to && pixels_ == pixels : covers(from, to, pixels));
  if (known && grow(reader, info)) return;
  key_ = info.key;
  count_ = info.count;
  axis_ = axis;
  // The next zoom or pan goes a little further.
  const double beyond = std::isfinite(from) && std::isfinite(to) ? read_beyond * (to - from) : 0;
  from_ = from - beyond;
  to_ = to + beyond;
  pixels_ = beyond > 0 ? static_cast<int>(std::lround(pixels * (1 + 2 * read_beyond))) : pixels;
  SeriesView view = reader.read(info.key, axis, from_, to_, pixels_);
  buckets_ = std::move(view.buckets);
  points_ = std::move(view.points);
  if (!buckets_.empty() && value_of(buckets_.back().last_axes, axis) <= to_) {
    // The last bucket is still filling: its samples themselves, so that new ones can follow them.
    const double open_x = value_of(buckets_.back().first_axes, axis);
    points_ = reader.read(info.key, axis, open_x, to_, 0).points;
    const double before = buckets_.size() > 1 ? value_of(buckets_[buckets_.size() - 2].last_axes, axis) : -infinity;
    buckets_.pop_back();
    std::erase_if(points_, [&](const Point& point) { return value_of(point.axes, axis) <= before && value_of(point.axes, axis) < open_x; });
  }
}

void ColumnCache::update(Reader& reader, const std::vector<Attempt>& attempts, XAxis axis) {
  std::vector<const Attempt*> with_data;
  for (const Attempt& attempt : attempts) {
    if (attempt.series) with_data.push_back(&attempt);
  }
  // Only the last attempt grows; anything else (a resume, another axis) starts anew.
  bool anew = axis != axis_ || parts_.size() != with_data.size();
  for (std::size_t i = 0; !anew && i < parts_.size(); ++i) {
    const Attempt& attempt = *with_data[i];
    anew = parts_[i].key != attempt.series->key || parts_[i].cutoff_step != attempt.cutoff_step ||
           (i + 1 < parts_.size() && parts_[i].count != attempt.series->count);
  }
  const auto take = [this, axis](Part& part, const Point& point) {
    part.last_sequence = point.sequence;
    if (static_cast<double>(point.axes.step) >= part.cutoff_step) return;
    x_.push_back(value_of(point.axes, axis));
    y_.push_back(point.value);
  };
  if (anew) {
    axis_ = axis;
    parts_.clear();
    x_.clear();
    y_.clear();
    smoothed_.clear();
    for (const Attempt* attempt : with_data) {
      Part part{attempt->series->key, attempt->cutoff_step, -1, attempt->series->count};
      reader.each_point(part.key, [&](const Point& point) { take(part, point); });
      parts_.push_back(part);
    }
    return;
  }
  if (parts_.empty() || parts_.back().count == with_data.back()->series->count) return;
  Part& part = parts_.back();
  const std::int64_t before = std::exchange(part.count, with_data.back()->series->count);
  const std::int64_t known = part.last_sequence;
  for (const Point& point : reader.points(part.key, before)) {
    if (point.sequence > known) take(part, point);
  }
}

const std::vector<double>& ColumnCache::smoothed(const Smoothing& smoothing) {
  if (smoothing != smoothing_) smoothed_.clear();
  smoothing_ = smoothing;
  smooth_more(x_, y_, smoothing, smoothed_);
  return smoothed_;
}

}  // namespace syncline::ui::chart
