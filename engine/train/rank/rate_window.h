// SPDX-License-Identifier: Apache-2.0
// Throughput over a moving window, long enough that a figure means something and short enough that a change shows.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>

namespace syncline {

class RateWindow {
 public:
  // The window spans at least `least_s` seconds and `least_steps` steps, whichever is longer; a value comes every `every_s` at most.
  explicit RateWindow(double least_s = 5, std::int64_t least_steps = 20, double every_s = 0.5)
      : least_s_(least_s), least_steps_(least_steps), every_s_(every_s) {}

  // Samples trained in all at this step and moment. The rate over the window, when a value is due; until a window is full it covers what
  // there is, from two points on.
  std::optional<double> add(std::int64_t step, double at_s, std::int64_t samples) {
    if (!points_.empty() && (step <= points_.back().step || at_s < points_.back().at_s)) points_.clear();  // a new start
    points_.push_back({step, at_s, samples});
    while (points_.size() > 2 && at_s - points_[1].at_s >= least_s_ && step - points_[1].step >= least_steps_) points_.pop_front();
    const Point& first = points_.front();
    if (at_s <= first.at_s || (given_s_ >= 0 && at_s >= given_s_ && at_s - given_s_ < every_s_)) return std::nullopt;
    given_s_ = at_s;
    return static_cast<double>(samples - first.samples) / (at_s - first.at_s);
  }

 private:
  struct Point {
    std::int64_t step;
    double at_s;
    std::int64_t samples;
  };
  double least_s_;
  std::int64_t least_steps_;
  double every_s_, given_s_ = -1;
  std::deque<Point> points_;
};

}  // namespace syncline
