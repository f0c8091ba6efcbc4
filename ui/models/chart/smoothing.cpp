// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/chart/smoothing.h"

#include <cmath>
#include <iterator>
#include <limits>
#include <set>

namespace syncline::ui::chart {

namespace {

const double none = std::numeric_limits<double>::quiet_NaN();

// The middle of a window: the lower half with its middle at the end of `low_`, the upper half in `high_`.
class RunningMedian {
 public:
  void add(double value) {
    if (low_.empty() || value <= *low_.rbegin())
      low_.insert(value);
    else
      high_.insert(value);
    balance();
  }
  void remove(double value) {
    if (const auto found = low_.find(value); found != low_.end())
      low_.erase(found);
    else
      high_.erase(high_.find(value));
    balance();
  }
  double value() const {
    if (low_.empty()) return none;
    return low_.size() > high_.size() ? *low_.rbegin() : *low_.rbegin() + (*high_.begin() - *low_.rbegin()) / 2;
  }

 private:
  void balance() {
    if (low_.size() > high_.size() + 1) {
      const auto last = std::prev(low_.end());
      high_.insert(*last);
      low_.erase(last);
    } else if (high_.size() > low_.size()) {
      low_.insert(*high_.begin());
      high_.erase(high_.begin());
    }
  }
  std::multiset<double> low_, high_;
};

// A plain sum that is taken from again and again drifts: Neumaier's keeps what each addition lost.
class RunningMean {
 public:
  void add(double value) {
    take(value);
    ++count_;
  }
  void remove(double value) {
    take(-value);
    if (--count_ == 0) sum_ = lost_ = 0;
  }
  double value() const { return count_ == 0 ? none : (sum_ + lost_) / static_cast<double>(count_); }

 private:
  void take(double value) {
    const double next = sum_ + value;
    lost_ += std::abs(sum_) >= std::abs(value) ? (sum_ - next) + value : (value - next) + sum_;
    sum_ = next;
  }
  double sum_ = 0, lost_ = 0;
  std::size_t count_ = 0;
};

template <typename Window>
void over_windows(std::span<const double> x, std::span<const double> y, double width, std::vector<double>& smoothed) {
  Window window;
  const std::size_t known = smoothed.size();
  std::size_t first = 0;
  if (known < x.size()) {
    while (first < known && x[first] <= x[known] - width) ++first;
  }
  std::size_t i = first;
  for (; i < x.size(); ++i) {
    if (std::isfinite(y[i])) window.add(y[i]);
    if (i < known) continue;
    for (; x[first] <= x[i] - width; ++first) {
      if (std::isfinite(y[first])) window.remove(y[first]);
    }
    smoothed.push_back(std::isfinite(y[i]) ? window.value() : none);
  }
}

}  // namespace

double HalfLifeMean::add(double x, double y) {
  if (!std::isfinite(y)) return none;
  if (n_ > 0) n_ *= std::exp2(-(x - x_) / half_life_);
  x_ = x;
  n_ += 1;
  mean_ += (y - mean_) / n_;
  return mean_;
}

std::vector<double> smooth(std::span<const double> x, std::span<const double> y, const Smoothing& smoothing) {
  std::vector<double> smoothed;
  smooth_more(x, y, smoothing, smoothed);
  return smoothed;
}

void smooth_more(std::span<const double> x, std::span<const double> y, const Smoothing& smoothing, std::vector<double>& smoothed) {
  smoothed.reserve(x.size());
  switch (smoothing.kind) {
    case Smoothing::Kind::off:
      for (std::size_t i = smoothed.size(); i < y.size(); ++i) smoothed.push_back(y[i]);
      return;
    case Smoothing::Kind::half_life: {
      // The state is a fold over all samples: exact, and 10 ns each.
      HalfLifeMean mean(smoothing.width);
      for (std::size_t i = 0; i < x.size(); ++i) {
        const double value = mean.add(x[i], y[i]);
        if (i >= smoothed.size()) smoothed.push_back(value);
      }
      return;
    }
    case Smoothing::Kind::running_mean:
      over_windows<RunningMean>(x, y, smoothing.width, smoothed);
      return;
    case Smoothing::Kind::running_median:
      over_windows<RunningMedian>(x, y, smoothing.width, smoothed);
      return;
  }
}

}  // namespace syncline::ui::chart
