// SPDX-License-Identifier: Apache-2.0
#include "engine/train/observed_loader.h"

namespace syncline {

ObservedLoader::ObservedLoader(Loader& inner, std::vector<std::int64_t> batch_per_rank, const Clock& clock, Recorder& recorder)
    : inner_(inner), batch_per_rank_(std::move(batch_per_rank)), clock_(clock), recorder_(recorder) {}

const Batch& ObservedLoader::next() {
  if (before_) before_();
  const double start = clock_.now_s();
  const Batch& batch = inner_.next();
  recorder_.span({start, clock_.now_s(), SpanKind::data_wait, 0, static_cast<std::uint32_t>(step_)});
  rows_ = batch.rows;
  global_rows_ = batch.global_rows;
  next_index_ = batch.last_of_epoch ? 0 : batch.index + 1;
  if (after_) after_();
  return batch;
}

void ObservedLoader::seek(std::int64_t epoch, std::int64_t batch) {
  inner_.seek(epoch, batch);
  next_index_ = batch;
}

void ObservedLoader::set_batch(std::span<const std::int64_t> batches) {
  inner_.set_batch(batches);
  batch_per_rank_.assign(batches.begin(), batches.end());
}

}  // namespace syncline
