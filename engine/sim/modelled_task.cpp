// SPDX-License-Identifier: Apache-2.0
#include "engine/sim/modelled_task.h"

#include <fmt/core.h>

#include <algorithm>

#include "engine/base/error.h"
#include "engine/data/dataset.h"
#include "engine/model/arena.h"
#include "engine/model/structure.h"

namespace syncline {

double ModelledStep::compute_s() const {
  double sum = update_s;
  for (const Layer& layer : layers) sum += layer.forward_s + layer.backward_s;
  return sum;
}

ModelledStep modelled_step(const Experiment& experiment, const LayerProfile& profile) {
  const DataShape data = data_shape(experiment.data);
  Structure structure = resolve(expand_model(experiment.model, data.shape, data.classes), data.shape, data.classes);
  fuse(structure);
  const Arena arena = lay_out(structure);
  if (profile.layer_count() != arena.nodes.size()) {
    throw ConfigError(
        fmt::format("the profile has times of {} layers and a step of this model times {}; a profile of the same model would be "
                    "right",
                    profile.layer_count(), arena.nodes.size()));
  }
  ModelledStep step{.layers = {}, .slices = arena.slices, .statistics = arena.statistics, .update_s = profile.update_s};
  for (std::size_t layer = 0; layer < arena.nodes.size(); ++layer) {
    step.layers.push_back({.forward_s = profile.forward_of(layer),
                           .backward_s = profile.backward_s[layer],
                           .first_slice = arena.nodes[layer].first_slice,
                           .slices = arena.nodes[layer].slice_count});
  }
  return step;
}

ModelledStep modelled_step(std::span<const std::int64_t> elements, std::span<const double> backward_s, double forward_s) {
  if (elements.size() != backward_s.size() || elements.empty()) throw UsageError("internal error: tensors and times that do not match");
  const auto count = static_cast<int>(elements.size());
  ModelledStep step;
  std::int64_t offset = 0;
  for (int slice = 0; slice < count; ++slice) {
    LayerSlice next;
    next.index = slice;
    next.name = fmt::format("tensor{}", slice);
    next.offset = offset;
    next.count = elements[static_cast<std::size_t>(slice)];
    next.layer = count - 1 - slice;
    offset += next.count;
    step.slices.push_back(std::move(next));
  }
  for (int layer = 0; layer < count; ++layer) {
    const int slice = count - 1 - layer;
    step.layers.push_back(
        {.forward_s = forward_s / count, .backward_s = backward_s[static_cast<std::size_t>(slice)], .first_slice = slice, .slices = 1});
  }
  return step;
}

std::vector<Layout> ModelledTask::layout(int workers) const {
  std::vector<Layout> layout;
  for (int worker = 0; worker < workers; ++worker) layout.push_back({worker, 0});
  return layout;
}

Task::StepResult ModelledTask::compute(const Bound& bound, Loader& loader, std::int64_t step, Hooks& hooks) {
  const Batch& batch = loader.next();
  factor_ = options_.factor ? options_.factor(step) : 1;
  if (options_.gradient) options_.gradient(bound, step);
  for (std::int64_t part = 0; part < options_.micro_batches; ++part)
    pass_layers(part == 0, part == options_.micro_batches - 1, factor_ / static_cast<double>(options_.micro_batches), hooks);
  return {.loss_sum = 0, .correct = 0, .samples = batch.rows, .global_samples = batch.global_rows};
}

void ModelledTask::pass_layers(bool first, bool last, double factor, Hooks& hooks) {
  const int layers = static_cast<int>(model_.layers.size());
  for (int number = 0; number < layers; ++number) {
    const ModelledStep::Layer& layer = model_.layers[static_cast<std::size_t>(number)];
    for (int slice = layer.first_slice; first && slice < layer.first_slice + layer.slices; ++slice) hooks.before_forward(slice);
    context_.compute(factor * layer.forward_s);
    hooks.forward_done(number);
  }
  for (int number = layers; number-- > 0;) {
    const ModelledStep::Layer& layer = model_.layers[static_cast<std::size_t>(number)];
    context_.compute(factor * layer.backward_s);
    hooks.backward_done(number);
    for (int slice = layer.first_slice; last && slice < layer.first_slice + layer.slices; ++slice) hooks.gradient_ready(slice);
  }
}

void ModelledTask::charge_update(const View& range) {
  if (model_.parameters() > 0)
    context_.compute(factor_ * model_.update_s * static_cast<double>(range.count()) / static_cast<double>(model_.parameters()));
}

FullBatches::FullBatches(std::int64_t rows, std::int64_t global_rows, std::int64_t batches) : batches_(std::max<std::int64_t>(1, batches)) {
  batch_.rows = rows;
  batch_.global_rows = global_rows;
}

const Batch& FullBatches::next() {
  batch_.epoch = at_ / batches_;
  batch_.index = at_ % batches_;
  batch_.last_of_epoch = batch_.index == batches_ - 1;
  ++at_;
  return batch_;
}

void FullBatches::set_batch(std::span<const std::int64_t>) { throw UsageError("a simulation keeps the batch that its layer times are of"); }

}  // namespace syncline
