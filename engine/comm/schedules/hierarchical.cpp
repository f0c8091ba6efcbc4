// SPDX-License-Identifier: Apache-2.0
// Two levels (engine notes 3.2, "two levels"). Between leaders alone, one rank of each machine would add up everything of its machine and
// send all of it, while the others wait. Here every rank does its part of both: the vector is cut into as many parts as the largest machine
// has ranks, and in each machine every part has an owner.
//   inside:  the owner of a part gets it from the other ranks of its machine and adds;
//   between: the owners of one part, one on each machine, do a direct allreduce: each of them adds up a piece and sends it to the others;
//   inside:  the owner sends the part to the other ranks of its machine.
// Between machines each machine sends 2 (h-1)/h of the vector for h machines, however many ranks it has, and that is the least that an
// allreduce can send between them; inside, a rank sends and gets what it would in one machine alone. A machine with fewer ranks than the
// largest has ranks that own several parts. Stretches of a part follow each other, so that the levels work at the same time.
#include <map>

#include "engine/comm/schedules/flow.h"

namespace syncline {

using namespace schedule_detail;

namespace {

struct Levels {
  explicit Levels(const ScheduleRequest& request) {
    std::map<int, int> numbers;  // of machines, in the order of their first ranks
    for (int rank = 0; rank < request.size; ++rank) {
      const int machine = request.machines.empty() ? 0 : request.machines[static_cast<std::size_t>(rank)];
      const auto at = static_cast<std::size_t>(numbers.emplace(machine, static_cast<int>(numbers.size())).first->second);
      if (at == ranks.size()) ranks.emplace_back();
      if (rank == request.rank) mine = static_cast<int>(at);
      ranks[at].push_back(rank);
      parts = std::max(parts, static_cast<int>(ranks[at].size()));
    }
  }
  int machines() const { return static_cast<int>(ranks.size()); }
  int owner(int machine, int part) const {
    const std::vector<int>& here = ranks[static_cast<std::size_t>(machine)];
    return here[static_cast<std::size_t>(part) % here.size()];
  }
  const std::vector<int>& neighbours() const { return ranks[static_cast<std::size_t>(mine)]; }

  std::vector<std::vector<int>> ranks;  // of each machine
  int mine = 0, parts = 1;
};

// A part in stretches, of which each machine's owner sums a piece of at most one chunk.
int stretch_count(const Levels& levels, const Part& part, std::int64_t chunk) { return chunk_count(part, chunk * levels.machines()); }
Part stretch_of(const Levels& levels, const Part& part, int index, std::int64_t chunk) {
  const Chunk stretch = chunk_of(part, index, chunk * levels.machines());
  return {stretch.offset, stretch.count};
}
Part piece_of(const Levels& levels, const Part& stretch, int machine) {
  const Part piece = part_of(machine, levels.machines(), stretch.count);
  return {stretch.offset + piece.offset, piece.count};
}

class Hierarchy {
 public:
  explicit Hierarchy(const ScheduleRequest& request)
      : request_(request),
        levels_(request),
        flow_(request,
              {chunk_window * std::max(1, static_cast<int>(levels_.neighbours().size()) - 1),
               chunk_window * std::max(1, levels_.machines() - 1), 0, 0},
              std::min(request.chunk, request.count), chunk_window) {}

  CollectiveSchedule build() {
    const int stretches = stretch_count(levels_, part_of(0, levels_.parts, request_.count), request_.chunk);
    for (stretch_ = 0; stretch_ < stretches; ++stretch_) {
      each_part([this](const Part& stretch, int owner) { gather(stretch, owner); });
      each_part([this](const Part& stretch, int owner) {
        if (owner == request_.rank) exchange(stretch);
      });
      each_part([this](const Part& stretch, int owner) { pass_on(stretch, owner); });
    }
    return flow_.take();
  }

