// SPDX-License-Identifier: Apache-2.0
// A negotiated order in virtual time: the policies of all members are those of real ranks, and a cycle is one event that takes the closed
// form of its rounds (engine/comm/orchestrations/control_cost.h). Which policy it is makes no difference here. Cycles in which no member
// has anything new are counted and not run.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "engine/comm/orchestrations/policy.h"
#include "engine/sim/sim_group.h"

namespace syncline {

class SimReleases {
 public:
  SimReleases(SimGroup&, const ReleaseOptions&, const ControlCost& link, SimPending&);
  void expect(RankContext&, int member, int buckets);
  void asked(int member, SimAsked, double now_s);  // at that time: an event
  // What this member may start now; in the same order on all.
  std::optional<SimAsked> next(int member);
  ReleaseCounters counters(int member) const;

 private:
  struct Member {
    std::unique_ptr<ReleasePolicy> policy;
    std::vector<SimAsked> buckets;  // by handle
    std::vector<int> free_handles;
    std::deque<std::pair<SimAsked, std::int64_t>> others;  // and behind how many buckets each starts
    std::deque<Released> messages;                         // not started
    std::int64_t wanted = 0, started = 0;
    ReleaseCounters counters;
  };
  void look();  // foresees the next cycle when all members are in a session
  void cycle();
  double rounds();  // of one cycle on all members; seconds
  double exchange(Round);
  void end_cycle(const std::vector<std::vector<Released>>&);  // by member
  void skip_until(double now_s);
  SimAsked merged(Member&, const std::vector<int>& handles);
  // What is asked for at the moment of a cycle is in it, whichever rank asks.
  int after_all_ranks() const { return group_.ranks.back() + 1; }
  EventQueue& events() { return group_.world.events(); }

  SimGroup& group_;
  ReleaseOptions options_;
  ControlCost cost_;
  SimPending& pending_;
  std::vector<Member> members_;
  std::int64_t released_ = 0, not_in_session_ = 0;
  bool foreseen_ = false, changed_ = false;
  double due_s_ = 0, cost_of_last_s_ = 0;
  std::vector<ReleaseCounters> idle_;  // what one cycle without anything new comes to; empty: the last was none
  std::vector<ByteBuffer> reports_;
};

}  // namespace syncline
