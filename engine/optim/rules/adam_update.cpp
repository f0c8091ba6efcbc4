// SPDX-License-Identifier: Apache-2.0
#include "engine/optim/rules/adam_update.h"

#include <cmath>

#include "engine/optim/rules/support.h"
#include "kernels/pointwise/optimizers.h"

namespace syncline::rules {
namespace {

SYNCLINE_CLONES void run(pointwise::Adam f, float* __restrict p, const float* __restrict g, float* __restrict m, float* __restrict v,
                         std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) f(p[i], g[i], m[i], v[i]);
}

}  // namespace

void adam_update(const syncline_host& host, const AdamOptions& o, const syncline_step_args& a) {
  pointwise::Adam f{.step_size = static_cast<float>(a.lr / bias(o.beta1, a.step)),
                    .root = static_cast<float>(1 / std::sqrt(bias(o.beta2, a.step))),
                    .scale = a.grad_scale,
                    .beta1 = static_cast<float>(o.beta1),
                    .beta2 = static_cast<float>(o.beta2),
                    .rest1 = static_cast<float>(1 - o.beta1),
                    .rest2 = static_cast<float>(1 - o.beta2),
                    .epsilon = static_cast<float>(o.epsilon),
                    .l2 = 0,
                    .shrink = 1};
  for_each_piece(host, a, [&, f](const syncline_slice& slice, std::int64_t at, std::int64_t n) {
    pointwise::Adam own = f;
    const float decay = decay_of(slice, o.weight_decay);
    if (o.decoupled) {
      own.shrink = static_cast<float>(1 - static_cast<double>(a.lr) * static_cast<double>(decay));
    } else {
      own.l2 = decay;
    }
    run(own, a.param + at, a.grad + at, a.state[0] + at, a.state[1] + at, n);
  });
}

}  // namespace syncline::rules
