// SPDX-License-Identifier: Apache-2.0
// What every operation of the CPU backend shares: oneDNN's engine and stream, the thread count, the vector kernels and two scratch arenas.
#pragma once

#include <cstddef>
#include <cstdint>
#include <dnnl.hpp>
#include <memory>
#include <span>
#include <string>

#include "kernels/cpu/simd.h"
#include "kernels/view.h"

namespace syncline::cpu {

// Memory that only grows, and only when an operation is prepared; its address may change then, so it is read anew for each run.
class Arena {
 public:
  void reserve(std::size_t bytes);
  std::byte* data() const { return data_.get(); }

 private:
  struct Free {
    void operator()(std::byte* pointer) const;
  };
  std::unique_ptr<std::byte, Free> data_;
  std::size_t bytes_ = 0;
};

class Context {
 public:
  explicit Context(int threads);

  // Called at the start of every operation: gives the calling thread its OpenMP thread count, and it and the OpenMP workers alike the
  // flush-to-zero and denormals-are-zero bits, so that a result does not depend on which thread computed it. Cheap when done already.
  void enter();

  const dnnl::engine& engine() const { return engine_; }
  dnnl::stream& stream() { return stream_; }
  int threads() const { return threads_; }
  const Kernels& simd() const { return *simd_; }

  Arena scratchpad;  // of the oneDNN primitive that runs
  Arena staging;     // of the operation around it: operands in the format that the primitive chose, partial sums

  // Calls f(first, last) for fixed pieces of 0..count-1: the pieces do not depend on the number of threads. backwards: the
  // last piece first, for a second pass that finds the first pass's last pieces still in the cache.
  template <class F>
  void ranges(std::int64_t count, std::int64_t piece, F&& f, bool backwards = false) {
    const std::int64_t pieces = (count + piece - 1) / piece;
    const auto one = [&](std::int64_t turn) {
      const std::int64_t i = backwards ? pieces - 1 - turn : turn;
      f(i * piece, i * piece + piece < count ? i * piece + piece : count);
    };
    if (threads_ == 1 || pieces == 1) {
      for (std::int64_t i = 0; i < pieces; ++i) one(i);
      return;
    }
#pragma omp parallel for schedule(static) num_threads(threads_)
    for (std::int64_t i = 0; i < pieces; ++i) one(i);
  }

 private:
  int threads_;
  const Kernels* simd_;
  dnnl::engine engine_;
  dnnl::stream stream_;
};

constexpr std::int64_t kPiece = 16384;  // elements of a flat vector that one thread takes at a time: 64 KiB

// std::invalid_argument unless the view is on the host and has at least `count` elements.
void require(const View& view, std::int64_t count, const char* what);
void require_rows(std::int64_t rows, const char* what);

}  // namespace syncline::cpu
