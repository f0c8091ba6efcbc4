// SPDX-License-Identifier: Apache-2.0
// Arithmetic of strategies that a sum of multiples cannot say, one element at a time, compiled alike for the CPU and for CUDA. The first
// argument is changed; each operation rounds once. Backend::pointwise finds them by kName and checks kViews and kScalars.
#pragma once

#include <cmath>
#include <string_view>

#ifndef SYNCLINE_POINTWISE
#if defined(__CUDACC__)
#define SYNCLINE_POINTWISE __host__ __device__ inline
#else
#define SYNCLINE_POINTWISE inline
#endif
#endif

namespace syncline::pointwise {

// Delay-compensated gradient (Zheng et al., ICML 2017, eq. 10): g += lambda * g * g * (w - w_then), w_then the parameters that g was
// computed on. Views: g, w, w_then. Scalars: lambda.
struct DelayCompensation {
  static constexpr std::string_view kName = "delay_compensation";
  static constexpr int kViews = 3, kScalars = 1;
  float lambda;
  explicit DelayCompensation(const double* scalars) : lambda(static_cast<float>(scalars[0])) {}
  SYNCLINE_POINTWISE void operator()(float& g, float w, float w_then) const { g += lambda * g * g * (w - w_then); }
};

// The same with lambda divided by the root of a running mean of squares (there, section 5): s = decay * s + (1 - decay) * g^2,
// g += lambda / sqrt(s + epsilon) * g * g * (w - w_then). Views: g, s, w, w_then. Scalars: lambda, decay, epsilon.
struct AdaptiveDelayCompensation {
  static constexpr std::string_view kName = "adaptive_delay_compensation";
  static constexpr int kViews = 4, kScalars = 3;
  float lambda, decay, rest, epsilon;
  explicit AdaptiveDelayCompensation(const double* scalars)
      : lambda(static_cast<float>(scalars[0])),
        decay(static_cast<float>(scalars[1])),
        rest(static_cast<float>(1 - scalars[1])),
        epsilon(static_cast<float>(scalars[2])) {}
  SYNCLINE_POINTWISE void operator()(float& g, float& s, float w, float w_then) const {
    s = decay * s + rest * g * g;
    g += lambda / std::sqrt(s + epsilon) * g * g * (w - w_then);
  }
};

// Element-wise product: a *= b. Views: a, b.
struct Multiply {
  static constexpr std::string_view kName = "multiply";
  static constexpr int kViews = 2, kScalars = 0;
  explicit Multiply(const double*) {}
  SYNCLINE_POINTWISE void operator()(float& a, float b) const { a *= b; }
};

}  // namespace syncline::pointwise
