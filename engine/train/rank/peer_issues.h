// SPDX-License-Identifier: Apache-2.0
// Telling waiting for a late peer from transfer needs the peers' issue times (engine notes 2.2). They travel in the control word: of the
// step that was accounted last, one issue time and one duration per exchange, on rank 0's clock.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "engine/metrics/accounting.h"

namespace syncline {

inline constexpr std::size_t most_peer_exchanges = 64;  // of one step; a step with more is not separated

std::size_t peer_issue_bytes(std::size_t exchanges);  // of a word's part with room for so many
// What this rank tells; `offset_s`: its clock minus rank 0's. A null trace, or one with more exchanges than fit, tells that nothing is
// known.
void pack_issues(const StepTrace*, double offset_s, std::span<std::byte> to);

struct PeerIssues {
  std::int64_t step = -1;
  LastIssues last;         // by sequence, on this rank's clock
  bool estimated = false;  // from durations: the clocks are less certain than the waits
};
// From all ranks' parts. nullopt: not of one step, or not known somewhere. `bound_s`: how wrong the clocks may be.
std::optional<PeerIssues> combine_issues(std::span<const std::span<const std::byte>> parts, int rank, double offset_s, double bound_s);

}  // namespace syncline
