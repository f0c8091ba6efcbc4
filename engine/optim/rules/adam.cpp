// SPDX-License-Identifier: Apache-2.0
// Adam (algorithm 1). Weight decay, if any, is part of the gradient, as in PyTorch.
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
          .help = "Added to the gradient as weight_decay times the parameter.",
          .initial = 0,
          .least = 0}),
};

}  // namespace

const syncline_optimizer_table& adam() {
  static constexpr syncline_optimizer_table rule =
      table<AdamRule<false>>({.name = "adam",
                              .title = "Adam",
                              .summary = "Steps scaled by moving averages of the gradient and of its square.",
                              .paper = "Kingma and Ba, Adam, ICLR 2015"},
                             options, 2);
  return rule;
}

}  // namespace syncline::rules
