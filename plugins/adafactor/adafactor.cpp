// SPDX-License-Identifier: Apache-2.0
// Adafactor, Shazeer and Stern 2018, algorithms 4 and 5 with a given learning rate and without momentum. For update t:
//   b2 = 1 - t^decay_exponent;  v = b2 v + (1 - b2) (g^2 + epsilon1);  u = g / sqrt(v);  u /= max(1, RMS(u) / clip)
//   w -= lr * max(epsilon2, RMS(w)) * (u + weight_decay * w)
// For a matrix, v is R C / sum(R): R and C are the moving means of its rows and columns. A layer's state array holds R, then C, in the
// place of its matrix; where there is no matrix, v itself. A layer's matrix and its biases are two tensors.
#include <algorithm>
#include <cmath>
#include <vector>

#include "syncline_optimizer.hpp"

namespace {

enum { lr, decay_exponent, clip, scale_parameter, epsilon1, epsilon2, weight_decay };
constexpr syncline_option options[] = {
    syncline_sdk::real({.key = "lr", .help = "Learning rate, relative to a tensor's root mean square with scale_parameter.", .symbol = "ρ"},
                       0.01, 0),
    syncline_sdk::real(
        {.key = "decay_exponent", .help = "In update t the second moment keeps the share 1 - t to this power.", .symbol = {}}, -0.8, -1, 0),
    syncline_sdk::real({.key = "clip", .help = "Largest root mean square of an update before the learning rate.", .symbol = "d"}, 1, 1e-6),
    syncline_sdk::flag({.key = "scale_parameter", .help = "Multiply the rate by the root mean square of the tensor.", .symbol = {}}, true),
    syncline_sdk::real({.key = "epsilon1", .help = "Added to the squared gradient.", .symbol = "ε₁"}, 1e-30, 1e-38),
    syncline_sdk::real({.key = "epsilon2", .help = "Least root mean square that scale_parameter uses.", .symbol = "ε₂"}, 1e-3, 0),
    syncline_sdk::real({.key = "weight_decay", .help = "Each step shrinks a parameter by its rate times weight_decay.", .symbol = "λ"}, 0,
                       0),
};
constexpr std::int64_t grain = 16384;

double square(double x) { return x * x; }

struct Tensor {  // count elements; of a matrix rows x cols, else rows = 0
  float* w;
  const float* g;
  float* state;
  std::int64_t count, rows, cols;
};

class Adafactor {
 public:
  Adafactor(const syncline_config& config, const syncline_sdk::Host& host)
      : host_(host),
        decay_exponent_(config.values[decay_exponent].real),
        clip_(config.values[clip].real),
        scale_parameter_(config.values[scale_parameter].integer != 0),
        epsilon1_(config.values[epsilon1].real),
        epsilon2_(config.values[epsilon2].real),
        weight_decay_(config.values[weight_decay].real) {}

  void step(const syncline_step_args& a) const {
    for (std::int32_t i = 0; i < a.slice_count; ++i) {
      const syncline_slice& slice = a.slices[i];
      const std::int64_t at = slice.offset, matrix = slice.rows * slice.cols;
      const bool decays = (slice.flags & SYNCLINE_DECAY) != 0;
      // A matrix with a side of 1 has no room for R and C, and nothing to gain from them.
      const bool factored = slice.rows > 1 && slice.cols > 1;
      const Tensor whole{a.param + at, a.grad + at, a.state[0] + at, slice.count, 0, 0};
      if (!factored) {
        update(whole, a, decays);
        continue;
      }
      update({whole.w, whole.g, whole.state, matrix, slice.rows, slice.cols}, a, decays);
      if (slice.count > matrix) update({whole.w + matrix, whole.g + matrix, whole.state + matrix, slice.count - matrix, 0, 0}, a, decays);
    }
  }

