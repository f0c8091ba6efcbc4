// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/chart/aggregation.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace syncline::ui::chart {

namespace {

const double none = std::numeric_limits<double>::quiet_NaN();

double spacing(const SeedSamples& seed) {
  return seed.x.size() < 2 ? std::numeric_limits<double>::infinity()
                           : (seed.x.back() - seed.x.front()) / static_cast<double>(seed.x.size() - 1);
}

std::vector<double> grid_of(std::span<const SeedSamples> seeds) {
  std::vector<double> grid;
  for (;;) {
    const SeedSamples* widest = nullptr;
    for (const SeedSamples& seed : seeds) {
      if (seed.x.empty() || (!grid.empty() && seed.x.back() <= grid.back())) continue;
      // A single sample says nothing about spacing: it comes last.
      const double own = seed.x.size() < 2 ? -1 : spacing(seed), best = widest == nullptr      ? -2
                                                                        : widest->x.size() < 2 ? -1
                                                                                               : spacing(*widest);
      if (own > best) widest = &seed;
    }
    if (widest == nullptr) return grid;
    auto from = widest->x.begin();
    if (!grid.empty()) from = std::upper_bound(widest->x.begin(), widest->x.end(), grid.back());
    grid.insert(grid.end(), from, widest->x.end());
  }
}

void put_band(Aggregate& into, std::span<const double> values, double mean, Band kind) {
  const auto n = static_cast<double>(values.size());
  double half = none;
  if (kind == Band::range && !values.empty()) {
    const auto [least, most] = std::minmax_element(values.begin(), values.end());
    into.lower.push_back(*least);
    into.upper.push_back(*most);
    return;
  }
  if ((kind == Band::deviation && n >= 2) || (kind == Band::confidence && n >= 3)) {
    double squares = 0;
    for (const double value : values) squares += (value - mean) * (value - mean);
    half = std::sqrt(squares / (n - 1));
    if (kind == Band::confidence) half *= student_t_95(static_cast<int>(n) - 1) / std::sqrt(n);
  }
  into.lower.push_back(mean - half);
  into.upper.push_back(mean + half);
}

}  // namespace

Aggregate aggregate(std::span<const SeedSamples> seeds, Band kind) {
  Aggregate result;
  result.x = grid_of(seeds);
  std::vector<std::size_t> next(seeds.size(), 0);
  std::vector<double> values;
  for (const double x : result.x) {
    values.clear();
    for (std::size_t i = 0; i < seeds.size(); ++i) {
      const SeedSamples& seed = seeds[i];
      while (next[i] < seed.x.size() && seed.x[next[i]] <= x) ++next[i];
      if (next[i] == 0 || seed.x.back() < x) continue;
      const double value = seed.y[next[i] - 1];
      if (std::isfinite(value)) values.push_back(value);
    }
    double mean = values.empty() ? none : 0;
    for (const double value : values) mean += value / static_cast<double>(values.size());
    // Equal values stay exactly what they are.
    if (!values.empty() && std::all_of(values.begin(), values.end(), [&](double v) { return v == values.front(); })) mean = values.front();
    result.mean.push_back(mean);
    result.n.push_back(static_cast<int>(values.size()));
    put_band(result, values, mean, kind);
  }
  return result;
}

double student_t_95(int freedom) {
  constexpr std::array<double, 30> table = {12.7062, 4.3027, 3.1824, 2.7764, 2.5706, 2.4469, 2.3646, 2.3060, 2.2622, 2.2281,
                                            2.2010,  2.1788, 2.1604, 2.1448, 2.1314, 2.1199, 2.1098, 2.1009, 2.0930, 2.0860,
                                            2.0796,  2.0739, 2.0687, 2.0639, 2.0595, 2.0555, 2.0518, 2.0484, 2.0452, 2.0423};
  if (freedom < 1) return none;
  if (freedom <= static_cast<int>(table.size())) return table[static_cast<std::size_t>(freedom - 1)];
  // Cornish-Fisher around the normal distribution: exact to 1e-4 from here on.
  const double z = 1.959964, z3 = z * z * z, z5 = z3 * z * z, f = freedom;
  return z + (z3 + z) / (4 * f) + (5 * z5 + 16 * z3 + 3 * z) / (96 * f * f);
}

}  // namespace syncline::ui::chart
