// SPDX-License-Identifier: Apache-2.0
#include "engine/comm/link_board.h"

#include <cmath>
#include <cstring>
#include <new>

#include "engine/base/error.h"

namespace syncline {

namespace {

constexpr std::size_t line = 64;
std::size_t rounded(std::size_t bytes) { return (bytes + line - 1) / line * line; }

}  // namespace

std::size_t LinkBoard::shared_bytes(const LinkModel& model, int size) {
  const auto ranks = static_cast<std::size_t>(size);
  return rounded(ranks * ranks * sizeof(Ring)) + rounded(static_cast<std::size_t>(clock_count(model, size)) * sizeof(NanoClock)) +
         rounded(ranks * sizeof(Intake)) + rounded(ranks * sizeof(Doorbell)) + rounded(ranks * sizeof(NanoClock)) +
         Offers::shared_bytes(size);
}

// The memory is zero, which is a valid start of every atomic in it; constructing them anew would race with ranks that are already running.
LinkBoard::LinkBoard(LinkModel model, int size, void* memory, std::shared_ptr<void> keep) : size_(size), keep_(std::move(keep)) {
  const auto ranks = static_cast<std::size_t>(size);
  auto* bytes = static_cast<std::byte*>(memory);
  rings_ = reinterpret_cast<Ring*>(bytes);
  bytes += rounded(ranks * ranks * sizeof(Ring));
  clocks_ = reinterpret_cast<NanoClock*>(bytes);
  bytes += rounded(static_cast<std::size_t>(clock_count(model, size)) * sizeof(NanoClock));
  intakes_ = reinterpret_cast<Intake*>(bytes);
  bytes += rounded(ranks * sizeof(Intake));
  own_bells_ = reinterpret_cast<Doorbell*>(bytes);
  for (int rank = 0; rank < size; ++rank) bells_.push_back(own_bells_ + rank);
  bytes += rounded(ranks * sizeof(Doorbell));
  wakes_ = reinterpret_cast<NanoClock*>(bytes);
  offers_.emplace(bytes + rounded(ranks * sizeof(NanoClock)), size);

  const auto per_byte = [](const Link& link) { return link.bytes_per_s > 0 ? 1e9 / link.bytes_per_s : 0.0; };
  routes_.resize(ranks * ranks);
  for (int from = 0; from < size; ++from) {
    for (int to = 0; to < size; ++to) {
      route(from, to) = {from, to, per_byte(model.card), per_byte(model.card), model.card.latency_s * 1e9};
    }
  }
  int clock = size;
  for (const PairLink& pair : model.pairs) {
    if (pair.from < 0 || pair.to < 0 || pair.from >= size || pair.to >= size || pair.from == pair.to) {
      throw UsageError("internal error: a link between ranks that do not exist");
    }
    route(pair.from, pair.to) = {clock, -1, per_byte(pair.link), 0, pair.link.latency_s * 1e9};
    route(pair.to, pair.from) = {pair.shared ? clock : clock + 1, -1, per_byte(pair.back), 0, pair.back.latency_s * 1e9};
    clock += 2;
  }
}

std::shared_ptr<LinkBoard> LinkBoard::in_memory(LinkModel model, int size, void* memory, std::shared_ptr<void> keep) {
  return std::shared_ptr<LinkBoard>(new LinkBoard(std::move(model), size, memory, std::move(keep)));
}

std::shared_ptr<LinkBoard> LinkBoard::in_process(LinkModel model, int size, std::function<Doorbell*(int)> bells) {
  const std::size_t bytes = rounded(shared_bytes(model, size));
  std::shared_ptr<void> memory(std::aligned_alloc(line, bytes), &std::free);
  if (!memory) throw std::bad_alloc();
  std::memset(memory.get(), 0, bytes);
  auto board = in_memory(std::move(model), size, memory.get(), memory);
  for (int rank = 0; rank < size; ++rank) board->bells_[static_cast<std::size_t>(rank)] = bells(rank);
  return board;
}

std::int64_t LinkBoard::occupy(NanoClock& clock, std::int64_t earliest, std::int64_t length, std::int64_t& begin) {
  std::int64_t before = clock.load(std::memory_order_relaxed), end = 0;
  do {
    begin = std::max(earliest, before);
    end = begin + length;
  } while (!clock.compare_exchange_weak(before, end, std::memory_order_acq_rel, std::memory_order_relaxed));
  return end;
}

std::int64_t LinkBoard::Intake::take(std::int64_t earliest, std::int64_t length, std::int64_t now) {
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
    return until;
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
  return until;
}

LinkBoard::Reservation LinkBoard::reserve(int from, int to, std::int64_t bytes, std::int64_t now_ns) {
  const Route& path = route(from, to);
  const auto length = [bytes](double ns_per_byte) {
    return static_cast<std::int64_t>(std::llround(ns_per_byte * static_cast<double>(bytes)));
  };
  std::int64_t begin = now_ns;
  Reservation reserved;
  reserved.left_ns = reserved.due_ns = occupy(clocks_[path.out], now_ns, length(path.out_ns_per_byte), begin);
  if (path.intake >= 0) reserved.due_ns = intakes_[path.intake].take(begin, length(path.in_ns_per_byte), now_ns);
  reserved.due_ns += static_cast<std::int64_t>(path.latency_ns);
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
