// SPDX-License-Identifier: Apache-2.0
#include "engine/train/paced_task.h"

namespace syncline {
namespace {

class StartsPasses final : public Loader {  // when its batch arrives
 public:
  StartsPasses(Loader& inner, Pace& pace, std::int64_t step) : inner_(inner), pace_(pace), step_(step) {}
  const Batch& next() override {
    const Batch& batch = inner_.next();
    pace_.begin_passes(step_, batch.rows);
    return batch;
  }
  std::int64_t epoch() const override { return inner_.epoch(); }
  std::int64_t batches_per_epoch() const override { return inner_.batches_per_epoch(); }
  std::int64_t samples_per_epoch() const override { return inner_.samples_per_epoch(); }
  void seek(std::int64_t epoch, std::int64_t batch) override { inner_.seek(epoch, batch); }
  void set_batch(std::span<const std::int64_t> batches) override { inner_.set_batch(batches); }
  bool exchange_due() const override { return inner_.exchange_due(); }
  Exchanged exchange() override { return inner_.exchange(); }

 private:
  Loader& inner_;
  Pace& pace_;
  std::int64_t step_;
};

}  // namespace

Task::StepResult PacedTask::compute(const Bound& bound, Loader& loader, std::int64_t step, Hooks& hooks) {
  StartsPasses starting(loader, pace_, step);
  PacedHooks paced(hooks, pace_);
  const StepResult result = inner_->compute(bound, starting, step, paced);
  pace_.end_passes();
  return result;
}

}  // namespace syncline
