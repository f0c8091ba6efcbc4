// SPDX-License-Identifier: Apache-2.0
// The host's parallel_for: pieces of fixed size on a fixed team of threads.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

namespace syncline {

class ParallelFor {
 public:
  explicit ParallelFor(int threads);  // 1: everything in the calling thread. The others sleep between calls
  ~ParallelFor();
  using Body = void (*)(void* data, std::int64_t begin, std::int64_t end);
  // body(data, k * grain, min((k + 1) * grain, count)) once for every k; returns when all are done. Which thread runs which piece
  // depends on the number of threads, the pieces do not. A body called from within a body runs its pieces in its own thread. An exception
  // from a body is kept for take_failure() instead of being thrown through the caller, which may be C code.
  void run(std::int64_t count, std::int64_t grain, Body body, void* data);
  // What the first exception since the last call said; empty: none.
  std::string take_failure();

 private:
  struct Team;
  std::unique_ptr<Team> team_;
};

}  // namespace syncline
