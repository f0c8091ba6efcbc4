// SPDX-License-Identifier: Apache-2.0
// One collective message by message: the schedules of all ranks run on a virtual clock over cards that send and receive one message at a
// time, each direction for itself. Slower than the closed forms (engine/comm/schedules), and right for any schedule.
#pragma once

#include <cstdint>

#include "engine/comm/schedules/schedule.h"
#include "engine/sim/network.h"

namespace syncline {

struct MessageLevel {
  double seconds = 0;         // until the last rank has finished
  std::int64_t messages = 0;  // of all ranks
  std::int64_t bytes = 0;
};

// Allreduce of `count` elements in chunks of at most `chunk` elements over `size` ranks that start together. `options` as in
// ScheduleRequest. Throws UsageError for an entry without a schedule, or one that dead-locks.
MessageLevel allreduce_by_messages(const ScheduleEntry&, const Params& options, int size, std::int64_t count, std::int64_t chunk,
                                   const Wire&);

}  // namespace syncline
