// SPDX-License-Identifier: Apache-2.0
// cluster.compute = "emulate": no arithmetic. Layers last as long as a profile says, and gradients are a pseudo-random vector of this rank
// and step, so that what is exchanged and compared over ranks is real. There is no loss and nothing to evaluate.
#pragma once

#include "engine/model/arena.h"
#include "engine/train/pace.h"
#include "engine/train/task.h"
#include "kernels/backend.h"

namespace syncline {

struct EmulatedOptions {
  std::vector<LayerSpec> layers;
  Shape input;
  std::int64_t classes = 0;
  std::int64_t micro_batches = 1;
  std::uint64_t seed = 1;
  int rank = 0;
};

class EmulatedTask final : public Task {
 public:
  EmulatedTask(const EmulatedOptions&, Backend&, Pace&);
  std::vector<Layout> layout(int workers) const override;
  std::span<const LayerSlice> slices() const override { return arena_.slices; }
  std::int64_t statistic_count() const override { return arena_.statistics; }
  void initialise(const Bound&, std::uint64_t seed) override;
  StepResult compute(const Bound&, Loader&, std::int64_t step, Hooks&) override;
  LossSums evaluate(const Bound&, Loader&) override { return {}; }

 private:
  void fill(const View& gradient, std::int64_t step, int slice) const;
  Structure model_;
  Arena arena_;
  Backend& backend_;
  Pace& pace_;
  std::int64_t micro_batches_;
  std::uint64_t key_;
  std::vector<float> numbers_;  // gradients are stretches of these, from another place in each step and slice
};

}  // namespace syncline
