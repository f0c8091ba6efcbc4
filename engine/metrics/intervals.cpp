// SPDX-License-Identifier: Apache-2.0
#include "engine/metrics/intervals.h"

#include <algorithm>
#include <utility>

namespace syncline {

IntervalSet::IntervalSet(std::vector<Interval> any_order) : parts_(std::move(any_order)) {
  std::erase_if(parts_, [](const Interval& part) { return !(part.end_s > part.start_s); });
  const auto before = [](const Interval& a, const Interval& b) { return a.start_s < b.start_s; };
  if (!std::is_sorted(parts_.begin(), parts_.end(), before)) std::sort(parts_.begin(), parts_.end(), before);
  std::size_t kept = 0;
  for (const Interval& part : parts_) {
    if (kept > 0 && part.start_s <= parts_[kept - 1].end_s) {
      parts_[kept - 1].end_s = std::max(parts_[kept - 1].end_s, part.end_s);
    } else {
      parts_[kept++] = part;
    }
  }
  parts_.resize(kept);
}

double IntervalSet::length() const {
  double sum = 0;
  for (const Interval& part : parts_) sum += part.length();
  return sum;
}

IntervalSet unite(const IntervalSet& a, const IntervalSet& b) {
  std::vector<Interval> all(a.parts_.size() + b.parts_.size());
  std::merge(a.parts_.begin(), a.parts_.end(), b.parts_.begin(), b.parts_.end(), all.begin(),
             [](const Interval& x, const Interval& y) { return x.start_s < y.start_s; });
  return IntervalSet(std::move(all));
}

IntervalSet intersect(const IntervalSet& a, const IntervalSet& b) {
  IntervalSet result;
  for (std::size_t i = 0, j = 0; i < a.parts_.size() && j < b.parts_.size();) {
    const Interval& x = a.parts_[i];
    const Interval& y = b.parts_[j];
    const Interval common{std::max(x.start_s, y.start_s), std::min(x.end_s, y.end_s)};
    if (common.end_s > common.start_s) result.parts_.push_back(common);
    if (x.end_s < y.end_s) {
      ++i;
    } else {
      ++j;
    }
  }
  return result;
}

IntervalSet subtract(const IntervalSet& from, const IntervalSet& what) {
  IntervalSet result;
  std::size_t j = 0;
  for (const Interval& part : from.parts_) {
    double start = part.start_s;
    while (j < what.parts_.size() && what.parts_[j].end_s <= start) ++j;
    for (std::size_t k = j; k < what.parts_.size() && what.parts_[k].start_s < part.end_s; ++k) {
      if (what.parts_[k].start_s > start) result.parts_.push_back({start, what.parts_[k].start_s});
      start = std::max(start, what.parts_[k].end_s);
    }
    if (start < part.end_s) result.parts_.push_back({start, part.end_s});
  }
  return result;
}

}  // namespace syncline
