// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <string>

#include "engine/base/error.h"
#include "engine/comm/orchestrations/entries.h"

namespace syncline {

namespace {

// The order of the backward pass is the same everywhere, or the plan's is kept to (Reduce::order): there is nothing to agree on.
constexpr OrchestrationEntry static_entry = {
    .name = "static",
    .title = "Fixed order",
    .paper = "",
    .summary = "Buckets are sent in the order of the plan, which every rank knows beforehand; one that is early waits for its turn.",
    .parameters = {}};

}  // namespace

std::span<const OrchestrationEntry> orchestrations() {
  static const OrchestrationEntry entries[] = {static_entry, bitvector_entry, coordinator_entry};
  return entries;
}

const OrchestrationEntry& orchestration(std::string_view name) {
  std::string known;
  for (const OrchestrationEntry& entry : orchestrations()) {
    if (entry.name == name) return entry;
    known += (known.empty() ? "" : ", ") + std::string(entry.name);
  }
  throw ConfigError(fmt::format("there is no orchestration called '{}'; known are {}", name, known),
                    {.file = "", .key = "strategy.orchestration"});
}

ReleaseOptions release_options(const OrchestrationEntry& entry, const Params& given) {
  const Params options = with_defaults(entry.parameters, given.all());
  ReleaseOptions release{.entry = &entry, .setup = {}};
  if (entry.make == nullptr) return release;
  release.cycle_time_s = options.real("cycle_time");
  release.control_message_cost_s = options.real("control_message_cost");
  release.setup.stall_warning_s = options.real("stall_warning");
  release.setup.separate_groups = options.flag("separate_groups");
  if (options.has("fusion_threshold")) release.setup.fusion_threshold_bytes = options.real("fusion_threshold");
  if (options.has("cache_capacity")) release.setup.cache_capacity = options.integer("cache_capacity");
  return release;
}

}  // namespace syncline
