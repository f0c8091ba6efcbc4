// SPDX-License-Identifier: Apache-2.0
#include "engine/sim/sim_costs.h"

#include <algorithm>
#include <bit>

namespace syncline {
namespace {

double levels_of(int size) { return static_cast<double>(std::bit_width(static_cast<unsigned>(size - 1))); }

// The most that one member sends or receives of byte strings, its own left out.
double busiest_bytes(const SimCollective& all) {
  const std::size_t size = all.parts.size();
  std::vector<double> sent(size), received(size);
  double to_everybody = 0;
  for (std::size_t from = 0; from < size; ++from) {
    const auto& strings = all.parts[from].strings;
    if (all.shape.root == 0) {  // one string for all
      const auto bytes = static_cast<double>(strings[0].size());
      sent[from] = bytes * static_cast<double>(size - 1);
      received[from] = -bytes;
      to_everybody += bytes;
      continue;
    }
    for (std::size_t to = 0; to < size; ++to) {
      if (to == from) continue;
      sent[from] += static_cast<double>(strings[to].size());
      received[to] += static_cast<double>(strings[to].size());
    }
  }
  double most = 0;
  for (std::size_t member = 0; member < size; ++member) most = std::max({most, sent[member], received[member] + to_everybody});
  return most;
}

}  // namespace

// What the schedules of engine/comm do.
double closed_form_s(const SimCollective& all, const Wire& wire) {
  const int size = static_cast<int>(all.parts.size());
  if (size == 1) return 0;
  const double bytes = 4.0 * static_cast<double>(all.shape.count), share = (size - 1.0) / size * bytes;
  switch (all.shape.kind) {
    case CollectiveShape::reduce:
      return wire.latency_s + (size - 1) * bytes * (wire.per_byte_s + wire.add_per_byte_s);
    case CollectiveShape::broadcast:
      return levels_of(size) * (wire.latency_s + bytes * wire.per_byte_s);
    case CollectiveShape::reduce_scatter:
      return wire.latency_s + share * (wire.per_byte_s + wire.add_per_byte_s);
    case CollectiveShape::allgather:
      return wire.latency_s + share * wire.per_byte_s;
    case CollectiveShape::barrier:
      return levels_of(size) * wire.latency_s;
    case CollectiveShape::bytes:  // root 0: one string for all, 1: one for each; lengths travel first
      return 2 * wire.latency_s + busiest_bytes(all) * wire.per_byte_s;
    case CollectiveShape::allreduce:
      break;
  }
  return 0;
}

}  // namespace syncline
