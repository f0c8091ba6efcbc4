// SPDX-License-Identifier: Apache-2.0
// The passes of one rank. The trainer owns steps, boundaries and faults; the task owns forward and backward.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "engine/base/state.h"
#include "engine/data/dataset.h"
#include "engine/model/graph.h"
#include "engine/model/vector.h"

namespace syncline {

struct Layout {
  int replica = 0, within = 0;
};  // colours: ranks of equal `within` form "data", of equal `replica` form "pipe"

class Task {  // supervised | emulated | modelled | pipeline | ...
 public:
  virtual ~Task() = default;
  virtual std::vector<Layout> layout(int workers) const = 0;  // plain data parallel: { {r, 0} ... }
  virtual std::span<const LayerSlice> slices() const = 0;
  virtual std::int64_t statistic_count() const = 0;
  struct Bound {
    View params, grads, statistics;
  };  // statistics: batch-norm running values
  virtual void initialise(const Bound&, std::uint64_t seed) = 0;
  struct StepResult {
    double loss_sum = 0;
    std::int64_t correct = 0, samples = 0, global_samples = 0;
  };
  // One step: all micro-batches of the next batch; fires every hook exactly once per slice. grads: MEAN over this rank's samples.
  virtual StepResult compute(const Bound&, Loader&, std::int64_t step, Hooks&) = 0;
  virtual LossSums evaluate(const Bound&, Loader&) = 0;  // one epoch of this rank's share
  virtual void save(StateWriter&) const {}
  virtual void load(StateReader&) {}
};

class ComputeGate {  // a lease on the processor shared by several jobs; the default does nothing
 public:
  virtual ~ComputeGate() = default;
  virtual void take() {}
  virtual void give() {}
};

}  // namespace syncline
