// SPDX-License-Identifier: Apache-2.0
// When and in which order a rank hands its gradients to the strategy: as the backward pass completes them, or, where an experiment asks for
// it, late and in an order of its own, as with graphs that branch. Seeded by rank and step.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "engine/base/random.h"
#include "engine/metrics/clock.h"

namespace syncline {

struct HandoverOptions {
  bool random_order = false;
  double jitter_s = 0;  // longest delay before each
  std::uint64_t seed = 1;
  int rank = 0, slices = 0;
  std::function<void(double seconds)> delayed = {};  // told of each delay; may be empty
};

class Handover {
 public:
  Handover(HandoverOptions options, Clock& clock) : options_(std::move(options)), clock_(clock) {}
  bool plain() const { return !options_.random_order && options_.jitter_s <= 0; }
  void begin(std::int64_t step);
  // The gradient of `slice` is final, slices in ascending order. Calls `hand` for those whose turn has come: each slice once in a step, the
  // last ones when the last is final.
  void ready(int slice, const std::function<void(int slice)>& hand);

  // Final ones that an order of its own holds back at a time: few enough that most of them still leave under the backward pass.
  std::size_t most_waiting() const { return static_cast<std::size_t>(std::clamp(options_.slices / 4, 2, 8)); }

 private:
  void hand_over(std::size_t at, const std::function<void(int)>& hand);
  HandoverOptions options_;
  Clock& clock_;
  std::optional<RandomStream> random_;
  std::vector<int> waiting_;
};

}  // namespace syncline