 private:
  template <class F>
  void each_part(F&& f) {
    for (part_ = 0; part_ < levels_.parts; ++part_) {
      const Part part = part_of(part_, levels_.parts, request_.count);
      if (stretch_ < stretch_count(levels_, part, request_.chunk))
        f(stretch_of(levels_, part, stretch_, request_.chunk), levels_.owner(levels_.mine, part_));
    }
  }
  // Unique between two ranks: which phase, stretch and part, and which chunk of them.
  int channel(int phase, int chunk) const { return ((stretch_ * levels_.parts + part_) * 4 + phase) * levels_.machines() + chunk; }
  void gather(const Part& stretch, int owner) {
    flow_.use_lane(0);
    for (int c = 0; c < chunk_count(stretch, request_.chunk); ++c) {
      const Chunk chunk = chunk_of(stretch, c, request_.chunk);
      if (owner != request_.rank) {
        flow_.send(owner, channel(0, c), chunk.offset, chunk.count);
        continue;
      }
      for (const int other : levels_.neighbours()) {
        if (other != owner) flow_.receive_add(other, channel(0, c), chunk.offset, chunk.count);
      }
    }
  }
  template <class F>
  void each_other_machine(F&& f) {
    for (int machine = 0; machine < levels_.machines(); ++machine) {
      if (machine != levels_.mine) f(machine, levels_.owner(machine, part_));
    }
  }
  void exchange(const Part& stretch) {
    const Part own = piece_of(levels_, stretch, levels_.mine);
    const auto theirs = [&](int machine) { return piece_of(levels_, stretch, machine); };
    flow_.use_lane(1);
    each_other_machine([&](int machine, int peer) {
      if (theirs(machine).count > 0) flow_.send(peer, channel(1, 0), theirs(machine).offset, theirs(machine).count);
    });
    each_other_machine([&](int, int peer) {
      if (own.count > 0) flow_.receive_add(peer, channel(1, 0), own.offset, own.count);
    });
    flow_.use_lane(2);
    each_other_machine([&](int, int peer) {
      if (own.count > 0) flow_.send(peer, channel(2, 0), own.offset, own.count);
    });
    each_other_machine([&](int machine, int peer) {
      if (theirs(machine).count > 0) flow_.receive(peer, channel(2, 0), theirs(machine).offset, theirs(machine).count);
    });
  }
  void pass_on(const Part& stretch, int owner) {
    flow_.use_lane(3);
    for (int c = 0; c < chunk_count(stretch, request_.chunk); ++c) {
      const Chunk chunk = chunk_of(stretch, c, request_.chunk);
      if (owner != request_.rank) {
        flow_.receive(owner, channel(3, c), chunk.offset, chunk.count);
        continue;
      }
      for (const int other : levels_.neighbours()) {
        if (other != owner) flow_.send(other, channel(3, c), chunk.offset, chunk.count);
      }
    }
  }

  ScheduleRequest request_;
  Levels levels_;
  Flow flow_;
  int stretch_ = 0, part_ = 0;
};

}  // namespace

CollectiveSchedule hierarchical_allreduce(const ScheduleRequest& request) { return Hierarchy(request).build(); }

// Of a part that another rank owns: the stretches, once. Of an own one: to each neighbour the sums, to each other machine its piece and the
// own one.
Traffic hierarchical_traffic(const ScheduleRequest& request) {
  const Levels levels(request);
  const auto times = [](std::int64_t n, Traffic one) { return Traffic{n * one.elements, n * one.messages}; };
  const std::int64_t neighbours = static_cast<std::int64_t>(levels.neighbours().size()) - 1;
  Traffic sent;
  for (int p = 0; p < levels.parts; ++p) {
    const Part part = part_of(p, levels.parts, request.count);
    const bool own = levels.owner(levels.mine, p) == request.rank;
    for (int s = 0; s < stretch_count(levels, part, request.chunk); ++s) {
      const Part stretch = stretch_of(levels, part, s, request.chunk);
      sent += times(own ? neighbours : 1, traffic_of(stretch, request.chunk));
      for (int machine = 0; own && machine < levels.machines(); ++machine) {
        const Traffic piece = traffic_of(piece_of(levels, stretch, machine), request.chunk);
        sent += times(machine == levels.mine ? levels.machines() - 1 : 1, piece);
      }
    }
  }
  return sent;
}

}  // namespace syncline
