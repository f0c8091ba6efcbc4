// SPDX-License-Identifier: Apache-2.0
// Runs the schedules of all ranks in one thread, in an order drawn at random: any ready move and any message may be the next, as under any
// delays of the messages. A send delivers when its receive is posted (rendezvous), the hardest case for a schedule that might dead-lock,
// and ends some time later: writing over what still leaves is an error even where the bytes happen to have gone.
#pragma once

#include <cstring>
#include <map>
#include <stdexcept>
#include <tuple>

#include "engine/base/random.h"
#include "engine/comm/schedules/schedule.h"

namespace syncline::test {

class Interpreter {
 public:
  Interpreter(std::vector<CollectiveSchedule> schedules, std::vector<std::vector<float>> inputs, bool in_place, float scale)
      : schedules_(std::move(schedules)), scale_(scale) {
    const std::size_t size = schedules_.size();
    ranks_.resize(size);
    for (std::size_t r = 0; r < size; ++r) {
      Rank& rank = ranks_[r];
      const CollectiveSchedule& schedule = schedules_[r];
      rank.in = std::move(inputs[r]);
      rank.in_place = in_place;
      rank.out.assign(rank.in.size(), -1);
      rank.slots.resize(static_cast<std::size_t>(schedule.scratch_elements()));
      rank.waits.resize(schedule.moves.size());
      rank.next.resize(schedule.moves.size());
      for (std::size_t i = 0; i < schedule.moves.size(); ++i) {
        rank.waits[i] = schedule.moves[i].after.size();
        for (const int before : schedule.moves[i].after) rank.next[static_cast<std::size_t>(before)].push_back(i);
        if (rank.waits[i] == 0) ready_.emplace_back(r, i);
      }
      left_ += schedule.moves.size();
    }
  }

  // False when nothing can go on although something is left.
  bool run(RandomStream& random) {
    while (left_ > 0) {
      const std::size_t choices = ready_.size() + delivered_.size();
      if (choices == 0) return false;
      const std::size_t k = random.below(static_cast<std::uint32_t>(choices));
      if (k < ready_.size()) {
        const auto [rank, move] = taken(ready_, k);
        issue(rank, move);
      } else {
        const auto [rank, move] = taken(delivered_, k - ready_.size());
        std::erase(ranks_[rank].leaving, move);
        complete(rank, move);
      }
    }
    return true;
  }
  const std::vector<float>& result(std::size_t rank) const { return ranks_[rank].in_place ? ranks_[rank].in : ranks_[rank].out; }

 private:
  struct Rank {
    std::vector<float> in, out, slots;
    bool in_place = false;
    std::vector<std::size_t> waits;
    std::vector<std::vector<std::size_t>> next;
    std::vector<std::size_t> leaving;  // sends that have not ended
  };
  using Message = std::tuple<std::size_t, std::size_t, int>;       // from, to, channel
  using Moves = std::vector<std::pair<std::size_t, std::size_t>>;  // (rank, move)

  static std::pair<std::size_t, std::size_t> taken(Moves& moves, std::size_t k) {
    const auto one = moves[k];
    moves[k] = moves.back();
    moves.pop_back();
    return one;
  }
  float* writable(std::size_t rank, const Operand& into, std::int64_t count) {
    float* const begin = at(rank, into);
    for (const std::size_t send : ranks_[rank].leaving) {
      const Move& move = schedules_[rank].moves[send];
      const float* from = at(rank, move.from);
      if (begin < from + move.count && from < begin + count) throw std::runtime_error("a write over a message that is still leaving");
    }
    return begin;
  }

  float* at(std::size_t rank, const Operand& operand) {
    Rank& r = ranks_[rank];
    if (operand.place == Operand::slot) return r.slots.data() + operand.index * schedules_[rank].slot_elements;
    return (operand.place == Operand::input || r.in_place ? r.in.data() : r.out.data()) + operand.offset;
  }
  void complete(std::size_t rank, std::size_t move) {
    --left_;
    for (const std::size_t next : ranks_[rank].next[move]) {
      if (--ranks_[rank].waits[next] == 0) ready_.emplace_back(rank, next);
    }
  }
  void issue(std::size_t rank, std::size_t index) {
    const Move& move = schedules_[rank].moves[index];
    switch (move.kind) {
      case Move::copy: {
        const float* from = at(rank, move.from);
        float* into = writable(rank, move.into, move.count);
        for (std::int64_t i = 0; i < move.count; ++i) into[i] = (move.from.place == Operand::input ? scale_ : 1) * from[i];
        return complete(rank, index);
      }
      case Move::add: {
        const float* from = at(rank, move.from);
        float* into = writable(rank, move.into, move.count);
        for (std::int64_t i = 0; i < move.count; ++i) into[i] = from[i] + into[i];
        return complete(rank, index);
      }
      case Move::send:
        ranks_[rank].leaving.push_back(index);
        posted_sends_[{rank, static_cast<std::size_t>(move.peer), move.channel}] = index;
        return match({rank, static_cast<std::size_t>(move.peer), move.channel});
      case Move::receive:
        posted_receives_[{static_cast<std::size_t>(move.peer), rank, move.channel}] = index;
        return match({static_cast<std::size_t>(move.peer), rank, move.channel});
    }
  }
  void match(const Message& message) {
    const auto send = posted_sends_.find(message), receive = posted_receives_.find(message);
    if (send == posted_sends_.end() || receive == posted_receives_.end()) return;
    const auto [from, to, channel] = message;
    const std::size_t sent = send->second, received = receive->second;
    const Move &out = schedules_[from].moves[sent], &in = schedules_[to].moves[received];
    if (out.count != in.count) throw std::runtime_error("a message of another length than its receive");
    std::memcpy(writable(to, in.into, in.count), at(from, out.from), static_cast<std::size_t>(in.count) * 4);
    posted_sends_.erase(send);
    posted_receives_.erase(receive);
    delivered_.emplace_back(from, sent);
    complete(to, received);
  }

  std::vector<CollectiveSchedule> schedules_;
  float scale_;
  std::vector<Rank> ranks_;
  Moves ready_, delivered_;
  std::map<Message, std::size_t> posted_sends_, posted_receives_;
  std::size_t left_ = 0;
};

}  // namespace syncline::test
