// SPDX-License-Identifier: Apache-2.0
// Which times of a run are those of a machine that was not there: how every table, plot and command calls it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/store/records.h"

namespace syncline {

struct ClusterSpec;
struct Summary;

// The words of RunInfo::emulated. Paced compute is emulated compute whose arithmetic is done.
inline constexpr std::string_view emulated_link = "link", emulated_compute = "compute", paced_compute = "paced";
std::vector<std::string> emulation_words(const ClusterSpec&);

bool is_paced(const RunInfo&);
bool has_no_arithmetic(const RunInfo&);  // emulated compute: no loss, no accuracy
// "paced compute, emulated link"; empty: everything was real.
std::string emulation_text(const RunInfo&);

// Above this share of overrun steps, times of a paced or emulated run say more about the machine than about the run, and are not given.
inline constexpr double overrun_limit = 0.02;
// Why a run has no times: one sentence.
std::optional<std::string> times_withheld(const Summary&);

}  // namespace syncline
