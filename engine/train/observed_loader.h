// SPDX-License-Identifier: Apache-2.0
// The training loader as the task and the strategy see it: passes everything on, remembers the batch of the step (its rows decide how
// gradients are weighted), and records the time spent waiting for data.
#pragma once

#include <functional>
#include <vector>

#include "engine/data/dataset.h"
#include "engine/metrics/clock.h"
#include "engine/metrics/recorder.h"

namespace syncline {

class ObservedLoader final : public Loader {
 public:
  ObservedLoader(Loader& inner, std::vector<std::int64_t> batch_per_rank, const Clock&, Recorder&);
  const Batch& next() override;
  std::int64_t epoch() const override { return inner_.epoch(); }
  std::int64_t batches_per_epoch() const override { return inner_.batches_per_epoch(); }
  std::int64_t samples_per_epoch() const override { return inner_.samples_per_epoch(); }
  void seek(std::int64_t epoch, std::int64_t batch) override;
  void set_batch(std::span<const std::int64_t> batches) override;
  bool exchange_due() const override { return inner_.exchange_due(); }
  Exchanged exchange() override { return inner_.exchange(); }

  void begin_step(std::int64_t step) { step_ = step; }
  void on_next(std::function<void()> before, std::function<void()> after) { before_ = std::move(before), after_ = std::move(after); }
  std::int64_t rows() const { return rows_; }  // mine, of the batch given last
  std::int64_t global_rows() const { return global_rows_; }
  std::int64_t next_index() const { return next_index_; }  // of the batch that next() gives next, in its epoch
  const std::vector<std::int64_t>& batch_per_rank() const { return batch_per_rank_; }

 private:
  Loader& inner_;
  std::vector<std::int64_t> batch_per_rank_;
  const Clock& clock_;
  Recorder& recorder_;
  std::function<void()> before_, after_;
  std::int64_t step_ = 0, rows_ = 0, global_rows_ = 0, next_index_ = 0;
};

}  // namespace syncline
