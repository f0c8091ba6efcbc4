// SPDX-License-Identifier: Apache-2.0
// The arithmetic of reductions, at memory bandwidth on one core.
#pragma once

#include <cstdint>

#include "engine/comm/communicator.h"

namespace syncline {

// into[i] = from[i] op into[i]. sum and max on floats (max keeps a NaN of either side), bit_and on the 32 bits of each element.
void combine(Op op, const float* from, float* into, std::int64_t count);
// into[i] = factor * from[i]; from == into is allowed.
void scale_copy(float factor, const float* from, float* into, std::int64_t count);

// What an element is on its way between ranks; in memory it is fp32.
enum class WireFormat : std::uint8_t { fp32, fp16, bf16 };
inline std::int64_t bytes_of(WireFormat format) { return format == WireFormat::fp32 ? 4 : 2; }
// To 16 bits, rounded to the nearest, ties to even, and back, which is exact. NaN stays NaN; fp16 becomes infinite from 65520 on.
void encode(WireFormat, const float* from, std::uint16_t* into, std::int64_t count);
void decode(WireFormat, const std::uint16_t* from, float* into, std::int64_t count);

}  // namespace syncline
