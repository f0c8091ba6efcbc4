// SPDX-License-Identifier: Apache-2.0
#include "engine/train/handover.h"

namespace syncline {

void Handover::begin(std::int64_t step) {
  if (plain()) return;
  random_.emplace(options_.seed, "handover", static_cast<std::uint64_t>(options_.rank), static_cast<std::uint64_t>(step));
  waiting_.clear();
}

void Handover::ready(int slice, const std::function<void(int)>& hand) {
  if (plain()) return hand(slice);
  waiting_.push_back(slice);
  const bool last = slice == options_.slices - 1;
  while (!waiting_.empty() && (last || !options_.random_order || waiting_.size() >= most_waiting())) {
    const double place = options_.random_order ? random_->uniform() * static_cast<double>(waiting_.size()) : 0;
    hand_over(static_cast<std::size_t>(place), hand);
  }
}

void Handover::hand_over(std::size_t at, const std::function<void(int)>& hand) {
  const int slice = waiting_[at];
  waiting_.erase(waiting_.begin() + static_cast<std::ptrdiff_t>(at));
  if (options_.jitter_s > 0) {
    const double delay_s = options_.jitter_s * random_->uniform();
    clock_.sleep_until(clock_.now_s() + delay_s);
    if (options_.delayed) options_.delayed(delay_s);
  }
  hand(slice);
}

}  // namespace syncline
