// SPDX-License-Identifier: Apache-2.0
#include "engine/optim/child_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <utility>

#include "engine/base/error.h"

extern char** environ;

namespace syncline {
namespace {

constexpr std::size_t most_output = std::size_t{4} << 20;

class Pipe {
 public:
  Pipe() {
    if (::pipe2(ends_.data(), O_CLOEXEC) != 0) throw Error(fmt::format("no pipe for a child process: {}.", std::strerror(errno)));
  }
  ~Pipe() {
    for (const int end : ends_) {
      if (end >= 0) ::close(end);
    }
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  int out() const { return ends_[0]; }
  int in() const { return ends_[1]; }
  void close_in() { ::close(std::exchange(ends_[1], -1)); }

 private:
  std::array<int, 2> ends_{-1, -1};
};

// In a process group of its own, so that what it starts can be ended with it.
pid_t start(const std::vector<std::string>& command, const Pipe& pipe) {
  std::vector<char*> arguments;
  for (const std::string& argument : command) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&actions);
  posix_spawnattr_init(&attributes);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, pipe.in(), STDOUT_FILENO);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  pid_t pid = 0;
  const int error = posix_spawn(&pid, arguments[0], &actions, &attributes, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  if (error != 0) throw Error(fmt::format("{}: cannot be started: {}.", command[0], std::strerror(error)));
  return pid;
}

int wait_for(pid_t pid) {
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

}  // namespace

ChildResult run_child(const std::vector<std::string>& command, double limit_s) {
  using Clock = std::chrono::steady_clock;
  Pipe pipe;
  const pid_t pid = start(command, pipe);
  pipe.close_in();
  ChildResult result;
  const auto end = Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(limit_s));
  std::array<char, 65536> buffer;
  while (true) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count();
    pollfd wanted{pipe.out(), POLLIN, 0};
    const int ready = ::poll(&wanted, 1, static_cast<int>(std::clamp<long long>(left, 0, 1'000'000)));
    if (ready < 0 && errno == EINTR) continue;
    if (ready == 0 || left <= 0) {
      result.timed_out = true;
      break;
    }
    const ssize_t got = ::read(pipe.out(), buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    result.output.append(buffer.data(), std::min(static_cast<std::size_t>(got), most_output - result.output.size()));
  }
  // The pipe may have ended before the process did (it closed its output): the limit holds for both, so it is not waited for without end.
  siginfo_t info{};
  while (!result.timed_out && ::waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOWAIT | WNOHANG) == 0 && info.si_pid == 0) {
    if (Clock::now() >= end)
      result.timed_out = true;
    else
      ::poll(nullptr, 0, 2);
  }
  ::kill(-pid, SIGKILL);
  const int status = wait_for(pid);
  if (WIFEXITED(status)) result.exit_code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) result.signal = WTERMSIG(status);
  return result;
}

}  // namespace syncline
