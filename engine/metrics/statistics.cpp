// SPDX-License-Identifier: Apache-2.0
#include "engine/metrics/statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace syncline {

double quantile(std::vector<double> values, double q) {
  if (values.empty()) return std::numeric_limits<double>::quiet_NaN();
  const double position = q * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::ptrdiff_t>(std::floor(position));
  std::nth_element(values.begin(), values.begin() + below, values.end());
  const double low = values[static_cast<std::size_t>(below)], fraction = position - static_cast<double>(below);
  if (fraction == 0) return low;
  const double high = *std::min_element(values.begin() + below + 1, values.end());
  return low + fraction * (high - low);
}

double median(std::vector<double> values) { return quantile(std::move(values), 0.5); }

Spread spread_of(std::span<const double> values) {
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  Spread spread{none, none, static_cast<int>(values.size())};
  if (values.empty()) return spread;
  // Around the first value: equal values have exactly the deviation 0, and their mean is exactly one of them.
  double sum = 0;
  for (const double value : values) sum += value - values.front();
  spread.mean = values.front() + sum / static_cast<double>(values.size());
  if (values.size() < 2) return spread;
  double squares = 0;
  for (const double value : values) squares += (value - spread.mean) * (value - spread.mean);
  spread.deviation = std::sqrt(squares / static_cast<double>(values.size() - 1));
  return spread;
}

bool within_spread(const Spread& a, const Spread& b) {
  if (a.n < 3 || b.n < 3) return false;
  return std::abs(a.mean - b.mean) <= 2 * std::sqrt(a.deviation * a.deviation / a.n + b.deviation * b.deviation / b.n);
}

std::size_t warm_up_steps(std::span<const double> step_s) {
  constexpr std::size_t least = 10, window = 5;
  constexpr double tolerance = 0.03;
  const auto median_from = [&](std::size_t first) {
    return median({step_s.begin() + static_cast<std::ptrdiff_t>(first), step_s.begin() + static_cast<std::ptrdiff_t>(first + window)});
  };
  const std::size_t half = step_s.size() / 2;
  for (std::size_t first = least; first < half && first + 2 * window <= step_s.size(); ++first) {
    const double now = median_from(first), later = median_from(first + window);
    if (std::abs(now - later) <= tolerance * later) return first;
  }
  return half;
}

}  // namespace syncline
