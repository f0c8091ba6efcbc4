// SPDX-License-Identifier: Apache-2.0
// LARS (algorithm 1). A layer's rate is lr * trust * |w| / (|g| + weight_decay * |w|). Layers without weight decay (normalisation) take lr
// itself, and so does a layer whose parameters or gradients are all zero. A layer's norms run over its weights and biases together.
// Two passes: one reads parameters and gradients for the norms, one updates.
#include <cmath>
#include <vector>

#include "engine/optim/rules/norms.h"
#include "engine/optim/rules/registry.h"
#include "engine/optim/rules/support.h"
#include "kernels/pointwise/optimizers.h"

namespace syncline::rules {
namespace {

enum { lr, momentum, trust, weight_decay, epsilon };
constexpr syncline_option options[] = {
    real({.key = "lr", .symbol = "γ", .help = "Learning rate.", .initial = 0.1, .least = 0}),
    real({.key = "momentum", .symbol = "m", .help = "Share of the last step that is kept.", .initial = 0.9, .least = 0, .most = 1}),
    real({.key = "trust",
          .symbol = "η",
          .help = "How far a layer may move in one step, as a share of its norm.",
          .initial = 0.001,
          .least = 0}),
    real({.key = "weight_decay",
          .symbol = "β",
          .help = "Added to the gradient as weight_decay times the parameter.",
          .initial = 0.0005,
          .least = 0}),
    real({.key = "epsilon", .symbol = "ε", .help = "Added to the divisor of a layer's rate.", .initial = 0, .least = 0, .advanced = true}),
};

SYNCLINE_CLONES void run(pointwise::Lars f, float* __restrict p, const float* __restrict g, float* __restrict m, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) f(p[i], g[i], m[i]);
}

class Lars {
 public:
  Lars(const syncline_config& config, const syncline_host& host)
      : host_(host),
        momentum_(static_cast<float>(config.values[momentum].real)),
        trust_(config.values[trust].real),
        weight_decay_(config.values[weight_decay].real),
        epsilon_(config.values[epsilon].real),
        scratch_(static_cast<std::size_t>(pieces_of_largest(config))),
        rates_(static_cast<std::size_t>(config.slice_count)) {}

  void step(const syncline_step_args& a) {
    for (std::int32_t i = 0; i < a.slice_count; ++i) rates_[static_cast<std::size_t>(i)] = rate_of(a, a.slices[i]);
    for_each_piece(host_, a, [&](const syncline_slice& slice, std::int64_t at, std::int64_t n) {
      const float rate = rates_[static_cast<std::size_t>(&slice - a.slices)];
      run(pointwise::Lars{rate, a.grad_scale, decay_of(slice, weight_decay_), momentum_}, a.param + at, a.grad + at, a.state[0] + at, n);
    });
  }

 private:
  float rate_of(const syncline_step_args& a, const syncline_slice& slice) {
    if ((slice.flags & SYNCLINE_DECAY) == 0) return a.lr;
    const Sums squares = layer_sums(host_, slice, scratch_.data(), [&](std::int64_t at, std::int64_t n) {
      return Sums{sum_of_squares(a.param + at, n), sum_of_squares(a.grad + at, n)};
    });
    const double w = std::sqrt(squares.first), g = std::sqrt(squares.second) * std::abs(static_cast<double>(a.grad_scale));
    if (!(w > 0) || !(g > 0)) return a.lr;
    return static_cast<float>(a.lr * (trust_ * w / (g + weight_decay_ * w + epsilon_)));
  }

  syncline_host host_;
  float momentum_;
  double trust_, weight_decay_, epsilon_;
  std::vector<Sums> scratch_;
  std::vector<float> rates_;
};

}  // namespace

const syncline_optimizer_table& lars() {
  static constexpr syncline_optimizer_table rule =
      table<Lars>({.name = "lars",
                   .title = "LARS",
                   .summary = "Momentum with a rate for each layer, by the ratio of its norms; for large batches.",
                   .paper = "You, Gitman and Ginsburg, Large batch training of convolutional networks, 2017"},
                  options, 1);
  return rule;
}

}  // namespace syncline::rules
