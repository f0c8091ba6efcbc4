// SPDX-License-Identifier: Apache-2.0
// Stochastic gradient descent with momentum as PyTorch defines it: the learning rate multiplies the momentum buffer, not the gradient in
// it.
#include "engine/optim/rules/registry.h"
#include "engine/optim/rules/support.h"
#include "kernels/pointwise/optimizers.h"

namespace syncline::rules {
namespace {

enum { lr, momentum, nesterov, weight_decay };
constexpr syncline_option options[] = {
    real({.key = "lr", .symbol = "η", .help = "Learning rate.", .initial = 0.01, .least = 0}),
    real({.key = "momentum",
          .symbol = "μ",
          .help = "Share of the last update's direction that is kept.",
          .initial = 0.9,
          .least = 0,
          .most = 1}),
    flag("nesterov", "Look ahead along the momentum before applying it.", false, "momentum > 0"),
    real({.key = "weight_decay",
          .symbol = "λ",
          .help = "Added to the gradient as weight_decay times the parameter.",
          .initial = 0,
          .least = 0}),
};

SYNCLINE_CLONES void run(pointwise::Sgd f, float* __restrict p, const float* __restrict g, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) f(p[i], g[i]);
}
SYNCLINE_CLONES void run(pointwise::SgdMomentum f, float* __restrict p, const float* __restrict g, float* __restrict m, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) f(p[i], g[i], m[i]);
}
SYNCLINE_CLONES void run(pointwise::SgdNesterov f, float* __restrict p, const float* __restrict g, float* __restrict m, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) f(p[i], g[i], m[i]);
}

class Sgd {
 public:
  Sgd(const syncline_config& config, const syncline_host& host)
      : host_(host),
        momentum_(static_cast<float>(config.values[momentum].real)),
        nesterov_(config.values[nesterov].integer != 0),
        weight_decay_(config.values[weight_decay].real) {}

  void step(const syncline_step_args& a) {
    for_each_piece(host_, a, [&](const syncline_slice& slice, std::int64_t at, std::int64_t n) {
      const float decay = decay_of(slice, weight_decay_);
      if (momentum_ == 0) {
        run(pointwise::Sgd{a.lr, a.grad_scale, decay}, a.param + at, a.grad + at, n);
      } else if (nesterov_) {
        run(pointwise::SgdNesterov{a.lr, a.grad_scale, decay, momentum_}, a.param + at, a.grad + at, a.state[0] + at, n);
      } else {
        run(pointwise::SgdMomentum{a.lr, a.grad_scale, decay, momentum_}, a.param + at, a.grad + at, a.state[0] + at, n);
      }
    });
  }

 private:
  syncline_host host_;
  float momentum_;
  bool nesterov_;
  double weight_decay_;
};

std::int32_t state_needed(const syncline_config* config) { return config->values[momentum].real > 0 ? 1 : 0; }

}  // namespace

const syncline_optimizer_table& sgd() {
  static constexpr syncline_optimizer_table rule =
      table<Sgd>({.name = "sgd",
                  .title = "SGD",
                  .summary = "Stochastic gradient descent with momentum, plain or Nesterov's.",
                  .paper = "Sutskever et al., On the importance of initialization and momentum in deep learning, ICML 2013"},
                 options, 1, state_needed);
  return rule;
}

}  // namespace syncline::rules
