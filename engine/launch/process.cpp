// SPDX-License-Identifier: Apache-2.0
#include "engine/launch/process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>

#include "engine/base/error.h"

extern char** environ;

namespace syncline {
namespace {

std::vector<std::string> merged_environment(const std::vector<std::pair<std::string, std::string>>& changes) {
  std::vector<std::string> merged;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    const std::string name = text.substr(0, text.find('='));
    bool replaced = false;
    for (const auto& [key, value] : changes) replaced = replaced || key == name;
    if (!replaced) merged.push_back(text);
  }
  for (const auto& [key, value] : changes) merged.push_back(key + "=" + value);
  return merged;
}

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> result;
  for (const std::string& text : texts) result.push_back(const_cast<char*>(text.c_str()));
  result.push_back(nullptr);
  return result;
}

// posix_spawn's two attribute objects, released together.
struct SpawnAttributes {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  SpawnAttributes() {
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
  }
  ~SpawnAttributes() {
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
  }
  SpawnAttributes(const SpawnAttributes&) = delete;
  SpawnAttributes& operator=(const SpawnAttributes&) = delete;
};

}  // namespace

ChildProcess::ChildProcess(const SpawnOptions& options) {
  SpawnAttributes spawn;
  posix_spawn_file_actions_addopen(&spawn.actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  if (options.output_fd >= 0) {
    posix_spawn_file_actions_adddup2(&spawn.actions, options.output_fd, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&spawn.actions, options.output_fd, STDERR_FILENO);
  }
  if (options.error_fd >= 0) posix_spawn_file_actions_adddup2(&spawn.actions, options.error_fd, STDERR_FILENO);
  if (options.keep_fd >= 0) posix_spawn_file_actions_adddup2(&spawn.actions, options.keep_fd, options.keep_fd);  // clears close-on-exec
  short flags = POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK;
  if (options.group == SpawnOptions::own_group) {
    flags |= POSIX_SPAWN_SETPGROUP;
    posix_spawnattr_setpgroup(&spawn.attributes, 0);
  } else if (options.group == SpawnOptions::own_session) {
    flags |= POSIX_SPAWN_SETSID;
  }
  // The supervisor blocks and ignores signals that its children must feel.
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(&spawn.attributes, &none);
  posix_spawnattr_setsigdefault(&spawn.attributes, &all);
  posix_spawnattr_setflags(&spawn.attributes, flags);

  const std::vector<std::string> environment = merged_environment(options.environment);
  const int error = posix_spawnp(&pid_, options.argv.at(0).c_str(), &spawn.actions, &spawn.attributes, pointers(options.argv).data(),
                                 pointers(environment).data());
  if (error != 0) throw TrainingError(fmt::format("cannot start {}: {}", options.argv[0], std::strerror(error)));
}

std::optional<ProcessExit> ChildProcess::poll() {
  if (exit_) return exit_;
  int status = 0;
  const pid_t reaped = ::waitpid(pid_, &status, WNOHANG);
  if (reaped == pid_) {
    exit_ = WIFSIGNALED(status) ? ProcessExit{0, WTERMSIG(status)} : ProcessExit{WEXITSTATUS(status), 0};
  } else if (reaped < 0 && errno == ECHILD) {
    exit_ = ProcessExit{};  // reaped elsewhere; its status is unknown
  }
  return exit_;
}

ProcessExit ChildProcess::wait() {
  while (!exit_) {
    int status = 0;
    const pid_t reaped = ::waitpid(pid_, &status, 0);
    if (reaped == pid_) {
      exit_ = WIFSIGNALED(status) ? ProcessExit{0, WTERMSIG(status)} : ProcessExit{WEXITSTATUS(status), 0};
    } else if (reaped < 0 && errno != EINTR) {
      exit_ = ProcessExit{};
    }
  }
  return *exit_;
}

void ChildProcess::signal_group(int signal) const {
  if (pid_ > 0) ::kill(-pid_, signal);
}

bool peer_memory_readable() {
  const std::uint64_t word = 0x53796e636c696e65;
  const pid_t parent = ::getpid(), child = ::fork();
  if (child < 0) return false;
  if (child == 0) {  // nothing but system calls: other threads of the parent may hold locks
    std::uint64_t copy = 0;
    const iovec into{&copy, sizeof copy}, from{const_cast<std::uint64_t*>(&word), sizeof word};
    const ssize_t got = ::process_vm_readv(parent, &into, 1, &from, 1, 0);
    ::_exit(got == static_cast<ssize_t>(sizeof copy) && copy == word ? 0 : 1);
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return false;
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

int core_count() {
  cpu_set_t set;
  CPU_ZERO(&set);
  return ::sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
}

std::string signal_text(int signal) {
  const char* description = ::sigdescr_np(signal);
  return description != nullptr ? fmt::format("signal {} ({})", signal, description) : fmt::format("signal {}", signal);
}

}  // namespace syncline
