// SPDX-License-Identifier: Apache-2.0
#include "engine/sim/network.h"

#include <fmt/core.h>

#include <algorithm>
#include <memory>

#include "engine/base/error.h"

namespace syncline {

Network::Network(EventQueue& events, int ranks, const Wire& wire)
    : events_(events), ranks_(ranks), wire_(wire), processor_free_s_(static_cast<std::size_t>(ranks)) {
  if (ranks < 1) throw UsageError("internal error: a network without ranks");
  lanes_.assign(static_cast<std::size_t>(ranks), {.per_byte_s = wire.per_byte_s, .latency_s = wire.latency_s});
  lanes_.resize(2 * static_cast<std::size_t>(ranks), {.per_byte_s = wire.per_byte_s});
}

void Network::send(int from, int to, double bytes, Action left, Action delivered) {
  messages_ += 1;
  bytes_sent_ += bytes;
  pass({.from = from, .to = to, .bytes = bytes, .lanes = route(from, to), .left = std::move(left), .delivered = std::move(delivered)});
}

// A lane begins with a message when its first byte is there and the lane is free, and has it behind itself when its last byte has come from
// the lane before, too.
void Network::pass(Passage message) {
  Lane& lane = lanes_[static_cast<std::size_t>(message.lanes[message.next])];
  const double begin_s = std::max(events_.now_s(), lane.free_s), took_s = message.bytes * lane.per_byte_s;
  lane.free_s = begin_s + took_s;
  lane.busy_s += took_s;
  message.tail_s = std::max(message.tail_s, lane.free_s);
  if (message.next == 0 && message.left) events_.foresee(lane.free_s, message.from, 0, "left", std::move(message.left));
  const double latency_s = lane.latency_s;
  message.tail_s += latency_s;
  const int to = message.to;
  if (++message.next < message.lanes.size()) {
    auto shared = std::make_shared<Passage>(std::move(message));
    events_.foresee(begin_s + latency_s, to, 0, "on its way", [this, shared] { pass(std::move(*shared)); });
    return;
  }
  const double bytes = message.bytes;
  events_.foresee(message.tail_s, to, 0, "delivered", [this, bytes, delivered = std::move(message.delivered)] {
    arrived_ += 1;
    bytes_arrived_ += bytes;
    if (delivered) delivered();
  });
}

void Network::add(int rank, double bytes, Action done) {
  double& free_s = processor_free_s_[static_cast<std::size_t>(rank)];
  free_s = std::max(events_.now_s(), free_s) + bytes * wire_.add_per_byte_s;
  events_.foresee(free_s, rank, 0, "added", std::move(done));
}

std::string Network::problem(double makespan_s) const {
  if (arrived_ != messages_ || bytes_arrived_ != bytes_sent_)
    return fmt::format("{} messages of {} bytes were sent and {} of {} bytes arrived", messages_, bytes_sent_, arrived_, bytes_arrived_);
  for (const Lane& lane : lanes_) {
    if (lane.busy_s > makespan_s * (1 + 1e-9))
      return fmt::format("a link was busy for {} s of a simulation of {} s", lane.busy_s, makespan_s);
  }
  return {};
}

}  // namespace syncline
