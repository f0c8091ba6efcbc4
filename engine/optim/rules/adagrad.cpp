// SPDX-License-Identifier: Apache-2.0
// Adagrad as PyTorch defines it. The initial value of the sum is added where the sum is read, so that the state starts at zero like any.
#include "engine/optim/rules/registry.h"
#include "engine/optim/rules/support.h"
#include "kernels/pointwise/optimizers.h"

namespace syncline::rules {
namespace {

enum { lr, lr_decay, initial_sum, epsilon, weight_decay };
constexpr syncline_option options[] = {
    real({.key = "lr", .symbol = "η", .help = "Learning rate.", .initial = 0.01, .least = 0}),
    real({.key = "lr_decay", .help = "The rate of update t, counted from 1, is lr / (1 + (t - 1) * lr_decay).", .initial = 0, .least = 0}),
    real({.key = "initial_sum", .help = "Where the sum of squared gradients starts.", .initial = 0, .least = 0}),
    real({.key = "epsilon", .symbol = "ε", .help = "Added to the square root.", .initial = 1e-10, .least = 0, .advanced = true}),
    real({.key = "weight_decay",
          .symbol = "λ",
          .help = "Added to the gradient as weight_decay times the parameter.",
          .initial = 0,
          .least = 0}),
};

SYNCLINE_CLONES void run(pointwise::Adagrad f, float* __restrict p, const float* __restrict g, float* __restrict sum, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) f(p[i], g[i], sum[i]);
}

class Adagrad {
 public:
  Adagrad(const syncline_config& config, const syncline_host& host)
      : host_(host),
        lr_decay_(config.values[lr_decay].real),
        initial_(static_cast<float>(config.values[initial_sum].real)),
        epsilon_(static_cast<float>(config.values[epsilon].real)),
        weight_decay_(config.values[weight_decay].real) {}

  void step(const syncline_step_args& a) {
    const auto rate = static_cast<float>(a.lr / (1 + static_cast<double>(a.step - 1) * lr_decay_));
    for_each_piece(host_, a, [&](const syncline_slice& slice, std::int64_t at, std::int64_t n) {
      run(pointwise::Adagrad{rate, a.grad_scale, decay_of(slice, weight_decay_), initial_, epsilon_}, a.param + at, a.grad + at,
          a.state[0] + at, n);
    });
  }

 private:
  syncline_host host_;
  double lr_decay_;
  float initial_, epsilon_;
  double weight_decay_;
};

}  // namespace

const syncline_optimizer_table& adagrad() {
  static constexpr syncline_optimizer_table rule =
      table<Adagrad>({.name = "adagrad",
                      .title = "Adagrad",
                      .summary = "Steps divided by the root of the sum of all squared gradients.",
                      .paper = "Duchi, Hazan and Singer, Adaptive subgradient methods, JMLR 2011"},
                     options, 1);
  return rule;
}

}  // namespace syncline::rules
