// SPDX-License-Identifier: Apache-2.0
// The arithmetic of the built-in update rules, one element at a time, compiled alike for the CPU and for CUDA. p: parameter, g: gradient
// as stored (scale applies), the others: state. Each operation rounds once (no contraction), so a result depends on nothing but its inputs.
#pragma once

#include <cmath>

#ifndef SYNCLINE_POINTWISE
#if defined(__CUDACC__)
#define SYNCLINE_POINTWISE __host__ __device__ inline
#else
#define SYNCLINE_POINTWISE inline
#endif
#endif

namespace syncline::pointwise {

struct Sgd {  // p -= lr * (g + decay * p)
  float lr, scale, decay;
  SYNCLINE_POINTWISE void operator()(float& p, float g) const { p -= lr * (scale * g + decay * p); }
};

struct SgdMomentum {  // m = momentum * m + d; p -= lr * m. m starts at zero, so the first step takes m = d
  float lr, scale, decay, momentum;
  SYNCLINE_POINTWISE void operator()(float& p, float g, float& m) const {
    m = momentum * m + (scale * g + decay * p);
    p -= lr * m;
  }
};

struct SgdNesterov {  // as above, with p -= lr * (d + momentum * m)
  float lr, scale, decay, momentum;
  SYNCLINE_POINTWISE void operator()(float& p, float g, float& m) const {
    const float d = scale * g + decay * p;
    m = momentum * m + d;
    p -= lr * (d + momentum * m);
  }
};

// Adam (Kingma and Ba, algorithm 1) and AdamW (Loshchilov and Hutter, algorithm 2). step_size = lr / (1 - beta1^t),
// root = 1 / sqrt(1 - beta2^t); l2: decay added to the gradient (Adam); shrink: 1 - lr * decay (AdamW). Unused ones are 0 and 1.
struct Adam {
  float step_size, root, scale, beta1, beta2, rest1, rest2, epsilon, l2, shrink;
  SYNCLINE_POINTWISE void operator()(float& p, float g, float& m, float& v) const {
    const float d = scale * g + l2 * p;
    m = beta1 * m + rest1 * d;
    v = beta2 * v + rest2 * d * d;
    p = shrink * p - step_size * (m / (std::sqrt(v) * root + epsilon));
  }
};

struct RmsProp {  // Hinton's lecture 6e, with the options of PyTorch: v = alpha * v + (1 - alpha) * d^2
  float lr, scale, decay, alpha, rest, epsilon;
  SYNCLINE_POINTWISE float direction(float p, float g, float& v) const {
    const float d = scale * g + decay * p;
    v = alpha * v + rest * d * d;
    return d / (std::sqrt(v) + epsilon);
  }
  SYNCLINE_POINTWISE float centred_direction(float p, float g, float& v, float& mean) const {
    const float d = scale * g + decay * p;
    v = alpha * v + rest * d * d;
    mean = alpha * mean + rest * d;
    const float variance = v - mean * mean;  // rounding may leave it just below zero
    return d / (std::sqrt(variance > 0 ? variance : 0.0f) + epsilon);
  }
};

struct Adagrad {  // Duchi et al., with the sum of squares kept without its initial value
  float lr, scale, decay, initial, epsilon;
  SYNCLINE_POINTWISE void operator()(float& p, float g, float& sum) const {
    const float d = scale * g + decay * p;
    sum += d * d;
    p -= lr * (d / (std::sqrt(sum + initial) + epsilon));
  }
};

struct Lars {  // You, Gitman and Ginsburg, algorithm 1: m = momentum * m + rate * (g + decay * p); rate = lr * the layer's trust
  float rate, scale, decay, momentum;
  SYNCLINE_POINTWISE void operator()(float& p, float g, float& m) const {
    m = momentum * m + rate * (scale * g + decay * p);
    p -= m;
  }
};

// You et al., algorithm 2. The first pass updates m and v and sums the squares of p and of the update; the second forms the update
// again from p, m and v, which it leaves unchanged, and applies it: same inputs, same bits, and nothing to store between the passes.
struct Lamb {
  float scale, beta1, beta2, rest1, rest2, unbias1, root, epsilon, decay;  // unbias1 = 1 / (1 - beta1^t); root as in Adam
  SYNCLINE_POINTWISE void moments(float g, float& m, float& v) const {
    const float d = scale * g;
    m = beta1 * m + rest1 * d;
    v = beta2 * v + rest2 * d * d;
  }
  SYNCLINE_POINTWISE float update(float p, float m, float v) const { return (m * unbias1) / (std::sqrt(v) * root + epsilon) + decay * p; }
};

}  // namespace syncline::pointwise
