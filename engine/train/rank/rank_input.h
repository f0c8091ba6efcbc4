// SPDX-License-Identifier: Apache-2.0
// What reaches a rank from outside: signals, requests in the workspace, the supervisor's end. All of it only sets flags here; the control
// word carries them to everybody.
#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "engine/store/records.h"
#include "engine/train/observer.h"

namespace syncline {

class RankInput final : public ControlInput {
 public:
  using Acknowledge = std::function<void(std::int64_t request, std::string stage)>;

  // Any thread.
  void want(ControlFlag flag) { flags_.fetch_or(flag); }
  void request(const Request&);  // of the run's rows; unknown kinds are refused
  void set_acknowledge(Acknowledge acknowledge);
  bool stop_wanted() const { return (flags_.load() & (stop_after_step | stop_after_checkpoint)) != 0; }

  // SIGTERM, SIGINT and SIGHUP of this process want a checkpoint and a stop from now on.
  void take_signals();

  // The training thread.
  std::uint32_t wanted() override;
  void announced(std::uint32_t flags, std::int64_t step) override;
  void done(std::uint32_t flags, bool saved, const std::string& why) override;
  void run_ends();  // acknowledges stops

 private:
  struct Open {
    std::int64_t id;
    std::uint32_t flag;
  };
  void tell(std::uint32_t flags, const std::string& stage, bool over);
  std::atomic<std::uint32_t> flags_{0};
  std::mutex mutex_;
  std::vector<Open> open_;
  Acknowledge acknowledge_;
};

}  // namespace syncline
