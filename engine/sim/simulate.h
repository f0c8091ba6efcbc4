// SPDX-License-Identifier: Apache-2.0
// A training job in virtual time: the trainer, the strategy, the plan and the schedules are those of a real run; the passes, the memory and
// the network are models of it. Which strategy it is makes no difference here.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/experiment/experiment.h"
#include "engine/metrics/accounting.h"
#include "engine/sim/modelled_task.h"
#include "engine/sim/sim_communicator.h"
#include "engine/sim/sim_costs.h"
#include "engine/strategy/strategy.h"

namespace syncline {

struct SimulationRequest {
  Experiment experiment;  // its cluster.workers are simulated; slowdown, jitter, time_scale and the links are its own
  const StrategyEntry* strategy = nullptr;
  const ModelledStep* step = nullptr;
  std::optional<Wire> wire = {};  // every rank's card; empty: the experiment's links
  int most_by_messages = 32;      // ranks of which collectives are simulated move by move; 0: none
  std::int64_t steps = 0;         // measured ones, after the first; 0: enough for one round of the strategy, more with jitter
  bool keep_traces = false;       // of the measured steps of the first 32 ranks
  Contexts::Kind contexts = Contexts::Kind::fibers;
  bool keep_events = false;
  // Real vectors, whose gradients this fills. Empty: ghosts, or for a strategy that decides by values a pseudo-random gradient.
  std::function<void(int rank, const Task::Bound&, std::int64_t step)> gradient = {};
};

struct SimulationResult {
  int workers = 0;
  // Of the measured steps, as summaries of real runs have them: medians of the worker whose median step is the largest (where workers step
  // together, of the one that computes longest). Seconds.
  double step_s = 0, compute_s = 0, comm_s = 0, exposed_s = 0;
  double samples_per_s = 0;              // of all workers, over all measured steps
  double efficiency = 0;                 // samples per second against the same workers undisturbed and without any communication
  std::optional<Contention> contention;  // closed forms of the allreduce were corrected by it
  std::vector<Group> groups;
  int reported_rank = 0;
  std::vector<StepTrace> traces;           // with keep_traces
  std::vector<HappenedEvent> events;       // with keep_events
  std::vector<std::vector<float>> params;  // of real vectors, by rank, at the end
  std::uint64_t happened = 0;
};

// ConfigError for what cannot be simulated (a link that is not described, the library's allreduce, values that do not fit into memory);
// TrainingError for a dead-lock;
// UsageError where the strategy asks in a loop, or a check at the end fails.
SimulationResult simulate(const SimulationRequest&);

}  // namespace syncline
