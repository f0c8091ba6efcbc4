// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <cstdio>
#include <utility>

#include "engine/base/error.h"
#include "engine/comm/work_state.h"
#include "engine/metrics/clock.h"

namespace syncline {

namespace {

std::atomic<void (*)(const std::string&)> log_target{nullptr};

// Added to the limit before the waiting thread itself gives up: the communication thread knows more about a late operation, so it goes
// first.
constexpr double waiter_margin_s = 1;

}  // namespace

void set_comm_log(void (*log)(const std::string&)) { log_target.store(log); }

void comm_log(const std::string& line) {
  if (auto* log = log_target.load()) return log(line);
  fmt::print(stderr, "syncline: {}\n", line);
}

void Failure::raise() const {
  switch (kind) {
    case peer_lost:
      throw PeerLost(text);
    case time_limit:
      throw TimeLimit(text);
    case usage:
      throw UsageError(text);
    case training:
      break;
  }
  throw TrainingError(text);
}

Failure Failure::of(const std::exception& error) {
  if (dynamic_cast<const PeerLost*>(&error) != nullptr) return {peer_lost, error.what()};
  if (dynamic_cast<const TimeLimit*>(&error) != nullptr) return {time_limit, error.what()};
  if (dynamic_cast<const UsageError*>(&error) != nullptr) return {usage, error.what()};
  return {training, error.what()};
}

void WorkState::finish() {
  status_.store(succeeded, std::memory_order_release);
  bell_.ring();
}

void WorkState::fail(Failure failure) {
  failure_ = std::move(failure);
  status_.store(failed, std::memory_order_release);
  bell_.ring();
}

void WorkState::reopen() {
  status_.store(under_way, std::memory_order_relaxed);
  cancel_.store(false, std::memory_order_relaxed);
  dropped_.store(false, std::memory_order_relaxed);
  retired_.store(false, std::memory_order_relaxed);
  times = {};
  source = tag = -1;
  bytes = 0;
}

bool WorkState::wait_until(double until_s) {
  while (!finished()) {
    const std::uint32_t ticket = bell_.ticket();
    if (finished()) break;
    const double now = monotonic_s();
    if (now >= until_s) return false;
    // A thread inside a library call cannot end its operations; whoever waits for them must still get away.
    const double busy_since = heartbeat ? heartbeat->busy_since_s.load(std::memory_order_relaxed) : forever_s;
    if (now > busy_since + limit_s + waiter_margin_s) {
      throw TimeLimit(fmt::format("{} did not end: the communication thread has been inside one library call for {:.0f} s (limit {:g} s)",
                                  describe(), now - busy_since, limit_s));
    }
    bell_.wait(ticket, std::min(until_s, now + 0.5));
  }
  return true;
}

void WorkState::wait() {
  wait_until(forever_s);
  raise_if_failed();
}

bool WorkState::wait_for(double limit) {
  if (!wait_until(monotonic_s() + limit)) return false;
  raise_if_failed();
  return true;
}

void WorkState::request_cancel() {
  if (finished()) return;
  cancel_.store(true, std::memory_order_release);
  if (queue_bell != nullptr) queue_bell->ring();
  wait_until(forever_s);
}

Work::Work(std::shared_ptr<WorkState> state) : state_(std::move(state)) {}
Work::Work(Work&& other) noexcept : state_(std::move(other.state_)) { other.state_.reset(); }

Work& Work::operator=(Work&& other) {
  if (this == &other) return *this;
  if (state_ && !state_->ended()) {
    throw UsageError("internal error: the handle of " + state_->describe() +
                     " was overwritten before the operation had ended; wait for it first");
  }
  if (state_) state_->drop();
  state_ = std::move(other.state_);
  other.state_.reset();
  return *this;
}

Work::~Work() {
  if (!state_) return;
  try {
    if (!state_->ended()) {
      comm_log("internal error: the handle of " + state_->describe() + " was dropped before the operation had ended; waiting for it");
      state_->wait();
    }
  } catch (const std::exception& error) {
    comm_log(error.what());
  }
  state_->drop();
}

bool Work::done() const { return !state_ || state_->ended(); }
void Work::wait() {
  if (state_) state_->wait();
}
bool Work::wait_for(double limit_s) { return !state_ || state_->wait_for(limit_s); }
void Work::cancel() {
  if (state_) state_->request_cancel();
}
int Work::source() const { return state_ ? state_->source : -1; }
int Work::tag() const { return state_ ? state_->tag : -1; }
std::int64_t Work::bytes() const { return state_ ? state_->bytes : 0; }
Work::Times Work::times() const { return state_ ? state_->times : Times{}; }

}  // namespace syncline
