// SPDX-License-Identifier: Apache-2.0
// How gradients are grouped into messages. A planner is a pure function; it runs on rank 0, its result is broadcast and its hash compared.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "engine/experiment/parameter.h"
#include "engine/model/vector.h"

namespace syncline {

struct LinkCost {
  double latency_s = 0, per_byte_s = 0, add_per_byte_s = 0;
};  // T(n) = latency_s + per_byte_s * n + ...

struct Profile {                   // measured once, agreed: bitwise the same on all ranks
  double forward_s = 0;            // whole forward
  std::vector<double> backward_s;  // per slice index, layers without parameters charged to the next slice
  double update_s = 0;
  LinkCost allreduce;  // fitted at this world size and with this schedule
};

class Plan {  // covers every slice once, groups adjacent and ascending
 public:
  Plan() = default;
  // first_slices: index of the first slice of each group, ascending from 0. Throws UsageError otherwise.
  Plan(std::span<const LayerSlice> slices, std::span<const int> first_slices);
  std::span<const Group> groups() const { return groups_; }
  int group_of(const LayerSlice& slice) const { return group_of_[static_cast<std::size_t>(slice.index)]; }
  std::vector<int> first_slices() const;  // of each group: what the constructor takes
  std::uint64_t hash() const;

 private:
  std::vector<Group> groups_;
  std::vector<int> group_of_;
};

// Which groups are complete while a step's slices become final, in whatever order they do.
class GroupFill {
 public:
  explicit GroupFill(const Plan&);
  // The group that this slice completes, -1 for none. A complete group begins again with its next slice.
  int add(const LayerSlice&);

 private:
  const Plan* plan_;
  std::vector<int> missing_;  // slices of each group
};

struct PlannerEntry {
  std::string_view name, title, paper, summary;
  std::span<const Parameter> parameters;
  bool needs_profile = false;
  Plan (*make)(std::span<const LayerSlice>, const Profile&, const Params&) = nullptr;
};
std::span<const PlannerEntry> planners();            // one line an entry in registry.cpp
const PlannerEntry& planner(std::string_view name);  // ConfigError for an unknown name

// The recurrence of wait-free backpropagation (MG-WFBP, "Timeline recurrences"): one channel, first in first out.
// sent_at: start and end of each group's exchange, from the step's start; step_s without update = end of the last of backward and exchange.
struct Timeline {
  struct Exchange {
    double ready_s, start_s, end_s;
  };
  std::vector<Exchange> groups;
  double backward_end_s = 0, step_s = 0, exposed_s = 0;
};
Timeline timeline(const Plan&, std::span<const LayerSlice>, const Profile&);

}  // namespace syncline
