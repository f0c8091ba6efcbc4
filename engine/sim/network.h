// SPDX-License-Identifier: Apache-2.0
// Bytes between ranks in virtual time: every message passes the lanes of its route one behind the other, each of which takes one message
// at a time, in the order in which their first bytes come. By default a route is the sender's card and the receiver's, each direction for
// itself, as emulated links reckon (engine/comm/link_board.h).
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/experiment/topology.h"
#include "engine/sim/event_queue.h"

namespace syncline {

struct Wire {
  double latency_s = 0;       // from a message's first byte leaving to its first byte arriving
  double per_byte_s = 0;      // of a card, in each direction
  double add_per_byte_s = 0;  // of a rank's processor: additions one after the other, beside the transfers
};
// The longest latency and the lowest bandwidth that neighbours in the order of ranks have between them: what closed forms reckon with.
Wire bottleneck(const Topology&, double add_per_byte_s, double time_scale = 1);

class Network {
 public:
  using Action = EventQueue::Action;
  struct Lane {
    double per_byte_s = 0, latency_s = 0;  // latency: to the next lane, or to the receiver
    double free_s = 0, busy_s = 0;         // free from then on; in use so far
  };

  Network(EventQueue&, int ranks, const Wire&);  // one card a rank
  // The routes of this topology; a link that is not shared is there once for each pair of ranks. Times are multiplied with `time_scale`.
  Network(EventQueue&, const Topology&, double add_per_byte_s, double time_scale = 1);
  int ranks() const { return ranks_; }
  const Wire& wire() const { return wire_; }

  // A message that may leave now. `left`: the sender's first lane is done with it; `delivered`: the last byte is there. Either may be
  // empty.
  void send(int from, int to, double bytes, Action left, Action delivered);
  void add(int rank, double bytes, Action done);  // an addition of so many bytes

  std::int64_t messages() const { return messages_; }
  double bytes_sent() const { return bytes_sent_; }
  // Nothing, or what is wrong when everything is over: messages that never arrived, a lane that was busy longer than `makespan_s`.
  std::string problem(double makespan_s) const;

 private:
  struct Passage {
    int from = 0, to = 0;
    double bytes = 0, tail_s = 0;
    std::vector<int> lanes;
    std::size_t next = 0;
    Action left, delivered;
  };
  std::vector<int> route(int from, int to);
  void pass(Passage);       // the first byte is at the next lane
  void hand_over(Passage);  // to the receiver

  EventQueue& events_;
  int ranks_;
  Wire wire_;
  std::optional<Topology> topology_;
  double time_scale_ = 1;
  std::map<Topology::Hop::Lane, int> lane_of_;  // of a topology
  std::vector<Lane> lanes_;
  std::vector<double> processor_free_s_;
  std::int64_t messages_ = 0, arrived_ = 0;
  double bytes_sent_ = 0, bytes_arrived_ = 0;
};

}  // namespace syncline
