// SPDX-License-Identifier: Apache-2.0
// Sums of squares in double over fixed lanes: the order of addition is in the code, so every instruction set gives the same bits.
#pragma once

#include <cstdint>

namespace syncline::rules {

inline constexpr int lanes = 16;  // enough independent sums to hide the latency of an addition with 256-bit registers

double sum_of_lanes(const double (&sums)[lanes]);
double sum_of_squares(const float* values, std::int64_t count);

}  // namespace syncline::rules
