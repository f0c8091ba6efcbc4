// SPDX-License-Identifier: Apache-2.0
// LAMB (algorithm 2) with bias correction and the identity as scaling function: a layer moves by lr * |w| / |u| * u, u being Adam's step
// plus weight_decay * w. Layers without weight decay (normalisation) take lr * u, and so does a layer whose parameters or step are all
// zero. A layer's norms run over its weights and biases together. Two passes: moments and norms, then the update.
#include <cmath>
#include <vector>

#include "engine/optim/rules/adam_update.h"
#include "engine/optim/rules/norms.h"
#include "engine/optim/rules/registry.h"
#include "engine/optim/rules/support.h"
#include "kernels/pointwise/optimizers.h"

namespace syncline::rules {
namespace {

enum { lr, beta1, beta2, epsilon, weight_decay };
constexpr syncline_option options[] = {
    real({.key = "lr", .symbol = "η", .help = "Learning rate.", .initial = 0.002, .least = 0}),
    beta1_option(),
    beta2_option(),
    epsilon_option(1e-6),
    real({.key = "weight_decay",
          .symbol = "λ",
          .help = "Added to the step as weight_decay times the parameter.",
          .initial = 0.01,
          .least = 0}),
};

// One pass over parameters, gradients and both moments; the squares of the parameters and of the update are summed in fixed lanes.
SYNCLINE_CLONES Sums first_pass(pointwise::Lamb f, const float* __restrict p, const float* __restrict g, float* __restrict m,
                                float* __restrict v, std::int64_t n) {
  double w[lanes] = {}, u[lanes] = {};
  std::int64_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    for (int lane = 0; lane < lanes; ++lane) {
      f.moments(g[i + lane], m[i + lane], v[i + lane]);
      const double parameter = p[i + lane], update = f.update(p[i + lane], m[i + lane], v[i + lane]);
      w[lane] += parameter * parameter;
      u[lane] += update * update;
    }
  }
  for (int lane = 0; i < n; ++i, ++lane) {
    f.moments(g[i], m[i], v[i]);
    const double parameter = p[i], update = f.update(p[i], m[i], v[i]);
    w[lane] += parameter * parameter;
    u[lane] += update * update;
  }
  return {sum_of_lanes(w), sum_of_lanes(u)};
}

SYNCLINE_CLONES void second_pass(pointwise::Lamb f, float rate, float* __restrict p, const float* __restrict m, const float* __restrict v,
                                 std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) p[i] -= rate * f.update(p[i], m[i], v[i]);
}

class Lamb {
 public:
  Lamb(const syncline_config& config, const syncline_host& host)
      : host_(host),
        beta1_(config.values[beta1].real),
        beta2_(config.values[beta2].real),
        epsilon_(config.values[epsilon].real),
        weight_decay_(config.values[weight_decay].real),
        scratch_(static_cast<std::size_t>(pieces_of_largest(config))),
        rates_(static_cast<std::size_t>(config.slice_count)) {}

  void step(const syncline_step_args& a) {
    pointwise::Lamb f{.scale = a.grad_scale,
                      .beta1 = static_cast<float>(beta1_),
                      .beta2 = static_cast<float>(beta2_),
                      .rest1 = static_cast<float>(1 - beta1_),
                      .rest2 = static_cast<float>(1 - beta2_),
                      .unbias1 = static_cast<float>(1 / bias(beta1_, a.step)),
                      .root = static_cast<float>(1 / std::sqrt(bias(beta2_, a.step))),
                      .epsilon = static_cast<float>(epsilon_),
                      .decay = 0};
    for (std::int32_t i = 0; i < a.slice_count; ++i) {
      f.decay = decay_of(a.slices[i], weight_decay_);
      const Sums squares = layer_sums(host_, a.slices[i], scratch_.data(), [&](std::int64_t at, std::int64_t n) {
        return first_pass(f, a.param + at, a.grad + at, a.state[0] + at, a.state[1] + at, n);
      });
      const bool adapted = (a.slices[i].flags & SYNCLINE_DECAY) != 0 && squares.first > 0 && squares.second > 0;
      rates_[static_cast<std::size_t>(i)] =
          static_cast<float>(a.lr * (adapted ? std::sqrt(squares.first) / std::sqrt(squares.second) : 1.0));
    }
    for_each_piece(host_, a, [&](const syncline_slice& slice, std::int64_t at, std::int64_t n) {
      pointwise::Lamb own = f;
      own.decay = decay_of(slice, weight_decay_);
      second_pass(own, rates_[static_cast<std::size_t>(&slice - a.slices)], a.param + at, a.state[0] + at, a.state[1] + at, n);
    });
  }

 private:
  syncline_host host_;
  double beta1_, beta2_, epsilon_, weight_decay_;
  std::vector<Sums> scratch_;
  std::vector<float> rates_;
};

}  // namespace

const syncline_optimizer_table& lamb() {
  static constexpr syncline_optimizer_table rule =
      table<Lamb>({.name = "lamb",
                   .title = "LAMB",
                   .summary = "Adam with a rate for each layer, by the ratio of its norms; for large batches.",
                   .paper = "You et al., Large batch optimization for deep learning: training BERT in 76 minutes, ICLR 2020"},
                  options, 2);
  return rule;
}

}  // namespace syncline::rules
