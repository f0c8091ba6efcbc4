// SPDX-License-Identifier: Apache-2.0
// Each worker trains alone: the compute-only run that shows what communication costs the others. All start from rank 0's parameters and
// see their own part of the data; nothing is exchanged afterwards, so from the first update on the replicas differ. The evaluated model is
// each worker's OWN: the trainer adds up the workers' shares of the test set, so the reported accuracy is the average over the workers'
// models.
#include "engine/strategy/entries.h"

namespace syncline {

namespace {

class None final : public Strategy {
 public:
  void start(Replica& r) override { r.comm().broadcast(r.params(), 0).wait(); }

  // The gradient is this worker's own mean: no factor 1/P, which belongs to a sum over workers.
  void after_backward(Replica& r) override {
    if (r.usable(r.grads())) r.optimizer().step(r.params(), r.grads());
  }
};

}  // namespace

constexpr StrategyEntry none_entry = {
    .name = "none",
    .title = "No exchange",
    .paper = "",
    .summary = "Each worker trains alone on its part of the data: the reference for what communication costs, and for a single worker.",
    .parameters = {},
    .traits =
        [](const Params&) {
          Traits traits;
          traits.replicas_identical = false;
          traits.exchanges_gradients = false;
          return traits;
        },
    .make = [](const Params&) -> std::unique_ptr<Strategy> { return std::make_unique<None>(); }};

}  // namespace syncline
