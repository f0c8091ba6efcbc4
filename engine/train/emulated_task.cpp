// SPDX-License-Identifier: Apache-2.0
#include "engine/train/emulated_task.h"

#include <algorithm>

#include "engine/base/random.h"

namespace syncline {
namespace {

constexpr std::size_t number_count = 1 << 16;  // stays in the cache: filling a gradient costs one write of it
constexpr double largest = 1e-3;               // parameters stay finite at any sensible rate

Structure fused(const EmulatedOptions& options) {
  Structure model = resolve(options.layers, options.input, options.classes);
  fuse(model);
  return model;
}

}  // namespace

EmulatedTask::EmulatedTask(const EmulatedOptions& options, Backend& backend, Pace& pace)
    : model_(fused(options)),
      arena_(lay_out(model_)),
      backend_(backend),
      pace_(pace),
      micro_batches_(options.micro_batches),
      key_(stream_key(options.seed, "emulated gradient", static_cast<std::uint64_t>(options.rank))),
      numbers_(number_count) {
  RandomStream stream(key_);
  for (float& number : numbers_) number = static_cast<float>(largest * (2 * stream.uniform() - 1));
}

std::vector<Layout> EmulatedTask::layout(int workers) const {
  std::vector<Layout> layout;
  for (int worker = 0; worker < workers; ++worker) layout.push_back({worker, 0});
  return layout;
}

void EmulatedTask::initialise(const Bound& bound, std::uint64_t seed) {
  syncline::initialise(model_, arena_, backend_, bound.params, bound.statistics, seed);
}

void EmulatedTask::fill(const View& gradient, std::int64_t step, int slice) const {
  RandomStream stream(key_, "place", static_cast<std::uint64_t>(step), static_cast<std::uint64_t>(slice));
  std::size_t from = stream.below(number_count);
  for (std::int64_t at = 0; at < gradient.count(); from = 0) {
    const std::int64_t count = std::min(gradient.count() - at, static_cast<std::int64_t>(number_count - from));
    backend_.copy_in(gradient.part(at, count), std::span<const float>(numbers_).subspan(from, static_cast<std::size_t>(count)));
    at += count;
  }
}

Task::StepResult EmulatedTask::compute(const Bound& bound, Loader& loader, std::int64_t step, Hooks& inner) {
  const Batch& batch = loader.next();
  pace_.begin_passes(step, batch.rows);
  PacedHooks hooks(inner, pace_);
  const int layers = static_cast<int>(model_.nodes.size());
  const auto each_slice = [&](int layer, const auto& action) {
    const NodeArena& own = arena_.nodes[static_cast<std::size_t>(layer)];
    for (int slice = own.first_slice; slice < own.first_slice + own.slice_count; ++slice) action(slice);
  };
  for (std::int64_t part = 0; part < micro_batches_; ++part) {
    const bool first = part == 0, last = part == micro_batches_ - 1;
    for (int layer = 0; layer < layers; ++layer) {
      if (first) each_slice(layer, [&](int slice) { hooks.before_forward(slice); });
      hooks.forward_done(layer);
    }
    for (int layer = layers; layer-- > 0;) {
      if (last) {
        each_slice(layer, [&](int slice) {
          const LayerSlice& range = arena_.slices[static_cast<std::size_t>(slice)];
          fill(bound.grads.part(range.offset, range.count), step, slice);
        });
      }
      hooks.backward_done(layer);
      if (last) each_slice(layer, [&](int slice) { hooks.gradient_ready(slice); });
    }
  }
  pace_.end_passes();
  return {.loss_sum = 0, .correct = 0, .samples = batch.rows, .global_samples = batch.global_rows};
}

}  // namespace syncline
