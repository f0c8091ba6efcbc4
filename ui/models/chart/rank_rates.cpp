// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/chart/rank_rates.h"

#include <algorithm>
#include <cmath>

namespace syncline::ui::chart {

namespace {

constexpr std::int64_t most_read = 32768;  // stretches over all ranks: a run of a thousand ranks gets coarser ones

struct Stretch {
  double sum = 0, least = 0, most = 0;
  int ranks = 0;
  Axes axes;
};

}  // namespace

RankRates read_rank_rates(Reader& reader, const std::vector<Attempt>& attempts, XAxis axis, double from, double to, int most, int least) {
  RankRates rates;
  for (const Attempt& attempt : attempts) {
    if (!attempt.series) continue;
    std::int64_t first = 0, last = INT64_MAX;
    std::int64_t steps = attempt.series->count;
    if (axis == XAxis::step) {
      if (std::isfinite(from)) first = std::max<std::int64_t>(0, static_cast<std::int64_t>(std::floor(from)) - least);
      if (std::isfinite(to) && to < 9e15) last = static_cast<std::int64_t>(std::ceil(std::max(to, 0.0))) + least;
      if (last != INT64_MAX) steps = std::min(steps, last - first + 1);
    }
    if (std::isfinite(attempt.cutoff_step)) last = std::min(last, static_cast<std::int64_t>(attempt.cutoff_step) - 1);
    if (last < first) continue;
    const std::vector<int> ranks = reader.ranks(attempt.run_id);
    if (ranks.empty()) continue;
    const auto shares = static_cast<std::int64_t>(ranks.size());
    const auto wanted = std::clamp<std::int64_t>(steps / std::max(1, least), 1,
                                                 std::max<std::int64_t>(1, std::min<std::int64_t>(most, most_read / shares)));
    std::map<std::int64_t, Stretch> stretches;  // by their first step
    for (const int rank : ranks) {
      for (const StepBucket& bucket : reader.step_buckets(attempt.run_id, rank, first, last, static_cast<int>(wanted))) {
        if (bucket.mean.step_s <= 0) continue;
        const double rate = static_cast<double>(bucket.mean.samples) / bucket.mean.step_s;
        Stretch& stretch = stretches[bucket.first_step];
        if (stretch.ranks == 0) {
          stretch.axes = bucket.mean.axes;
          stretch.least = stretch.most = rate;
        }
        stretch.sum += rate;
        stretch.least = std::min(stretch.least, rate);
        stretch.most = std::max(stretch.most, rate);
        ++stretch.ranks;
      }
    }
    for (const auto& [step, stretch] : stretches) {
      const double x = value_of(stretch.axes, axis);
      if (x < from || x > to) continue;
      rates.x.push_back(x);
      rates.sum.push_back(stretch.sum);
      rates.lower.push_back(stretch.ranks * stretch.least);
      rates.upper.push_back(stretch.ranks * stretch.most);
      rates.ranks.push_back(stretch.ranks);
      rates.attempt.push_back(attempt.number);
      rates.axes.push_back(stretch.axes);
    }
  }
  return rates;
}

}  // namespace syncline::ui::chart
