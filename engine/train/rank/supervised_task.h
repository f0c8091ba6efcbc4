// SPDX-License-Identifier: Apache-2.0
// Classification by a graph on a backend: forward, softmax cross-entropy, backward, in micro-batches.
#pragma once

#include "engine/model/graph.h"
#include "engine/train/task.h"
#include "kernels/backend.h"

namespace syncline {

struct SupervisedOptions {
  std::vector<LayerSpec> layers;
  Shape input;
  std::int64_t classes = 0;
  std::int64_t batch = 64;  // rows of a full batch of this rank
  std::int64_t micro_batches = 1;
  std::uint64_t seed = 1;  // of dropout
};

class SupervisedTask final : public Task {
 public:
  SupervisedTask(SupervisedOptions options, Backend& backend);
  std::vector<Layout> layout(int workers) const override;
  std::span<const LayerSlice> slices() const override { return graph_.slices(); }
  std::int64_t statistic_count() const override { return graph_.statistic_count(); }
  void initialise(const Bound& bound, std::uint64_t seed) override { graph_.initialise(bound.params, bound.statistics, seed); }
  StepResult compute(const Bound&, Loader&, std::int64_t step, Hooks&) override;
  LossSums evaluate(const Bound&, Loader&) override;
  const Graph& graph() const { return graph_; }

 private:
  Graph::Input stage(const Batch&, std::int64_t first, std::int64_t rows);
  SupervisedOptions options_;
  Backend& backend_;
  std::int64_t max_rows_;  // of one micro-batch
  Graph graph_;
  View data_, labels_;
};

}  // namespace syncline
