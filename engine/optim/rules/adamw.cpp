// SPDX-License-Identifier: Apache-2.0
// Adam with decoupled weight decay (algorithm 2), as in PyTorch: the decay is multiplied by the learning rate.
#include "engine/optim/rules/adam_update.h"
#include "engine/optim/rules/registry.h"
#include "engine/optim/rules/support.h"

namespace syncline::rules {
namespace {

enum { lr, beta1, beta2, epsilon, weight_decay };
constexpr syncline_option options[] = {
    real({.key = "lr", .symbol = "α", .help = "Learning rate.", .initial = 0.001, .least = 0}),
    real({.key = "beta1",
          .symbol = "β₁",
          .help = "Decay of the moving average of the gradient.",
          .initial = 0.9,
          .least = 0,
          .most = 0.999999}),
    real({.key = "beta2",
          .symbol = "β₂",
          .help = "Decay of the moving average of its square.",
          .initial = 0.999,
          .least = 0,
          .most = 0.999999}),
    real({.key = "epsilon",
          .symbol = "ε",
          .help = "Added to the square root, after the correction of its bias.",
          .initial = 1e-8,
          .least = 0,
          .advanced = true}),
    real({.key = "weight_decay",
          .symbol = "λ",
          .help = "Each step shrinks the parameter by lr times weight_decay.",
          .initial = 0.01,
          .least = 0}),
};

class AdamW {
 public:
  AdamW(const syncline_config& config, const syncline_host& host)
      : host_(host),
        options_{.beta1 = config.values[beta1].real,
                 .beta2 = config.values[beta2].real,
                 .epsilon = config.values[epsilon].real,
                 .weight_decay = config.values[weight_decay].real,
                 .decoupled = true} {}
  void step(const syncline_step_args& args) { adam_update(host_, options_, args); }

 private:
  syncline_host host_;
  AdamOptions options_;
};

}  // namespace

const syncline_optimizer_table& adamw() {
  static constexpr syncline_optimizer_table rule =
      table<AdamW>({.name = "adamw",
                    .title = "AdamW",
                    .summary = "Adam with weight decay apart from the gradient.",
                    .paper = "Loshchilov and Hutter, Decoupled weight decay regularization, ICLR 2019"},
                   options, 2);
  return rule;
}

}  // namespace syncline::rules
