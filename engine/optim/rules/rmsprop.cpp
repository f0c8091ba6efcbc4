// SPDX-License-Identifier: Apache-2.0
// RMSProp with the options of PyTorch. The state arrays follow the options: the mean square, then what centred and momentum need.
#include "engine/optim/rules/registry.h"
#include "engine/optim/rules/support.h"
#include "kernels/pointwise/optimizers.h"

namespace syncline::rules {
namespace {

enum { lr, alpha, epsilon, momentum, centered, weight_decay };
constexpr syncline_option options[] = {
    real({.key = "lr", .symbol = "η", .help = "Learning rate.", .initial = 0.01, .least = 0}),
    real({.key = "alpha",
          .symbol = "α",
          .help = "Decay of the moving average of the squared gradient.",
          .initial = 0.99,
          .least = 0,
          .most = 0.999999}),
    real({.key = "epsilon", .symbol = "ε", .help = "Added to the square root.", .initial = 1e-8, .least = 0, .advanced = true}),
    real({.key = "momentum", .symbol = "μ", .help = "Share of the last step that is kept.", .initial = 0, .least = 0, .most = 1}),
    flag("centered", "Divide by the standard deviation instead of the root of the mean square.", false),
    real({.key = "weight_decay",
          .symbol = "λ",
          .help = "Added to the gradient as weight_decay times the parameter.",
          .initial = 0,
          .least = 0}),
};

SYNCLINE_CLONES void plain(pointwise::RmsProp f, float* __restrict p, const float* __restrict g, float* __restrict v, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) p[i] -= f.lr * f.direction(p[i], g[i], v[i]);
}
SYNCLINE_CLONES void plain_momentum(pointwise::RmsProp f, float mu, float* __restrict p, const float* __restrict g, float* __restrict v,
                                    float* __restrict m, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) {
    m[i] = mu * m[i] + f.direction(p[i], g[i], v[i]);
    p[i] -= f.lr * m[i];
  }
}
SYNCLINE_CLONES void centred(pointwise::RmsProp f, float* __restrict p, const float* __restrict g, float* __restrict v,
                             float* __restrict mean, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) p[i] -= f.lr * f.centred_direction(p[i], g[i], v[i], mean[i]);
}
SYNCLINE_CLONES void centred_momentum(pointwise::RmsProp f, float mu, float* __restrict p, const float* __restrict g, float* __restrict v,
                                      float* __restrict mean, float* __restrict m, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) {
    m[i] = mu * m[i] + f.centred_direction(p[i], g[i], v[i], mean[i]);
    p[i] -= f.lr * m[i];
  }
}

class RmsProp {
 public:
  RmsProp(const syncline_config& config, const syncline_host& host)
      : host_(host),
        alpha_(config.values[alpha].real),
        epsilon_(config.values[epsilon].real),
        momentum_(static_cast<float>(config.values[momentum].real)),
        weight_decay_(config.values[weight_decay].real),
        centred_(config.values[centered].integer != 0) {}

  void step(const syncline_step_args& a) {
    for_each_piece(host_, a, [&](const syncline_slice& slice, std::int64_t at, std::int64_t n) {
      const pointwise::RmsProp f{a.lr,
                                 a.grad_scale,
                                 decay_of(slice, weight_decay_),
                                 static_cast<float>(alpha_),
                                 static_cast<float>(1 - alpha_),
                                 static_cast<float>(epsilon_)};
      float* p = a.param + at;
      const float* g = a.grad + at;
      float* v = a.state[0] + at;
      if (centred_ && momentum_ > 0)
        centred_momentum(f, momentum_, p, g, v, a.state[1] + at, a.state[2] + at, n);
      else if (centred_)
        centred(f, p, g, v, a.state[1] + at, n);
      else if (momentum_ > 0)
        plain_momentum(f, momentum_, p, g, v, a.state[1] + at, n);
      else
        plain(f, p, g, v, n);
    });
  }

 private:
  syncline_host host_;
  double alpha_, epsilon_;
  float momentum_;
  double weight_decay_;
  bool centred_;
};

std::int32_t state_needed(const syncline_config* config) {
  return 1 + (config->values[centered].integer != 0 ? 1 : 0) + (config->values[momentum].real > 0 ? 1 : 0);
}

}  // namespace

const syncline_optimizer_table& rmsprop() {
  static constexpr syncline_optimizer_table rule =
      table<RmsProp>({.name = "rmsprop",
                      .title = "RMSProp",
                      .summary = "Steps divided by a moving root mean square of the gradient.",
                      .paper = "Tieleman and Hinton, Neural networks for machine learning, lecture 6e, 2012"},
                     options, 3, state_needed);
  return rule;
}

}  // namespace syncline::rules
