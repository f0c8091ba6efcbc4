// SPDX-License-Identifier: Apache-2.0
// The ring (engine notes 3.2): p-1 steps in which each part travels once round, gathering a rank's contribution at each stop, and p-1 more
// in which the sums travel round. 2(p-1)/p of the vector per rank: no allreduce sends less. Chunks of a part follow each other through the
// steps, so that adding a chunk hides behind the next one's transfer.
#include "engine/comm/schedules/flow.h"

namespace syncline {

using namespace schedule_detail;

CollectiveSchedule ring_allreduce(const ScheduleRequest& request) {
  const int rank = request.rank, size = request.size, right = (rank + 1) % size, left = (rank + size - 1) % size;
  const Part largest = part_of(0, size, request.count);
  const int chunks = chunk_count(largest, request.chunk);
  Flow flow(request, chunk_window, std::min(request.chunk, largest.count));
  for (int step = 0; step < 2 * (size - 1); ++step) {
    const bool adding = step < size - 1;
    const Part leaving = part_of((rank - step + 2 * size) % size, size, request.count),
               coming = part_of((rank - step - 1 + 2 * size) % size, size, request.count);
    for (int c = 0; c < chunks; ++c) {
      const int channel = step * chunks + c;
      if (c < chunk_count(leaving, request.chunk)) {
        const Chunk chunk = chunk_of(leaving, c, request.chunk);
        flow.send(right, channel, chunk.offset, chunk.count);
      }
      if (c >= chunk_count(coming, request.chunk)) continue;
      const Chunk chunk = chunk_of(coming, c, request.chunk);
      if (adding) {
        flow.receive_add(left, channel, chunk.offset, chunk.count);
      } else {
        flow.receive(left, channel, chunk.offset, chunk.count);
      }
    }
  }
  return flow.take();
}

Traffic ring_traffic(const ScheduleRequest& request) {
  Traffic sent;
  for (int step = 0; step < 2 * (request.size - 1); ++step)
    sent += traffic_of(part_of((request.rank - step + 2 * request.size) % request.size, request.size, request.count), request.chunk);
  return sent;
}

double ring_cost(const ScheduleCost& c) {
  if (c.size <= 1) return 0;
  const double share = c.bytes / c.size, steps = c.size - 1;
  return 2 * steps * (c.alpha_s + share * c.beta_s) + steps * share * c.gamma_s;
}

}  // namespace syncline
