// SPDX-License-Identifier: Apache-2.0
// Builds a schedule from what happens to ranges of the output, in the order in which it would be right one after another; what may run at
// the same time follows from the ranges. A read waits for the writes before it, a write for the reads and writes before it, so that
// nothing lands where a message still leaves from. The first use of a range brings the rank's own contribution there.
#pragma once

#include <map>
#include <tuple>

#include "engine/comm/schedules/builder.h"

namespace syncline::schedule_detail {

class Flow {
 public:
  // At most `slots` received chunks of at most `largest` elements wait for their addition at the same time; `window` sends and as many
  // receives per peer are under way.
  Flow(const ScheduleRequest& request, int slots, std::int64_t largest, int window = chunk_window)
      : Flow(request, std::vector<int>{slots}, largest, window) {}
  // With lanes whose moves come in another order on other ranks: each has slots and windows of its own, so that none waits for another.
  Flow(const ScheduleRequest& request, std::vector<int> slots_of_lanes, std::int64_t largest, int window);
  void use_lane(int lane) { lane_ = lane; }  // for the calls that follow

  void send(int peer, int channel, std::int64_t offset, std::int64_t count);
  void receive(int peer, int channel, std::int64_t offset, std::int64_t count);  // over what was there
  // Adds what arrives to the range. With `ordered` the additions to an element follow the order of these calls, else that of arrival.
  void receive_add(int peer, int channel, std::int64_t offset, std::int64_t count, bool ordered = true);

  CollectiveSchedule take();

 private:
  struct Segment {  // of the output, from its key in segments_ to `end`
    std::int64_t end = 0;
    bool own = false;            // this rank's contribution is there
    std::vector<int> writers;    // the last write
    std::vector<int> additions;  // unordered ones since then
    std::vector<int> readers;    // since the last write
  };
  using Segments = std::map<std::int64_t, Segment>;
  Segments::iterator split(std::int64_t at);
  template <class F>
  void each(std::int64_t offset, std::int64_t count, F&& f);
  void contribute(std::int64_t offset, std::int64_t count);
  std::vector<int> before_reading(std::int64_t offset, std::int64_t count);
  std::vector<int> before_writing(std::int64_t offset, std::int64_t count);
  void written(std::int64_t offset, std::int64_t count, int move);
  int& recent(bool sends, int peer);

  struct Lane {
    int first_slot = 0;
    std::vector<int> emptied;  // per slot: the addition that read it last
    int next = 0;
  };
  Builder builder_;
  int window_, lane_ = 0;
  std::int64_t largest_;
  std::vector<Lane> lanes_;
  Segments segments_;
  struct Peer {
    std::vector<int> last;
    int next = 0;
  };
  std::map<std::tuple<bool, int, int>, Peer> peers_;  // (sends, peer, lane)
};

}  // namespace syncline::schedule_detail
