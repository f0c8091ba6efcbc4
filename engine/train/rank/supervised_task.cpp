// SPDX-License-Identifier: Apache-2.0
#include "engine/train/rank/supervised_task.h"

#include <algorithm>

namespace syncline {

SupervisedTask::SupervisedTask(SupervisedOptions options, Backend& backend)
    : options_(std::move(options)),
      backend_(backend),
      max_rows_((options_.batch + options_.micro_batches - 1) / options_.micro_batches),
      graph_(options_.layers, options_.input, options_.classes, backend, max_rows_),
      data_(backend.allocate(max_rows_ * options_.input.elements())),
      labels_(backend.allocate(max_rows_)) {}

std::vector<Layout> SupervisedTask::layout(int workers) const {
  std::vector<Layout> layout;
  for (int worker = 0; worker < workers; ++worker) layout.push_back({worker, 0});
  return layout;
}

Graph::Input SupervisedTask::stage(const Batch& batch, std::int64_t first, std::int64_t rows) {
  const std::int64_t width = options_.input.elements();
  const auto part = [&](auto values, std::int64_t per_row) {
    return values.subspan(static_cast<std::size_t>(first * per_row), static_cast<std::size_t>(rows * per_row));
  };
  Graph::Input input{
      .data = {.view = data_, .shape = options_.input}, .labels = labels_, .rows = rows, .first_position = batch.first_position + first};
  if (!batch.tokens.empty()) input.data.element = Element::int32;
  if (rows == 0) return input;
  if (batch.tokens.empty())
    backend_.copy_in(data_.part(0, rows * width), part(batch.images, width));
  else
    backend_.copy_in_ints(data_.part(0, rows * width), part(batch.tokens, width));
  backend_.copy_in_ints(labels_.part(0, rows), part(batch.labels, 1));
  return input;
}

// Every sample weighs 1 / rows whatever the cut, so micro-batches give the gradient of the whole batch.
Task::StepResult SupervisedTask::compute(const Bound& bound, Loader& loader, std::int64_t step, Hooks& hooks) {
  const Batch& batch = loader.next();
  const std::int64_t parts = options_.micro_batches;
  StepResult result{.loss_sum = 0, .correct = 0, .samples = batch.rows, .global_samples = batch.global_rows};
  for (std::int64_t k = 0; k < parts; ++k) {
    const std::int64_t first = k * batch.rows / parts, rows = (k + 1) * batch.rows / parts - first;
    const Graph::Options options{.scale = batch.rows > 0 ? 1.0 / static_cast<double>(batch.rows) : 0,
                                 .accumulate = k > 0,
                                 .fire_before = k == 0,
                                 .fire_ready = k == parts - 1,
                                 .seed = options_.seed,
                                 .step = step};
    const LossSums sums = graph_.train({bound.params, bound.grads, bound.statistics}, stage(batch, first, rows), options, hooks);
    result.loss_sum += sums.loss_sum;
    result.correct += sums.correct;
  }
  return result;
}

LossSums SupervisedTask::evaluate(const Bound& bound, Loader& loader) {
  LossSums all;
  for (bool last = false; !last;) {
    const Batch& batch = loader.next();
    last = batch.last_of_epoch;
    for (std::int64_t first = 0; first < batch.rows; first += max_rows_) {
      const std::int64_t rows = std::min(max_rows_, batch.rows - first);
      const LossSums sums = graph_.evaluate({bound.params, {}, bound.statistics}, stage(batch, first, rows));
      all.loss_sum += sums.loss_sum;
      all.correct += sums.correct;
      all.samples += rows;
    }
  }
  return all;
}

}  // namespace syncline
