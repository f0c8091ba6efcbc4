// SPDX-License-Identifier: Apache-2.0
// Rank 0 waits for the traces of one step from all ranks: together they tell waiting for a late peer from transfer (engine notes 2.2).
#pragma once

#include <functional>
#include <map>
#include <vector>

#include "engine/metrics/accounting.h"
#include "engine/metrics/clock_offset.h"

namespace syncline {

class TraceMerge {
 public:
  // `emit` gets each traced step of each rank once: with peers separated when all traces came, as it was measured otherwise.
  using Emit = std::function<void(const StepSums&, const StepTrace&)>;
  TraceMerge(int ranks, Emit emit) : ranks_(ranks), offsets_(static_cast<std::size_t>(ranks)), emit_(std::move(emit)) {}
  void set_offset(int rank, const ClockOffset& offset) { offsets_[static_cast<std::size_t>(rank)] = offset; }
  void add_sums(const StepSums&);  // flagged step_traced; the trace of the same rank and step follows
  void add_trace(StepTrace);
  void finish();  // emits what is still incomplete

 private:
  struct Step {
    std::map<int, StepSums> sums;
    std::map<int, StepTrace> traces;
  };
  void complete(Step&);
  int ranks_;
  std::vector<ClockOffset> offsets_;  // of each rank's clock to rank 0's
  Emit emit_;
  std::map<std::int64_t, Step> open_;
};

}  // namespace syncline
