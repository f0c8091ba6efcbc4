// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <string>

#include "engine/base/error.h"
#include "engine/plan/planners.h"

namespace syncline {

std::span<const PlannerEntry> planners() {
  static const PlannerEntry entries[] = {
      single_planner, wfbp_planner, threshold_planner, merged_planner, optimal_planner, grouped_planner,
  };
  return entries;
}

const PlannerEntry& planner(std::string_view name) {
  std::string known;
  for (const PlannerEntry& entry : planners()) {
    if (entry.name == name) return entry;
    known += (known.empty() ? "" : ", ") + std::string(entry.name);
  }
  throw ConfigError(fmt::format("there is no plan called '{}'; known are {}", name, known), {.file = "", .key = "strategy.plan"});
}

}  // namespace syncline
