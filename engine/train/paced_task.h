// SPDX-License-Identifier: Apache-2.0
// cluster.compute = "paced": another task whose arithmetic is done and whose layers last as long as a profile says.
#pragma once

#include "engine/train/pace.h"
#include "engine/train/task.h"

namespace syncline {

class PacedTask final : public Task {
 public:
  PacedTask(std::unique_ptr<Task> inner, Pace& pace) : inner_(std::move(inner)), pace_(pace) {}
  std::vector<Layout> layout(int workers) const override { return inner_->layout(workers); }
  std::span<const LayerSlice> slices() const override { return inner_->slices(); }
  std::int64_t statistic_count() const override { return inner_->statistic_count(); }
  void initialise(const Bound& bound, std::uint64_t seed) override { inner_->initialise(bound, seed); }
  StepResult compute(const Bound&, Loader&, std::int64_t step, Hooks&) override;
  LossSums evaluate(const Bound& bound, Loader& loader) override { return inner_->evaluate(bound, loader); }
  void save(StateWriter& state) const override { inner_->save(state); }
  void load(StateReader& state) override { inner_->load(state); }

 private:
  std::unique_ptr<Task> inner_;
  Pace& pace_;
};

}  // namespace syncline
