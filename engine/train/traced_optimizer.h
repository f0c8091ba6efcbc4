// SPDX-License-Identifier: Apache-2.0
// An optimizer whose updates are recorded as spans. The rule inside does the work; one update is open at a time, as in a step.
#pragma once

#include <functional>
#include <optional>

#include "engine/metrics/clock.h"
#include "engine/optim/optimizer.h"

namespace syncline {

class TracedOptimizer final : public Optimizer {
 public:
  // `done` is told each updated range (in the arena) and when its update began.
  using Done = std::function<void(const View& range, double start_s)>;
  // `inside` is told when the rule's own code runs, so that a crash in a plugin can be told by name; empty: nobody asks.
  using Inside = std::function<void(bool)>;
  // `charge` lets pass what the update of a range takes where nothing is computed (virtual time); empty: it takes what it takes.
  using Charge = std::function<void(const View& range)>;
  TracedOptimizer(std::unique_ptr<Optimizer> inner, const Clock& clock, Done done, Inside inside = {}, Charge charge = {})
      : inner_(std::move(inner)), clock_(clock), done_(std::move(done)), inside_(std::move(inside)), charge_(std::move(charge)) {}

  Update begin(double lr_factor) override {
    open_.emplace(inner_->begin(lr_factor));
    return make_update(inner_->updates(), 0);  // the inner update knows the rate; ours only carries the calls
  }
  std::string_view name() const override { return inner_->name(); }
  std::int64_t updates() const override { return inner_->updates(); }
  std::span<const Vector> state() const override { return inner_->state(); }
  std::vector<std::byte> save() const override { return inner_->save(); }
  void load(std::span<const std::byte> bytes) override { inner_->load(bytes); }

 private:
  void apply(const View& params, const View& grads, double scale, std::int64_t, double) override {
    const double start_s = clock_.now_s();
    if (inside_) inside_(true);
    open_->apply(params, grads, scale);
    if (inside_) inside_(false);
    if (charge_) charge_(params);
    done_(params, start_s);
  }
  std::unique_ptr<Optimizer> inner_;
  const Clock& clock_;
  Done done_;
  Inside inside_;
  Charge charge_;
  std::optional<Update> open_;
};

}  // namespace syncline
