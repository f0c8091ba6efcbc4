// SPDX-License-Identifier: Apache-2.0
// The library's own primitives, alone and in the fastest format that it offers: the limit that our operations are held against. One thread,
// arguments of their own. No oneDNN header here: whoever includes this measures and does not compute.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "kernels/backend.h"

namespace syncline {

struct BareOperation {
  std::string name;  // the library's name of the implementation
  std::function<void()> run;
};

// Candidates for each of our operations, to be timed in turn. Empty where the library has none or where we never call it.
struct BareOperations {
  std::vector<BareOperation> forward, backward_weights, backward_input;  // without parameters: the whole backward is backward_input
};

class BareLibrary {
 public:
  BareLibrary();
  ~BareLibrary();
  // The operations use this object while they run.
  BareOperations conv(std::int64_t rows, const ConvSpec&);
  BareOperations linear(std::int64_t rows, const LinearSpec&);
  BareOperations batch_norm(std::int64_t rows, const BatchNormSpec&);
  BareOperations pool(std::int64_t rows, const PoolSpec&);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace syncline
