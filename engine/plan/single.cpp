// SPDX-License-Identifier: Apache-2.0
// The packed single message (called SyncEASGD in MG-WFBP, "Baselines"): one start-up, no overlap.
#include "engine/plan/planners.h"

namespace syncline {

namespace {

Plan make_single(std::span<const LayerSlice> slices, const Profile&, const Params&) {
  if (slices.empty()) return {};
  const int first[] = {0};
  return Plan(slices, first);
}

}  // namespace

constexpr PlannerEntry single_planner = {
    .name = "single",
    .title = "One message",
    .paper = "mg-wfbp",
    .summary = "The whole gradient in one message after the backward pass: fewest start-ups, nothing overlaps.",
    .parameters = {},
    .make = make_single};

}  // namespace syncline
