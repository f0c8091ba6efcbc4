// SPDX-License-Identifier: Apache-2.0
// A bounded queue for one producing and one consuming thread: two counters, no lock, all memory taken at construction.
#pragma once

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace syncline {

template <typename T>
class SpscRing {
 public:
  // Room for at least `capacity` elements (rounded up to a power of two).
  explicit SpscRing(std::size_t capacity) : slots_(std::bit_ceil(capacity < 2 ? std::size_t{2} : capacity)), mask_(slots_.size() - 1) {}

  // Producer. false when full: the element is not stored and dropped() grows.
  bool push(const T& value) {
    const std::size_t tail = tail_.load(std::memory_order_relaxed);
    if (tail - head_.load(std::memory_order_acquire) > mask_) {
      dropped_.fetch_add(1, std::memory_order_relaxed);
      return false;
    }
    slots_[tail & mask_] = value;
    tail_.store(tail + 1, std::memory_order_release);
    return true;
  }
  // Consumer. Calls `visit` with every element there is now, oldest first; returns how many.
  template <typename Visit>
  std::size_t drain(Visit&& visit) {
    std::size_t head = head_.load(std::memory_order_relaxed);
    const std::size_t tail = tail_.load(std::memory_order_acquire);
    const std::size_t count = tail - head;
    for (; head != tail; ++head) visit(slots_[head & mask_]);
    head_.store(head, std::memory_order_release);
    return count;
  }
  std::size_t capacity() const { return slots_.size(); }
  std::uint64_t dropped() const { return dropped_.load(std::memory_order_relaxed); }

 private:
  std::vector<T> slots_;
  const std::size_t mask_;
  // On cache lines of their own, so that the two threads do not take each other's line with every element.
  alignas(64) std::atomic<std::size_t> head_{0};
  alignas(64) std::atomic<std::size_t> tail_{0};
  alignas(64) std::atomic<std::uint64_t> dropped_{0};
};

}  // namespace syncline
