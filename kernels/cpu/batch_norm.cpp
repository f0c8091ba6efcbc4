// SPDX-License-Identifier: Apache-2.0
// Batch normalisation over the columns of a channels-last matrix by our own loops: one pass over memory for the statistics (mean and
// deviations of a piece while it is in the cache, pieces merged in double), one to apply them; the ReLU's mask is computed anew instead of
// stored. Pieces are fixed and merged in order, so that the result does not depend on the number of threads. Faster than oneDNN's in the
// sizes of the model zoo (ops_bench).
#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "kernels/cpu/ops.h"

namespace syncline::cpu {
namespace {

class BatchNorm final : public BatchNormOp {
 public:
  BatchNorm(Context& context, const BatchNormSpec& spec) : context_(context), spec_(spec), channels_(spec.channels) {
    if (spec.positions < 1 || spec.channels < 1) throw std::invalid_argument("a batch normalisation has at least 1 position and 1 channel");
    if (!(spec.epsilon > 0)) throw std::invalid_argument("a batch normalisation's epsilon is greater than 0");
    piece_ = std::max<std::int64_t>(8, 8192 / channels_);  // 32 KiB of each operand
    constants_.reserve(static_cast<std::size_t>(channels_) * (3 * sizeof(float) + 2 * sizeof(double)));
  }

  void forward_training(std::int64_t rows, const View& x, const View& scale, const View& shift, const View& y, const View& mean,
                        const View& variance) override {
    check(rows, x, scale, shift, mean, variance);
    require(y, rows * spec_.positions * channels_, "a batch normalisation's output");
    if (rows == 0) return;
    context_.enter();
    statistics(rows * spec_.positions, x.data(), mean.data(), variance.data());
    apply(rows * spec_.positions, x.data(), scale.data(), shift.data(), mean.data(), variance.data(), y.data(), true);
  }

  void forward_inference(std::int64_t rows, const View& x, const View& scale, const View& shift, const View& y, const View& mean,
                         const View& variance) override {
    check(rows, x, scale, shift, mean, variance);
    require(y, rows * spec_.positions * channels_, "a batch normalisation's output");
    context_.enter();
    apply(rows * spec_.positions, x.data(), scale.data(), shift.data(), mean.data(), variance.data(), y.data(), false);
  }

  void backward(std::int64_t rows, const View& x, const View& y, const View& dy, const View& scale, const View& shift, const View& mean,
                const View& variance, const View& dscale, const View& dshift, const View& dx, bool accumulate) override;
  void update_running(std::int64_t rows, const View& mean, const View& variance, const View& running_mean, const View& running_variance,
                      double momentum) override;

 private:
  void check(std::int64_t rows, const View& x, const View& scale, const View& shift, const View& mean, const View& variance) const;
  void statistics(std::int64_t count, const float* x, float* mean, float* variance);
  void apply(std::int64_t count, const float* x, const float* scale, const float* shift, const float* mean, const float* variance, float* y,
             bool backwards);
  float* factors(const float* scale, const float* variance);
  // Two values per column and piece, in the staging arena.
  float* partial(std::int64_t count) {
    const std::int64_t pieces = (count + piece_ - 1) / piece_;
    context_.staging.reserve(static_cast<std::size_t>(pieces * 2 * channels_) * sizeof(float));
    return reinterpret_cast<float*>(context_.staging.data());
  }

