// SPDX-License-Identifier: Apache-2.0
// Fixed groups by place in the network (Exascale Deep Learning for Scientific Inverse Problems, "Grouping"): the messages are the same in
// every step, large enough to be worth their start and small enough to leave under the backward pass.
#include <algorithm>

#include "engine/plan/planners.h"

namespace syncline {

namespace {

constexpr std::string_view groupings[] = {"layer", "count", "bytes", "list"};
constexpr Parameter parameters[] = {{.key = "grouping",
                                     .help = "layer: the gradients of one layer travel together; count: groups of equally many gradients; "
                                             "bytes: groups of about equal size; list: as `sizes` says.",
                                     .kind = Parameter::choice,
                                     .initial = std::string_view("layer"),
                                     .section = "Grouping",
                                     .choices = groupings},
                                    {.key = "groups",
                                     .symbol = "G",
                                     .help = "At most how many groups; 1 sends everything after the backward pass.",
                                     .kind = Parameter::integer,
                                     .initial = std::int64_t{4},
                                     .least = 1,
                                     .most = 1e6,
                                     .section = "Grouping",
                                     .only_if = "grouping = count | bytes"},
                                    {.key = "sizes",
                                     .help = "How many gradients each group has, from the loss on; one more group takes what is left.",
                                     .kind = Parameter::list,
                                     .initial = std::string_view("[1]"),
                                     .least = 1,
                                     .most = 1e6,
                                     .section = "Grouping",
                                     .only_if = "grouping = list"}};

std::vector<int> by_layer(std::span<const LayerSlice> slices) {
  std::vector<int> first;
  for (const LayerSlice& slice : slices) {
    const auto k = static_cast<std::size_t>(slice.index);
    if (k == 0 || slice.layer < 0 || slice.layer != slices[k - 1].layer) first.push_back(slice.index);
  }
  return first;
}

std::vector<int> by_count(std::span<const LayerSlice> slices, std::int64_t groups) {
  const auto n = static_cast<std::int64_t>(slices.size()), each = (n + groups - 1) / groups;
  std::vector<int> first;
  for (std::int64_t k = 0; k < n; k += each) first.push_back(static_cast<int>(k));
  return first;
}

// Closed before a slice that would make it larger than `most` elements.
std::vector<int> up_to(std::span<const LayerSlice> slices, std::int64_t most) {
  std::vector<int> first;
  std::int64_t held = 0;
  for (const LayerSlice& slice : slices) {
    if (first.empty() || held + slice.count > most) {
      first.push_back(slice.index);
      held = 0;
    }
    held += slice.count;
  }
  return first;
}

// The smallest largest group that so many groups allow.
std::vector<int> by_bytes(std::span<const LayerSlice> slices, std::int64_t groups) {
  std::int64_t low = 0, high = 0;
  for (const LayerSlice& slice : slices) {
    low = std::max(low, slice.count);
    high += slice.count;
  }
  while (low < high) {
    const std::int64_t middle = low + (high - low) / 2;
    if (static_cast<std::int64_t>(up_to(slices, middle).size()) <= groups)
      high = middle;
    else
      low = middle + 1;
  }
  return up_to(slices, low);
}

std::vector<int> by_list(std::span<const LayerSlice> slices, const std::vector<std::int64_t>& sizes) {
  const auto n = static_cast<std::int64_t>(slices.size());
  std::vector<int> first = {0};
  std::int64_t at = 0;
  for (const std::int64_t size : sizes) {
    at += std::min(size, n - at);
    if (at == n) break;
    first.push_back(static_cast<int>(at));
  }
  return first;
}

Plan make_grouped(std::span<const LayerSlice> slices, const Profile&, const Params& params) {
  const std::string& grouping = params.choice("grouping");
  if (grouping == "layer") return Plan(slices, by_layer(slices));
  if (grouping == "list") return Plan(slices, by_list(slices, params.integers("sizes")));
  const std::int64_t groups = params.integer("groups");
  return Plan(slices, grouping == "count" ? by_count(slices, groups) : by_bytes(slices, groups));
}

}  // namespace

constexpr PlannerEntry grouped_planner = {
    .name = "grouped",
    .title = "Fixed groups",
    .paper = "bitvector-allreduce",
    .summary = "Groups by layer, by number or by size, the same in every step and without measuring anything.",
    .parameters = parameters,
    .make = make_grouped};

}  // namespace syncline
