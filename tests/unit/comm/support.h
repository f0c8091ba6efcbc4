// SPDX-License-Identifier: Apache-2.0
// Thread ranks for tests, with a watchdog: a hang ends the program with every rank's last operation instead of waiting for the runner.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <mutex>
#include <thread>

#include "engine/comm/thread_world.h"
#include "tests/support/collectives.h"
#include "tests/support/slow_build.h"

namespace syncline::test {

class Watchdog {
 public:
  Watchdog(ThreadWorld& world, double limit_s)
      : thread_([this, &world, limit_s] {
          std::unique_lock lock(mutex_);
          if (changed_.wait_for(lock, std::chrono::duration<double>(limit_s), [this] { return over_; })) return;
          for (int rank = 0; rank < world.size(); ++rank) {
            std::fprintf(stderr, "watchdog: rank %d was last at: %s\n", rank, world.rank(rank).queue().last_operation().c_str());
          }
          std::fflush(stderr);
          std::_Exit(99);
        }) {}
  ~Watchdog() {
    {
      const std::scoped_lock lock(mutex_);
      over_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool over_ = false;
  std::thread thread_;
};

// A world of `size` ranks whose body must end within the limit.
inline void on_ranks(int size, const ThreadWorldOptions& options, const std::function<void(World&)>& body, double limit_s = 60) {
  ThreadWorld world(size, options);
  const Watchdog watchdog(world, limit_s);
  run_ranks(world, body);
}
inline void on_ranks(int size, const std::function<void(World&)>& body) { on_ranks(size, {}, body); }

class ExchangeSum final : public Recorder {  // written on the communication thread, read after the operations have ended
 public:
  void span(const Span&) override {}
  void exchange(const Exchange& each) override { sent += each.sent_bytes; }
  void scalar(std::string_view, std::int64_t, double) override {}
  void event(std::string_view, std::string) override {}
  std::int64_t sent = 0;
};

// What the communication library would have printed, while this object lives.
class CapturedLog {
 public:
  CapturedLog() {
    text().clear();
    set_comm_log([](const std::string& line) {
      const std::scoped_lock lock(mutex());
      text() += line + "\n";
    });
  }
  ~CapturedLog() { set_comm_log(nullptr); }
  std::string all() const {
    const std::scoped_lock lock(mutex());
    return text();
  }

 private:
  static std::mutex& mutex() {
    static std::mutex one;
    return one;
  }
  static std::string& text() {
    static std::string one;
    return one;
  }
};

}  // namespace syncline::test