  Context& context_;
  const BatchNormSpec spec_;
  const std::int64_t channels_;
  std::int64_t piece_;  // rows of the matrix taken at a time
  Arena constants_;     // per column: factor, slope, offset; two sums in double
};

void BatchNorm::check(std::int64_t rows, const View& x, const View& scale, const View& shift, const View& mean,
                      const View& variance) const {
  require_rows(rows, "a batch normalisation");
  require(x, rows * spec_.positions * channels_, "a batch normalisation's input");
  require(scale, channels_, "a batch normalisation's scale");
  require(shift, channels_, "a batch normalisation's shift");
  require(mean, channels_, "a batch normalisation's mean");
  require(variance, channels_, "a batch normalisation's variance");
}

void BatchNorm::statistics(std::int64_t count, const float* x, float* mean, float* variance) {
  float* parts = partial(count);
  context_.ranges(count, piece_, [&](std::int64_t first, std::int64_t last) {
    float* part = parts + first / piece_ * 2 * channels_;
    context_.simd().moments(x + first * channels_, last - first, channels_, part, part + channels_);
  });
  double* totals = reinterpret_cast<double*>(constants_.data());
  std::fill_n(totals, channels_, 0.0);
  const auto size = [&](std::int64_t first) { return static_cast<double>(std::min(piece_, count - first)); };
  for (std::int64_t first = 0; first < count; first += piece_) {
    const float* part = parts + first / piece_ * 2 * channels_;
    for (std::int64_t c = 0; c < channels_; ++c) totals[c] += size(first) * static_cast<double>(part[c]);
  }
  double* squares = totals + channels_;
  for (std::int64_t c = 0; c < channels_; ++c) totals[c] /= static_cast<double>(count);
  std::fill_n(squares, channels_, 0.0);
  for (std::int64_t first = 0; first < count; first += piece_) {
    const float* part = parts + first / piece_ * 2 * channels_;
    for (std::int64_t c = 0; c < channels_; ++c) {
      const double distance = static_cast<double>(part[c]) - totals[c];
      squares[c] += static_cast<double>(part[channels_ + c]) + size(first) * distance * distance;
    }
  }
  for (std::int64_t c = 0; c < channels_; ++c) {
    mean[c] = static_cast<float>(totals[c]);
    variance[c] = static_cast<float>(squares[c] / static_cast<double>(count));
  }
}

float* BatchNorm::factors(const float* scale, const float* variance) {
  float* factor = reinterpret_cast<float*>(reinterpret_cast<double*>(constants_.data()) + 2 * channels_);
  for (std::int64_t c = 0; c < channels_; ++c) {
    factor[c] = static_cast<float>(static_cast<double>(scale[c]) / std::sqrt(static_cast<double>(variance[c]) + spec_.epsilon));
  }
  return factor;
}

void BatchNorm::apply(std::int64_t count, const float* x, const float* scale, const float* shift, const float* mean, const float* variance,
                      float* y, bool backwards) {
  const ColumnConstants constants{mean, factors(scale, variance), shift, nullptr, nullptr};
  context_.ranges(
      count, piece_,
      [&](std::int64_t first, std::int64_t last) {
        context_.simd().normalize(x + first * channels_, last - first, channels_, constants, y + first * channels_, spec_.relu);
      },
      backwards);
}

void BatchNorm::backward(std::int64_t rows, const View& x, const View&, const View& dy, const View& scale, const View& shift,
                         const View& mean, const View& variance, const View& dscale, const View& dshift, const View& dx, bool accumulate) {
  check(rows, x, scale, shift, mean, variance);
  const std::int64_t count = rows * spec_.positions;
  require(dy, count * channels_, "a batch normalisation's output gradient");
  require(dscale, channels_, "a batch normalisation's scale gradient");
  require(dshift, channels_, "a batch normalisation's shift gradient");
  if (!dx.empty()) require(dx, count * channels_, "a batch normalisation's input gradient");
  context_.enter();
  double* sums = reinterpret_cast<double*>(constants_.data());
  double* products = sums + channels_;
  std::fill_n(sums, 2 * channels_, 0.0);
  float* factor = factors(scale.data(), variance.data());
  ColumnConstants constants{mean.data(), factor, shift.data(), nullptr, nullptr};
  float* parts = partial(count);
  context_.ranges(count, piece_, [&](std::int64_t first, std::int64_t last) {
    float* part = parts + first / piece_ * 2 * channels_;
    context_.simd().backward_sums(x.data() + first * channels_, dy.data() + first * channels_, last - first, channels_, constants, part,
                                  part + channels_, spec_.relu);
  });
  for (std::int64_t first = 0; first < count; first += piece_) {
    const float* part = parts + first / piece_ * 2 * channels_;
    for (std::int64_t c = 0; c < 2 * channels_; ++c) sums[c] += static_cast<double>(part[c]);
  }
  float *slope = factor + channels_, *offset = slope + channels_;
  const double n = static_cast<double>(std::max<std::int64_t>(count, 1));
  for (std::int64_t c = 0; c < channels_; ++c) {
    const double square = static_cast<double>(variance.data()[c]) + spec_.epsilon;
    const float d_scale = static_cast<float>(products[c] / std::sqrt(square)), d_shift = static_cast<float>(sums[c]);
    dscale.data()[c] = accumulate ? dscale.data()[c] + d_scale : d_scale;
    dshift.data()[c] = accumulate ? dshift.data()[c] + d_shift : d_shift;
    slope[c] = static_cast<float>(-static_cast<double>(factor[c]) * products[c] / (square * n));
    offset[c] = static_cast<float>(-static_cast<double>(factor[c]) * sums[c] / n);
  }
  if (dx.empty()) return;
  constants.slope = slope;
  constants.offset = offset;
  context_.ranges(
      count, piece_,
      [&](std::int64_t first, std::int64_t last) {
        context_.simd().backward_apply(x.data() + first * channels_, dy.data() + first * channels_, last - first, channels_, constants,
                                       dx.data() + first * channels_, spec_.relu);
      },
      true);
}

void BatchNorm::update_running(std::int64_t rows, const View& mean, const View& variance, const View& running_mean,
                               const View& running_variance, double momentum) {
  require_rows(rows, "a batch normalisation");
  for (const View* view : {&mean, &variance, &running_mean, &running_variance})
    require(*view, channels_, "a batch normalisation's statistics");
  if (rows == 0) return;
  context_.enter();
  const double n = static_cast<double>(rows * spec_.positions), correction = n > 1 ? n / (n - 1) : 1.0;
  const auto blend = [&](float running, double batch) {
    return static_cast<float>((1 - momentum) * static_cast<double>(running) + momentum * batch);
  };
  for (std::int64_t c = 0; c < channels_; ++c) {
    running_mean.data()[c] = blend(running_mean.data()[c], static_cast<double>(mean.data()[c]));
    running_variance.data()[c] = blend(running_variance.data()[c], correction * static_cast<double>(variance.data()[c]));
  }
}

}  // namespace

std::unique_ptr<BatchNormOp> make_batch_norm(Context& context, const BatchNormSpec& spec) {
  return std::make_unique<BatchNorm>(context, spec);
}

}  // namespace syncline::cpu
