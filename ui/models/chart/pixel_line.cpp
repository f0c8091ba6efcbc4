// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/chart/pixel_line.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

namespace syncline::ui::chart {

namespace {

constexpr double steep = 4, high = 2;  // px: a jump between neighbouring columns, and a range within one, that become bars

// Leaves out points that lie on the way, by the cone of directions that keeps every one left out within the tolerance.
std::vector<PixelPoint> thinned(const std::vector<PixelPoint>& points, double tolerance) {
  if (points.size() < 3) return points;
  std::vector<PixelPoint> kept = {points.front()};
  constexpr double infinity = std::numeric_limits<double>::infinity();
  double low = -infinity, up = infinity;
  for (std::size_t i = 1; i < points.size(); ++i) {
    const PixelPoint& anchor = kept.back();
    const double dx = points[i].x - anchor.x;
    const double slope = dx > 0 ? (points[i].y - anchor.y) / dx : infinity;
    if (slope < low || slope > up || !(dx > 0)) {
      if (i > 1 && (kept.back().x != points[i - 1].x || kept.back().y != points[i - 1].y)) kept.push_back(points[i - 1]);
      low = -infinity;
      up = infinity;
    }
    const double from_anchor = points[i].x - kept.back().x;
    if (!(from_anchor > 0)) {
      kept.push_back(points[i]);
      low = -infinity;
      up = infinity;
      continue;
    }
    low = std::max(low, (points[i].y - tolerance - kept.back().y) / from_anchor);
    up = std::min(up, (points[i].y + tolerance - kept.back().y) / from_anchor);
  }
  if (kept.back().x != points.back().x || kept.back().y != points.back().y) kept.push_back(points.back());
  return kept;
}

class Drawer {
 public:
  Drawer(PixelLine& line, double tolerance) : line_(line), tolerance_(tolerance) {}

  void add(const PixelPoint& point) {
    const int column = static_cast<int>(std::floor(point.x));
    if (count_ > 0 && column == column_) {
      least_ = std::min(least_, point.y);
      most_ = std::max(most_, point.y);
      last_ = point;
      ++count_;
      return;
    }
    flush();
    column_ = column;
    first_ = last_ = point;
    least_ = most_ = point.y;
    count_ = 1;
  }

  void end() {
    flush();
    finish_run();
    before_.reset();
    count_ = 0;
  }

 private:
  void flush() {
    if (count_ == 0) return;
    const bool beside = before_ && column_ - before_column_ <= 1;
    const bool bar = most_ - least_ > high || (beside && std::abs(first_.y - before_->y) > steep);
    if (bar) {
      double top = least_, bottom = most_;
      if (beside) {
        top = std::min(top, before_->y);
        bottom = std::max(bottom, before_->y);
      } else if (before_) {
        run_.push_back(first_);
      }
      finish_run();
      line_.bars.push_back({column_, top, bottom});
      run_.push_back(last_);
      from_bar_ = true;
    } else {
      run_.push_back(first_);
      if (count_ > 1) {
        // All of the column lies within two pixels: its ends and its extreme are its picture.
        if (std::min(first_.y, last_.y) - least_ > tolerance_) run_.push_back({first_.x, least_});
        if (most_ - std::max(first_.y, last_.y) > tolerance_) run_.push_back({first_.x, most_});
        run_.push_back(last_);
      }
    }
    before_ = last_;
    before_column_ = column_;
  }

  void finish_run() {
    if (run_.size() > 1) line_.runs.push_back(thinned(run_, tolerance_));
    // A point alone is no stroke: it is in a bar already, or becomes the smallest one.
    if (run_.size() == 1 && !from_bar_) line_.bars.push_back({static_cast<int>(std::floor(run_[0].x)), run_[0].y, run_[0].y});
    run_.clear();
    from_bar_ = false;
  }

  PixelLine& line_;
  double tolerance_;
  std::vector<PixelPoint> run_;
  std::optional<PixelPoint> before_;
  int before_column_ = 0, column_ = 0, count_ = 0;
  bool from_bar_ = false;  // the run begins with a point that a bar shows
  PixelPoint first_, last_;
  double least_ = 0, most_ = 0;
};

}  // namespace

PixelLine pixel_line(std::span<const PixelPoint> points, double tolerance) {
  PixelLine line;
  Drawer drawer(line, tolerance);
  for (const PixelPoint& point : points) {
    if (std::isnan(point.y))
      drawer.end();
    else
      drawer.add(point);
  }
  drawer.end();
  return line;
}

void close_slits(std::vector<PixelBar>& bars) {
  std::vector<PixelBar> closed;
  closed.reserve(2 * bars.size());
  const auto cover = [&closed](const PixelBar& bar) {
    if (closed.empty() || closed.back().column != bar.column) {
      closed.push_back(bar);
      return;
    }
    closed.back().top = std::min(closed.back().top, bar.top);
    closed.back().bottom = std::max(closed.back().bottom, bar.bottom);
  };
  for (const PixelBar& bar : bars) {
    cover(bar);
    closed.push_back({bar.column + 1, bar.top, bar.bottom});
  }
  bars = std::move(closed);
}

std::vector<PixelPoint> outline_of(std::span<const PixelPoint> run, double width) {
  constexpr double sharpest = 2;  // half widths that a corner may stick out
  const std::size_t count = run.size();
  if (count < 2) return {};
  std::vector<PixelPoint> outline(2 * count);
  PixelPoint before{0, 0};
  for (std::size_t i = 0; i < count; ++i) {
    PixelPoint after = before;
    if (i + 1 < count) {
      const double dx = run[i + 1].x - run[i].x, dy = run[i + 1].y - run[i].y, length = std::hypot(dx, dy);
      if (length > 0) after = {-dy / length, dx / length};
    }
    if (i == 0) before = after;
    // Along the mean of both normals, so far that each side keeps its distance.
    const PixelPoint both{before.x + after.x, before.y + after.y};
    const double square = both.x * both.x + both.y * both.y;
    const double reach = 0.5 * width * (square > 1e-9 ? std::min(2 / square, sharpest / std::sqrt(square)) : 0);
    outline[i] = {run[i].x + reach * both.x, run[i].y + reach * both.y};
    outline[2 * count - 1 - i] = {run[i].x - reach * both.x, run[i].y - reach * both.y};
    before = after;
  }
  return outline;
}

}  // namespace syncline::ui::chart
