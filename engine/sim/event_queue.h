// SPDX-License-Identifier: Apache-2.0
// What happens in virtual time, in one order: by time, then rank, then context of the rank, then the order in which it was foreseen. The
// order is thus a function of the experiment, never of memory or of the machine.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <tuple>
#include <vector>

namespace syncline {

struct EventKey {
  double time_s = 0;
  int rank = 0, context = 0;
  std::uint64_t sequence = 0;  // among all events ever foreseen
  auto order() const { return std::tie(time_s, rank, context, sequence); }
  bool operator<(const EventKey& other) const { return order() < other.order(); }
  bool operator==(const EventKey&) const = default;
};

struct HappenedEvent {
  EventKey key;
  std::string what;
  bool operator==(const HappenedEvent&) const = default;
};

class EventQueue {
 public:
  using Action = std::function<void()>;
  // Throws UsageError for a time before now, or that is not a number. `what` is kept by pointer: a literal.
  void foresee(double time_s, int rank, int context, const char* what, Action action);
  bool empty() const { return heap_.empty(); }
  const EventKey& next() const { return heap_.front().key; }  // of a queue that is not empty
  void happen();                                              // the next one; its action may foresee more
  double now_s() const { return now_s_; }                     // of the event that happened last
  std::uint64_t happened() const { return happened_; }
  void clear() { heap_.clear(); }

  void keep_list() { keeps_list_ = true; }
  const std::vector<HappenedEvent>& list() const { return list_; }

 private:
  struct Event {
    EventKey key;
    const char* what;
    Action action;
  };
  static bool later(const Event& a, const Event& b) { return b.key < a.key; }
  std::vector<Event> heap_;
  std::vector<HappenedEvent> list_;
  double now_s_ = 0;
  std::uint64_t foreseen_ = 0, happened_ = 0;
  bool keeps_list_ = false;
};

}  // namespace syncline
