// SPDX-License-Identifier: Apache-2.0
// What the rules with Adam's two moving averages share. adam and adamw differ only in where the weight decay goes in.
#pragma once

#include <cstdint>

#include "engine/optim/rules/support.h"

namespace syncline::rules {

constexpr syncline_option beta1_option() {
  return real({.key = "beta1",
               .symbol = "β₁",
               .help = "Decay of the moving average of the gradient.",
               .initial = 0.9,
               .least = 0,
               .most = 0.999999});
}
constexpr syncline_option beta2_option() {
  return real({.key = "beta2",
               .symbol = "β₂",
               .help = "Decay of the moving average of its square.",
               .initial = 0.999,
               .least = 0,
               .most = 0.999999});
}
constexpr syncline_option epsilon_option(double initial) {
  return real({.key = "epsilon",
               .symbol = "ε",
               .help = "Added to the square root, after the correction of its bias.",
               .initial = initial,
               .least = 0,
               .advanced = true});
}

struct AdamOptions {
  double beta1, beta2, epsilon, weight_decay;
  bool decoupled;  // AdamW
};
// state[0]: first moment, state[1]: second moment.
void adam_update(const syncline_host&, const AdamOptions&, const syncline_step_args&);

// The rule over the options lr, beta1, beta2, epsilon, weight_decay, in this order.
template <bool decoupled>
class AdamRule {
 public:
  AdamRule(const syncline_config& config, const syncline_host& host)
      : host_(host),
        options_{.beta1 = config.values[1].real,
                 .beta2 = config.values[2].real,
                 .epsilon = config.values[3].real,
                 .weight_decay = config.values[4].real,
                 .decoupled = decoupled} {}
  void step(const syncline_step_args& args) { adam_update(host_, options_, args); }

 private:
  syncline_host host_;
  AdamOptions options_;
};

}  // namespace syncline::rules
