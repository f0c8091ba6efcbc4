// SPDX-License-Identifier: Apache-2.0
// The fusion buffer (MG-WFBP, "Baselines": fixed threshold, as in Horovod): slices join a group until it has reached a size.
#include "engine/plan/planners.h"

namespace syncline {

namespace {

constexpr Parameter parameters[] = {{.key = "threshold_bytes",
                                     .help = "A group of gradients is sent when it has reached this size; 0 sends every layer alone.",
                                     .kind = Parameter::size,
                                     .initial = std::string_view("1 MiB"),
                                     .least = 0,
                                     .section = "Parameters (fusion_threshold_elems)",
                                     .unit = "bytes"}};

Plan make_threshold(std::span<const LayerSlice> slices, const Profile&, const Params& params) {
  const double threshold = params.real("threshold_bytes");
  std::vector<int> first;
  double bytes = threshold;  // closed: the first slice opens a group
  for (const LayerSlice& slice : slices) {
    if (bytes >= threshold) {
      first.push_back(slice.index);
      bytes = 0;
    }
    bytes += 4.0 * static_cast<double>(slice.count);
  }
  return Plan(slices, first);
}

}  // namespace

constexpr PlannerEntry threshold_planner = {
    .name = "threshold",
    .title = "Fusion buffer",
    .paper = "mg-wfbp",
    .summary = "Gradients gather until a group has reached a size, then leave: overlap with few start-ups, without measuring anything.",
    .parameters = parameters,
    .make = make_threshold};

}  // namespace syncline
