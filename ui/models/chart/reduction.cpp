// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/chart/reduction.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace syncline::ui::chart {

namespace {

const double none = std::numeric_limits<double>::quiet_NaN();

MarkKind kind_of_value(double value) {
  if (std::isnan(value)) return MarkKind::nan;
  return value > 0 ? MarkKind::positive_infinity : MarkKind::negative_infinity;
}

}  // namespace

Reducer::Reducer(const Frame& frame) : frame_(frame) { frame_.pixels = std::max(1, frame_.pixels); }

int Reducer::column_of(double x) const {
  const double width = frame_.to - frame_.from;
  if (!(width > 0)) return 0;
  const double column = std::floor((x - frame_.from) / width * frame_.pixels);
  return static_cast<int>(std::clamp(column, -1.0, static_cast<double>(frame_.pixels)));
}

void Reducer::open(double x) {
  const int index = column_of(x);
  if (index == column_.index) return;
  flush();
  column_ = {};
  column_.index = index;
  first_mark_ = reduced_.marks.size();
}

void Reducer::mark(MarkKind kind, double x, double y, std::int64_t count) {
  for (std::size_t i = first_mark_; i < reduced_.marks.size(); ++i) {
    Mark& known = reduced_.marks[i];
    if (known.kind != kind) continue;
    known.count += count;
    known.least = std::min(known.least, y);
    known.most = std::max(known.most, y);
    return;
  }
  reduced_.marks.push_back({kind, x, count, y, y});
}

void Reducer::take(double x, double y) {
  const std::int64_t order = order_++;
  const bool drawable = std::isfinite(y) && !(frame_.logarithmic && y <= 0);
  if (!drawable) {
    if (column_.finite == 0) column_.gap_first = true;
    if (column_.finite > 0 && column_.first_gap < 0) column_.first_gap = order;
    column_.gap = {x, none, order};
    return;
  }
  const Seen seen{x, y, order};
  if (column_.finite == 0) column_.first = column_.lowest = column_.highest = seen;
  if (column_.finite == 1) column_.second = seen;
  if (y < column_.lowest.y) column_.lowest = seen;
  if (y > column_.highest.y) column_.highest = seen;
  column_.last = seen;
  ++column_.finite;
}

void Reducer::add(double x, double y) {
  open(x);
  ++column_.samples;
  if (!std::isfinite(y))
    mark(kind_of_value(y), x, y, 1);
  else if (frame_.logarithmic && y <= 0)
    mark(MarkKind::not_positive, x, y, 1);
  take(x, y);
}

void Reducer::add(const SeriesBucket& bucket, double first_x, double last_x) {
  if (bucket.count <= 0) return;
  if (bucket.count == 1) {
    add(first_x, bucket.first);
    return;
  }
  open(first_x);
  column_.samples += bucket.count;
  std::int64_t unknown = bucket.nonfinite;
  for (const auto& [x, value] : {std::pair(first_x, bucket.first), std::pair(last_x, bucket.last)}) {
    if (std::isfinite(value)) continue;
    mark(kind_of_value(value), x, value, 1);
    --unknown;
  }
  if (unknown > 0) mark(MarkKind::not_finite, first_x, 0, unknown);
  if (frame_.logarithmic && bucket.min <= 0) mark(MarkKind::not_positive, first_x, bucket.min, 1);
  take(first_x, bucket.first);
  const double middle = first_x + (last_x - first_x) / 2;
  if (unknown > 0) take(first_x + (last_x - first_x) / 4, none);
  // Both at one place: where a bucket is as wide as two pixels, one of them would stand alone in its column otherwise, and a curve that is
  // up and down everywhere would have slits.
  if (bucket.count > bucket.nonfinite) {
    take(middle, bucket.min);
    take(middle, bucket.max);
  }
  take(last_x, bucket.last);
}

void Reducer::vertex(const Seen& seen) {
  if (seen.order <= lowest_drawn_) return;
  lowest_drawn_ = seen.order;
  reduced_.x.push_back(seen.x);
  reduced_.y.push_back(seen.y);
}

void Reducer::gap(double x) {
  if (!reduced_.y.empty() && std::isnan(reduced_.y.back())) return;
  reduced_.x.push_back(x);
  reduced_.y.push_back(none);
}

void Reducer::flush() {
  Column& column = column_;
  if (column.samples == 0) return;
  if (column.index >= 0 && column.index < frame_.pixels) {
    if (first_column_ < 0) first_column_ = column.index;
    last_column_ = column.index;
    inside_ += column.samples;
    reduced_any_ = reduced_any_ || column.samples > 2;
  }
  if (column.finite == 0) {
    gap(column.gap.x);
    return;
  }
  if (column.gap_first) gap(column.first.x);
  const bool broken = column.first_gap >= 0, ends_in_gap = column.gap.order > column.last.order;
  vertex(column.first);
  if (column.finite == 2 && column.samples <= 2) {
    vertex(column.second);
  } else if (column.finite > 1) {
    const Seen& earlier = column.lowest.order < column.highest.order ? column.lowest : column.highest;
    const Seen& later = column.lowest.order < column.highest.order ? column.highest : column.lowest;
    vertex(earlier);
    vertex(later);
    if (broken && !ends_in_gap) gap(column.last.x);
    vertex(column.last);
  }
  if (ends_in_gap && column.gap.order >= 0) gap(column.gap.x);
}

Reduced Reducer::finish() {
  flush();
  column_ = {};
  if (reduced_any_) reduced_.per_column = std::max<std::int64_t>(2, inside_ / (last_column_ - first_column_ + 1));
  find_dots(reduced_);
  return std::move(reduced_);
}

void find_dots(Reduced& line) {
  const std::vector<double>& y = line.y;
  for (std::size_t i = 0; i < y.size(); ++i) {
    if (std::isnan(y[i])) continue;
    if ((i == 0 || std::isnan(y[i - 1])) && (i + 1 == y.size() || std::isnan(y[i + 1]))) {
      line.dot_x.push_back(line.x[i]);
      line.dot_y.push_back(y[i]);
    }
  }
}

ReducedBand reduce_band(const std::vector<double>& x, const std::vector<double>& lower, const std::vector<double>& upper,
                        const Frame& frame) {
  ReducedBand band;
  const double width = frame.to - frame.from;
  long before = -2;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double at = width > 0 ? std::floor((x[i] - frame.from) / width * frame.pixels) : static_cast<double>(i);
    const long column = static_cast<long>(std::clamp(at, -1.0, static_cast<double>(frame.pixels)));
    const bool known = std::isfinite(lower[i]) && std::isfinite(upper[i]);
    const double low = !known ? none : frame.logarithmic && lower[i] <= 0 ? std::max(1e-300, std::min(upper[i], 1e-300)) : lower[i];
    if (column == before && known && !band.x.empty() && !std::isnan(band.lower.back())) {
      band.lower.back() = std::min(band.lower.back(), low);
      band.upper.back() = std::max(band.upper.back(), upper[i]);
      continue;
    }
    band.x.push_back(x[i]);
    band.lower.push_back(low);
    band.upper.push_back(known ? upper[i] : none);
    before = column;
  }
  return band;
}

}  // namespace syncline::ui::chart
