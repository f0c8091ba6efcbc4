// SPDX-License-Identifier: Apache-2.0
#include "engine/sim/moves_run.h"

namespace syncline {

PreparedMoves::PreparedMoves(std::vector<Move> all) : moves(std::move(all)), waits(moves.size()), next(moves.size()) {
  for (std::size_t i = 0; i < moves.size(); ++i) {
    waits[i] = static_cast<int>(moves[i].after.size());
    for (const int before : moves[i].after) next[static_cast<std::size_t>(before)].push_back(static_cast<int>(i));
  }
}

MovesRun::MovesRun(EventQueue& events, Network& network, std::vector<int> ranks, std::vector<Member> members,
                   std::function<void(int)> ended)
    : events_(events), network_(network), ranks_(std::move(ranks)), members_(std::move(members)), ended_(std::move(ended)) {
  for (const Member& member : members_) states_.push_back({member->waits, member->moves.size()});
}

void MovesRun::begin(int member) {
  const PreparedMoves& prepared = *members_[static_cast<std::size_t>(member)];
  if (prepared.moves.empty()) return ended_(member);
  for (std::size_t i = 0; i < prepared.moves.size(); ++i) {
    if (prepared.waits[i] == 0) start(member, static_cast<int>(i));
  }
}

std::size_t MovesRun::left() const {
  std::size_t all = 0;
  for (const State& state : states_) all += state.left;
  return all;
}

void MovesRun::start(int member, int index) {
  const Move& each = move(member, index);
  const double bytes = 4.0 * static_cast<double>(each.count);
  const int rank = ranks_[static_cast<std::size_t>(member)];
  const auto done = [self = shared_from_this(), member, index] { self->complete(member, index); };
  switch (each.kind) {
    case Move::send: {
      const Address address{member, each.peer, each.channel};
      network_.send(rank, ranks_[static_cast<std::size_t>(each.peer)], bytes, done,
                    [self = shared_from_this(), address] { self->arrived(address); });
      return;
    }
    case Move::receive: {
      const Address address{each.peer, member, each.channel};
      const auto early = early_.find(address);
      if (early == early_.end()) {
        posted_[address] = index;
        return;
      }
      if (--early->second == 0) early_.erase(early);
      events_.foresee(events_.now_s(), rank, 0, "received", done);
      return;
    }
    case Move::add:
      network_.add(rank, bytes, done);
      return;
    case Move::copy:
      events_.foresee(events_.now_s(), rank, 0, "copied", done);
  }
}

void MovesRun::arrived(const Address& address) {
  const auto posted = posted_.find(address);
  if (posted == posted_.end()) {
    ++early_[address];
    return;
  }
  const int index = posted->second;
  posted_.erase(posted);
  complete(std::get<1>(address), index);
}

void MovesRun::complete(int member, int index) {
  State& state = states_[static_cast<std::size_t>(member)];
  for (const int next : members_[static_cast<std::size_t>(member)]->next[static_cast<std::size_t>(index)]) {
    if (--state.waits[static_cast<std::size_t>(next)] == 0) start(member, next);
  }
  if (--state.left == 0) ended_(member);
}

}  // namespace syncline
