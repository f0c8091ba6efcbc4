// SPDX-License-Identifier: Apache-2.0
// The passes of one rank in virtual time: no arithmetic, every hook of a real task at the same point, and layers that last as long as they
// were measured to. Gradients are ghosts, or what a function of the caller puts there.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "engine/experiment/experiment.h"
#include "engine/experiment/layer_profile.h"
#include "engine/sim/virtual_world.h"
#include "engine/train/task.h"

namespace syncline {

struct ModelledStep {  // one worker's step with a full batch, undisturbed
  struct Layer {       // in the order of forward
    double forward_s = 0, backward_s = 0;
    int first_slice = 0, slices = 0;  // that belong to it
  };
  std::vector<Layer> layers;
  std::vector<LayerSlice> slices;  // arena order
  std::int64_t statistics = 0;
  double update_s = 0;  // of all parameters
  std::int64_t parameters() const { return slices.empty() ? 0 : slices.back().offset + slices.back().count; }
  double compute_s() const;
};
// The experiment's model with these times, one for each layer that a step times (engine/sim/profiles.h, timed_layers()). ConfigError where
// they are of another number of layers.
ModelledStep modelled_step(const Experiment&, const LayerProfile&);
// Tensors that become final one after the other in backward order, as cards describe a model: forward takes `forward_s` in all.
ModelledStep modelled_step(std::span<const std::int64_t> elements, std::span<const double> backward_s, double forward_s);

struct ModelledTaskOptions {
  std::int64_t micro_batches = 1;
  std::function<double(std::int64_t step)> factor = {};  // on all times of this rank in a step; empty: 1
  // Fills the gradient where vectors are real; empty: it stays as it is.
  std::function<void(const Task::Bound&, std::int64_t step)> gradient = {};
};

class ModelledTask final : public Task {
 public:
  ModelledTask(const ModelledStep& model, ModelledTaskOptions options, RankContext& context)
      : model_(model), options_(std::move(options)), context_(context) {}
  std::vector<Layout> layout(int workers) const override;
  std::span<const LayerSlice> slices() const override { return model_.slices; }
  std::int64_t statistic_count() const override { return model_.statistics; }
  void initialise(const Bound&, std::uint64_t) override {}
  StepResult compute(const Bound&, Loader&, std::int64_t step, Hooks&) override;
  LossSums evaluate(const Bound&, Loader&) override { return {}; }
  void charge_update(const View& range);  // the time that the update of these parameters takes

 private:
  void pass_layers(bool first, bool last, double factor, Hooks&);
  const ModelledStep& model_;
  ModelledTaskOptions options_;
  RankContext& context_;
  double factor_ = 1;
};

// Full batches without end: an epoch is `batches` of them.
class FullBatches final : public Loader {
 public:
  FullBatches(std::int64_t rows, std::int64_t global_rows, std::int64_t batches);
  const Batch& next() override;
  std::int64_t epoch() const override { return at_ / batches_; }
  std::int64_t batches_per_epoch() const override { return batches_; }
  std::int64_t samples_per_epoch() const override { return batches_ * batch_.global_rows; }
  void seek(std::int64_t epoch, std::int64_t batch) override { at_ = epoch * batches_ + batch; }
  void set_batch(std::span<const std::int64_t>) override;  // UsageError: step times are of the profile's batch

 private:
  std::int64_t batches_, at_ = 0;
  Batch batch_;
};

}  // namespace syncline
