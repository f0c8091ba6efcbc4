// SPDX-License-Identifier: Apache-2.0
#include "engine/comm/link_board.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <new>

#include "engine/base/error.h"

namespace syncline {

namespace {

constexpr std::size_t line = 64;
constexpr double turn_ns = 1e6;  // a turn on a shared link, where nobody else wants it
constexpr std::int64_t least_turn_bytes = 4096;
std::size_t rounded(std::size_t bytes) { return (bytes + line - 1) / line * line; }

}  // namespace

std::size_t LinkBoard::shared_bytes(const LinkModel& model, int size) {
  const auto ranks = static_cast<std::size_t>(size);
  return rounded(ranks * ranks * sizeof(Ring)) + rounded(static_cast<std::size_t>(paths_of(model, size).channels) * sizeof(Channel)) +
         rounded(ranks * sizeof(Doorbell)) + rounded(ranks * sizeof(NanoClock)) + Offers::shared_bytes(size);
}

LinkBoard::Paths LinkBoard::paths_of(const LinkModel& model, int size) {
  const auto ns = [](double seconds) { return std::llround(seconds * 1e9); };
  const auto per_byte = [](double bytes_per_s) { return bytes_per_s > 0 ? 1e9 / bytes_per_s : 0.0; };
  Paths paths;
  paths.of_pairs.resize(static_cast<std::size_t>(size) * static_cast<std::size_t>(size));
  std::map<Topology::Hop::Lane, int> numbers;
  for (int from = 0; from < size; ++from) {
    for (int to = 0; to < size; ++to) {
      Path& path = paths.of_pairs[static_cast<std::size_t>(from * size + to)];
      if (from == to) continue;
      if (!model.topology) {
        const double cost = per_byte(model.card.bytes_per_s);
        path = {{{from, cost, 0}, {size + to, cost, 0}}, ns(model.card.latency_s), 0};
        continue;
      }
      double slowest = 0;
      bool shared = false;
      for (const Topology::Hop& hop : model.topology->route(from, to)) {
        const int channel = numbers.emplace(hop.lane(from, to), static_cast<int>(numbers.size())).first->second;
        path.legs.push_back({channel, per_byte(hop.bytes_per_s), path.latency_ns});
        path.latency_ns = ns(hop.latency_s);
        slowest = std::max(slowest, per_byte(hop.bytes_per_s));
        shared = shared || hop.shared;
      }
      if (shared && slowest > 0) path.turn_bytes = std::max<std::int64_t>(least_turn_bytes, std::llround(turn_ns / slowest));
    }
  }
  paths.channels = model.topology ? static_cast<int>(numbers.size()) : 2 * size;
  return paths;
}

// The memory is zero, which is a valid start of every atomic in it; constructing them anew would race with ranks that are already running.
LinkBoard::LinkBoard(const LinkModel& model, int size, void* memory, std::shared_ptr<void> keep) : size_(size), keep_(std::move(keep)) {
  if (model.topology && model.topology->ranks() != size)
    throw UsageError(fmt::format("internal error: links of {} ranks for a world of {}", model.topology->ranks(), size));
  paths_ = paths_of(model, size);
  const auto ranks = static_cast<std::size_t>(size);
  auto* bytes = static_cast<std::byte*>(memory);
  rings_ = reinterpret_cast<Ring*>(bytes);
  bytes += rounded(ranks * ranks * sizeof(Ring));
  channels_ = reinterpret_cast<Channel*>(bytes);
  bytes += rounded(static_cast<std::size_t>(paths_.channels) * sizeof(Channel));
  own_bells_ = reinterpret_cast<Doorbell*>(bytes);
  for (int rank = 0; rank < size; ++rank) bells_.push_back(own_bells_ + rank);
  bytes += rounded(ranks * sizeof(Doorbell));
  wakes_ = reinterpret_cast<NanoClock*>(bytes);
  offers_.emplace(bytes + rounded(ranks * sizeof(NanoClock)), size);
}

std::shared_ptr<LinkBoard> LinkBoard::in_memory(const LinkModel& model, int size, void* memory, std::shared_ptr<void> keep) {
  return std::shared_ptr<LinkBoard>(new LinkBoard(model, size, memory, std::move(keep)));
}

std::shared_ptr<LinkBoard> LinkBoard::in_process(const LinkModel& model, int size, std::function<Doorbell*(int)> bells) {
  const std::size_t bytes = rounded(shared_bytes(model, size));
  std::shared_ptr<void> memory(std::aligned_alloc(line, bytes), &std::free);
  if (!memory) throw std::bad_alloc();
  std::memset(memory.get(), 0, bytes);
  auto board = in_memory(model, size, memory.get(), memory);
  for (int rank = 0; rank < size; ++rank) board->bells_[static_cast<std::size_t>(rank)] = bells(rank);
  return board;
}

LinkBoard::Taken LinkBoard::Channel::take(std::int64_t earliest, std::int64_t length, std::int64_t now) {
  // A rank killed while it held the lock must not stop the others for good.
  for (int attempt = 0; lock.exchange(1, std::memory_order_acquire) != 0 && attempt < 1000000; ++attempt) {
  }
  std::uint32_t kept = 0;
  for (std::uint32_t i = 0; i < count; ++i) {  // what is over needs no place
    if (end[i] <= now) continue;
    begin[kept] = begin[i];
    end[kept++] = end[i];
  }
  count = kept;
  // Free time from `earliest` on, until there is enough of it; everything up to there is busy then.
  std::uint32_t first = 0;
  while (first < count && end[first] < earliest) ++first;
  std::uint32_t last = first;
  std::int64_t from = earliest, left = length, at = earliest;
  for (; last < count && begin[last] <= at + left; ++last) {
    if (begin[last] > at) left -= begin[last] - at;
    from = std::min(from, begin[last]);
    at = std::max(at, end[last]);
  }
  const std::int64_t until = at + left;
  std::int64_t starts = earliest;
  for (std::uint32_t i = first; i < count && begin[i] <= starts; ++i) starts = std::max(starts, end[i]);
  std::int64_t busy_until = until;
  if (last == first && count == most) {  // no room for another interval: a gap beside it is given up
    if (first > 0) {
      from = begin[--first];
    } else {
      busy_until = end[last++];
    }
  }
  if (length == 0) {  // it waited its turn and takes no time itself
    lock.store(0, std::memory_order_release);
    return {starts, until};
  }
  if (last == first) {
    for (std::uint32_t i = count; i > first; --i) begin[i] = begin[i - 1], end[i] = end[i - 1];
    ++count;
  } else {
    const std::uint32_t merged = last - first - 1;
    for (std::uint32_t i = last; i < count; ++i) begin[i - merged] = begin[i], end[i - merged] = end[i];
    count -= merged;
  }
  begin[first] = from;
  end[first] = busy_until;
  lock.store(0, std::memory_order_release);
  return {starts, until};
}

LinkBoard::Reservation LinkBoard::reserve(int from, int to, std::int64_t bytes, std::int64_t now_ns) {
  const Path& way = path(from, to);
  Reservation reserved{now_ns, now_ns, now_ns};
  std::int64_t head = now_ns, latency = 0;
  for (const Leg& leg : way.legs) {
    const auto length = static_cast<std::int64_t>(std::llround(leg.ns_per_byte * static_cast<double>(bytes)));
    const Taken taken = channels_[leg.channel].take(head + leg.after_ns, length, now_ns);
    // The last byte is not through before it has come over the slower link before.
    reserved.due_ns = std::max(taken.end, reserved.due_ns + leg.after_ns);
    if (&leg == &way.legs.front()) reserved.left_ns = reserved.due_ns;
    head = taken.begin;
    latency += leg.after_ns;
    reserved.taken_ns = std::max(reserved.taken_ns, taken.end - latency);
  }
  reserved.due_ns += way.latency_ns;
  return reserved;
}

bool LinkBoard::announce(int from, int to, const Announcement& what) {
  Ring& at = ring(from, to);
  const std::uint32_t written = at.written.load(std::memory_order_relaxed);
  if (written - at.read.load(std::memory_order_acquire) == ring_size) return false;
  at.entries[written % ring_size] = what;
  at.written.store(written + 1, std::memory_order_seq_cst);  // before sleeps_past() is asked
  return true;
}

bool LinkBoard::nothing_before(int to, std::int64_t wake_ns) {
  for (int from = 0; from < size_; ++from) {
    Ring& at = ring(from, to);
    const std::uint32_t written = at.written.load(std::memory_order_seq_cst);
    for (std::uint32_t read = at.read.load(std::memory_order_relaxed); read != written; ++read) {
      if (at.entries[read % ring_size].due_ns < wake_ns) return false;
    }
  }
  return true;
}

bool LinkBoard::next(int from, int to, Announcement& what) {
  Ring& at = ring(from, to);
  const std::uint32_t read = at.read.load(std::memory_order_relaxed);
  if (read == at.written.load(std::memory_order_acquire)) return false;
  what = at.entries[read % ring_size];
  at.read.store(read + 1, std::memory_order_release);
  return true;
}

}  // namespace syncline
