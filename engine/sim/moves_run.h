// SPDX-License-Identifier: Apache-2.0
// One collective move by move: the schedules of all members run over the network, each from the moment at which its rank has come.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <tuple>
#include <vector>

#include "engine/comm/schedules/schedule.h"
#include "engine/sim/network.h"

namespace syncline {

struct PreparedMoves {  // of one member, and what follows what
  std::vector<Move> moves;
  std::vector<int> waits;              // how many moves each waits for
  std::vector<std::vector<int>> next;  // whom each lets go
  explicit PreparedMoves(std::vector<Move>);
};

class MovesRun : public std::enable_shared_from_this<MovesRun> {
 public:
  using Member = std::shared_ptr<const PreparedMoves>;
  // `ended` is told, at its time, that all moves of a member are done. `ranks`: the members' ranks in the network.
  MovesRun(EventQueue&, Network&, std::vector<int> ranks, std::vector<Member>, std::function<void(int member)> ended);
  void begin(int member);    // now, once
  std::size_t left() const;  // moves that have not ended

 private:
  struct State {
    std::vector<int> waits;
    std::size_t left = 0;
  };
  using Address = std::tuple<int, int, int>;  // from, to, channel
  const Move& move(int member, int index) const {
    return members_[static_cast<std::size_t>(member)]->moves[static_cast<std::size_t>(index)];
  }
  void start(int member, int index);
  void arrived(const Address&);
  void complete(int member, int index);

  EventQueue& events_;
  Network& network_;
  std::vector<int> ranks_;
  std::vector<Member> members_;
  std::vector<State> states_;
  std::function<void(int)> ended_;
  std::map<Address, int> posted_, early_;  // receives without a message, by their move; messages without a receive
};

}  // namespace syncline
