// SPDX-License-Identifier: Apache-2.0
#include "engine/comm/doorbell.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cmath>
#include <ctime>

namespace syncline {

void Doorbell::wait(std::uint32_t ticket, double until_s) {
  timespec until{};
  const bool endless = !(until_s < 1e15);
  if (!endless) {
    const double whole = std::floor(std::fmax(until_s, 0.0));
    until.tv_sec = static_cast<time_t>(whole);
    until.tv_nsec = static_cast<long>((std::fmax(until_s, 0.0) - whole) * 1e9);
  }
  sleepers_.fetch_add(1, std::memory_order_seq_cst);
  // Not the private form: the word may lie in memory shared between processes. The time is absolute, on CLOCK_MONOTONIC.
  syscall(SYS_futex, &rings_, FUTEX_WAIT_BITSET, ticket, endless ? nullptr : &until, nullptr, FUTEX_BITSET_MATCH_ANY);
  sleepers_.fetch_sub(1, std::memory_order_seq_cst);
}

void Doorbell::wake() { syscall(SYS_futex, &rings_, FUTEX_WAKE, 64, nullptr, nullptr, 0); }

}  // namespace syncline
