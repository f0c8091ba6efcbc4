// SPDX-License-Identifier: Apache-2.0
// A word on which one thread sleeps until another rings. Works in memory shared between processes; ringing costs a system call only
// while somebody sleeps.
#pragma once

#include <atomic>
#include <cstdint>
#include <limits>

namespace syncline {

inline constexpr double forever_s = std::numeric_limits<double>::infinity();

class Doorbell {
 public:
  // Take the ticket BEFORE looking for work: a ring between the look and wait() then makes wait() return at once.
  std::uint32_t ticket() const { return rings_.load(std::memory_order_seq_cst); }
  void ring() {
    rings_.fetch_add(1, std::memory_order_seq_cst);
    if (sleepers_.load(std::memory_order_seq_cst) != 0) wake();
  }
  // Returns when rung since `ticket`, at `until_s` on CLOCK_MONOTONIC, or spuriously.
  void wait(std::uint32_t ticket, double until_s = forever_s);

 private:
  void wake();
  std::atomic<std::uint32_t> rings_{0}, sleepers_{0};
};
static_assert(std::atomic<std::uint32_t>::is_always_lock_free, "a doorbell lies in memory shared between processes");

}  // namespace syncline
