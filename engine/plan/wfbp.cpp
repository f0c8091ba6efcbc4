// SPDX-License-Identifier: Apache-2.0
// Wait-free backpropagation (MG-WFBP, "Baselines"): every layer leaves as soon as its gradient is final.
#include <vector>

#include "engine/plan/planners.h"

namespace syncline {

namespace {

Plan make_wfbp(std::span<const LayerSlice> slices, const Profile&, const Params&) {
  std::vector<int> first;
  for (std::size_t i = 0; i < slices.size(); ++i) {
    // A layer's weight and bias become final together: a second message would only add a start-up.
    const bool with_previous = i > 0 && slices[i].layer >= 0 && slices[i].layer == slices[i - 1].layer;
    if (!with_previous) first.push_back(static_cast<int>(i));
  }
  return Plan(slices, first);
}

}  // namespace

constexpr PlannerEntry wfbp_planner = {
    .name = "wfbp",
    .title = "Layer by layer",
    .paper = "mg-wfbp",
    .summary = "Wait-free backpropagation: every layer's gradient is sent as soon as it is final; most overlap, most start-ups.",
    .parameters = {},
    .make = make_wfbp};

}  // namespace syncline
