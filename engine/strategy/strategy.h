// SPDX-License-Identifier: Apache-2.0
// A distributed algorithm: told what happens, it decides what to send. The step loop calls these hooks at fixed points, on one context
// per rank, never concurrently. A strategy waits on nothing but a Work or a receive, and reads no wall clock, thread id or environment.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "engine/base/state.h"
#include "engine/experiment/experiment.h"
#include "engine/strategy/replica.h"

namespace syncline {

// compute: batch, forward, backward. no_gradient: the strategy's own step, no batch is drawn. idle: nothing, not counted as work.
// finished: this rank leaves the loop; lockstep strategies return it on all ranks in the same step.
enum class Step { compute, no_gradient, idle, finished };

class Strategy {
 public:
  virtual ~Strategy() = default;     // the worker's side; one object per rank
  virtual void start(Replica&) = 0;  // parameters initialised from the seed; also called before load(). May block and allocate
  virtual Step begin_step(Replica&) { return Step::compute; }  // may exchange, wait, bind
  virtual void before_forward(Replica&, const LayerSlice&) {}  // first micro-batch only; wait here for what this slice needs
  // Last micro-batch only, ascending index unless strategy.submit_order is random. grads()[slice] is final AND params()[slice] is not read
  // again in this step. Enqueue, never wait.
  virtual void gradient_ready(Replica&, const LayerSlice&) {}
  virtual void after_backward(Replica&) = 0;  // every gradient_ready was called. Wait, combine, update
  virtual void end_step(Replica&) {}          // every step, with a gradient or not: periodic exchange
  virtual void drain(Replica&) {}             // finish transfers, merge nothing: state and future steps as if not called
  // After drain, all workers together, may communicate; fills `out` on every worker and changes nothing else.
  virtual void evaluated_parameters(Replica& replica, Vector out) { replica.set(out, {{1, replica.params()}}); }
  virtual void save(StateWriter&) const {}  // what named vectors, optimizers and counters do not hold
  virtual void load(StateReader&) {}        // after start(); vectors, optimizers, counters are already restored
};

struct Traits {  // may depend on parameters; used by validation, trainer, checkpoint and simulator
  enum Pace { lockstep, free_running } pace = lockstep;
  int meeting_every = 1;              // lockstep: steps after which every rank has waited for every other
  bool replicas_identical = true;     // after end_step: hash check; rank 0 alone writes the parameters
  bool exchanges_gradients = true;    // plan and codec keys apply; otherwise giving them is an error that says why
  bool updates_per_slice = false;     // refuses loss scaling and clipping by global norm
  bool averages_in_backward = false;  // refuses activation recomputation and pipelines
  bool needs_profile = false, needs_any_source = false, value_dependent = false;  // the last: no ghost vectors
  enum Answer { worker, server } answer = worker;
};

struct StrategyEntry {  // one constant at the end of each strategy file, one line in registry.cpp
  std::string_view name, title, paper, summary;
  std::span<const Parameter> parameters;
  Traits (*traits)(const Params&);
  void (*check)(const Params&, const Experiment&, std::vector<Problem>&) = nullptr;  // cross-key errors; null: none
  std::unique_ptr<Strategy> (*make)(const Params&);
};
std::span<const StrategyEntry* const> strategies();          // refuses duplicates at first use
const StrategyEntry& strategy_entry(std::string_view name);  // ConfigError for an unknown name

}  // namespace syncline
