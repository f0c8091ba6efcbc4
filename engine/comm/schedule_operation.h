// SPDX-License-Identifier: Apache-2.0
// The executor of schedules: a collective on the communication thread.
#pragma once

#include <deque>
#include <memory>
#include <vector>

#include "engine/comm/arithmetic.h"
#include "engine/comm/group.h"
#include "engine/comm/schedules/schedule.h"

namespace syncline {

struct PreparedSchedule {  // with the graph's edges turned round, made once per kind and size
  explicit PreparedSchedule(CollectiveSchedule);
  CollectiveSchedule schedule;
  std::vector<int> waits_for;         // number of `after` of each move
  std::vector<int> next, next_begin;  // the moves that wait for move i: next[next_begin[i] .. next_begin[i + 1])
};

// Who takes part in what: compared across ranks before a collective runs when GroupOptions::check is on.
struct Fingerprint {
  std::uint64_t sequence = 0;
  std::int64_t count = 0;
  std::int32_t root = 0, id = -1, order = -1;
  std::uint8_t op = 0;
  char kind[15] = {}, label[48] = {};
  bool operator==(const Fingerprint&) const = default;
  std::string text() const;  // "allreduce 'bucket 3' of 1024 elements (number 17)"
};

class CheckedOperation : public GroupOperation {  // the comparison, for every kind of collective
 public:
  void abandon(Transport&) override;
  std::string waiting_for() const override;

 protected:
  Fingerprint fingerprint;
  void start_check(Transport&);                // also gives the operation its number
  bool check_passed(Transport&, bool& moved);  // true from the moment all ranks have answered alike. Throws UsageError
  void set_fingerprint(std::int64_t count, int root, Op op, int order);

 private:
  struct Peer {
    Fingerprint theirs;
    Transport::Handle send = -1, receive = -1;
  };
  std::vector<Peer> peers_;  // by rank; empty when nothing is checked
};

class ScheduleOperation final : public CheckedOperation {
 public:
  struct Call {
    std::string_view kind;
    View in, out;
    Reduce reduce;
    int root = 0;
    std::int64_t count = 0;  // of the whole vector
    bool library = false;    // the transport's own allreduce
    // 16 bits: messages are encoded when they leave and decoded when they have come, so additions see fp32. What is sent out of the output
    // is rounded there too: the sums that a rank keeps are those that the others get.
    WireFormat format = WireFormat::fp32;
  };
  void prepare(const Call&, std::shared_ptr<const PreparedSchedule>);
  Op op() const { return op_; }
  float scale() const { return scale_; }

  void start(Transport&) override;
  void abandon(Transport&) override;
  std::string waiting_for() const override;

 protected:
  Progress step(Transport&) override;

 private:
  struct Flight {
    Transport::Handle handle;
    int move;
    int stage = -1;  // the encoded message; -1: it is not encoded
  };
  int allot_stage(std::int64_t count);
  std::uint16_t* stage_at(int stage) { return stages_[static_cast<std::size_t>(stage)].data(); }
  void run_ready(Transport&);
  void run(Transport&, int move);
  void complete(int move);
  float* address(const Operand&) const;
  void check_late_writer() const;

  std::shared_ptr<const PreparedSchedule> schedule_;
  View in_, out_;
  Op op_ = Op::sum;
  float scale_ = 1;
  bool library_ = false, started_ = false;
  WireFormat format_ = WireFormat::fp32;
  std::deque<std::vector<std::uint16_t>> stages_;
  std::vector<int> free_stages_;
  std::uint64_t input_hash_ = 0;
  std::vector<int> waits_for_, ready_;
  std::size_t ready_at_ = 0;
  int left_ = 0;
  std::vector<Flight> flights_;
  std::vector<char> heard_;  // by rank: something of this collective has come from it
};

}  // namespace syncline
