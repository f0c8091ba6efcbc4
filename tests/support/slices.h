// SPDX-License-Identifier: Apache-2.0
// Layers of an arena made up for a test.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/model/graph.h"

namespace syncline::test {

// "layer0", "layer1", ... of so many parameters, one behind the other.
inline std::vector<LayerSlice> slices_of(const std::vector<std::int64_t>& counts) {
  std::vector<LayerSlice> slices;
  std::int64_t offset = 0;
  for (const std::int64_t count : counts) {
    LayerSlice slice;
    slice.index = static_cast<int>(slices.size());
    slice.name = "layer" + std::to_string(slices.size());
    slice.offset = offset;
    slice.count = count;
    slices.push_back(slice);
    offset += count;
  }
  return slices;
}

}  // namespace syncline::test
