// SPDX-License-Identifier: Apache-2.0
// Which buffer holds what and when: activations live from the layer that writes them to their last reader in the backward pass, gradients
// from their first contribution to the layer that consumes them; buffers of disjoint lives share memory. Pure: no backend.
//
// Time counts from 0: node i's forward at i, the loss at n, node i's backward at 2n - i. Lives are inclusive at both ends.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/model/structure.h"

namespace syncline {

struct MemoryPlan {
  struct Buffer {
    std::int64_t elements = 0;  // per sample
    int start = 0, end = 0;
    std::int64_t offset = 0;  // in the pool, for max_rows samples; 64-byte aligned
  };
  struct Sum {
    int a, b, out;
    std::int64_t elements;
  };                     // buffers: out = a + b, in the order in which contributions arrive
  struct Backward {      // of one node; buffers, -1: none
    bool run = false;    // false: nothing to compute (no parameters and no gradient asked for, or a gradient passed on)
    int copy_from = -1;  // copied to out_gradient first: the layer overwrites it while others still read the original
    int out_gradient = -1;
    std::vector<int> in_gradients;
    std::vector<Sum> sums;  // afterwards: gradients of values with several readers
  };
  std::vector<Buffer> buffers;
  std::vector<int> storage;        // of each value; -1: the caller's memory (the model's input and views of it)
  std::vector<Backward> backward;  // of each node
  int loss_gradient = -1;
  std::int64_t pool = 0;  // elements for max_rows samples
};

MemoryPlan plan_memory(const Structure&, std::int64_t max_rows);

}  // namespace syncline
