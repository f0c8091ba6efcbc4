// SPDX-License-Identifier: Apache-2.0
// The `direct` collectives: the owner of a part receives it from every other rank and adds in rank order, then sends the sum to all.
// Same bytes as a ring, 2(p-1) messages per rank and chunk, and the sum of each element is ((x0 + x1) + x2) + ..., independent of bucket,
// chunk and arrival, so that any grouping of gradients gives the same bits.
#include <algorithm>

#include "engine/comm/schedules/builder.h"

namespace syncline {

namespace schedule_detail {

RankOrderSum::RankOrderSum(Builder& builder, std::int64_t largest_chunk) : builder_(builder), others_(builder.request().size - 1) {
  emptied_.assign(static_cast<std::size_t>(chunk_window * others_), Builder::none);
  builder_.use_slots(0, largest_chunk);
}

int RankOrderSum::append(const Chunk& chunk, int channel, Operand into, int own) {
  const int rank = builder_.request().rank, size = builder_.request().size;
  const int base = (chunk.index % chunk_window) * others_;
  builder_.use_slots(base + others_, 0);
  std::vector<int> arrived(static_cast<std::size_t>(size), Builder::none);
  const auto slot_of = [&](int peer) { return base + (peer < rank ? peer : peer - 1); };
  for (int step = 1; step < size; ++step) {
    const int peer = (rank + step) % size, slot = slot_of(peer);
    arrived[static_cast<std::size_t>(peer)] =
        builder_.receive(peer, channel, at_slot(slot), chunk.count, {emptied_[static_cast<std::size_t>(slot)]});
  }
  int last = Builder::none;
  for (int peer = 1; peer < rank; ++peer) {  // the parts before the own one gather in the slot of rank 0
    last = builder_.add(at_slot(slot_of(peer)), at_slot(base), chunk.count,
                        {arrived[static_cast<std::size_t>(peer)], last == Builder::none ? arrived[0] : last});
    emptied_[static_cast<std::size_t>(slot_of(peer))] = last;
  }
  if (rank > 0) {
    last = builder_.add(at_slot(base), into, chunk.count, {last == Builder::none ? arrived[0] : last, own});
    emptied_[static_cast<std::size_t>(base)] = last;
  }
  for (int peer = rank + 1; peer < size; ++peer) {
    last = builder_.add(at_slot(slot_of(peer)), into, chunk.count,
                        {arrived[static_cast<std::size_t>(peer)], last == Builder::none ? own : last});
    emptied_[static_cast<std::size_t>(slot_of(peer))] = last;
  }
  return last;
}

namespace {

// The last move of a kind per peer and chunk position: a chunk waits for the one chunk_window before it.
class Window {
 public:
  explicit Window(int size) : last_(static_cast<std::size_t>(size * chunk_window), Builder::none) {}
  int& at(int peer, int chunk) { return last_[static_cast<std::size_t>(peer * chunk_window + chunk % chunk_window)]; }

