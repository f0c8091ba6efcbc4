// SPDX-License-Identifier: Apache-2.0
// The planners, one file each and one line in registry.cpp.
#pragma once

#include "engine/plan/plan.h"

namespace syncline {

extern const PlannerEntry single_planner;     // the whole gradient in one message, after the backward pass
extern const PlannerEntry wfbp_planner;       // one message per slice
extern const PlannerEntry threshold_planner;  // a group closes when it has reached threshold_bytes
extern const PlannerEntry merged_planner;     // mg-wfbp: the paper's merge rule on measured times
extern const PlannerEntry optimal_planner;    // the shortest step under the same model
extern const PlannerEntry grouped_planner;    // fixed groups: by layer, number or size

}  // namespace syncline
