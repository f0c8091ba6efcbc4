// SPDX-License-Identifier: Apache-2.0
// A negotiated order on the communication thread (Bitvector allreduce, "Per-rank background loop"). The gate keeps the buckets of one
// communicator until the policy releases them; a session is an operation that runs the policy's cycles from the moment a step says how
// many buckets it will have until all of them are released. Between two cycles, and while a message is on its way, the thread sleeps.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/comm/release_round.h"
#include "engine/comm/schedule_operation.h"

namespace syncline {

class ReleaseSession;

class Releases final : public ReleaseGate {
 public:
  // A prepared allreduce of `buffer` for several buckets, its state open and nobody's.
  using MakeMerged = std::function<std::shared_ptr<ScheduleOperation>(const View& buffer, Op, std::string_view label, int id)>;
  Releases(const ReleaseOptions&, std::string purpose, int control_context, MakeMerged);

  // ReleaseGate
  void arrived(const std::shared_ptr<Operation>&) override;
  std::shared_ptr<Operation> next(std::vector<std::shared_ptr<Operation>>& pending) override;
  std::string missing() const override;

  // The session's side.
  bool expect(int buckets);  // true: nobody runs cycles yet, the caller does
  bool over() const { return (stopped() || released_ >= wanted_) && !stop_to_tell(); }
  bool run(Transport&, double now_s);  // true when anything moved
  bool close(Transport&);              // nothing under way any more; whoever comes next may run cycles
  void abandon(Transport& transport) { round_.abandon(transport); }
  double due_s() const;
  void describe_to(std::string&) const;
  std::string waiting_for() const;

  void ask_stop() { stop_asked_.store(true, std::memory_order_release); }  // any thread
  ReleaseCounters counters() const;                                        // any thread

 private:
  void begin_cycle(Transport&, double now_s);
  void end_cycle(double now_s);
  bool stopped() const { return policy_->stopped(); }
  bool stop_to_tell() const { return stop_asked_.load(std::memory_order_acquire) && !stopped(); }
  std::shared_ptr<Operation> merged(std::span<const Released>);
  std::shared_ptr<Operation> taken(std::vector<std::shared_ptr<Operation>>& pending, const Operation*);
  void forget_messages();
  void publish();
  void fail_buckets(std::vector<std::shared_ptr<Operation>>& pending);

  ReleaseOptions options_;
  std::string purpose_;  // of the communicator, which a session may outlive
  MakeMerged make_merged_;
  std::unique_ptr<ReleasePolicy> policy_;
  ReleaseRound round_;
  Round in_round_ = Round::over;
  bool in_session_ = false;
  double due_s_ = 0, cycle_begun_s_ = 0;
  std::int64_t wanted_ = 0, released_ = 0, started_ = 0;
  std::vector<Operation*> by_handle_;  // pending ones
  std::vector<int> free_handles_;
  std::vector<std::pair<const Operation*, std::int64_t>> after_;  // others than buckets, and behind how many buckets each starts
  std::vector<Released> messages_;                                // from next_ on
  std::size_t next_ = 0;
  View buffer_;  // of merged messages; one is in flight at a time
  std::atomic<bool> stop_asked_{false};
  mutable std::mutex mutex_;
  ReleaseCounters counters_, published_;
};

class ReleaseSession final : public Operation {
 public:
  ReleaseSession(std::shared_ptr<Releases> releases, int buckets) : releases_(std::move(releases)), buckets_(buckets) {}
  void start(Transport&) override { runs_ = releases_->expect(buckets_); }
  Progress progress(Transport&) override;
  void abandon(Transport& transport) override { releases_->abandon(transport); }
  std::string waiting_for() const override { return releases_->waiting_for(); }
  double due_s() const override { return runs_ ? releases_->due_s() : forever_s; }
  void describe_to(std::string& text) const override { releases_->describe_to(text); }
  void queue_stops() override { releases_->ask_stop(); }  // buckets that nobody asked for
  void again(int buckets) { buckets_ = buckets; }

 private:
  std::shared_ptr<Releases> releases_;
  int buckets_;
  bool runs_ = false;
};

}  // namespace syncline
