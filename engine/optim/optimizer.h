// SPDX-License-Identifier: Apache-2.0
// An update rule applied to arena ranges. Rules sit behind the C table of plugins/sdk/syncline_optimizer.h, the built-in ones too.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/experiment/experiment.h"
#include "engine/experiment/parameter.h"
#include "engine/model/vector.h"

namespace syncline {

// The learning rate as a function of the schedule's position (steps by default) and of the number of workers.
class Schedule {
 public:
  virtual ~Schedule() = default;
  virtual double lr(std::int64_t position) const = 0;
};

class Optimizer {  // state vectors are engine-owned, named "<optimizer>.<k>", saved by layer
 public:
  virtual ~Optimizer() = default;
  class Update {  // one update of the step counter, applied to as many ranges as wanted, each once
   public:
    // params need not be the live ones: the state used is the one at the same arena range (View::offset), which must consist of whole
    // slices. Each range once per update. scale multiplies the gradient (1/P, 1/loss scale).
    void apply(const View& params, const View& grads, double scale = 1);

   private:
    friend class Optimizer;
    Update(Optimizer& owner, std::int64_t step, double lr) : owner_(&owner), step_(step), lr_(lr) {}
    Optimizer* owner_;
    std::int64_t step_;
    double lr_;
  };
  virtual Update begin(double lr_factor = 1) = 0;  // advances t, reads the schedule once
  void step(const Vector& params, const Vector& grads, double scale = 1, double lr_factor = 1) {
    begin(lr_factor).apply(params.all(), grads.all(), scale);
  }
  virtual std::string_view name() const = 0;
  virtual std::int64_t updates() const = 0;           // t, from 0
  virtual std::span<const Vector> state() const = 0;  // for checkpoints, arena-shaped
  virtual std::vector<std::byte> save() const = 0;    // t and what the rule keeps outside the state vectors
  virtual void load(std::span<const std::byte>) = 0;

 protected:
  Update make_update(std::int64_t step, double lr) { return Update(*this, step, lr); }
  virtual void apply(const View& params, const View& grads, double scale, std::int64_t step, double lr) = 0;
};

struct OptimizerContext {
  std::span<const LayerSlice> slices = {};                        // of the arena; kept alive by the caller
  std::function<Vector(std::string_view name)> make_vector = {};  // called for each state array
  const Schedule* schedule = nullptr;                             // outlives the optimizer
  std::function<std::int64_t()> position = {};                    // what the schedule counts from; empty: this optimizer's updates
  int threads = 1;                                                // for the host's parallel_for; the result does not depend on it
  std::uint64_t seed = 0;                                         // of the run, for the host's random numbers
  std::function<void(int level, const char* text)> log = {};      // 0: information, 1: warning; any thread of the optimizer
};
// "sgd", ... or "plugin:NAME" (found in the plugin folders). Throws ConfigError (unknown name or option) or TrainingError (a plugin fails).
std::unique_ptr<Optimizer> make_optimizer(const OptimizerSpec&, OptimizerContext);
// The rate that a schedule starts from: the option lr, or the optimizer's own default where it was not given (a plugin's options are
// known only here). Throws like make_optimizer.
double learning_rate(const OptimizerSpec&);
// ConfigError for an unknown schedule, a key it lacks, or a form that needs to know the number of steps and does not.
std::unique_ptr<Schedule> make_schedule(const ScheduleSpec&, double lr, std::int64_t workers, std::int64_t total_steps);

std::span<const Entry> optimizer_entries();  // the built-ins, from their C tables
std::span<const Entry> schedule_entries();

}  // namespace syncline
