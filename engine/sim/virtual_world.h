// SPDX-License-Identifier: Apache-2.0
// Ranks in virtual time. Each rank context (a worker's or a server's flow of control) has a time of its own; one runs at a time, and what
// is foreseen happens in the order of EventQueue. A context may run ahead of the others as long as it only computes and asks for
// operations, whose effects are events at its own time; before it looks at anything that others can change, it lets everything earlier
// happen. So it hands on only where it waits, sleeps, polls or asks whether something is done.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/comm/doorbell.h"
#include "engine/metrics/clock.h"
#include "engine/sim/contexts.h"
#include "engine/sim/event_queue.h"

namespace syncline {

class VirtualWorld;

class RankContext {
 public:
  int rank() const { return rank_; }
  int index() const { return index_; }  // of this rank's contexts: 0 the worker
  double now_s() const { return now_s_; }
  double charged_s() const { return charged_s_; }  // computed so far
  VirtualWorld& world() const { return world_; }

  void compute(double seconds);  // time passes here; nothing else is looked at
  void reach(double time_s) {
    now_s_ = now_s_ < time_s ? time_s : now_s_;
  }  // waits for what is known to end then; nothing else is looked at
  void sleep_until(double time_s);
  void let_earlier_happen();  // returns when no event before this context's present is left
  // Waits until wake() or `until_s`; false: the time is over. `what` ends the sentence "rank 2 waits for ...". Throws what ended the world.
  bool block(const std::function<std::string()>& what, double until_s = forever_s);
  void wake(double time_s);  // at that time at the earliest; of a context that blocks. Others do nothing
  // Counts questions at one moment; throws UsageError for the 10,000th: such a loop never ends, as no time passes in it.
  void asked(std::string_view what);

  // "step 3, backward": where the context is, for reports.
  std::function<std::string()> where = {};

 private:
  friend class VirtualWorld;
  RankContext(VirtualWorld& world, int rank, int index) : world_(world), rank_(rank), index_(index) {}
  void give_way();

  VirtualWorld& world_;
  int rank_, index_, flow_ = -1;
  double now_s_ = 0, charged_s_ = 0, asked_at_s_ = -1;
  int questions_ = 0;
  std::uint64_t waits_ = 0;  // a timer of an earlier wait does not end a later one
  bool blocked_ = false, waking_ = false, timed_out_ = false, begun_ = false, over_ = false;
  std::function<std::string()> waits_for_;
};

inline constexpr int most_questions = 10'000;

struct VirtualWorldOptions {
  Contexts::Kind kind = Contexts::Kind::fibers;
  bool keep_list = false;  // of events
  std::string name;        // of what runs, for reports: "strategy 'sync'"
};

class VirtualWorld {
 public:
  explicit VirtualWorld(VirtualWorldOptions options = {});
  ~VirtualWorld();
  VirtualWorld(const VirtualWorld&) = delete;
  VirtualWorld& operator=(const VirtualWorld&) = delete;

  RankContext& add(int rank, std::function<void(RankContext&)> body);  // before run()
  // Runs everything to its end. The first error of a context ends the others and is thrown here. TrainingError for a dead-lock, with what
  // each rank waits for; UsageError where a check at the end fails.
  void run();

  EventQueue& events() { return events_; }
  const VirtualWorldOptions& options() const { return options_; }
  // Asked at the end of a run that nothing ended early: a sentence about what is wrong, or nothing.
  void at_end(std::function<std::string()> check) { checks_.push_back(std::move(check)); }
  const std::optional<std::string>& ended_by() const { return ended_by_; }  // set: contexts are being ended
  double makespan_s() const;

 private:
  friend class RankContext;
  void run_context(RankContext&);
  void finish_contexts(const std::string& why);
  std::string dead_lock() const;
  void check_end() const;

  VirtualWorldOptions options_;
  std::unique_ptr<Contexts> contexts_;
  EventQueue events_;
  std::vector<std::unique_ptr<RankContext>> ranks_;
  std::vector<std::function<std::string()>> checks_;
  std::exception_ptr error_;
  std::optional<std::string> ended_by_;
};

class VirtualClock final : public Clock {
 public:
  explicit VirtualClock(RankContext& context) : context_(context) {}
  double now_s() const override { return context_.now_s(); }
  double training_s() const override;
  void sleep_until(double t_s) override { context_.sleep_until(t_s); }
  void enter_boundary();  // the training clock stops / goes on; calls pair up
  void leave_boundary();
  void restore_training(double seconds);

 private:
  RankContext& context_;
  double stood_s_ = 0, stopped_at_s_ = -1, restored_s_ = 0, started_s_ = -1;
};

}  // namespace syncline
