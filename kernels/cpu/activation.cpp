// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <stdexcept>

#include "kernels/cpu/ops.h"

namespace syncline::cpu {
namespace {

constexpr float kSqrtHalf = 0.70710678118654752440f, kInverseSqrtTwoPi = 0.39894228040143267794f;

float gelu(float x) { return 0.5f * x * (1.0f + std::erf(x * kSqrtHalf)); }
float gelu_slope(float x) { return 0.5f * (1.0f + std::erf(x * kSqrtHalf)) + x * kInverseSqrtTwoPi * std::exp(-0.5f * x * x); }
float sigmoid(float x) { return 1.0f / (1.0f + std::exp(-x)); }

template <class F>
void each(Context& context, std::int64_t count, F&& f) {
  context.ranges(count, kPiece, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i) f(i);
  });
}

}  // namespace

void activation_forward(Context& context, Activation kind, const View& x, const View& y) {
  require(y, x.count(), "an activation's output");
  require(x, x.count(), "an activation's input");
  context.enter();
  const float* in = x.data();
  float* out = y.data();
  switch (kind) {
    case Activation::relu:
      context.ranges(x.count(), kPiece,
                     [&](std::int64_t first, std::int64_t last) { context.simd().relu(in + first, out + first, last - first); });
      break;
    case Activation::gelu:
      each(context, x.count(), [&](std::int64_t i) { out[i] = gelu(in[i]); });
      break;
    case Activation::tanh:
      each(context, x.count(), [&](std::int64_t i) { out[i] = std::tanh(in[i]); });
      break;
    case Activation::sigmoid:
      each(context, x.count(), [&](std::int64_t i) { out[i] = sigmoid(in[i]); });
      break;
  }
}

void activation_backward(Context& context, Activation kind, const View& x, const View& y, const View& dy, const View& dx) {
  if (dx.empty()) return;
  const std::int64_t count = dy.count();
  require(dy, count, "an activation's output gradient");
  require(dx, count, "an activation's input gradient");
  require(kind == Activation::gelu ? x : y, count, kind == Activation::gelu ? "an activation's input" : "an activation's output");
  context.enter();
  const float *in = x.data(), *out = y.data(), *gradient = dy.data();
  float* to = dx.data();
  switch (kind) {
    case Activation::relu:
      context.ranges(count, kPiece, [&](std::int64_t first, std::int64_t last) {
        context.simd().relu_mask(out + first, gradient + first, to + first, last - first);
      });
      break;
    case Activation::gelu:
      each(context, count, [&](std::int64_t i) { to[i] = gradient[i] * gelu_slope(in[i]); });
      break;
    case Activation::tanh:
      each(context, count, [&](std::int64_t i) { to[i] = gradient[i] * (1.0f - out[i] * out[i]); });
      break;
    case Activation::sigmoid:
      each(context, count, [&](std::int64_t i) { to[i] = gradient[i] * out[i] * (1.0f - out[i]); });
      break;
  }
}

}  // namespace syncline::cpu
