// SPDX-License-Identifier: Apache-2.0
// Wait-free backpropagation (MG-WFBP, "Baselines"): every slice leaves as soon as its gradient is final.
#include <numeric>

#include "engine/plan/planners.h"

namespace syncline {

namespace {

Plan make_wfbp(std::span<const LayerSlice> slices, const Profile&, const Params&) {
  std::vector<int> first(slices.size());
  std::iota(first.begin(), first.end(), 0);
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
