// SPDX-License-Identifier: Apache-2.0
#include "engine/train/rank/watchdog.h"

#include <fmt/format.h>

#include <chrono>

#include "engine/base/units.h"
#include "engine/metrics/clock.h"

namespace syncline {
namespace {

std::string doing(TrainPhase phase) {
  switch (phase) {
    case TrainPhase::start:
      return "starting";
    case TrainPhase::data:
      return "waiting for data";
    case TrainPhase::forward:
      return "in the forward pass";
    case TrainPhase::backward:
      return "in the backward pass";
    case TrainPhase::collective:
      return "exchanging and updating";
    case TrainPhase::evaluation:
      return "evaluating";
    case TrainPhase::checkpoint:
      return "writing a checkpoint";
    case TrainPhase::shutdown:
      return "ending";
  }
  return "busy";
}

}  // namespace

Watchdog::Watchdog(const Activity& activity, WatchdogOptions options)
    : activity_(activity), options_(std::move(options)), thread_([this] { run(); }) {}

Watchdog::~Watchdog() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake_.notify_all();
  thread_.join();
}

void Watchdog::run() {
  std::unique_lock lock(mutex_);
  while (!stop_) {
    wake_.wait_for(lock, std::chrono::duration<double>(options_.every_s));
    if (stop_) return;
    lock.unlock();
    look();
    lock.lock();
  }
}

void Watchdog::look() {
  if (options_.also) options_.also();
  const Activity::Now now = activity_.now();
  if (now.since_s == 0) return;  // not begun
  const double limit_s = now.phase == TrainPhase::start ? std::max(options_.start_limit_s, options_.limit_s) : options_.limit_s;
  const double age_s = monotonic_s() - now.since_s;
  if (age_s <= limit_s) return;
  const std::string operation = options_.last_operation ? options_.last_operation() : std::string();
  const double named_s = options_.named_limit_s > 0 && limit_s == options_.limit_s ? options_.named_limit_s : limit_s;
  options_.expired(fmt::format("{} in step {} for {} without a move (fault.limit_s = {}){}", doing(now.phase), now.step,
                               format_duration(age_s), format_duration(named_s), operation.empty() ? "" : "; last exchange: " + operation),
                   now.step);
}

}  // namespace syncline
