// SPDX-License-Identifier: GPL-3.0-or-later
// Throughput of each rank, from its step sums: the samples of a stretch of steps over the time that they took.
#pragma once

#include <vector>

#include "ui/models/chart/series_cache.h"

namespace syncline::ui::chart {

// As the rank of a curve of throughput: the sum over the ranks as its line; as its band what the sum would be if all were as slow as the
// slowest and as fast as the fastest, so that it can stand on the axis of the whole run's throughput.
inline constexpr int every_rank = -2;

struct RankRates {
  std::vector<double> x, sum, lower, upper;  // samples per second of all ranks; x: the end of the stretch
  std::vector<int> ranks;                    // that have this stretch
  std::vector<int> attempt;
  std::vector<Axes> axes;
  std::size_t size() const { return x.size(); }
};
// Stretches of `least` steps or more, at most `most` of them, whose end lies between from and to on the axis; what a resume replaced is
// left out. The attempts are those of the whole run's series.
RankRates read_rank_rates(Reader&, const std::vector<Attempt>&, XAxis, double from, double to, int most, int least = 4);

}  // namespace syncline::ui::chart
