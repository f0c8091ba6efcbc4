// SPDX-License-Identifier: Apache-2.0
// Time as strategies and the trainer see it.
#pragma once

#include <cstdint>

namespace syncline {

class Clock {
 public:
  virtual ~Clock() = default;
  virtual double now_s() const = 0;       // monotonic, this rank's own zero-free clock (CLOCK_MONOTONIC for the real one)
  virtual double training_s() const = 0;  // stands still in boundaries (evaluation, checkpoints)
  virtual void sleep_until(double t_s) = 0;
};

class RealClock final : public Clock {  // CLOCK_MONOTONIC; one zero per machine, comparable between processes of one kernel
 public:
  double now_s() const override;
  double training_s() const override;
  void sleep_until(double t_s) override;
  void enter_boundary();  // the training clock stops / goes on; calls pair up
  void leave_boundary();
  void restore_training(double seconds);  // after a resume: training_s() continues from here

 private:
  double stopped_total_s_ = 0, stopped_at_s_ = -1, restored_s_ = 0, started_s_ = -1;
};

double monotonic_s();   // CLOCK_MONOTONIC in seconds
double thread_cpu_s();  // CPU time of the calling thread
double utc_s();         // seconds since 1970, for what people read

}  // namespace syncline
