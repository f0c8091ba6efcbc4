// SPDX-License-Identifier: Apache-2.0
#include "engine/sim/event_queue.h"

#include <fmt/core.h>

#include <algorithm>

#include "engine/base/error.h"

namespace syncline {

void EventQueue::foresee(double time_s, int rank, int context, const char* what, Action action) {
  if (!(time_s >= now_s_)) throw UsageError(fmt::format("internal error: '{}' at {} s, when it is {} s already", what, time_s, now_s_));
  heap_.push_back({{time_s, rank, context, ++foreseen_}, what, std::move(action)});
  std::push_heap(heap_.begin(), heap_.end(), later);
}

void EventQueue::happen() {
  std::pop_heap(heap_.begin(), heap_.end(), later);
  const Event event = std::move(heap_.back());
  heap_.pop_back();
  now_s_ = event.key.time_s;
  ++happened_;
  if (keeps_list_) list_.push_back({event.key, event.what});
  event.action();
}

}  // namespace syncline
