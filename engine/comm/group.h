// SPDX-License-Identifier: Apache-2.0
// What the operations of one communicator share.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "engine/comm/queue.h"
#include "engine/experiment/parameter.h"
#include "engine/metrics/recorder.h"

namespace syncline {

struct GroupOptions {
  std::int64_t chunk_bytes = 256 * 1024;  // largest message of a collective
  std::string allreduce = "direct";       // a name of allreduce_schedules()
  Params allreduce_options;               // of its parameters; absent ones have their defaults. chunk_bytes there goes before the above
  std::int64_t segment_bytes = 1 << 30;   // largest single message of send, receive and the byte collectives
  std::vector<int> machines;              // the machine of each rank (Topology::machine_of_ranks); empty: not known
  bool check = false;                     // compare every collective across ranks before it runs (SYNCLINE_CHECK_COLLECTIVES)
};
// The options with `check` taken from the environment variable SYNCLINE_CHECK_COLLECTIVES (1 or 0) where that is set.
GroupOptions with_environment(GroupOptions);

struct CommGroup {  // owned by the communicator and by its open operations
  CommQueue* queue = nullptr;
  std::string purpose;
  int rank = 0, size = 1;
  int collective_context = 0, message_context = 0;  // apart, so that any_tag never matches a collective's message
  GroupOptions options;
  std::shared_ptr<Lane> lane = std::make_shared<Lane>();
  std::atomic<Recorder*> recorder{nullptr};       // gets an Exchange for every finished operation that has content
  std::uint64_t next_sequence = 0;                // of collectives, on the communication thread
  std::vector<float> scratch;                     // of collectives, on the communication thread
  std::atomic<std::int64_t> scratch_elements{0};  // its size so far

  std::string_view intern(std::string_view label);  // text that lives as long as the group

 private:
  std::mutex labels_mutex_;
  std::set<std::string, std::less<>> labels_;
};

// An operation of a group: its place in the order, its words in messages, its record.
class GroupOperation : public Operation {
 public:
  void describe_to(std::string&) const override;
  Progress progress(Transport&) final;  // step(), then the record

  std::shared_ptr<CommGroup> group;
  std::string_view kind, label;            // static; interned
  std::atomic<std::uint64_t> sequence{0};  // position among the group's collectives, given when it starts
  std::int64_t step_number = 0;
  int id = -1;
  std::int64_t payload_bytes = 0, sent_bytes = 0;
  int messages = 0;

 protected:
  virtual Progress step(Transport&) = 0;
  void saw_bytes(double now) {
    if (times.first_byte_s == 0) times.first_byte_s = now;
  }
};

}  // namespace syncline
