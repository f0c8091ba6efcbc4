// SPDX-License-Identifier: Apache-2.0
#include "engine/comm/offers.h"

#include <fmt/core.h>
#include <sys/prctl.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <ctime>
#include <thread>

#include "engine/base/error.h"

namespace syncline {

namespace {

constexpr std::size_t line = 64;
std::size_t rounded(std::size_t bytes) { return (bytes + line - 1) / line * line; }

// 0, or what went wrong.
int read_process(std::int32_t process, std::uint64_t address, void* into, std::int64_t bytes) {
  auto* to = static_cast<std::byte*>(into);
  while (bytes > 0) {
    iovec local{to, static_cast<std::size_t>(bytes)};
    iovec remote{reinterpret_cast<void*>(static_cast<std::uintptr_t>(address)), static_cast<std::size_t>(bytes)};
    const ssize_t got = process_vm_readv(process, &local, 1, &remote, 1, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return got < 0 ? errno : EFAULT;
    to += got;
    address += static_cast<std::uint64_t>(got);
    bytes -= got;
  }
  return 0;
}

}  // namespace

std::size_t Offers::shared_bytes(int size) {
  const auto ranks = static_cast<std::size_t>(size);
  return rounded(ranks * sizeof(PerRank)) + rounded(ranks * ranks * sizeof(PerPair));
}

// Zero is the valid start of all that lies in the memory.
Offers::Offers(void* zeroed_memory, int size) : size_(size), next_(static_cast<std::size_t>(size * size), 0) {
  auto* bytes = static_cast<std::byte*>(zeroed_memory);
  ranks_ = reinterpret_cast<PerRank*>(bytes);
  pairs_ = reinterpret_cast<PerPair*>(bytes + rounded(static_cast<std::size_t>(size) * sizeof(PerRank)));
}

void Offers::publish(int rank) {
  // Where the kernel lets only parents read (Yama), this opens the process to its siblings; elsewhere it is refused and not needed.
  prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0UL, 0UL, 0UL);
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  if (token_ == 0)
    token_ =
        (static_cast<std::uint64_t>(now.tv_nsec) << 32) ^ static_cast<std::uint64_t>(getpid()) ^ reinterpret_cast<std::uintptr_t>(this);
  at(rank).process = getpid();
  at(rank).token = token_;
  at(rank).token_address = reinterpret_cast<std::uintptr_t>(&token_);
}

bool Offers::usable() const {
  for (int rank = 0; rank < size_; ++rank) {
    std::uint64_t token = 0;
    // The token also tells a process of the same number in another process namespace from the right one.
    if (read_process(at(rank).process, at(rank).token_address, &token, sizeof token) != 0 || token != at(rank).token) return false;
  }
  return true;
}

int Offers::make(int from, int to) {
  int& next = next_[static_cast<std::size_t>(from * size_ + to)];
  for (int tried = 0; tried < most; ++tried) {
    const int offer = next;
    next = (next + 1) % most;
    if (state(from, to, offer).load(std::memory_order_relaxed) != free) continue;
    state(from, to, offer).store(open, std::memory_order_release);
    return offer;
  }
  return none;
}

bool Offers::read(int from, int to, int offer, std::uint64_t address, void* into, std::int64_t bytes) {
  std::atomic<std::uint32_t>& word = state(from, to, offer);
  std::uint32_t expected = open;
  if (!word.compare_exchange_strong(expected, reading, std::memory_order_acq_rel)) {
    if (expected == withdrawn) word.store(free, std::memory_order_release);
    return false;
  }
  const int trouble = read_process(at(from).process, address, into, bytes);
  word.store(taken_, std::memory_order_seq_cst);
  if (trouble == 0) return true;
  throw PeerLost(fmt::format("rank {} cannot be reached any more: reading its memory failed ({})", from, std::strerror(trouble)));
}

bool Offers::taken(int from, int to, int offer) {
  std::atomic<std::uint32_t>& word = state(from, to, offer);
  if (word.load(std::memory_order_seq_cst) != taken_) return false;
  word.store(free, std::memory_order_release);
  return true;
}

void Offers::withdraw(int from, int to, int offer) {
  std::atomic<std::uint32_t>& word = state(from, to, offer);
  std::uint32_t expected = open;
  if (word.compare_exchange_strong(expected, withdrawn, std::memory_order_acq_rel)) return;
  // The copy is under way and takes a moment; a reader that was killed in it never ends.
  for (int tries = 0; tries < 1000000 && word.load(std::memory_order_acquire) == reading; ++tries) std::this_thread::yield();
  if (word.load(std::memory_order_acquire) == taken_) word.store(free, std::memory_order_release);
}

}  // namespace syncline
