// SPDX-License-Identifier: Apache-2.0
#include "engine/metrics/clock_offset.h"

#include <algorithm>
#include <cmath>

namespace syncline {

std::optional<ClockOffset> estimate_offset(std::span<const PingPong> samples) {
  const PingPong* best = nullptr;
  for (const PingPong& sample : samples) {
    const double round_trip = sample.received_s - sample.sent_s;
    if (!(round_trip >= 0) || !std::isfinite(sample.remote_s)) continue;
    if (best == nullptr || round_trip < best->received_s - best->sent_s) best = &sample;
  }
  if (best == nullptr) return std::nullopt;
  // Halves first: sent + received of clocks that count from boot stay exact, but the sum of two large times would lose a bit.
  const double middle = best->sent_s + (best->received_s - best->sent_s) / 2;
  return ClockOffset{best->remote_s - middle, (best->received_s - best->sent_s) / 2, middle};
}

ClockOffset interpolate(const ClockOffset& before, const ClockOffset& after, double at_s) {
  if (at_s <= before.at_s || after.at_s <= before.at_s) return {before.offset_s, before.bound_s, at_s};
  if (at_s >= after.at_s) return {after.offset_s, after.bound_s, at_s};
  const double share = (at_s - before.at_s) / (after.at_s - before.at_s);
  return {before.offset_s + share * (after.offset_s - before.offset_s), std::max(before.bound_s, after.bound_s), at_s};
}

}  // namespace syncline
