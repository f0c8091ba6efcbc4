// SPDX-License-Identifier: Apache-2.0
#include "engine/plan/plan.h"

#include <fmt/core.h>

#include <algorithm>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "engine/base/error.h"

namespace syncline {

Plan::Plan(std::span<const LayerSlice> slices, std::span<const int> first_slices) {
  const int count = static_cast<int>(slices.size());
  for (int i = 0; i < count; ++i) {
    const LayerSlice& slice = slices[static_cast<std::size_t>(i)];
    const std::int64_t expected =
        i == 0 ? slice.offset : slices[static_cast<std::size_t>(i) - 1].offset + slices[static_cast<std::size_t>(i) - 1].count;
    if (slice.index != i || slice.offset != expected) {
      throw UsageError(fmt::format("internal error: slice {} ('{}') is not the {}th of a gapless arena", slice.index, slice.name, i));
    }
  }
  if (count > 0 && (first_slices.empty() || first_slices.front() != 0)) throw UsageError("internal error: a plan must begin with slice 0");
  if (count == 0 && !first_slices.empty()) throw UsageError("internal error: a plan with groups for a model without parameters");
  group_of_.resize(slices.size());
  for (std::size_t g = 0; g < first_slices.size(); ++g) {
    const int first = first_slices[g], end = g + 1 < first_slices.size() ? first_slices[g + 1] : count;
    if (first >= end)
      throw UsageError(fmt::format("internal error: group {} of a plan begins at slice {} and ends before {}", g, first, end));
    Group group{.first = first, .last = end - 1, .offset = slices[static_cast<std::size_t>(first)].offset, .count = 0};
    for (int i = first; i < end; ++i) {
      group.count += slices[static_cast<std::size_t>(i)].count;
      group_of_[static_cast<std::size_t>(i)] = static_cast<int>(g);
    }
    groups_.push_back(group);
  }
}

GroupFill::GroupFill(const Plan& plan) : plan_(&plan) {
  for (const Group& group : plan.groups()) missing_.push_back(group.last - group.first + 1);
}

int GroupFill::add(const LayerSlice& slice) {
  const int number = plan_->group_of(slice);
  int& missing = missing_[static_cast<std::size_t>(number)];
  if (--missing > 0) return -1;
  const Group& group = plan_->groups()[static_cast<std::size_t>(number)];
  missing = group.last - group.first + 1;
  return number;
}

std::vector<int> Plan::first_slices() const {
  std::vector<int> first;
  for (const Group& group : groups_) first.push_back(group.first);
  return first;
}

std::uint64_t Plan::hash() const {
  std::vector<std::int64_t> content;
  for (const Group& group : groups_) {
    content.insert(content.end(), {group.first, group.last, group.offset, group.count});
  }
  return XXH3_64bits(content.data(), content.size() * sizeof(std::int64_t));
}

// R(k) = forward + backward up to the last slice of group k; start(k) = max(R(k), end(k - 1)); end(k) = start(k) + T(bytes).
Timeline timeline(const Plan& plan, std::span<const LayerSlice> slices, const Profile& profile) {
  if (profile.backward_s.size() != slices.size()) {
    throw UsageError(fmt::format("internal error: a profile of {} slices for a model of {}", profile.backward_s.size(), slices.size()));
  }
  Timeline line;
  double ready = profile.forward_s, channel = 0;
  std::size_t next = 0;
  for (const Group& group : plan.groups()) {
    for (; next <= static_cast<std::size_t>(group.last); ++next) ready += profile.backward_s[next];
    const double bytes = 4.0 * static_cast<double>(group.count);
    const LinkCost& cost = profile.allreduce;
    const double transfer = group.count == 0 ? 0 : cost.latency_s + (cost.per_byte_s + cost.add_per_byte_s) * bytes;
    const double start = std::max(ready, channel);
    channel = start + transfer;
    line.groups.push_back({.ready_s = ready, .start_s = start, .end_s = channel});
  }
  line.backward_end_s = ready;
  line.exposed_s = std::max(0.0, channel - ready);
  line.step_s = ready + line.exposed_s + profile.update_s;
  return line;
}

}  // namespace syncline
