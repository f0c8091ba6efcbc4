// SPDX-License-Identifier: Apache-2.0
// A Replica without a model: host vectors, plain SGD, gradients given by the test, groups by a real plan, exchanges over a real
// communicator.
#pragma once

#include <deque>
#include <stdexcept>
#include <vector>

#include "engine/comm/thread_world.h"
#include "engine/strategy/strategy.h"

namespace syncline::test {

class PlainSgd final : public Optimizer {  // x -= lr * (scale * g)
 public:
  explicit PlainSgd(double lr) : lr_(lr) {}
  Update begin(double lr_factor = 1) override { return make_update(++updates_, lr_ * lr_factor); }
  std::string_view name() const override { return "plain"; }
  std::int64_t updates() const override { return updates_; }
  std::span<const Vector> state() const override { return {}; }
  std::vector<std::byte> save() const override { return {}; }
  void load(std::span<const std::byte>) override {}
  std::vector<std::int64_t> applied;  // offsets, in order

 protected:
  void apply(const View& params, const View& grads, double scale, std::int64_t, double lr) override {
    applied.push_back(params.offset());
    for (std::int64_t i = 0; i < params.count(); ++i) {
      params.data()[i] = static_cast<float>(params.data()[i] - lr * scale * grads.data()[i]);
    }
  }

 private:
  double lr_;
  std::int64_t updates_ = 0;
};

class MockReplica final : public Replica {
 public:
  MockReplica(World& world, std::vector<LayerSlice> slices, Plan plan, double lr)
      : world_(world), slices_(std::move(slices)), plan_(std::move(plan)), optimizer_(lr) {
    const std::int64_t count = slices_.back().offset + slices_.back().count;
    params_ = Vector(View::host(count));
    grads_ = Vector(View::host(count));
  }
  Vector params() override { return params_; }
  Vector grads() override { return grads_; }
  std::span<const LayerSlice> slices() const override { return slices_; }
  void bind(Vector params, Vector grads) override { params_ = std::move(params), grads_ = std::move(grads); }
  Communicator& comm() override { return world_.communicator(); }
  int workers() const override { return world_.size(); }
  const Plan& plan() const override { return plan_; }
  const Profile& profile() const override { throw std::logic_error("no profile here"); }
  Work sum_gradients(const Group& group) override {
    sent.push_back(group.first);
    const View view = grads_[group];
    return comm().allreduce(view, view, {.scale_before = before, .label = "group"});
  }
  MeanScale mean_scale() const override { return {before, 1.0 / world_.size()}; }
  double weight() const override { return 1.0 / world_.size(); }
  bool usable(View) override { return !skip; }
  bool needs_whole_gradient() const override { return whole; }
  Optimizer& optimizer() override { return optimizer_; }
  Optimizer& make_optimizer(std::string_view, const OptimizerSpec&) override { throw std::logic_error("no second rule here"); }
  double lr() const override { return 0; }
  void schedule_by(std::int64_t) override {}
  std::int64_t step() const override { return step_count; }
  std::int64_t updates() const override { return optimizer_.updates(); }
  double uniform(std::string_view) override { return 0.5; }
  Clock& clock() override { return clock_; }
  Recorder& record() override { return recorder_; }
  Loader& data() override { throw std::logic_error("no data here"); }
  Vector make_vector(std::string_view, Keep) override { return Vector(View::host(params_.count())); }
  void set(View out, std::initializer_list<Term> sum, Sharing) override {
    for (std::int64_t i = 0; i < out.count(); ++i) {
      double value = 0;
      for (const Term& term : sum) value += term.factor * term.x.data()[i];
      out.data()[i] = static_cast<float>(value);
    }
  }
  double dot(View, View) override { throw std::logic_error("no dot here"); }
  void pointwise(std::string_view, std::initializer_list<View>, std::initializer_list<double>) override {
    throw std::logic_error("no functor here");
  }

  PlainSgd& sgd() { return optimizer_; }
  double before = 1;
  bool whole = false, skip = false;
  std::int64_t step_count = 0;
  std::vector<int> sent;  // first slice of each group, in the order of sending

 private:
  World& world_;
  std::vector<LayerSlice> slices_;
  Plan plan_;
  PlainSgd optimizer_;
  Vector params_, grads_;
  RealClock clock_;
  NullRecorder recorder_;
};

// The step loop as the trainer runs it.
inline void one_step(Strategy& strategy, MockReplica& replica, const std::function<float(std::int64_t)>& gradient) {
  ASSERT_EQ(strategy.begin_step(replica), Step::compute);
  for (const LayerSlice& slice : replica.slices()) strategy.before_forward(replica, slice);
  for (const LayerSlice& slice : replica.slices()) {
    for (std::int64_t i = slice.offset; i < slice.offset + slice.count; ++i) replica.grads().all().data()[i] = gradient(i);
    strategy.gradient_ready(replica, slice);
  }
  strategy.after_backward(replica);
  strategy.end_step(replica);
  ++replica.step_count;
}

}  // namespace syncline::test
