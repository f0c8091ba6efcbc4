// SPDX-License-Identifier: Apache-2.0
// The step loop, the same for every algorithm and for the simulator: it owns steps, meetings, boundaries and counters. The strategy decides
// what is sent, the task computes, the rank around it records and stores. One object per rank, used by one thread.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "engine/plan/plan.h"
#include "engine/strategy/strategy.h"
#include "engine/train/activity.h"
#include "engine/train/control.h"
#include "engine/train/due.h"
#include "engine/train/exchange.h"
#include "engine/train/fault_points.h"
#include "engine/train/observer.h"
#include "engine/train/replica_impl.h"
#include "engine/train/snapshot.h"
#include "engine/train/step_hooks.h"
#include "engine/train/task.h"

namespace syncline {

struct TrainerParts {  // all outlive the trainer
  const Experiment& experiment;
  const StrategyEntry& strategy;
  Task& task;
  Backend& backend;
  Communicator& data;     // shaped and traced as wanted, purpose "data"
  Communicator& control;  // purpose "control"
  Loader& train;
  Loader* test = nullptr;  // null: no evaluation
  std::vector<std::int64_t> batch_per_rank;
  Clock& clock;
  TrainingClock& training_clock;
  Recorder& recorder;
  TrainObserver& observer;
  ControlInput& input;
  Activity& activity;
  FaultPoints& faults;
  ComputeGate& gate;
  CheckpointSink* sink = nullptr;  // null: nothing is saved
  const CheckpointSource* resume = nullptr;
  std::function<void(bool)> in_optimizer = {};        // told around every update; may be empty
  const CheckpointSource* parameters_from = nullptr;  // --init-from
  TracedOptimizer::Charge charge_update = {};         // in virtual time, or as a pace says
  bool emulate_updates = false;                       // with EmulatedUpdate instead of the experiment's optimizer
  class Pace* pace = nullptr;                         // that the task keeps to; asked for overruns
};

struct TrainerOptions {
  std::optional<std::int64_t> only_steps;  // --dry-run: so many steps, no evaluation
  int threads = 1;
  std::int64_t hash_every = 500;  // steps between comparisons of the parameters over ranks; also at each boundary. 0: never
  Facts facts;                    // further things that must be alike on all ranks (program, data)
};

struct TrainResult {
  enum Ended { finished, target_reached, stopped, diverged } ended = finished;
  std::int64_t steps = 0, samples = 0;
  double epochs = 0;
  std::optional<double> train_loss, test_loss, test_accuracy, best_accuracy, time_to_target_s;
  bool checkpoint = false;  // one of the last step is there
  std::string reason;       // one sentence; empty for finished
};

class Trainer {
 public:
  Trainer(TrainerParts, TrainerOptions);
  ~Trainer();
  // start(), then run(). Both throw what ends the job on this rank: TrainingError and its kinds, DataError, WorkspaceError.
  void start();  // vectors, plan, agreement over ranks, strategy.start, restored state
  TrainResult run();

  const Plan& plan() const { return replica_.plan(); }
  Replica& replica() { return replica_; }
  std::int64_t total_steps() const { return total_steps_; }
  View statistics() const { return statistics_; }                   // this worker's own
  View evaluated_statistics() const { return merged_statistics_; }  // by model.buffers, of the last boundary

 private:
  struct Sums {  // of this rank since the last meeting
    std::int32_t steps = 0;
    double loss = 0;
    std::int64_t correct = 0, samples = 0;
  };
  struct Wanted {
    bool evaluate = false, checkpoint = false, leave = false;
  };

  // trainer.cpp
  std::string_view planner_name() const;  // the plan's name in the registry
  void make_plan();
  Facts start_facts() const;
  bool over() const;
  void one_step();
  void record_releases();   // what agreeing on the order took in the step
  void exchange_samples();  // those in the memory of the ranks change places
  void meeting();
  void send(ControlPart);         // with the sums so far
  void take(const ControlWord&);  // what a word that was read means for this rank
  double epochs_done() const;
  Axes axes() const;
  std::int64_t gradient_ranks() const;

  // boundary.cpp
  Wanted wanted() const;
  void boundary();
  void settle();  // reads the word under way and sends what is left
  void evaluate();
  LossSums sum_over_ranks(const LossSums&);
  View merged_statistics();
  void save_checkpoint();
  std::uint64_t hash_parameters() const;
  std::uint64_t hash_of(const View&) const;
  void compare_parameters();  // blocking, by layer; throws naming step, layer and rank

  // trainer_state.cpp
  Snapshot snapshot();
  void restore(const CheckpointSource&);
  void read_parameters(const CheckpointSource&);
  void restore_position(const StateMap&, int ranks_before);
  std::optional<std::vector<int>> groups_before() const;  // of a measured plan in the checkpoint that is resumed
  StateMap shared_values() const;
  StateMap own_values() const;

  TrainerParts parts_;
  TrainerOptions options_;
  Traits traits_;
  std::int64_t total_steps_ = 0;
  ObservedLoader loader_;
  ReplicaImpl replica_;
  std::unique_ptr<Strategy> strategy_;
  StepHooks hooks_;
  bool negotiates_ = false;  // the order of buckets is agreed on in each step
  ReleaseCounters counted_;
  std::optional<Control> control_;  // when the plan is known
  View statistics_, merged_statistics_;
  Vector evaluated_;
  NullRecorder no_spans_;
  std::optional<ObservedLoader> test_;  // tells the watchdog that an evaluation moves
  Due evaluation_due_, checkpoint_due_;
  mutable std::vector<float> hash_buffer_;

  std::int64_t step_ = 0, samples_ = 0, gradients_ = 0;  // done; samples and gradients over all ranks
  std::int64_t epoch_ = 0;                               // whole ones done
  double next_start_s_ = 0, started_s_ = 0, elapsed_before_s_ = 0, active_before_s_ = 0;
  Sums sums_;
  std::vector<std::span<const std::byte>> extras_;
  Axes word_axes_;  // when the word under way was sent, and the learning rate then
  double word_lr_ = 0;
  std::uint32_t pending_ = 0;  // flags that all ranks know and that are not yet served
  std::optional<double> loss_, test_loss_, accuracy_, best_accuracy_, time_to_target_s_;
  std::int64_t last_evaluated_ = -1, last_saved_ = -1;
  bool finished_by_strategy_ = false, target_reached_ = false, diverged_ = false, divergence_told_ = false;
  std::int64_t diverged_at_ = 0;
  int diverged_rank_ = -1;
};

}  // namespace syncline
