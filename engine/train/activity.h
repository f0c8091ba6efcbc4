// SPDX-License-Identifier: Apache-2.0
// What this rank is doing right now, written by the training thread and read by the watchdog, which names it when it lasts too long.
#pragma once

#include <atomic>
#include <cstdint>
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
    step_.store(step, std::memory_order_relaxed);
    phase_.store(phase, std::memory_order_relaxed);
    since_s_.store(now_s, std::memory_order_release);
  }
  Now now() const {
    const double since = since_s_.load(std::memory_order_acquire);
    return {phase_.load(std::memory_order_relaxed), step_.load(std::memory_order_relaxed), since};
  }

 private:
  std::atomic<TrainPhase> phase_{TrainPhase::start};
  std::atomic<std::int64_t> step_{0};
  std::atomic<double> since_s_{0};
};

}  // namespace syncline
