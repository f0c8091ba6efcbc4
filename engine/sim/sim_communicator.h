// SPDX-License-Identifier: Apache-2.0
// The Communicator in virtual time. Views may be ghosts: a size, no memory. Of real views the arithmetic is done, sums in rank order.
//
// Collectives. In groups of at most `most_by_messages` ranks the schedule runs move by move over the network, each rank's moves from the
// moment at which it has come. In larger ones a collective is one event: it begins when the last member has issued it and the one before
// has ended, and takes its closed form on the bottleneck link (where there is none, what its moves take when all begin together); where
// machines share links the form is corrected by what up to 256 ranks take by their moves. In both
// a communicator has one collective in flight. Exchanges of byte strings, which are made outside of steps, are always one event. Point to
// point and mailboxes are exact: each message passes the network.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "engine/comm/communicator.h"
#include "engine/comm/schedules/schedule.h"
#include "engine/metrics/recorder.h"
#include "engine/sim/network.h"
#include "engine/sim/sim_work.h"

namespace syncline {

struct SimCommOptions {
  Wire wire = {};  // of every card, where no topology is given
  std::shared_ptr<const Topology> topology = {};
  double time_scale = 1;  // of the topology's links
  std::string allreduce = "direct";
  Params allreduce_options = {};  // absent ones have their defaults. chunk_bytes there goes before the one here
  std::int64_t chunk_bytes = 256 * 1024;
  int most_by_messages = 32;  // 0: every collective is one event
};

struct Contention;     // sim_costs.h
struct SimGroup;       // what the members of one communicator share
struct SimCollective;  // one of its collectives

// The communicators of one virtual world. Outlives them; the world outlives it.
class SimNetworkWorld {
 public:
  SimNetworkWorld(VirtualWorld&, int ranks, const SimCommOptions&);
  ~SimNetworkWorld();
  SimNetworkWorld(const SimNetworkWorld&) = delete;
  SimNetworkWorld& operator=(const SimNetworkWorld&) = delete;
  // The communicator of all ranks, purpose "data", as this context's rank has it.
  std::unique_ptr<class SimCommunicator> connect(RankContext&);
  const Network& network() const { return network_; }
  const Contention* contention() const { return contention_.get(); }  // that closed forms were corrected by; null: none was asked

 private:
  friend class SimCommunicator;
  std::shared_ptr<SimGroup> group(const std::string& path, std::string_view purpose, const std::vector<int>& ranks);
  std::string problem() const;
  ScheduleRequest request(const SimGroup&, int member, std::int64_t count) const;
  SimGroup make_group(VirtualWorld&, Network&, std::string_view purpose, const std::vector<int>& ranks) const;
  double by_moves_s(const std::vector<int>& ranks, std::int64_t count) const;  // an allreduce whose ranks begin together
  double alone_s(const SimGroup&, std::int64_t count);                         // that of the group, remembered
  double form_s(int size, std::int64_t count, const Contention&) const;
  static std::vector<int> compared_ranks(const SimGroup&);
  const Contention& contention(const SimGroup&);

  VirtualWorld& world_;
  SimCommOptions options_;
  const ScheduleEntry& entry_;
  Network network_;
  SimPending pending_;
  std::map<std::string, std::shared_ptr<SimGroup>> groups_;
  std::unique_ptr<Contention> contention_;
  std::vector<int> machines_;  // of the ranks; empty: not described
  std::map<std::pair<const SimGroup*, std::int64_t>, double> alone_;
};

class SimCommunicator final : public Communicator {
 public:
  ~SimCommunicator() override;
  int rank() const override { return member_; }
  int size() const override;
  Features features() const override;
  Work allreduce(View in, View out, Reduce = {}) override;
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
  ReleaseCounters release_counters() const override;

  // Every collective and message with content whose end this rank has seen becomes an Exchange of this recorder. Null: off.
  void trace(Recorder* recorder) { recorder_ = recorder; }
  void set_step(std::int64_t step) { step_ = step; }  // of the exchanges asked from now on

 private:
  friend class SimNetworkWorld;
  friend struct SimGroup;
  struct Call;
  SimCommunicator(SimNetworkWorld& owner, std::shared_ptr<SimGroup> group, RankContext& context, int member, std::string path);
  Work collective(Call call);
  Work bytes_exchange(bool to_all, std::vector<ByteBuffer> out, std::vector<ByteBuffer>& in);
  std::shared_ptr<SimWork> make_work(std::string_view kind, std::string_view label);
  void record(SimWork&, std::string_view label, int id, std::uint64_t sequence, std::int64_t bytes, Traffic sent);
  void check_peer(int peer, std::string_view call) const;
  void check_counts(const View& in, const View& out, std::int64_t in_count, std::int64_t out_count, std::string_view call) const;

  SimNetworkWorld& owner_;
  std::shared_ptr<SimGroup> group_;
  RankContext& context_;
  int member_;
  std::string path_;
  int children_ = 0;
  Recorder* recorder_ = nullptr;
  std::int64_t step_ = 0;
};

}  // namespace syncline
