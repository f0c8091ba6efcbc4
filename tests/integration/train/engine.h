// SPDX-License-Identifier: Apache-2.0
// Runs syncline-engine as a person would, in a folder of its own, and reads what it left.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "engine/store/reader.h"

namespace syncline::test {

struct Ended {
  int code = -1;       // 128 + signal when it was ended by one; 124: the limit of this test
  std::string output;  // standard output and error
  double seconds = 0;
};

class Engine {
 public:
  Engine();  // writes job.toml: 60 small images, convolution, batch norm, dropout; 7 steps an epoch, 4 epochs, 2 workers
  ~Engine();
  const std::filesystem::path& folder() const { return folder_; }
  std::filesystem::path workspace() const { return folder_ / "runs.db"; }

  void replace(const std::string& what, const std::string& with) const;  // in job.toml, which must hold it

  // `before`: environment assignments or a launcher; `arguments`: after "syncline-engine"; at most limit_s.
  Ended run(const std::string& arguments, const std::string& before = {}, int limit_s = 40) const;
  Ended train(const std::string& more = {}, const std::string& before = {}) const { return run("train job.toml " + more, before); }

  RunInfo last() const;
  std::vector<EventRecord> events(const std::string& run) const;
  std::vector<Point> series(const std::string& run, const std::string& name) const;
  // Every block of the newest checkpoint that all ranks share: parameters and the optimizer's state.
  std::vector<std::byte> state(const std::string& run) const;
  std::int64_t checkpoint_step(const std::string& run) const;  // of the newest; -1: none
  // Processes whose working folder is this one: nothing may be left after a job.
  std::vector<int> processes() const;
  std::vector<std::string> leftovers(const std::string& run) const;  // temporary files in the run's folder

 private:
  std::filesystem::path folder_;
};

// A foreign launcher, with the options that make it work anywhere.
std::string mpirun(int ranks);

}  // namespace syncline::test
