// SPDX-License-Identifier: Apache-2.0
#include "engine/comm/schedules/flow.h"

#include <algorithm>

namespace syncline::schedule_detail {

Flow::Flow(const ScheduleRequest& request, std::vector<int> slots_of_lanes, std::int64_t largest, int window)
    : builder_(request), window_(window), largest_(largest) {
  int first = 0;
  for (const int slots : slots_of_lanes) {
    lanes_.push_back({.first_slot = first, .emptied = std::vector<int>(static_cast<std::size_t>(slots), Builder::none)});
    first += slots;
  }
  if (request.count > 0) segments_[0].end = request.count;
}

Flow::Segments::iterator Flow::split(std::int64_t at) {
  auto next = segments_.lower_bound(at);
  if (next != segments_.end() && next->first == at) return next;
  const auto here = std::prev(next);
  if (at >= here->second.end) return next;  // the end of the vector
  Segment upper = here->second;
  here->second.end = at;
  return segments_.emplace_hint(next, at, std::move(upper));
}

template <class F>
void Flow::each(std::int64_t offset, std::int64_t count, F&& f) {
  if (count == 0) return;
  const auto first = split(offset);
  const auto last = split(offset + count);
  for (auto at = first; at != last; ++at) f(at->first, at->second);
}

void Flow::contribute(std::int64_t offset, std::int64_t count) {
  each(offset, count, [&](std::int64_t begin, Segment& segment) {
    if (segment.own) return;
    segment.own = true;
    const std::int64_t chunk = builder_.request().chunk;
    for (std::int64_t at = begin; at < segment.end; at += chunk)
      segment.writers.push_back(builder_.copy(at_input(at), at_output(at), std::min(chunk, segment.end - at), {}));
  });
}

std::vector<int> Flow::before_reading(std::int64_t offset, std::int64_t count) {
  std::vector<int> moves;
  each(offset, count, [&](std::int64_t, const Segment& segment) {
    for (const auto* earlier : {&segment.writers, &segment.additions}) moves.insert(moves.end(), earlier->begin(), earlier->end());
  });
  return moves;
}

std::vector<int> Flow::before_writing(std::int64_t offset, std::int64_t count) {
  std::vector<int> moves = before_reading(offset, count);
  each(offset, count,
       [&](std::int64_t, const Segment& segment) { moves.insert(moves.end(), segment.readers.begin(), segment.readers.end()); });
  return moves;
}

void Flow::written(std::int64_t offset, std::int64_t count, int move) {
  each(offset, count, [&](std::int64_t, Segment& segment) { segment = {segment.end, true, {move}, {}, {}}; });
}

int& Flow::recent(bool sends, int peer) {
  Peer& at = peers_[{sends, peer, lane_}];
  if (at.last.empty()) at.last.assign(static_cast<std::size_t>(window_), Builder::none);
  int& oldest = at.last[static_cast<std::size_t>(at.next)];
  at.next = (at.next + 1) % window_;
  return oldest;
}

void Flow::send(int peer, int channel, std::int64_t offset, std::int64_t count) {
  contribute(offset, count);
  std::vector<int> after = before_reading(offset, count);
  int& oldest = recent(true, peer);
  after.push_back(oldest);
  const int move = oldest = builder_.send(peer, channel, at_output(offset), count, after);
  each(offset, count, [&](std::int64_t, Segment& segment) { segment.readers.push_back(move); });
}

void Flow::receive(int peer, int channel, std::int64_t offset, std::int64_t count) {
  std::vector<int> after = before_writing(offset, count);
  int& oldest = recent(false, peer);
  after.push_back(oldest);
  oldest = builder_.receive(peer, channel, at_output(offset), count, after);
  written(offset, count, oldest);
}

void Flow::receive_add(int peer, int channel, std::int64_t offset, std::int64_t count, bool ordered) {
  contribute(offset, count);
  Lane& lane = lanes_[static_cast<std::size_t>(lane_)];
  const int slot = lane.first_slot + lane.next;
  int& emptied = lane.emptied[static_cast<std::size_t>(lane.next)];
  lane.next = (lane.next + 1) % static_cast<int>(lane.emptied.size());
  builder_.use_slots(slot + 1, std::min(largest_, count));
  const int arrived = builder_.receive(peer, channel, at_slot(slot), count, {emptied});
  std::vector<int> after{arrived};
  if (ordered) {
    const std::vector<int> before = before_writing(offset, count);
    after.insert(after.end(), before.begin(), before.end());
  } else {  // they do not wait for each other: the executor runs one move at a time
    each(offset, count, [&](std::int64_t, const Segment& segment) {
      for (const auto* earlier : {&segment.writers, &segment.readers}) after.insert(after.end(), earlier->begin(), earlier->end());
    });
  }
  emptied = builder_.add(at_slot(slot), at_output(offset), count, after);
  if (ordered) {
    written(offset, count, emptied);
  } else {
    each(offset, count, [&](std::int64_t, Segment& segment) { segment.additions.push_back(emptied); });
  }
}

CollectiveSchedule Flow::take() {
  contribute(0, builder_.request().count);  // what was never sent or received: a rank alone
  return builder_.take();
}

}  // namespace syncline::schedule_detail
