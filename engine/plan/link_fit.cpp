// SPDX-License-Identifier: Apache-2.0
#include "engine/plan/link_fit.h"

#include <algorithm>
#include <cmath>

#include "engine/base/error.h"

namespace syncline {

namespace {

struct Sums {
  double w = 0, wn = 0, wnn = 0, wt = 0, wnt = 0;
};  // w = 1 / t^2

Sums weighted(std::span<const LinkSample> samples) {
  Sums sums;
  for (const LinkSample& sample : samples) {
    const double w = 1 / (sample.seconds * sample.seconds);
    sums.w += w;
    sums.wn += w * sample.bytes;
    sums.wnn += w * sample.bytes * sample.bytes;
    sums.wt += w * sample.seconds;
    sums.wnt += w * sample.bytes * sample.seconds;
  }
  return sums;
}

double squares(std::span<const LinkSample> samples, const LinkCost& cost) {
  double sum = 0;
  for (const LinkSample& sample : samples) {
    const double error = (cost.latency_s + cost.per_byte_s * sample.bytes) / sample.seconds - 1;
    sum += error * error;
  }
  return sum;
}

}  // namespace

LinkFit fit_link(std::span<const LinkSample> samples) {
  bool different = false;
  for (const LinkSample& sample : samples) {
    if (!(sample.seconds > 0) || !(sample.bytes >= 0)) throw UsageError("internal error: a measured exchange without a positive time");
    different = different || sample.bytes != samples.front().bytes;
  }
  if (!different) throw UsageError("internal error: fitting a link needs exchanges of at least two sizes");
  const Sums s = weighted(samples);
  const double determinant = s.w * s.wnn - s.wn * s.wn;
  LinkCost cost{.latency_s = (s.wnn * s.wt - s.wn * s.wnt) / determinant, .per_byte_s = (s.w * s.wnt - s.wn * s.wt) / determinant};
  if (cost.latency_s < 0 || cost.per_byte_s < 0) {
    const LinkCost through_zero{.latency_s = 0, .per_byte_s = s.wnt / s.wnn}, flat{.latency_s = s.wt / s.w, .per_byte_s = 0};
    cost = squares(samples, through_zero) <= squares(samples, flat) ? through_zero : flat;
  }
  LinkFit fit{.cost = cost};
  for (const LinkSample& sample : samples) {
    const double error = std::abs((cost.latency_s + cost.per_byte_s * sample.bytes) / sample.seconds - 1);
    fit.worst_relative_error = std::max(fit.worst_relative_error, error);
  }
  return fit;
}

}  // namespace syncline
