// SPDX-License-Identifier: Apache-2.0
// What this rank is doing right now, written by the training thread and read by the watchdog, which names it when it lasts too long.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string_view>

namespace syncline {

enum class TrainPhase : std::uint8_t { start, data, forward, backward, collective, evaluation, checkpoint, shutdown };
std::string_view train_phase_name(TrainPhase);  // "start", "data", ...

class Activity {
 public:
  struct Now {
    TrainPhase phase;
    std::int64_t step;
    double since_s;
  };
  // Every call says that something moves; `now_s` is the rank's monotonic clock.
  void enter(TrainPhase phase, std::int64_t step, double now_s) {
    if (changed_ && (phase != phase_.load(std::memory_order_relaxed) || step != step_.load(std::memory_order_relaxed)))
      changed_(phase, step);
    step_.store(step, std::memory_order_relaxed);
    phase_.store(phase, std::memory_order_relaxed);
    since_s_.store(now_s, std::memory_order_release);
  }
  // Called by enter() when the phase or the step is another one. Set before anything runs.
  void on_change(std::function<void(TrainPhase, std::int64_t step)> changed) { changed_ = std::move(changed); }
  Now now() const {
    const double since = since_s_.load(std::memory_order_acquire);
    return {phase_.load(std::memory_order_relaxed), step_.load(std::memory_order_relaxed), since};
  }

 private:
  std::atomic<TrainPhase> phase_{TrainPhase::start};
  std::atomic<std::int64_t> step_{0};
  std::atomic<double> since_s_{0};
  std::function<void(TrainPhase, std::int64_t)> changed_;
};

}  // namespace syncline
