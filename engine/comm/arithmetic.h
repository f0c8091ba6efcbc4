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

}  // namespace syncline
