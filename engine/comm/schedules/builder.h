// SPDX-License-Identifier: Apache-2.0
// What the builders of schedules share.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <span>
#include <utility>

#include "engine/comm/schedules/schedule.h"

namespace syncline::schedule_detail {

inline Operand at_input(std::int64_t offset) { return {Operand::input, 0, offset}; }
inline Operand at_output(std::int64_t offset) { return {Operand::output, 0, offset}; }
inline Operand at_slot(int index) { return {Operand::slot, index, 0}; }

class Builder {
 public:
  explicit Builder(const ScheduleRequest& request) : request_(request) {}
  static constexpr int none = -1;

  // Each returns the index of its move; `after` may hold none, and a move twice.
  struct After : std::span<const int> {
    After(std::initializer_list<int> moves) : span(moves.begin(), moves.size()) {}
    After(const std::vector<int>& moves) : span(moves) {}
  };
  int send(int peer, int channel, Operand from, std::int64_t count, After after) {
    return append({Move::send, peer, channel, from, {}, count, {}}, after);
  }
  int receive(int peer, int channel, Operand into, std::int64_t count, After after) {
    return append({Move::receive, peer, channel, {}, into, count, {}}, after);
  }
  int add(Operand from, Operand into, std::int64_t count, After after) {
    return append({Move::add, none, 0, from, into, count, {}}, after);
  }
  int copy(Operand from, Operand into, std::int64_t count, After after) {
    return append({Move::copy, none, 0, from, into, count, {}}, after);
  }
  void use_slots(int count, std::int64_t elements) {
    if (count > schedule_.slots) schedule_.slots = count;
    if (elements > schedule_.slot_elements) schedule_.slot_elements = elements;
  }
  const ScheduleRequest& request() const { return request_; }
  CollectiveSchedule take() { return std::move(schedule_); }

 private:
  int append(Move move, std::span<const int> after) {
    for (const int index : after) {
      if (index != none && std::find(move.after.begin(), move.after.end(), index) == move.after.end()) move.after.push_back(index);
    }
    schedule_.moves.push_back(std::move(move));
    return static_cast<int>(schedule_.moves.size()) - 1;
  }
  ScheduleRequest request_;
  CollectiveSchedule schedule_;
};

struct Chunk {
  int index;
  std::int64_t offset, count;
};  // of a part; offset counts in the whole vector

inline int chunk_count(const Part& part, std::int64_t chunk) { return static_cast<int>((part.count + chunk - 1) / chunk); }
inline Traffic traffic_of(const Part& part, std::int64_t chunk) { return {part.count, chunk_count(part, chunk)}; }
inline Traffic& operator+=(Traffic& sum, const Traffic& more) {
  sum.elements += more.elements;
  sum.messages += more.messages;
  return sum;
}
inline Chunk chunk_of(const Part& part, int index, std::int64_t chunk) {
  const std::int64_t begin = index * chunk;
  return {index, part.offset + begin, std::min(chunk, part.count - begin)};
}

// Receives the other ranks' parts of a chunk and sums them with the own part, which `own` has put at `into`, as ((x0 + x1) + x2) + ...:
// the order of the sum is that of the ranks, whatever arrives when.
class RankOrderSum {
 public:
  RankOrderSum(Builder& builder, std::int64_t largest_chunk);
  int append(const Chunk& chunk, int channel, Operand into, int own);  // returns the last addition
 private:
  Builder& builder_;
  int others_;
  std::vector<int> emptied_;  // per slot: the addition that read it last
};

}  // namespace syncline::schedule_detail
