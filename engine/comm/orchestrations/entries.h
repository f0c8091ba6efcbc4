// SPDX-License-Identifier: Apache-2.0
// The orchestrations: one file each, one line here and one in registry.cpp; and the keys that the negotiated ones share.
#pragma once

#include "engine/comm/orchestrations/policy.h"

namespace syncline {

extern const OrchestrationEntry bitvector_entry;
extern const OrchestrationEntry coordinator_entry;

inline constexpr Parameter cycle_time_key = {
    .key = "cycle_time",
    .symbol = "T_cycle",
    .help = "How often the ranks look for what is ready on all of them; 0: one cycle after the other.",
    .kind = Parameter::duration,
    .initial = std::string_view("1 ms"),
    .least = 0,
    .most = 60,
    .section = "Parameters",
    .unit = "s"};
inline constexpr Parameter control_message_cost_key = {
    .key = "control_message_cost",
    .help = "Time that a rank spends on each control message it sends or gets, so that few ranks cost what many do.",
    .kind = Parameter::duration,
    .initial = 0.0,
    .least = 0,
    .most = 1,
    .advanced = true,
    .section = "Reproduction at small scale",
    .unit = "s"};
inline constexpr Parameter stall_warning_key = {
    .key = "stall_warning",
    .help = "After which time a bucket that is ready on some ranks only is reported, with its name and theirs.",
    .kind = Parameter::duration,
    .initial = std::string_view("60 s"),
    .least = 0.001,
    .most = 86400,
    .advanced = true,
    .section = "Parameters",
    .unit = "s"};
inline constexpr Parameter separate_groups_key = {
    .key = "separate_groups",
    .help =
        "Each bucket of the plan is a message of its own; otherwise those released together are merged, and which they are depends on "
        "timing.",
    .kind = Parameter::flag,
    .initial = true,
    .section = "Grouping"};
inline constexpr Parameter fusion_threshold_key = {.key = "fusion_threshold",
                                                   .help = "Largest message that buckets are merged into; 0 merges none.",
                                                   .kind = Parameter::size,
                                                   .initial = std::string_view("128 MiB"),
                                                   .least = 0,
                                                   .most = 1e12,
                                                   .section = "Grouping",
                                                   .unit = "bytes",
                                                   .only_if = "separate_groups = false"};

}  // namespace syncline
