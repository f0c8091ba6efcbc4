// SPDX-License-Identifier: GPL-3.0-or-later
// Smoothing of a series over x, from all its samples, before anything is left out for the screen.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace syncline::ui::chart {

struct Smoothing {
  enum class Kind { off, half_life, running_mean, running_median };
  Kind kind = Kind::off;
  double width = 0;  // in x units: the half-life, or the length of the window that ends at the sample
  bool on() const { return kind != Kind::off && width > 0; }
  bool operator==(const Smoothing&) const = default;
};

// Exponential mean weighted by distance in x, unbiased from the first sample: w = 0.5^(dx / half_life), n <- w n + 1, m <- m + (y - m) / n.
// The first sample is itself, a constant stays constant, and the curve up to x does not depend on what follows. Non-finite samples give
// NaN and leave the state alone.
class HalfLifeMean {
 public:
  explicit HalfLifeMean(double half_life) : half_life_(half_life) {}
  double add(double x, double y);

 private:
  double half_life_, x_ = 0, n_ = 0, mean_ = 0;
};

// One value per sample; NaN where the sample is not finite. x must not fall. Windows are (x - width, x].
std::vector<double> smooth(std::span<const double> x, std::span<const double> y, const Smoothing&);
// Continues `smoothed` (of the first smoothed.size() samples) to the end; the same values as all at once.
void smooth_more(std::span<const double> x, std::span<const double> y, const Smoothing&, std::vector<double>& smoothed);

}  // namespace syncline::ui::chart
