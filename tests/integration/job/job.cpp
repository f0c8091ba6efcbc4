// SPDX-License-Identifier: Apache-2.0
#include "tests/integration/job/job.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <sstream>
#include <thread>

#include "engine/metrics/clock.h"

namespace syncline::test {
namespace fs = std::filesystem;
namespace {

std::string read(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

}  // namespace

bool eventually(double limit_s, const std::function<bool()>& done) {
  const double end = monotonic_s() + limit_s;
  while (!done()) {
    if (monotonic_s() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return true;
}

Job::Job(const Engine& engine, const std::string& arguments, const std::string& before)
    : engine_(engine), output_(engine.folder() / fmt::format("job-{:.9f}.txt", monotonic_s())) {
  const std::string command =
      fmt::format("cd '{}' && export OMP_NUM_THREADS=1 {} && exec '{}' {} --workspace '{}' > '{}' 2>&1", engine.folder().string(), before,
                  SYNCLINE_ENGINE_PROGRAM, arguments, engine.workspace().string(), output_.string());
  child_ = std::make_unique<ChildProcess>(
      SpawnOptions{.argv = {"/bin/sh", "-c", command}, .environment = {}, .group = SpawnOptions::own_session, .output_fd = -1});
}

Job::~Job() {
  for (const int left : engine_.processes()) {
    if (::getsid(left) == child_->pid()) ::kill(left, SIGKILL);
  }
  child_->wait();
}

pid_t Job::mpirun() const {
  for (const int process : engine_.processes()) {
    if (read(fmt::format("/proc/{}/comm", process)) == "mpirun\n") return process;
  }
  return -1;
}

std::optional<RankSnapshot> Job::snapshot(int rank) const {
  std::error_code error;
  if (!fs::exists(engine_.workspace(), error)) return std::nullopt;
  try {
    const Workspace workspace = Workspace::open_read_only(engine_.workspace());
    return read_rank_status(workspace.run_folder(Reader(workspace).resolve("last").id), rank);
  } catch (const Error&) {
    return std::nullopt;  // not made yet
  }
}

pid_t Job::pid(int rank) const {
  const auto now = snapshot(rank);
  return now ? now->pid : -1;
}

bool Job::in_step(std::int64_t step, int ranks) const {
  for (int rank = 0; rank < ranks; ++rank) {
    const auto now = snapshot(rank);
    if (!now || now->step < step) return false;
  }
  return true;
}

std::optional<int> Job::wait(double limit_s) {
  std::optional<ProcessExit> exit;
  if (!eventually(limit_s, [&] { return (exit = child_->poll()).has_value(); })) return std::nullopt;
  return exit->signal != 0 ? 128 + exit->signal : exit->code;
}

bool Job::gone(double limit_s) const {
  return eventually(limit_s, [&] { return engine_.processes().empty(); });
}

std::string Job::output() const { return read(output_); }

void make_endless(const Engine& engine) { engine.replace("epochs = 4", "steps = 10000000"); }

nlohmann::json parse_json(const Ended& ended) {
  EXPECT_EQ(ended.code, 0) << ended.output;
  nlohmann::json document = nlohmann::json::parse(ended.output, nullptr, false);
  EXPECT_FALSE(document.is_discarded()) << ended.output;
  return document;
}

std::vector<std::string> shared_files(pid_t supervisor) {
  std::vector<std::string> found;
  for (const auto& entry : fs::directory_iterator("/dev/shm")) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with(fmt::format("syncline-job-{}-", supervisor))) found.push_back(name);
  }
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace syncline::test