 private:
  std::vector<int> last_;
};

std::int64_t largest_chunk(const ScheduleRequest& request) {
  return std::min(request.chunk, part_of(0, request.size, request.count).count);
}

}  // namespace
}  // namespace schedule_detail

using namespace schedule_detail;

Part part_of(int rank, int size, std::int64_t count) {
  const std::int64_t each = (count + size - 1) / size, begin = std::min(rank * each, count);
  return {begin, std::min(each, count - begin)};
}

CollectiveSchedule direct_allreduce(const ScheduleRequest& request) {
  Builder builder(request);
  const int rank = request.rank, size = request.size;
  const Part mine = part_of(rank, size, request.count);
  const int chunks = chunk_count(part_of(0, size, request.count), request.chunk);
  RankOrderSum sum(builder, largest_chunk(request));
  Window sent(size), gathered(size), scattered(size);
  for (int c = 0; c < chunks; ++c) {
    std::vector<int> parted(static_cast<std::size_t>(size), Builder::none);  // the send that must end before the sum may land there
    for (int step = 1; step < size; ++step) {
      const int peer = (rank + step) % size;
      const Part theirs = part_of(peer, size, request.count);
      if (c >= chunk_count(theirs, request.chunk)) continue;
      const Chunk chunk = chunk_of(theirs, c, request.chunk);
      const int ready = builder.copy(at_input(chunk.offset), at_output(chunk.offset), chunk.count, {});
      parted[static_cast<std::size_t>(peer)] = sent.at(peer, c) =
          builder.send(peer, 2 * c, at_output(chunk.offset), chunk.count, {ready, sent.at(peer, c)});
    }
    if (c < chunk_count(mine, request.chunk)) {
      const Chunk chunk = chunk_of(mine, c, request.chunk);
      const int own = builder.copy(at_input(chunk.offset), at_output(chunk.offset), chunk.count, {});
      const int done = sum.append(chunk, 2 * c, at_output(chunk.offset), own);
      for (int step = 1; step < size; ++step) {
        const int peer = (rank + step) % size;
        scattered.at(peer, c) = builder.send(peer, 2 * c + 1, at_output(chunk.offset), chunk.count, {done, scattered.at(peer, c)});
      }
    }
    for (int step = 1; step < size; ++step) {
      const int peer = (rank + size - step) % size;
      if (parted[static_cast<std::size_t>(peer)] == Builder::none) continue;
      const Chunk chunk = chunk_of(part_of(peer, size, request.count), c, request.chunk);
      gathered.at(peer, c) = builder.receive(peer, 2 * c + 1, at_output(chunk.offset), chunk.count,
                                             {parted[static_cast<std::size_t>(peer)], gathered.at(peer, c)});
    }
  }
  return builder.take();
}

CollectiveSchedule direct_reduce_scatter(const ScheduleRequest& request) {
  Builder builder(request);
  const int rank = request.rank, size = request.size;
  const Part mine = part_of(rank, size, request.count);
  const int chunks = chunk_count(part_of(0, size, request.count), request.chunk);
  RankOrderSum sum(builder, largest_chunk(request));
  const int staging = chunk_window * (size - 1);  // slots behind those of the sum, when sends must be scaled first
  Window sent(size);
  for (int c = 0; c < chunks; ++c) {
    for (int step = 1; step < size; ++step) {
      const int peer = (rank + step) % size;
      const Part theirs = part_of(peer, size, request.count);
      if (c >= chunk_count(theirs, request.chunk)) continue;
      const Chunk chunk = chunk_of(theirs, c, request.chunk);
      int& before = sent.at(peer, c);
      if (request.scaled) {
        const int slot = staging + (c % chunk_window) * (size - 1) + (step - 1);
        builder.use_slots(slot + 1, 0);
        const int ready = builder.copy(at_input(chunk.offset), at_slot(slot), chunk.count, {before});
        before = builder.send(peer, c, at_slot(slot), chunk.count, {ready});
      } else {
        before = builder.send(peer, c, at_input(chunk.offset), chunk.count, {before});
      }
    }
    if (c < chunk_count(mine, request.chunk)) {
      const Chunk chunk = chunk_of(mine, c, request.chunk);
      const Operand into = at_output(chunk.offset - mine.offset);
      sum.append(chunk, c, into, builder.copy(at_input(chunk.offset), into, chunk.count, {}));
    }
  }
  return builder.take();
}

CollectiveSchedule direct_reduce(const ScheduleRequest& request) {
  Builder builder(request);
  const Part all{0, request.count};
  const int chunks = chunk_count(all, request.chunk);
  const std::int64_t largest = std::min(request.chunk, request.count);
  if (request.rank == request.root) {
    RankOrderSum sum(builder, largest);
    for (int c = 0; c < chunks; ++c) {
      const Chunk chunk = chunk_of(all, c, request.chunk);
      sum.append(chunk, c, at_output(chunk.offset), builder.copy(at_input(chunk.offset), at_output(chunk.offset), chunk.count, {}));
    }
    return builder.take();
  }
  Window sent(1);
  if (request.scaled) builder.use_slots(std::min(chunks, chunk_window), largest);
  for (int c = 0; c < chunks; ++c) {
    const Chunk chunk = chunk_of(all, c, request.chunk);
    int& before = sent.at(0, c);
    if (request.scaled) {
      const int ready = builder.copy(at_input(chunk.offset), at_slot(c % chunk_window), chunk.count, {before});
      before = builder.send(request.root, c, at_slot(c % chunk_window), chunk.count, {ready});
    } else {
      before = builder.send(request.root, c, at_input(chunk.offset), chunk.count, {before});
    }
  }
  return builder.take();
}

CollectiveSchedule direct_allgather(const ScheduleRequest& request) {
  Builder builder(request);
  const int rank = request.rank, size = request.size;
  const Part mine = part_of(rank, size, request.count);
  const int chunks = chunk_count(part_of(0, size, request.count), request.chunk);
  Window sent(size), received(size);
  for (int c = 0; c < chunks; ++c) {
    if (c < chunk_count(mine, request.chunk)) {
      const Chunk chunk = chunk_of(mine, c, request.chunk);
      const int own = builder.copy(at_input(chunk.offset - mine.offset), at_output(chunk.offset), chunk.count, {});
      for (int step = 1; step < size; ++step) {
        int& before = sent.at((rank + step) % size, c);
        before = builder.send((rank + step) % size, c, at_output(chunk.offset), chunk.count, {own, before});
      }
    }
    for (int step = 1; step < size; ++step) {
      const int peer = (rank + size - step) % size;
      const Part theirs = part_of(peer, size, request.count);
      if (c >= chunk_count(theirs, request.chunk)) continue;
      const Chunk chunk = chunk_of(theirs, c, request.chunk);
      int& before = received.at(peer, c);
      before = builder.receive(peer, c, at_output(chunk.offset), chunk.count, {before});
    }
  }
  return builder.take();
}

Traffic direct_traffic(const ScheduleRequest& request) {
  Traffic sent;
  for (int owner = 0; owner < request.size; ++owner) {
    const Traffic part = traffic_of(part_of(owner, request.size, request.count), request.chunk);
    for (int times = owner == request.rank ? request.size - 1 : 1; times > 0; --times) sent += part;
  }
  return sent;
}

// All messages of a phase leave at once, so each phase costs one latency; the bytes are those of the ring.
double direct_cost(const ScheduleCost& c) {
  if (c.size <= 1) return 0;
  const double share = (c.size - 1.0) / c.size * c.bytes;
  return 2 * c.alpha_s + 2 * share * c.beta_s + share * c.gamma_s;
}

}  // namespace syncline
