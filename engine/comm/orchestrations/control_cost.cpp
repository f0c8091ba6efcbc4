// SPDX-License-Identifier: Apache-2.0
#include "engine/comm/orchestrations/control_cost.h"

#include <cmath>

namespace syncline {

std::int64_t bit_words(std::int64_t tensors) { return (3 + tensors + 63) / 64; }

int bit_rounds(int ranks) {
  int rounds = 0;
  while ((std::int64_t{1} << rounds) < ranks) ++rounds;
  return rounds;
}

double bits_cost_s(const ControlCost& cost, std::int64_t tensors) {
  if (cost.ranks < 2) return 0;
  const double bytes = 8.0 * static_cast<double>(bit_words(tensors));
  return 2 * std::log2(cost.ranks) * (cost.latency_s + bytes * cost.per_byte_s) + static_cast<double>(tensors) * cost.bit_s +
         2 * bit_rounds(cost.ranks) * cost.message_cost_s;
}

double root_cost_s(const ControlCost& cost, double requests, double bytes) {
  if (cost.ranks < 2) return 0;
  const double others = cost.ranks - 1;
  // A report is handled where it leaves and an answer where it arrives, beside the root's 2 (N-1) messages.
  return 2 * others * (cost.latency_s + bytes * cost.per_byte_s) + cost.ranks * requests * cost.parse_s +
         (2 * others + 2) * cost.message_cost_s;
}

}  // namespace syncline
