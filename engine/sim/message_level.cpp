// SPDX-License-Identifier: Apache-2.0
#include "engine/sim/message_level.h"

#include <fmt/core.h>

#include <numeric>

#include "engine/base/error.h"
#include "engine/sim/moves_run.h"

namespace syncline {

MessageLevel allreduce_by_messages(const ScheduleEntry& entry, const Params& options, int size, std::int64_t count, std::int64_t chunk,
                                   const Wire& wire) {
  if (entry.build == nullptr) throw UsageError(fmt::format("internal error: '{}' has no schedule to simulate", entry.name));
  EventQueue events;
  Network network(events, size, wire);
  std::vector<int> ranks(static_cast<std::size_t>(size));
  std::iota(ranks.begin(), ranks.end(), 0);
  std::vector<MovesRun::Member> members;
  for (int rank = 0; rank < size; ++rank) {
    members.push_back(std::make_shared<PreparedMoves>(
        entry.build({.rank = rank, .size = size, .count = count, .chunk = chunk, .options = &options}).moves));
  }
  MessageLevel result;
  const auto run = std::make_shared<MovesRun>(events, network, ranks, std::move(members), [&](int) { result.seconds = events.now_s(); });
  for (const int rank : ranks) run->begin(rank);
  while (!events.empty()) events.happen();
  if (run->left() > 0) throw UsageError(fmt::format("internal error: a schedule stops with {} moves left", run->left()));
  result.messages = network.messages();
  result.bytes = static_cast<std::int64_t>(network.bytes_sent());
  return result;
}

}  // namespace syncline
