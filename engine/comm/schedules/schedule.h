// SPDX-License-Identifier: Apache-2.0
// A collective as data: a pure function from (rank, size, count) to sends, receives and additions, run by one executor
// (engine/comm/schedule_operation.h), checked without ranks, costed by the simulator.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "engine/experiment/parameter.h"

namespace syncline {

// Where a move reads or writes. input, output: the views of the call. slot: scratch memory of the communicator, one chunk large.
struct Operand {
  enum Place : std::uint8_t { input, output, slot } place = output;
  std::int32_t index = 0;   // of the slot
  std::int64_t offset = 0;  // elements, in input or output
};

struct Move {  // node of one rank's graph; runs when all `after` are complete
  // send: `from` to the peer. receive: from the peer into `into`. add: into = from (op) into. copy: into = scale * from, where the scale
  // (Reduce::scale_before) applies to what is read from the input; a copy onto itself with scale 1 costs nothing.
  enum Kind : std::uint8_t { send, receive, add, copy } kind = copy;
  int peer = -1;
  int channel = 0;  // matches send and receive between two ranks; unique per pair and direction
  Operand from, into;
  std::int64_t count = 0;  // elements; 0 is a message without content
  std::vector<int> after;  // indices of earlier moves
};

struct CollectiveSchedule {
  std::vector<Move> moves;         // in a topological order: `after` points backwards
  int slots = 0;                   // scratch used, in chunks
  std::int64_t slot_elements = 0;  // size of one slot
  std::int64_t scratch_elements() const { return slots * slot_elements; }
};

struct ScheduleRequest {
  int rank = 0, size = 1;
  std::int64_t count = 0;      // elements of the whole vector
  std::int64_t chunk = 65536;  // elements of one message at most
  int root = 0;
  bool scaled = false;                 // the contribution is multiplied while it is read
  const Params* options = nullptr;     // of the entry's parameters; not null for an entry that has some besides chunk_bytes
  std::span<const int> machines = {};  // of each rank, any numbers; empty: all ranks are on one. Used by hierarchical_allreduce alone
};
inline constexpr int chunk_window = 4;  // chunks under way per peer and phase: hides the waking time of a sleeping thread

// The elements of part r of a vector: [r*c, min((r+1)*c, n)), c = ceil(n/size). The last parts may be short or empty.
struct Part {
  std::int64_t offset = 0, count = 0;
};
Part part_of(int rank, int size, std::int64_t count);

// Scratch of `direct`, reduce and reduce_scatter (twice that when scaled): at most chunk_window * (size - 1) chunks, and for `direct` never
// more than the vector and a chunk per peer.
CollectiveSchedule direct_allreduce(const ScheduleRequest&);
CollectiveSchedule direct_reduce(const ScheduleRequest&);          // every rank sends to the root, which adds in rank order
CollectiveSchedule direct_reduce_scatter(const ScheduleRequest&);  // output: my part
CollectiveSchedule direct_allgather(const ScheduleRequest&);       // input: my part
CollectiveSchedule tree_broadcast(const ScheduleRequest&);         // binomial tree, chunk by chunk; no scratch
CollectiveSchedule dissemination_barrier(const ScheduleRequest&);  // ceil(log2 size) rounds of empty messages

// Allreduces; every rank ends with the same bits. Scratch at most chunk_window chunks, for trees times the most children that a rank has
// (multicolor: recv_window segments per child).
CollectiveSchedule ring_allreduce(const ScheduleRequest&);
CollectiveSchedule halving_doubling_allreduce(const ScheduleRequest&);
CollectiveSchedule tree_allreduce(const ScheduleRequest&);  // options: shape
CollectiveSchedule multicolor_allreduce(
    const ScheduleRequest&);  // options: colors, tree_arity, segments, recv_window, deterministic_reduce

// Every machine adds up by itself, machines exchange, every machine passes on: see hierarchical.cpp. Scratch at most chunk_window * size
// chunks.
CollectiveSchedule hierarchical_allreduce(const ScheduleRequest&);

// What request.rank sends, in closed form: the moves of the schedule counted without making them.
struct Traffic {
  std::int64_t elements = 0, messages = 0;
  bool operator==(const Traffic&) const = default;
};
Traffic direct_traffic(const ScheduleRequest&);
Traffic ring_traffic(const ScheduleRequest&);
Traffic halving_doubling_traffic(const ScheduleRequest&);
Traffic tree_traffic(const ScheduleRequest&);
Traffic multicolor_traffic(const ScheduleRequest&);
Traffic hierarchical_traffic(const ScheduleRequest&);

// T(bytes) in a world of equal links: alpha per message, beta per byte sent, gamma per byte added.
struct ScheduleCost {
  int size = 1;
  double bytes = 0, alpha_s = 0, beta_s = 0, gamma_s = 0;
  const Params* options = nullptr;  // as in ScheduleRequest
};
double direct_cost(const ScheduleCost&);
double ring_cost(const ScheduleCost&);
double halving_doubling_cost(const ScheduleCost&);
double multicolor_cost(const ScheduleCost&);

struct ScheduleEntry {  // one line an entry in registry.cpp
  std::string_view name, title, paper, summary;
  std::span<const Parameter> parameters;
  // Null for the library under the transport, whose call blocks.
  CollectiveSchedule (*build)(const ScheduleRequest&) = nullptr;
  Traffic (*traffic)(const ScheduleRequest&) = nullptr;
  // For worlds too large to expand; null where no closed form is right (engine/sim/message_level.h is).
  double (*cost_s)(const ScheduleCost&) = nullptr;
  bool order_independent_of_size = false;  // the sum of an element does not depend on where it lies, so buckets do not change bits
  bool needs_machines = false;             // which ranks are on one machine must be known
};
std::span<const ScheduleEntry> allreduce_schedules();
const ScheduleEntry& allreduce_schedule(std::string_view name);  // ConfigError for an unknown name
// ConfigError, which says what is missing, where an entry needs machines and they are not known or all alike: with one rank on each, or
// all ranks on one, there are no two levels.
void check_machines(const ScheduleEntry&, std::span<const int> machines);

}  // namespace syncline
