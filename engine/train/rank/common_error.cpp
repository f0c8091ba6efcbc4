// SPDX-License-Identifier: Apache-2.0
#include "engine/train/rank/common_error.h"

#include <signal.h>
#include <unistd.h>

#include <atomic>

#include "engine/comm/mpi/mpi_world.h"
#include "engine/metrics/clock.h"

namespace syncline {
namespace {

std::atomic<bool> told_to_end{false};  // set by the handler, which may touch nothing else

void on_end(int) { told_to_end.store(true); }

}  // namespace

bool must_report_common_error(double limit_s) {
  const auto place = launcher_place();
  if (!place || place->rank == 0) return true;
  struct sigaction action {};
  action.sa_handler = on_end;
  ::sigaction(SIGTERM, &action, nullptr);
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  ::pthread_sigmask(SIG_UNBLOCK, &set, nullptr);  // a launcher may have left it blocked
  const double end_s = monotonic_s() + limit_s;
  while (!told_to_end.load() && monotonic_s() < end_s) ::usleep(10000);
  return !told_to_end.load();
}

}  // namespace syncline
