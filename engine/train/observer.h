// SPDX-License-Identifier: Apache-2.0
// What the loop tells the rank around it: for recording, progress, and what arrives from outside. The loop itself knows no file and no
// terminal. All calls come from the training thread.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/state.h"
#include "engine/metrics/step_sums.h"
#include "engine/model/graph.h"
#include "engine/plan/plan.h"
#include "engine/train/control.h"

namespace syncline {

struct Evaluation {
  std::int64_t step = 0;  // steps done
  double epoch = 0, loss = 0, accuracy = 0, seconds = 0;
  std::int64_t samples = 0;
  bool best = false;
};

struct StepDone {
  double start_s = 0, end_s = 0;  // on this rank's clock; end = start of the next step
  StepSums known;                 // axes, loss_sum, correct, samples, gradients, updates of this rank; the rest is measured
};

class TrainObserver {
 public:
  virtual ~TrainObserver() = default;
  virtual void started(std::span<const LayerSlice>, const Plan&, std::int64_t total_steps, const Axes&) = 0;
  virtual void step_begins(std::int64_t step) = 0;  // exchanges from now on belong to it
  virtual void step_done(const StepDone&) = 0;
  // What this rank adds to each word, and (before meeting()) what each rank had added to the one that was read.
  virtual std::size_t extra_bytes(std::size_t buckets) const {
    (void)buckets;
    return 0;
  }
  virtual void fill_extra(std::span<std::byte>) {}
  virtual void read_extra(std::span<const std::span<const std::byte>> by_rank) { (void)by_rank; }
  virtual void meeting(const ControlWord&, double lr, const Axes&) = 0;  // loss over all ranks up to word.step
  virtual void boundary_begins(const Axes&) {}
  virtual void boundary_ends(const Axes&) {}
  virtual void evaluated(const Evaluation&, const Axes&) = 0;
  virtual void checkpointed(std::int64_t step, bool saved, const std::string& why, double seconds, const Axes&) = 0;
  virtual void event(std::string_view kind, const std::string& text) = 0;
  virtual void save(StateWriter&) const {}  // counters that go on after a resume (bytes, rounds)
  virtual void load(StateReader&) {}
};

class ControlInput {  // what this rank wants of the job
 public:
  virtual ~ControlInput() = default;
  virtual std::uint32_t wanted() = 0;  // ControlFlag bits; asked once a meeting, must not block. Bits stay set until they are done
  virtual void announced(std::uint32_t flags, std::int64_t step) { (void)flags, (void)step; }  // all ranks know; the boundary comes now
  virtual void done(std::uint32_t flags, bool saved, const std::string& why) { (void)flags, (void)saved, (void)why; }
};

class TrainingClock {  // stops the training clock in boundaries; RealClock's part that Clock does not show
 public:
  virtual ~TrainingClock() = default;
  virtual void enter_boundary() = 0;
  virtual void leave_boundary() = 0;
  virtual void restore_training(double seconds) = 0;
};

template <class SomeClock>
class TrainingClockOf final : public TrainingClock {
 public:
  explicit TrainingClockOf(SomeClock& clock) : clock_(clock) {}
  void enter_boundary() override { clock_.enter_boundary(); }
  void leave_boundary() override { clock_.leave_boundary(); }
  void restore_training(double seconds) override { clock_.restore_training(seconds); }

 private:
  SomeClock& clock_;
};

}  // namespace syncline
