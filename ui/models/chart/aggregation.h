// SPDX-License-Identifier: GPL-3.0-or-later
// One curve out of several runs of the same experiment with different seeds.
#pragma once

#include <span>
#include <vector>

namespace syncline::ui::chart {

enum class Band { deviation, confidence, range, lines, none };  // mean ± s.d., 95 % interval of the mean, min-max, thin lines, nothing

struct SeedSamples {
  std::span<const double> x, y;  // x rising
};

struct Aggregate {
  std::vector<double> x, mean, lower, upper;  // NaN: no value, or too few for this band
  std::vector<int> n;                         // seeds with a value there
};

// The grid is that of the seed with the widest spacing, continued past its end by the widest of those that go on. Each seed gives its last
// value at or before the grid's x, nothing before its first sample and nothing after its last: there n falls. A value that is not finite
// does not count either.
Aggregate aggregate(std::span<const SeedSamples>, Band);

// The value that a t-distributed number exceeds on either side with 5 %. freedom >= 1.
double student_t_95(int freedom);

}  // namespace syncline::ui::chart