 private:
  // 1 / sqrt(v) of one element after the moments were advanced.
  struct Root {
    const Tensor& t;
    double row_mean;
    double operator()(std::int64_t i) const {
      if (t.rows == 0) return 1 / std::sqrt(static_cast<double>(t.state[i]));
      return std::sqrt(row_mean / (static_cast<double>(t.state[i / t.cols]) * static_cast<double>(t.state[t.rows + i % t.cols])));
    }
  };

  void update(const Tensor& t, const syncline_step_args& a, bool decays) const {
    const double keep = 1 - std::pow(static_cast<double>(a.step), decay_exponent_), scale = a.grad_scale;
    if (t.rows == 0) {
      host_.parallel_for(t.count, grain, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i)
          t.state[i] = static_cast<float>(keep * t.state[i] + (1 - keep) * (square(scale * t.g[i]) + epsilon1_));
      });
    } else {
      advance_rows(t, keep, scale);
      advance_columns(t, keep, scale);
    }
    double row_mean = 0;
    for (std::int64_t row = 0; row < t.rows; ++row) row_mean += t.state[row];
    const Root root{t, t.rows == 0 ? 0 : row_mean / static_cast<double>(t.rows)};
    const auto count = static_cast<double>(t.count);
    const double update_rms = std::sqrt(host_.sum(t.count, grain, [&](std::int64_t begin, std::int64_t end) {
      double sum = 0;
      for (std::int64_t i = begin; i < end; ++i) sum += square(scale * t.g[i] * root(i));
      return sum;
    }) / count);
    const double rate = a.lr * parameter_scale(t), factor = rate / std::max(1.0, update_rms / clip_),
                 shrink = decays ? rate * weight_decay_ : 0;
    host_.parallel_for(t.count, grain, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) t.w[i] = static_cast<float>(t.w[i] - shrink * t.w[i] - factor * scale * t.g[i] * root(i));
    });
  }

  double parameter_scale(const Tensor& t) const {
    if (!scale_parameter_) return 1;
    const double squares = host_.sum(t.count, grain, [&](std::int64_t begin, std::int64_t end) {
      double sum = 0;
      for (std::int64_t i = begin; i < end; ++i) sum += square(t.w[i]);
      return sum;
    });
    return std::max(epsilon2_, std::sqrt(squares / static_cast<double>(t.count)));
  }

  void advance_rows(const Tensor& t, double keep, double scale) const {
    host_.parallel_for(t.rows, 16, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t row = begin; row < end; ++row) {
        double sum = 0;
        for (std::int64_t col = 0; col < t.cols; ++col) sum += square(scale * t.g[row * t.cols + col]) + epsilon1_;
        t.state[row] = static_cast<float>(keep * t.state[row] + (1 - keep) * sum / static_cast<double>(t.cols));
      }
    });
  }

  void advance_columns(const Tensor& t, double keep, double scale) const {
    host_.parallel_for(t.cols, 64, [&](std::int64_t begin, std::int64_t end) {
      double sums[64] = {};
      for (std::int64_t row = 0; row < t.rows; ++row) {
        for (std::int64_t col = begin; col < end; ++col) sums[col - begin] += square(scale * t.g[row * t.cols + col]) + epsilon1_;
      }
      float* column = t.state + t.rows;
      for (std::int64_t col = begin; col < end; ++col) {
        column[col] = static_cast<float>(keep * column[col] + (1 - keep) * sums[col - begin] / static_cast<double>(t.rows));
      }
    });
  }

  syncline_sdk::Host host_;
  double decay_exponent_, clip_;
  bool scale_parameter_;
  double epsilon1_, epsilon2_, weight_decay_;
};

}  // namespace

const syncline_optimizer_table* syncline_optimizer_v1(void) {
  static constexpr syncline_optimizer_table table =
      syncline_sdk::table<Adafactor>({.name = "adafactor",
                                      .title = "Adafactor",
                                      .summary = "Adam-like steps with second moments kept by row and column.",
                                      .version = "1.0",
                                      .license = "Apache-2.0",
                                      .paper = "Shazeer and Stern, Adafactor: adaptive learning rates with sublinear memory cost, 2018"},
                                     options, 1);
  return &table;
}
