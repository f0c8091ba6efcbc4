// SPDX-License-Identifier: Apache-2.0
// Adam with decoupled weight decay (algorithm 2), as in PyTorch: the decay is multiplied by the learning rate.
#include "engine/optim/rules/adam_update.h"
#include "engine/optim/rules/registry.h"

namespace syncline::rules {
namespace {

constexpr syncline_option options[] = {
    real({.key = "lr", .symbol = "α", .help = "Learning rate.", .initial = 0.001, .least = 0}),
    beta1_option(),
    beta2_option(),
    epsilon_option(1e-8),
    real({.key = "weight_decay",
          .symbol = "λ",
          .help = "Each step shrinks the parameter by lr times weight_decay.",
          .initial = 0.01,
          .least = 0}),
};

}  // namespace

const syncline_optimizer_table& adamw() {
  static constexpr syncline_optimizer_table rule =
      table<AdamRule<true>>({.name = "adamw",
                             .title = "AdamW",
                             .summary = "Adam with weight decay apart from the gradient.",
                             .paper = "Loshchilov and Hutter, Decoupled weight decay regularization, ICLR 2019"},
                            options, 2);
  return rule;
}

}  // namespace syncline::rules
