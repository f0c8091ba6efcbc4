// SPDX-License-Identifier: Apache-2.0
#include "engine/store/level_of_detail.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace syncline {

void add_to_bucket(SeriesBucket& bucket, const Axes& axes, double value) {
  if (bucket.count == 0) {
    bucket.min = bucket.max = bucket.mean = std::numeric_limits<double>::quiet_NaN();
    bucket.first = value;
    bucket.first_axes = axes;
  }
  bucket.last = value;
  bucket.last_axes = axes;
  ++bucket.count;
  if (!std::isfinite(value)) {
    ++bucket.nonfinite;
    return;
  }
  const std::int64_t finite = bucket.count - bucket.nonfinite;
  if (finite == 1) {
    bucket.min = bucket.max = bucket.mean = value;
    return;
  }
  bucket.min = std::min(bucket.min, value);
  bucket.max = std::max(bucket.max, value);
  // The running form needs no sum beside it, so that a bucket read back goes on exactly as if it had never been written. Halves, since the
  // difference of two large values of different sign overflows.
  bucket.mean += 2 * ((value / 2 - bucket.mean / 2) / static_cast<double>(finite));
}

ValueKind kind_of(double value) {
  if (std::isnan(value)) return ValueKind::nan;
  if (std::isinf(value)) return value > 0 ? ValueKind::positive_infinity : ValueKind::negative_infinity;
  return ValueKind::finite;
}

double value_of_kind(ValueKind kind, double finite) {
  switch (kind) {
    case ValueKind::nan:
      return std::numeric_limits<double>::quiet_NaN();
    case ValueKind::positive_infinity:
      return std::numeric_limits<double>::infinity();
    case ValueKind::negative_infinity:
      return -std::numeric_limits<double>::infinity();
    case ValueKind::finite:
      break;
  }
  return finite;
}

double to_microseconds(double seconds) {
  // Anything that is no time (or not within 285 years) is 0: axes are never non-finite.
  if (!(std::abs(seconds) < 9e9)) return 0;
  return static_cast<double>(std::llround(seconds * 1e6)) / 1e6;
}

Axes stored_axes(Axes axes) {
  axes.active_s = to_microseconds(axes.active_s);
  axes.elapsed_s = to_microseconds(axes.elapsed_s);
  axes.wall_s = to_microseconds(axes.wall_s);
  if (!std::isfinite(axes.epoch)) axes.epoch = 0;
  return axes;
}

}  // namespace syncline
