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

Network::Network(EventQueue& events, const Topology& topology, double add_per_byte_s, double time_scale)
    : events_(events),
      ranks_(topology.ranks()),
      wire_(bottleneck(topology, add_per_byte_s, time_scale)),
      topology_(topology),
      time_scale_(time_scale),
      processor_free_s_(static_cast<std::size_t>(topology.ranks())) {}

Wire bottleneck(const Topology& topology, double add_per_byte_s, double time_scale) {
  Wire wire{.latency_s = 0, .per_byte_s = 0, .add_per_byte_s = add_per_byte_s * time_scale};
  for (int rank = 0; rank < topology.ranks(); ++rank) {
    const int next = (rank + 1) % topology.ranks();
    if (next == rank) continue;
    double latency_s = 0;
    for (const Topology::Hop& hop : topology.route(rank, next)) {
      latency_s += hop.latency_s;
      if (hop.bytes_per_s > 0) wire.per_byte_s = std::max(wire.per_byte_s, time_scale / hop.bytes_per_s);
    }
    wire.latency_s = std::max(wire.latency_s, time_scale * latency_s);
  }
  return wire;
}

std::vector<int> Network::route(int from, int to) {
  if (!topology_) return {from, ranks_ + to};
  std::vector<int> lanes;
  if (from == to) return lanes;
  for (const Topology::Hop& hop : topology_->route(from, to)) {
    const auto [at, fresh] = lane_of_.try_emplace(hop.lane(from, to), static_cast<int>(lanes_.size()));
    if (fresh)
      lanes_.push_back({.per_byte_s = hop.bytes_per_s > 0 ? time_scale_ / hop.bytes_per_s : 0, .latency_s = time_scale_ * hop.latency_s});
    lanes.push_back(at->second);
  }
  return lanes;
}

void Network::send(int from, int to, double bytes, Action left, Action delivered) {
  messages_ += 1;
  bytes_sent_ += bytes;
  pass({.from = from, .to = to, .bytes = bytes, .lanes = route(from, to), .left = std::move(left), .delivered = std::move(delivered)});
}

// A lane begins with a message when its first byte is there and the lane is free, and has it behind itself when its last byte has come from
// the lane before, too.
void Network::pass(Passage message) {
  if (message.lanes.empty()) {  // through memory
    message.tail_s = events_.now_s();
    if (message.left) events_.foresee(message.tail_s, message.from, 0, "left", std::move(message.left));
    return hand_over(std::move(message));
  }
  Lane& lane = lanes_[static_cast<std::size_t>(message.lanes[message.next])];
  const double begin_s = std::max(events_.now_s(), lane.free_s), took_s = message.bytes * lane.per_byte_s;
  lane.free_s = begin_s + took_s;
  lane.busy_s += took_s;
  message.tail_s = std::max(message.tail_s, lane.free_s);
  if (message.next == 0 && message.left) events_.foresee(lane.free_s, message.from, 0, "left", std::move(message.left));
  const double latency_s = lane.latency_s;
  message.tail_s += latency_s;
  if (++message.next < message.lanes.size()) {
    const int to = message.to;
    auto shared = std::make_shared<Passage>(std::move(message));
    events_.foresee(begin_s + latency_s, to, 0, "on its way", [this, shared] { pass(std::move(*shared)); });
    return;
  }
  hand_over(std::move(message));
}

void Network::hand_over(Passage message) {
  const double bytes = message.bytes;
  events_.foresee(message.tail_s, message.to, 0, "delivered", [this, bytes, delivered = std::move(message.delivered)] {
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
