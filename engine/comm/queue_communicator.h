// SPDX-License-Identifier: Apache-2.0
// The Communicator over a queue and a transport: the same code for threads, MPI and shaped links.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <tuple>
#include <vector>

#include "engine/comm/bytes_operation.h"
#include "engine/comm/communicator.h"
#include "engine/comm/group.h"
#include "engine/comm/message_operation.h"
#include "engine/comm/release_gate.h"
#include "engine/comm/schedule_operation.h"

namespace syncline {

class QueueCommunicator final : public Communicator {
 public:
  // The communicator of all ranks, collective; `purpose` names it. The queue outlives it.
  static std::unique_ptr<QueueCommunicator> world(CommQueue&, const GroupOptions&, std::string_view purpose);

  int rank() const override { return group_->rank; }
  int size() const override { return group_->size; }
  Features features() const override;
  Work allreduce(View in, View out, Reduce = {}) override;
  // The same with elements that have 16 bits on their way: half of the bytes, sums in fp32, and on every rank the same bits, rounded to the
  // element where there are several ranks. UsageError for Op::bit_and and for the library's allreduce.
  Work allreduce_as(WireFormat, View in, View out, Reduce = {});
  Work reduce(View in, View out, int root, Reduce = {}) override;
  Work broadcast(View, int root) override;
  Work reduce_scatter(View in, View out, Reduce = {}) override;
  Work allgather(View in, View out) override;
  Work allgather_bytes(ByteBuffer mine, std::vector<ByteBuffer>& all) override;
  Work alltoall_bytes(std::vector<ByteBuffer> out, std::vector<ByteBuffer>& in) override;
  Work barrier() override;
  Work send(View, int peer, int tag) override;
  Work receive(View, int peer, int tag) override;
  std::unique_ptr<Mailbox> mailbox(int tag, std::int64_t count, int depth) override;
  std::unique_ptr<Communicator> duplicate(std::string_view purpose) override;
  std::unique_ptr<Communicator> split(int colour, int key, std::string_view purpose) override;

  void orchestrate(const ReleaseOptions&) override;
  void expect(int buckets) override;
  void stop_releases() override;
  ReleaseCounters release_counters() const override;

  // The Traced decorator: every finished operation with content becomes an Exchange of this recorder, called on the communication
  // thread. Null: off. The step it carries is CommQueue::set_step's at the moment of asking.
  void trace(Recorder* recorder) { group_->recorder.store(recorder, std::memory_order_release); }
  std::int64_t scratch_bytes() const { return group_->scratch_elements.load() * 4; }  // of collectives so far

 private:
  QueueCommunicator(std::shared_ptr<CommGroup> group, std::string path) : group_(std::move(group)), path_(std::move(path)) {}
  using Builder = CollectiveSchedule (*)(const ScheduleRequest&);
  using Key = std::tuple<Builder, std::int64_t, int, bool>;
  template <class T>
  std::shared_ptr<T> fresh(std::vector<std::shared_ptr<T>>& pool, std::string_view kind);
  Work collective(const ScheduleOperation::Call&, Builder);
  Work bytes_exchange(std::string_view kind, std::vector<ByteBuffer> out, std::vector<ByteBuffer>& in);
  std::shared_ptr<const PreparedSchedule> prepared(Builder, std::int64_t count, int root, bool scaled);
  void check_peer(int peer, std::string_view call) const;
  void check_views(const View& in, const View& out, std::int64_t in_count, std::int64_t out_count, std::string_view call) const;
  std::unique_ptr<QueueCommunicator> make_child(const std::vector<int>& members, int rank, const std::string& path,
                                                std::string_view purpose);

  std::shared_ptr<CommGroup> group_;
  std::string path_;  // unique name of this communicator in the world, the same on all members
  int children_ = 0;
  std::mutex mutex_;  // of pools and schedules
  std::vector<std::shared_ptr<ScheduleOperation>> collectives_;
  std::vector<std::shared_ptr<SendOperation>> sends_;
  std::vector<std::shared_ptr<ReceiveOperation>> receives_;
  std::map<Key, std::shared_ptr<const PreparedSchedule>> schedules_;

  void run_session(int buckets);
  std::unique_ptr<QueueCommunicator> negotiation_;  // the duplicate whose contexts control messages have for themselves
  std::shared_ptr<Releases> releases_;              // null: the order is fixed
  std::vector<std::shared_ptr<ReleaseSession>> sessions_;
};

}  // namespace syncline
