// SPDX-License-Identifier: Apache-2.0
// Broadcast along a binomial tree and the dissemination barrier.
#include <algorithm>

#include "engine/comm/schedules/builder.h"

namespace syncline {

using namespace schedule_detail;

CollectiveSchedule tree_broadcast(const ScheduleRequest& request) {
  Builder builder(request);
  const int size = request.size, place = (request.rank - request.root + size) % size;  // 0: the root
  int lowest = 1;  // the lowest set bit of my place; the root's is above all others
  while (lowest < size && (place & lowest) == 0) lowest <<= 1;
  const auto rank_at = [&](int other) { return (other + request.root) % size; };
  const Part all{0, request.count};
  const int chunks = chunk_count(all, request.chunk);
  std::vector<int> recent(static_cast<std::size_t>(chunk_window), Builder::none);
  std::vector<std::vector<int>> sent(static_cast<std::size_t>(chunk_window));
  for (int c = 0; c < chunks; ++c) {
    const Chunk chunk = chunk_of(all, c, request.chunk);
    const auto position = static_cast<std::size_t>(c % chunk_window);
    int arrived = Builder::none;
    if (place != 0) {
      arrived = recent[position] = builder.receive(rank_at(place - lowest), c, at_output(chunk.offset), chunk.count, {recent[position]});
    }
    std::size_t child = 0;
    for (int bit = lowest >> 1; bit >= 1; bit >>= 1) {  // the largest subtree first
      if (place + bit >= size) continue;
      if (sent[position].size() <= child) sent[position].push_back(Builder::none);
      int& before = sent[position][child++];
      before = builder.send(rank_at(place + bit), c, at_output(chunk.offset), chunk.count, {arrived, before});
    }
  }
  return builder.take();
}

CollectiveSchedule dissemination_barrier(const ScheduleRequest& request) {
  Builder builder(request);
  int sent = Builder::none, received = Builder::none, round = 0;
  for (int distance = 1; distance < request.size; distance <<= 1, ++round) {
    const int to = (request.rank + distance) % request.size, from = (request.rank - distance + request.size) % request.size;
    const int next = builder.send(to, round, at_output(0), 0, {sent, received});
    received = builder.receive(from, round, at_output(0), 0, {received});
    sent = next;
  }
  return builder.take();
}

}  // namespace syncline
