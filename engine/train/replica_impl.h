// SPDX-License-Identifier: Apache-2.0
// The Replica of one rank: vectors on its backend, optimizers, the exchange of gradients, and the numbers of the step. The trainer moves it
// from step to step; the strategy sees only the interface.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/base/state.h"
#include "engine/experiment/experiment.h"
#include "engine/strategy/replica.h"
#include "engine/train/observed_loader.h"
#include "engine/train/traced_optimizer.h"
#include "kernels/backend.h"

namespace syncline {

struct ReplicaContext {
  const Experiment& experiment;
  Backend& backend;
  Communicator& data;  // purpose "data"
  Clock& clock;
  Recorder& recorder;
  ObservedLoader& loader;
  std::vector<LayerSlice> slices;
  std::int64_t total_steps = 0;  // what schedules end at
  int threads = 1;
  TracedOptimizer::Inside in_optimizer;  // see there; may be empty
  TracedOptimizer::Charge charge_update = {};
  bool emulate_updates = false;
};

class ReplicaImpl final : public Replica {
 public:
  explicit ReplicaImpl(ReplicaContext);

  // VectorSpace
  Vector make_vector(std::string_view name, Keep) override;
  void set(View out, std::initializer_list<Term> sum, Sharing) override;
  double dot(View a, View b) override { return context_.backend.dot(a, b); }
  void pointwise(std::string_view functor, std::initializer_list<View> views, std::initializer_list<double> scalars) override;

  // Replica
  Vector params() override { return params_; }
  Vector grads() override { return bound_grads_; }
  std::span<const LayerSlice> slices() const override { return context_.slices; }
  void bind(Vector params, Vector grads) override;
  Communicator& comm() override { return context_.data; }
  int workers() const override { return context_.data.size(); }
  const Plan& plan() const override { return plan_; }
  const Profile& profile() const override;
  Work sum_gradients(const Group&) override;
  MeanScale mean_scale() const override;
  double weight() const override;
  bool usable(View) override { return true; }  // fp32 has no loss scale to undo and nothing to test
  bool needs_whole_gradient() const override { return false; }
  Optimizer& optimizer() override { return *optimizers_.front().rule; }
  Optimizer& make_optimizer(std::string_view name, const OptimizerSpec&) override;
  double lr() const override { return schedule_->lr(schedule_position()); }
  void schedule_by(std::int64_t position) override { position_ = position; }
  std::int64_t step() const override { return step_; }
  std::int64_t updates() const override { return optimizers_.front().rule->updates(); }
  double uniform(std::string_view purpose) override;
  Clock& clock() override { return context_.clock; }
  Recorder& record() override { return context_.recorder; }
  Loader& data() override { return context_.loader; }

  // The trainer's side.
  void set_plan(Plan plan);
  void set_profile(Profile profile) { profile_ = std::make_unique<Profile>(std::move(profile)); }
  void close_start() { starting_ = false; }  // from now on make_vector and make_optimizer are errors
  void begin_step(std::int64_t step) { step_ = step; }
  // Between these calls the strategy combines and updates: what is not an update there is waiting, charged to the group updated next.
  void begin_combining() { idle_since_s_ = context_.clock.now_s(); }
  void end_combining();
  Vector bound_params() const { return bound_params_; }
  Vector bound_grads() const { return bound_grads_; }
  std::int64_t schedule_position() const { return position_ >= 0 ? position_ : step_; }

  // alike: the same bits on every rank where replicas are identical (parameters and the optimizers' state), else this rank's own.
  struct SavedVector {
    std::string name;
    Vector vector;
    bool alike;
  };
  std::vector<SavedVector> saved_vectors() const;  // params first, then what the strategy and the optimizers keep
  void save(StateWriter&) const;                   // counters of the optimizers, the schedule's position
  void load(StateReader&);

 private:
  struct NamedRule {
    std::string name;
    std::unique_ptr<Optimizer> rule;
  };
  struct NamedVector {
    std::string name;
    Vector vector;
    Keep keep;
    bool alike;
  };
  Vector add_vector(std::string_view name, Keep keep, bool alike);
  Optimizer& add_optimizer(const std::string& name, const OptimizerSpec&, const Schedule&);
  void record_update(const View& range, double start_s);
  void record_wait(double until_s, std::uint16_t group);
  std::uint16_t group_id(const View& range) const;

  ReplicaContext context_;
  std::vector<NamedVector> vectors_;
  Vector params_, grads_, bound_params_, bound_grads_;
  std::unique_ptr<Schedule> schedule_;
  std::vector<std::unique_ptr<Schedule>> other_schedules_;
  std::vector<NamedRule> optimizers_;
  Plan plan_;
  std::vector<std::string> labels_;  // of the groups; outlive every Work
  std::unique_ptr<Profile> profile_;
  bool starting_ = true;
  std::int64_t step_ = 0, position_ = -1;
  double idle_since_s_ = -1;  // >= 0: combining, and no update runs
};

}  // namespace syncline
