// SPDX-License-Identifier: Apache-2.0
// Sets of points in time as sorted disjoint half-open intervals. Operations are exact: no tolerance, no rounding beyond the final sum.
#pragma once

#include <vector>

namespace syncline {

struct Interval {
  double start_s = 0, end_s = 0;
  double length() const { return end_s > start_s ? end_s - start_s : 0; }
  friend bool operator==(const Interval&, const Interval&) = default;
};

class IntervalSet {
 public:
  IntervalSet() = default;
  explicit IntervalSet(std::vector<Interval> any_order);  // empty and reversed intervals are dropped, touching ones joined
  const std::vector<Interval>& parts() const { return parts_; }
  bool empty() const { return parts_.empty(); }
  double length() const;

  friend IntervalSet unite(const IntervalSet&, const IntervalSet&);
  friend IntervalSet intersect(const IntervalSet&, const IntervalSet&);
  friend IntervalSet subtract(const IntervalSet& from, const IntervalSet& what);

 private:
  std::vector<Interval> parts_;
};

IntervalSet unite(const IntervalSet&, const IntervalSet&);
IntervalSet intersect(const IntervalSet&, const IntervalSet&);
IntervalSet subtract(const IntervalSet& from, const IntervalSet& what);

}  // namespace syncline
