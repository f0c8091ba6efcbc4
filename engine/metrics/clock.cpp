// SPDX-License-Identifier: Apache-2.0
#include "engine/metrics/clock.h"

#include <cerrno>
#include <cmath>
#include <ctime>

#include "engine/base/error.h"

namespace syncline {
namespace {

double read_clock(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

}  // namespace

double monotonic_s() { return read_clock(CLOCK_MONOTONIC); }
double thread_cpu_s() { return read_clock(CLOCK_THREAD_CPUTIME_ID); }
double utc_s() { return read_clock(CLOCK_REALTIME); }

double RealClock::now_s() const { return monotonic_s(); }

double RealClock::training_s() const {
  if (started_s_ < 0) return restored_s_;
  const double until = stopped_at_s_ >= 0 ? stopped_at_s_ : monotonic_s();
  return restored_s_ + until - started_s_ - stopped_total_s_;
}

void RealClock::sleep_until(double t_s) {
  timespec until{};
  until.tv_sec = static_cast<time_t>(std::floor(t_s));
  until.tv_nsec = static_cast<long>((t_s - std::floor(t_s)) * 1e9);
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr) == EINTR) {
  }
}

void RealClock::enter_boundary() {
  if (stopped_at_s_ >= 0) throw UsageError("internal error: the training clock is stopped already");
  stopped_at_s_ = monotonic_s();
  if (started_s_ < 0) started_s_ = stopped_at_s_;
}

void RealClock::leave_boundary() {
  if (stopped_at_s_ < 0) throw UsageError("internal error: the training clock is not stopped");
  stopped_total_s_ += monotonic_s() - stopped_at_s_;
  stopped_at_s_ = -1;
}

void RealClock::restore_training(double seconds) {
  restored_s_ = seconds;
  stopped_total_s_ = 0;
  started_s_ = monotonic_s();
  if (stopped_at_s_ >= 0) stopped_at_s_ = started_s_;
}

}  // namespace syncline
