// SPDX-License-Identifier: Apache-2.0
// Synchronous SGD, gradients grouped by a plan and sent under the backward pass.
// Shi, Chu, Li 2019 (MG-WFBP), "Run-time behaviour per rank": x <- x - lr * (1/P) * sum_i g_i, the sum in groups of adjacent layers.
#include <optional>

#include "engine/strategy/entries.h"

namespace syncline {

namespace {

class Sync final : public Strategy {
 public:
  explicit Sync(const Params& p) : overlap_(p.flag("overlap")) {}

  void start(Replica& r) override {
    r.comm().broadcast(r.params(), 0).wait();
    sums_.resize(r.plan().groups().size());
    fill_.emplace(r.plan());
  }

  void gradient_ready(Replica& r, const LayerSlice& l) override {
    if (!overlap_) return;
    const int k = fill_->add(l);
    if (k >= 0) sums_[static_cast<std::size_t>(k)] = r.sum_gradients(r.plan().groups()[static_cast<std::size_t>(k)]);
  }

  void after_backward(Replica& r) override {
    const auto groups = r.plan().groups();
    if (!overlap_) {
      for (std::size_t k = 0; k < groups.size(); ++k) sums_[k] = r.sum_gradients(groups[k]);
    }
    const double mean = r.mean_scale().after;
    if (r.needs_whole_gradient()) {
      for (Work& sum : sums_) sum.wait();
      if (r.usable(r.grads())) r.optimizer().step(r.params(), r.grads(), mean);
      return;
    }
    auto update = r.optimizer().begin();
    for (std::size_t k = 0; k < groups.size(); ++k) {  // group k is updated while k+1 is on the wire
      sums_[k].wait();
      update.apply(r.params()[groups[k]], r.grads()[groups[k]], mean);
    }
  }

 private:
  bool overlap_;
  std::vector<Work> sums_;  // one per group
  std::optional<GroupFill> fill_;
};

constexpr Parameter parameters[] = {{.key = "overlap",
                                     .help = "Send each group of gradients while the backward pass goes on, instead of all after it.",
                                     .kind = Parameter::flag,
                                     .initial = true,
                                     .advanced = true,
                                     .section = "Run-time behaviour per rank"}};

}  // namespace

constexpr StrategyEntry sync_entry = {
    .name = "sync",
    .title = "Synchronous SGD",
    .paper = "mg-wfbp",
    .summary = "Every step all workers add their gradients and take the same update; the plan says in which groups they are sent.",
    .parameters = parameters,
    .traits = [](const Params&) { return Traits{}; },
    .make = [](const Params& p) -> std::unique_ptr<Strategy> { return std::make_unique<Sync>(p); }};

}  // namespace syncline
