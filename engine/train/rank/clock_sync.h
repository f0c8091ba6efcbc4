// SPDX-License-Identifier: Apache-2.0
// How the clocks of the ranks stand to rank 0's. Ranks of one kernel share CLOCK_MONOTONIC: offset 0. For another host's, ping-pong.
#pragma once

#include <string>
#include <vector>

#include "engine/comm/communicator.h"
#include "engine/metrics/clock_offset.h"

namespace syncline {

// Collective, while nothing else travels (at the start, at boundaries). `boots`: boot id of every rank. The same offsets, one a rank, on
// every rank. `always`: measure ranks of one kernel too (tests: the estimate must be 0 within its own bound).
std::vector<ClockOffset> measure_clocks(Communicator&, const std::vector<std::string>& boots, int exchanges = 50, bool always = false);

}  // namespace syncline
