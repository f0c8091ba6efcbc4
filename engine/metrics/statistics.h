// SPDX-License-Identifier: Apache-2.0
// Order statistics of step times and the rule that says where warm-up ends.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace syncline {

// Linear interpolation between order statistics (type 7 of Hyndman and Fan). NaN for an empty input. q in [0, 1].
double quantile(std::vector<double> values, double q);
double median(std::vector<double> values);

// Mean and sample standard deviation (n - 1) of the same quantity over several runs. deviation: NaN for fewer than two values; mean: NaN
// for none.
struct Spread {
  double mean = 0, deviation = 0;
  int n = 0;
};
Spread spread_of(std::span<const double> values);
// Whether the difference of two means is within what repeating would give: both have n >= 3 and it is smaller than twice its standard
// error, sqrt(a.deviation^2 / a.n + b.deviation^2 / b.n).
bool within_spread(const Spread& a, const Spread& b);

// How many leading steps are warm-up: at least 10, then until the median of 5 steps is within 3 % of the median of the next 5. Where that
// is not reached in the first half (a short run, or unsteady times), half of the steps.
std::size_t warm_up_steps(std::span<const double> step_s);

}  // namespace syncline
