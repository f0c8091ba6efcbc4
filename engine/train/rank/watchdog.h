// SPDX-License-Identifier: Apache-2.0
// A thread that looks at the training thread from outside. When one thing lasts longer than the limit it says which, and ends the process:
// leaving is the only way to bring a job down that no MPI call can still be made in (engine notes 6.1).
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include "engine/train/activity.h"

namespace syncline {

struct WatchdogOptions {
  double limit_s = 60;         // of one phase without a move
  double named_limit_s = 0;    // fault.limit_s, as messages call it; 0: limit_s
  double start_limit_s = 120;  // of the start
  double every_s = 0.25;
  std::function<std::string()> last_operation;                                  // of the communication thread; may be empty
  std::function<void()> also;                                                   // called each time, e.g. to look after the supervisor
  std::function<void(const std::string& sentence, std::int64_t step)> expired;  // does not return in a rank
};

class Watchdog {
 public:
  Watchdog(const Activity&, WatchdogOptions);
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

 private:
  void run();
  void look();
  const Activity& activity_;
  WatchdogOptions options_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace syncline
