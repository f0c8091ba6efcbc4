// SPDX-License-Identifier: Apache-2.0
// Layer normalisation, a row at a time while it is in the cache.
#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "kernels/cpu/ops.h"

namespace syncline::cpu {
namespace {

constexpr std::int64_t kRows = 64;  // whose gradients of scale and shift are summed in float before they are added in double

class LayerNorm final : public LayerNormOp {
 public:
  LayerNorm(Context& context, const LayerNormSpec& spec) : context_(context), spec_(spec) {
    if (spec.positions < 1 || spec.channels < 1) throw std::invalid_argument("a layer normalisation has at least 1 position and 1 channel");
    if (!(spec.epsilon > 0)) throw std::invalid_argument("a layer normalisation's epsilon is greater than 0");
    sums_.reserve(static_cast<std::size_t>(2 * spec.channels) * sizeof(double));
  }

  void forward(std::int64_t rows, const View& x, const View& scale, const View& shift, const View& y, const View& mean,
               const View& variance) override {
    const std::int64_t count = checked_count(rows, x, scale);
    require(shift, spec_.channels, "a layer normalisation's shift");
    require(y, count * spec_.channels, "a layer normalisation's output");
    if (!mean.empty()) require(mean, count, "a layer normalisation's mean");
    if (!variance.empty()) require(variance, count, "a layer normalisation's variance");
    context_.enter();
    const std::int64_t c = spec_.channels;
    context_.ranges(count, kRows, [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t row = first; row < last; ++row) {
        float center = 0, spread = 0;
        context_.simd().layer_norm_row(x.data() + row * c, c, scale.data(), shift.data(), static_cast<float>(spec_.epsilon),
                                       y.data() + row * c, &center, &spread);
        if (!mean.empty()) mean.data()[row] = center;
        if (!variance.empty()) variance.data()[row] = spread;
      }
    });
  }

  void backward(std::int64_t rows, const View& x, const View& dy, const View& scale, const View& mean, const View& variance,
                const View& dscale, const View& dshift, const View& dx, bool accumulate) override {
    const std::int64_t count = checked_count(rows, x, scale), c = spec_.channels;
    require(dy, count * c, "a layer normalisation's output gradient");
    require(mean, count, "a layer normalisation's mean");
    require(variance, count, "a layer normalisation's variance");
    require(dscale, c, "a layer normalisation's scale gradient");
    require(dshift, c, "a layer normalisation's shift gradient");
    if (!dx.empty()) require(dx, count * c, "a layer normalisation's input gradient");
    context_.enter();
    context_.staging.reserve(static_cast<std::size_t>((count + kRows - 1) / kRows * 2 * c) * sizeof(float));
    float* parts = reinterpret_cast<float*>(context_.staging.data());
    context_.ranges(count, kRows, [&](std::int64_t first, std::int64_t last) {
      float* part = parts + first / kRows * 2 * c;
      context_.simd().fill(part, 0.0f, 2 * c);
      for (std::int64_t row = first; row < last; ++row) {
        const float inverse = 1.0f / std::sqrt(variance.data()[row] + static_cast<float>(spec_.epsilon));
        context_.simd().layer_norm_backward_row(x.data() + row * c, dy.data() + row * c, c, scale.data(), mean.data()[row], inverse, part,
                                                part + c, dx.empty() ? nullptr : dx.data() + row * c);
      }
    });
    double* sums = reinterpret_cast<double*>(sums_.data());
    std::fill_n(sums, 2 * c, 0.0);
    for (std::int64_t first = 0; first < count; first += kRows) {
      const float* part = parts + first / kRows * 2 * c;
      for (std::int64_t i = 0; i < 2 * c; ++i) sums[i] += static_cast<double>(part[i]);
    }
    for (std::int64_t i = 0; i < c; ++i) {
      dscale.data()[i] = static_cast<float>(sums[i]) + (accumulate ? dscale.data()[i] : 0.0f);
      dshift.data()[i] = static_cast<float>(sums[c + i]) + (accumulate ? dshift.data()[i] : 0.0f);
    }
  }

 private:
  std::int64_t checked_count(std::int64_t rows, const View& x, const View& scale) const {
    require_rows(rows, "a layer normalisation");
    require(x, rows * spec_.positions * spec_.channels, "a layer normalisation's input");
    require(scale, spec_.channels, "a layer normalisation's scale");
    return rows * spec_.positions;
  }

  Context& context_;
  const LayerNormSpec spec_;
  Arena sums_;
};

}  // namespace

std::unique_ptr<LayerNormOp> make_layer_norm(Context& context, const LayerNormSpec& spec) {
  return std::make_unique<LayerNorm>(context, spec);
}

}  // namespace syncline::cpu
