// SPDX-License-Identifier: Apache-2.0
// What agreeing on an order costs (Bitvector allreduce, "Control cost, for the simulator"): closed forms of the two kinds of round.
#pragma once

#include <cstdint>

namespace syncline {

struct ControlCost {
  int ranks = 1;
  double latency_s = 0, per_byte_s = 0;  // alpha and beta of the link
  double message_cost_s = 0;             // of each control message that a rank handles (orchestration_options.control_message_cost)
  double parse_s = 1e-6, bit_s = 1e-9;   // t_parse of one request at the root; t_bit of one bit on every rank
};

inline constexpr double request_bytes = 100;  // about what one request takes on its way: r of the card

std::int64_t bit_words(std::int64_t tensors);  // W = ceil((3 + n) / 64): words of 64 bits for the status bits and n tensors
int bit_rounds(int ranks);                     // ceil(log2 N) exchanges, in each of which a rank sends one message and gets one

// One all-reduce of the bits of `tensors` tensors: 2 log2(N) (alpha + 8 W beta) + n t_bit.
double bits_cost_s(const ControlCost&, std::int64_t tensors);
// Reports to the root and its answers: 2 (N-1) (alpha + q r beta) + N q t_parse, q requests of `bytes` = q r in all from each rank.
double root_cost_s(const ControlCost&, double requests, double bytes);

}  // namespace syncline
