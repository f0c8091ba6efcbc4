// SPDX-License-Identifier: Apache-2.0
#include "engine/sim/sim_releases.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/base/error.h"
#include "engine/comm/work_state.h"

namespace syncline {

SimReleases::SimReleases(SimGroup& group, const ReleaseOptions& options, const ControlCost& link, SimPending& pending)
    : group_(group), options_(options), cost_(link), pending_(pending), members_(group.ranks.size()) {
  cost_.ranks = options_.setup.ranks = group.size();
  cost_.message_cost_s = options_.control_message_cost_s;
  not_in_session_ = group.size();
  for (std::size_t member = 0; member < members_.size(); ++member) {
    options_.setup.rank = static_cast<int>(member);
    members_[member].policy = options_.entry->make(options_.setup);
  }
}

void SimReleases::expect(RankContext& context, int member, int buckets) {
  events().foresee(context.now_s(), context.rank(), context.index(), "expects", [this, member, buckets] {
    Member& at = members_[static_cast<std::size_t>(member)];
    if (at.wanted == released_) --not_in_session_;
    at.wanted += buckets;
    look();
  });
}

void SimReleases::asked(int member, SimAsked asked, double now_s) {
  Member& at = members_[static_cast<std::size_t>(member)];
  if (!asked.part.negotiated) {
    at.others.emplace_back(std::move(asked), at.wanted);
    return;
  }
  int handle = static_cast<int>(at.buckets.size());
  if (at.free_handles.empty()) {
    at.buckets.emplace_back();
  } else {
    handle = at.free_handles.back();
    at.free_handles.pop_back();
  }
  at.policy->submit({.name = asked.part.name, .count = asked.shape.count, .op = asked.shape.op, .handle = handle, .asked_s = now_s});
  at.buckets[static_cast<std::size_t>(handle)] = std::move(asked);
  if (!idle_.empty()) skip_until(now_s);
  changed_ = true;
  look();
}

// The cycles between the last one and now had nothing new: they came and went as that one did.
void SimReleases::skip_until(double now_s) {
  const double period_s = std::max(options_.cycle_time_s, cost_of_last_s_ + shortest_rest_s);
  const auto skipped = static_cast<std::int64_t>(std::ceil(std::max(0.0, now_s - due_s_) / period_s));
  due_s_ += static_cast<double>(skipped) * period_s;
  for (std::size_t member = 0; member < members_.size(); ++member) {
    ReleaseCounters& counters = members_[member].counters;
    counters.cycles += skipped;
    counters.control_bytes += skipped * idle_[member].control_bytes;
    counters.control_messages += skipped * idle_[member].control_messages;
    counters.control_s += static_cast<double>(skipped) * cost_of_last_s_;
  }
  idle_.clear();
}

void SimReleases::look() {
  if (foreseen_ || not_in_session_ > 0 || !idle_.empty()) return;
  foreseen_ = true;
  events().foresee(std::max(events().now_s(), due_s_), after_all_ranks(), 0, "cycle", [this] { cycle(); });
}

double SimReleases::exchange(Round round) {
  ReleasePolicy& first = *members_.front().policy;
  double bytes = 0, requests = 0;
  if (round == Round::to_root) {
    reports_.clear();
    for (Member& each : members_) {
      reports_.push_back(each.policy->report);
      bytes += static_cast<double>(each.policy->report.size());
      requests += each.policy->requests_told;
    }
    first.answer(reports_, events().now_s());
    const auto reply_bytes = static_cast<std::int64_t>(first.reply.size());
    for (std::size_t member = 0; member < members_.size(); ++member) {
      ReleaseCounters& counters = members_[member].counters;
      const auto others = static_cast<std::int64_t>(members_.size()) - 1;
      counters.control_bytes += member == 0 ? others * reply_bytes : static_cast<std::int64_t>(reports_[member].size());
      counters.control_messages += member == 0 ? 2 * others : 2;
      if (member > 0) members_[member].policy->reply = first.reply;
    }
    return root_cost_s(cost_, requests / cost_.ranks, bytes / cost_.ranks);
  }
  std::vector<std::uint64_t> words = first.words;
  for (Member& each : members_) {
    for (std::size_t k = 0; k < words.size(); ++k)
      words[k] = round == Round::bits_and ? words[k] & each.policy->words[k] : words[k] | each.policy->words[k];
    each.counters.control_bytes += static_cast<std::int64_t>(8 * words.size());
    each.counters.control_messages += 2 * bit_rounds(cost_.ranks);
  }
  for (Member& each : members_) each.policy->words = words;
  return bits_cost_s(cost_, first.known());
}

double SimReleases::rounds() {
  const double now_s = events().now_s();
  Round round = Round::over;
  for (Member& each : members_) round = each.policy->begin(now_s);
  double cost_s = 0;
  while (round != Round::over) {
    cost_s += exchange(round);
    for (Member& each : members_) round = each.policy->next(now_s);
  }
  return cost_s;
}

void SimReleases::cycle() {
  foreseen_ = false;
  const double begun_s = events().now_s();
  const bool new_ones = std::exchange(changed_, false);
  std::vector<ReleaseCounters> before;
  if (!new_ones)
    for (const Member& each : members_) before.push_back(each.counters);
  cost_of_last_s_ = rounds();
  due_s_ = std::max(begun_s + options_.cycle_time_s, begun_s + cost_of_last_s_ + shortest_rest_s);
  auto released = std::make_shared<std::vector<std::vector<Released>>>();
  for (Member& each : members_) {
    ++each.counters.cycles;
    each.counters.control_s += cost_of_last_s_;
    each.policy->take_released(released->emplace_back());
    for (const std::string& warning : each.policy->take_warnings()) comm_log(warning);
  }
  if (released->front().empty()) {
    if (!new_ones) {
      for (std::size_t member = 0; member < members_.size(); ++member) {
        ReleaseCounters one = members_[member].counters;
        one.control_bytes -= before[member].control_bytes;
        one.control_messages -= before[member].control_messages;
        idle_.push_back(one);
      }
    }
    return look();
  }
  // Until the cycle is over nobody knows of what it has released.
  foreseen_ = true;
  events().foresee(begun_s + cost_of_last_s_, after_all_ranks(), 0, "released", [this, released] { end_cycle(*released); });
}

void SimReleases::end_cycle(const std::vector<std::vector<Released>>& released) {
  foreseen_ = false;
  released_ += static_cast<std::int64_t>(released.front().size());
  not_in_session_ = 0;
  for (std::size_t member = 0; member < members_.size(); ++member) {
    Member& at = members_[member];
    for (const Released& each : released[member]) {
      at.counters.messages += each.begins ? 1 : 0;
      at.messages.push_back(each);
    }
    if (at.wanted == released_) ++not_in_session_;
  }
  for (std::size_t member = 0; member < members_.size(); ++member) group_.start(static_cast<int>(member));
  look();
}

std::optional<SimAsked> SimReleases::next(int member) {
  Member& at = members_[static_cast<std::size_t>(member)];
  if (!at.others.empty() && at.others.front().second <= at.started) {
    SimAsked other = std::move(at.others.front().first);
    at.others.pop_front();
    return other;
  }
  if (at.messages.empty()) return std::nullopt;
  std::vector<int> handles;
  do {
    handles.push_back(at.messages.front().handle);
    at.messages.pop_front();
  } while (!at.messages.empty() && !at.messages.front().begins);
  at.started += static_cast<std::int64_t>(handles.size());
  SimAsked chosen = handles.size() == 1 ? std::move(at.buckets[static_cast<std::size_t>(handles.front())]) : merged(at, handles);
  for (const int handle : handles) at.free_handles.push_back(handle);
  return chosen;
}

// One message for several buckets: its work is nobody's, and its end is theirs.
SimAsked SimReleases::merged(Member& at, const std::vector<int>& handles) {
  SimAsked all = std::move(at.buckets[static_cast<std::size_t>(handles.front())]);
  std::vector<SimPart> parts;
  parts.push_back(std::move(all.part));
  for (std::size_t k = 1; k < handles.size(); ++k) {
    SimAsked& each = at.buckets[static_cast<std::size_t>(handles[k])];
    all.shape.count += each.shape.count;
    parts.push_back(std::move(each.part));
  }
  RankContext& context = parts.front().work->context();
  auto work = std::make_shared<SimWork>(context, pending_, "allreduce", group_.purpose, parts.front().name);
  const bool real = !parts.front().values.empty();
  const View room = real ? View::host(all.shape.count) : View();
  all.part = {.work = work.get(), .out = room, .scale = parts.front().scale, .values = {}, .strings = {}, .negotiated = true};
  std::vector<SimWork*> works;
  std::int64_t offset = 0;
  for (SimPart& part : parts) {
    all.part.values.insert(all.part.values.end(), part.values.begin(), part.values.end());
    works.push_back(part.work);
    part.work->deliver = [work, room, offset, out = part.out] {
      if (work->deliver) std::exchange(work->deliver, {})();
      if (!room.empty()) std::copy_n(room.data() + offset, out.count(), out.data());
    };
    offset += static_cast<std::int64_t>(part.values.size());
  }
  work->on_settled = [works](double done_s) {
    for (SimWork* each : works) each->settle(done_s);
  };
  work->drop();
  return all;
}

ReleaseCounters SimReleases::counters(int member) const {
  const Member& at = members_[static_cast<std::size_t>(member)];
  ReleaseCounters counters = at.counters;
  counters.slow_paths = at.policy->slow_paths();
  counters.extra_allreduces = at.policy->erasures();
  counters.released = released_;
  counters.sequence_hash = at.policy->sequence_hash();
  counters.state_hash = at.policy->state_hash();
  return counters;
}

}  // namespace syncline
