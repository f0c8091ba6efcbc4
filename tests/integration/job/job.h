// SPDX-License-Identifier: Apache-2.0
// A job of syncline-engine that runs beside the test, so that it can be signalled, killed and asked.
#pragma once

#include <sys/types.h>

#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "engine/launch/process.h"
#include "engine/launch/rank_status.h"
#include "tests/integration/train/engine.h"

namespace syncline::test {

// Looks every 20 ms; false when the limit is over first.
bool eventually(double limit_s, const std::function<bool()>&);

class Job {
 public:
  // "syncline-engine ARGUMENTS" in the engine's folder; `before`: environment assignments.
  Job(const Engine&, const std::string& arguments, const std::string& before = {});
  ~Job();  // kills what is left of its session
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;

  pid_t supervisor() const { return child_->pid(); }
  pid_t mpirun() const;                                  // -1: none
  pid_t pid(int rank) const;                             // of the newest run; -1: not there
  bool in_step(std::int64_t step, int ranks = 2) const;  // every rank of the newest run has reached it
  bool wait_for_step(std::int64_t step, int ranks = 2) const {
    return eventually(60, [&] { return in_step(step, ranks); });
  }
  // The exit code (128 + signal where one ended it), or nothing within the limit.
  std::optional<int> wait(double limit_s);
  bool gone(double limit_s) const;  // no process of this folder
  std::string output() const;

 private:
  std::optional<RankSnapshot> snapshot(int rank) const;
  const Engine& engine_;
  std::filesystem::path output_;
  std::unique_ptr<ChildProcess> child_;
};

// job.toml with so many steps that it does not end by itself.
void make_endless(const Engine&);
nlohmann::json parse_json(const Ended&);  // of a command that ended with code 0; a failure of the test otherwise
// What jobs of this supervisor have in shared memory outside the run's folder.
std::vector<std::string> shared_files(pid_t supervisor);

}  // namespace syncline::test
