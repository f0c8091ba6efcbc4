// SPDX-License-Identifier: Apache-2.0
#include "engine/sim/message_level.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <queue>
#include <tuple>

#include "engine/base/error.h"

namespace syncline {
namespace {

struct Event {
  double time_s;
  std::int64_t number;  // of equal times the one that was foreseen first
  enum Kind : std::uint8_t { done, arriving, delivered } kind;
  int rank, move;  // done: of this rank; arriving, delivered: the sender's

  bool operator>(const Event& other) const { return std::tie(time_s, number) > std::tie(other.time_s, other.number); }
};

class Run {
 public:
  Run(const ScheduleEntry& entry, const Params& options, int size, std::int64_t count, std::int64_t chunk, const Wire& wire)
      : wire_(wire), ranks_(static_cast<std::size_t>(size)) {
    for (int rank = 0; rank < size; ++rank) {
      Rank& r = at(rank);
      r.moves = entry.build({.rank = rank, .size = size, .count = count, .chunk = chunk, .options = &options}).moves;
      r.waits.resize(r.moves.size());
      r.next.resize(r.moves.size());
      for (std::size_t i = 0; i < r.moves.size(); ++i) {
        r.waits[i] = r.moves[i].after.size();
        for (const int before : r.moves[i].after) r.next[static_cast<std::size_t>(before)].push_back(static_cast<int>(i));
      }
      left_ += static_cast<std::int64_t>(r.moves.size());
    }
  }

  MessageLevel run() {
    for (int rank = 0; rank < static_cast<int>(ranks_.size()); ++rank) {
      for (std::size_t i = 0; i < at(rank).moves.size(); ++i) {
        if (at(rank).waits[i] == 0) start(rank, static_cast<int>(i));
      }
    }
    while (!events_.empty()) {
      const Event event = events_.top();
      events_.pop();
      now_s_ = event.time_s;
      switch (event.kind) {
        case Event::done:
          complete(event.rank, event.move);
          break;
        case Event::arriving:
          arrive(event);
          break;
        case Event::delivered:
          deliver(event);
          break;
      }
    }
    if (left_ > 0) throw UsageError(fmt::format("internal error: a schedule stops with {} moves left", left_));
    return result_;
  }

 private:
  struct Rank {
    std::vector<Move> moves;
    std::vector<std::size_t> waits;
    std::vector<std::vector<int>> next;
    double out_free_s = 0, in_free_s = 0, processor_free_s = 0;
  };
  using Address = std::tuple<int, int, int>;  // from, to, channel
  Rank& at(int rank) { return ranks_[static_cast<std::size_t>(rank)]; }
  const Move& move_of(const Event& event) { return at(event.rank).moves[static_cast<std::size_t>(event.move)]; }
  void foresee(double time_s, Event::Kind kind, int rank, int move) { events_.push({time_s, ++number_, kind, rank, move}); }

  void start(int rank, int index) {
    Rank& r = at(rank);
    const Move& move = r.moves[static_cast<std::size_t>(index)];
    const double bytes = 4.0 * static_cast<double>(move.count);
    switch (move.kind) {
      case Move::send: {
        const double begin_s = std::max(now_s_, r.out_free_s);
        r.out_free_s = begin_s + bytes * wire_.per_byte_s;
        result_.messages += 1;
        result_.bytes += move.count * 4;
        foresee(r.out_free_s, Event::done, rank, index);
        foresee(begin_s + wire_.latency_s, Event::arriving, rank, index);
        return;
      }
      case Move::receive: {
        const Address address{move.peer, rank, move.channel};
        const auto early = early_.find(address);
        if (early == early_.end()) {
          posted_[address] = index;
        } else {
          early_.erase(early);
          foresee(now_s_, Event::done, rank, index);
        }
        return;
      }
      case Move::add:
        r.processor_free_s = std::max(now_s_, r.processor_free_s) + bytes * wire_.add_per_byte_s;
        foresee(r.processor_free_s, Event::done, rank, index);
        return;
      case Move::copy:
        foresee(now_s_, Event::done, rank, index);
    }
  }
  // Messages enter a card in the order in which their first bytes arrive.
  void arrive(const Event& event) {
    Rank& receiver = at(move_of(event).peer);
    receiver.in_free_s = std::max(now_s_, receiver.in_free_s) + 4.0 * static_cast<double>(move_of(event).count) * wire_.per_byte_s;
    foresee(receiver.in_free_s, Event::delivered, event.rank, event.move);
  }
  void deliver(const Event& event) {
    const Move& move = move_of(event);
    const Address address{event.rank, move.peer, move.channel};
    const auto posted = posted_.find(address);
    if (posted == posted_.end()) {
      early_[address] = true;
      return;
    }
    const int index = posted->second;
    posted_.erase(posted);
    complete(move.peer, index);
  }
  void complete(int rank, int index) {
    --left_;
    result_.seconds = std::max(result_.seconds, now_s_);
    Rank& r = at(rank);
    for (const int next : r.next[static_cast<std::size_t>(index)]) {
      if (--r.waits[static_cast<std::size_t>(next)] == 0) start(rank, next);
    }
  }

  Wire wire_;
  std::vector<Rank> ranks_;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  std::map<Address, int> posted_;
  std::map<Address, bool> early_;  // delivered before their receive
  MessageLevel result_;
  double now_s_ = 0;
  std::int64_t number_ = 0, left_ = 0;
};

}  // namespace

MessageLevel allreduce_by_messages(const ScheduleEntry& entry, const Params& options, int size, std::int64_t count, std::int64_t chunk,
                                   const Wire& wire) {
  if (entry.build == nullptr) throw UsageError(fmt::format("internal error: '{}' has no schedule to simulate", entry.name));
  return Run(entry, options, size, count, chunk, wire).run();
}

}  // namespace syncline
