// SPDX-License-Identifier: Apache-2.0
// The shared state behind a Work. The communication thread finishes it, the owner of the Work waits for it; states are pooled.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "engine/comm/communicator.h"
#include "engine/comm/doorbell.h"

namespace syncline {

struct Failure {
  enum Kind : std::uint8_t { peer_lost, time_limit, usage, training } kind = training;
  std::string text;
  [[noreturn]] void raise() const;
  static Failure of(const std::exception&);
};

// What the communication thread is doing, seen from outside: a thread that is stuck inside a library call cannot time itself out.
struct Heartbeat {
  std::atomic<double> busy_since_s{forever_s};  // forever: asleep
};

class WorkState {
 public:
  virtual ~WorkState() = default;

  bool finished() const { return status_.load(std::memory_order_acquire) != under_way; }
  // The owner's side. In virtual time these let other ranks run, and what ends later than the owner's present has not ended.
  virtual bool ended() { return finished(); }
  virtual void wait();  // throws what ended it
  virtual bool wait_for(double limit_s);
  virtual void request_cancel();  // returns when finished
  // Appends "allreduce 'bucket 3' (number 17 of 'data', step 12)".
  virtual void describe_to(std::string&) const = 0;
  std::string describe() const {
    std::string text;
    describe_to(text);
    return text;
  }

  // Written by the communication thread before it finishes the state, read afterwards.
  Work::Times times;
  int source = -1, tag = -1;
  std::int64_t bytes = 0;

  // The communication thread, once.
  void finish();
  void fail(Failure failure);
  bool cancel_wanted() const { return cancel_.load(std::memory_order_acquire); }

  // Pooling: a state is used again when its Work is gone and the communication thread has let go of it.
  bool reusable() const { return dropped_.load(std::memory_order_acquire) && retired_.load(std::memory_order_acquire); }
  void reopen();
  void drop() { dropped_.store(true, std::memory_order_release); }
  void retire() { retired_.store(true, std::memory_order_release); }

  std::shared_ptr<Heartbeat> heartbeat;
  Doorbell* queue_bell = nullptr;  // null once the queue is gone; rung to have a cancel looked at
  double limit_s = 60;

 protected:
  void raise_if_failed() const {
    if (status_.load(std::memory_order_acquire) == failed) failure_.raise();
  }

 private:
  enum Status : std::uint32_t { under_way, succeeded, failed };
  bool wait_until(double until_s);
  std::atomic<std::uint32_t> status_{under_way};
  std::atomic<bool> cancel_{false}, dropped_{true}, retired_{true};
  Doorbell bell_;
  Failure failure_;
};

// Where the communication library reports what nobody waits for: a dropped Work, a slow peer, a core that may not be used.
void set_comm_log(void (*log)(const std::string&));  // null: standard error
void comm_log(const std::string& line);

}  // namespace syncline
