// SPDX-License-Identifier: Apache-2.0
#include "engine/train/rank/launcher_watch.h"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <string_view>

#include "engine/base/error.h"
#include "engine/launch/rank_status.h"
#include "engine/store/process.h"

namespace syncline {
namespace {

bool is_launcher(pid_t pid) {
  constexpr std::array<std::string_view, 6> launchers = {"mpirun", "mpiexec", "orterun", "orted", "prted", "prterun"};
  std::ifstream stream(fmt::format("/proc/{}/comm", pid));
  std::string name;
  std::getline(stream, name);
  return std::find(launchers.begin(), launchers.end(), name) != launchers.end();
}

}  // namespace

LauncherWatch::LauncherWatch(std::string scratch) : scratch_(std::move(scratch)) {
  const pid_t parent = ::getppid();
  if (!is_launcher(parent)) return;
  launcher_ = static_cast<int>(::syscall(SYS_pidfd_open, parent, 0));
  stop_ = ::eventfd(0, EFD_CLOEXEC);
  const bool watching = launcher_ >= 0 && stop_ >= 0;
  if (!watching) ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // a kernel or sandbox without such descriptors: end at least
  if (::getppid() != parent) leave();                 // it went in between
  if (watching) thread_ = std::thread([this] { wait(launcher_); });
}

LauncherWatch::~LauncherWatch() {
  if (thread_.joinable()) {
    ::eventfd_write(stop_, 1);
    thread_.join();
  }
  if (launcher_ >= 0) ::close(launcher_);
  if (stop_ >= 0) ::close(stop_);
}

void LauncherWatch::set_run(const std::filesystem::path& run_folder, int ranks) {
  const std::lock_guard lock(mutex_);
  run_folder_ = run_folder;
  ranks_ = ranks;
}

void LauncherWatch::wait(int launcher) {
  for (;;) {
    pollfd waits[] = {{launcher, POLLIN, 0}, {stop_, POLLIN, 0}};
    if (::poll(waits, 2, -1) < 0) continue;  // a signal
    if (waits[1].revents != 0) return;
    if (waits[0].revents != 0) leave();
  }
}

// Every rank does all of it, so the last one leaves nothing, whatever the others were still making.
void LauncherWatch::leave() {
  const std::lock_guard lock(mutex_);
  std::error_code ignored;
  if (!scratch_.empty()) std::filesystem::remove_all(scratch_, ignored);
  if (!run_folder_.empty()) {
    for (int rank = 0; rank < ranks_; ++rank) {  // a stopped rank would stay for ever
      const auto other = read_rank_status(run_folder_, rank);
      if (!other || other->pid == ::getpid() || other->host != host_name()) continue;
      const auto process = process_of(other->pid);
      if (process && static_cast<std::uint64_t>(process->start_ticks) == other->start_ticks) ::kill(other->pid, SIGCONT);
    }
    remove_rank_status(run_folder_, ranks_);
  }
  ::_exit(static_cast<int>(ExitCode::training));
}

void end_stranded_launcher(double after_s) {
  const pid_t launcher = ::getppid();
  if (!is_launcher(launcher)) return;
  const int process = static_cast<int>(::syscall(SYS_pidfd_open, launcher, 0));
  if (process < 0 || ::getppid() != launcher) return;
  if (::fork() != 0) {  // from here on nothing that needs a lock: other threads' are as they were
    ::close(process);
    return;
  }
  ::setsid();
  ::dup2(process, 3);
  for (const int stream : {0, 1, 2}) ::close(stream);  // the launcher waits until nobody holds them
  ::close_range(4, ~0U, 0);
  pollfd gone{3, POLLIN, 0};
  const auto stays = [&gone](double seconds) { return ::poll(&gone, 1, static_cast<int>(seconds * 1e3)) == 0; };
  const auto send = [](int signal) { ::syscall(SYS_pidfd_send_signal, 3, signal, nullptr, 0); };
  if (stays(after_s)) send(SIGTERM);
  if (stays(2)) send(SIGKILL);
  ::_exit(0);
}

}  // namespace syncline
