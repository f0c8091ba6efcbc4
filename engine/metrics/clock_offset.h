// SPDX-License-Identifier: Apache-2.0
// How another host's monotonic clock stands to ours, from ping-pong exchanges (Cristian's method), with a bound on the error.
#pragma once

#include <optional>
#include <span>

namespace syncline {

struct PingPong {
  double sent_s = 0, received_s = 0;  // our clock: request sent, answer received
  double remote_s = 0;                // their clock, read between
};

struct ClockOffset {
  double offset_s = 0;  // their clock minus ours
  double bound_s = 0;   // |true offset - offset_s| <= bound_s: half the shortest round trip
  double at_s = 0;      // our clock
};

// From the sample with the shortest round trip. nullopt without a usable sample (received before sent does not count).
std::optional<ClockOffset> estimate_offset(std::span<const PingPong>);

// The offset at a time between two estimates (crystals drift): linear in between, the nearer one outside; the bound is the larger of the
// two.
ClockOffset interpolate(const ClockOffset& before, const ClockOffset& after, double at_s);

}  // namespace syncline
