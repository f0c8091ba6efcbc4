// SPDX-License-Identifier: Apache-2.0
// Plans from measured times: the merge rule of the paper (MG-WFBP, "The paper's merge rule") and the exact plan under the same cost model
// (card, "Exact planner"). The rule looks one layer ahead, so that it can snowball into one late message; both are here to be compared.
#include <algorithm>
#include <limits>

#include "engine/base/error.h"
#include "engine/plan/planners.h"

namespace syncline {

namespace {

// The card's quantities in the order of the backward pass: slice k is ready at ready[k], and before it lie elements[k] elements.
struct Measured {
  std::vector<double> ready;
  std::vector<std::int64_t> elements{0};
  LinkCost link;

  Measured(std::span<const LayerSlice> slices, const Profile& profile) : link(profile.allreduce) {
    if (profile.backward_s.size() != slices.size()) throw UsageError("internal error: a plan from measured times without the times");
    double now = profile.forward_s;
    for (std::size_t k = 0; k < slices.size(); ++k) {
      ready.push_back(now += profile.backward_s[k]);
      elements.push_back(elements.back() + slices[k].count);
    }
  }
  // T(S) = a + b S of slices first..last together; nothing to send takes no time.
  double transfer(std::size_t first, std::size_t last) const {
    const std::int64_t count = elements[last + 1] - elements[first];
    return count == 0 ? 0 : link.latency_s + (link.per_byte_s + link.add_per_byte_s) * 4.0 * static_cast<double>(count);
  }
};

Plan make_merged(std::span<const LayerSlice> slices, const Profile& profile, const Params&) {
  if (slices.empty()) return {};
  const Measured times(slices, profile);
  std::vector<int> first{0};
  double done = 0;  // of the last message before the current one
  for (std::size_t next = 1; next < slices.size(); ++next) {
    const double start = std::max(done, times.ready[next - 1]);  // of the current message, should it end here
    if (times.ready[next] < start + times.link.latency_s) continue;
    done = start + times.transfer(static_cast<std::size_t>(first.back()), next - 1);
    first.push_back(static_cast<int>(next));
  }
  return Plan(slices, first);
}

// When slices 0..k can all be reduced at the earliest, by the length of the last message. Of equal times the one with the longest message.
Plan make_optimal(std::span<const LayerSlice> slices, const Profile& profile, const Params&) {
  if (slices.empty()) return {};
  const Measured times(slices, profile);
  const std::size_t count = slices.size();
  std::vector<double> done(count + 1, 0);         // done[k + 1]: of slices 0..k
  std::vector<std::size_t> begins(count + 1, 0);  // of the last message
  for (std::size_t last = 0; last < count; ++last) {
    done[last + 1] = std::numeric_limits<double>::infinity();
    for (std::size_t first = 0; first <= last; ++first) {
      const double end = std::max(done[first], times.ready[last]) + times.transfer(first, last);
      if (end >= done[last + 1]) continue;
      done[last + 1] = end;
      begins[last + 1] = first;
    }
  }
  std::vector<int> first;
  for (std::size_t end = count; end > 0; end = begins[end]) first.push_back(static_cast<int>(begins[end]));
  std::reverse(first.begin(), first.end());
  return Plan(slices, first);
}

}  // namespace

constexpr PlannerEntry merged_planner = {
    .name = "mg-wfbp",
    .title = "Merged gradients",
    .paper = "mg-wfbp",
    .summary =
        "Measures the backward pass and the link, then merges a layer into the next message wherever the start-up it saves is worth "
        "the wait.",
    .parameters = {},
    .needs_profile = true,
    .make = make_merged};

constexpr PlannerEntry optimal_planner = {
    .name = "optimal",
    .title = "Optimal merging",
    .paper = "mg-wfbp",
    .summary = "Measures like mg-wfbp, then finds the grouping whose step is the shortest under the same model of the link.",
    .parameters = {},
    .needs_profile = true,
    .make = make_optimal};

}  // namespace syncline
