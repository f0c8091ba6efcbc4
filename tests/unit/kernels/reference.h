// SPDX-License-Identifier: Apache-2.0
// Every operation of kernels/backend.h in double precision, written from its formula: plain loops, no library, nothing shared with the
// code under test but the specs. Gradients overwrite. finite_differences() checks the references' own gradients.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <vector>

#include "kernels/backend.h"

namespace syncline::reference {

using Values = std::vector<double>;
using Index = std::int64_t;

inline double& at(Values& values, Index index) { return values.at(static_cast<std::size_t>(index)); }
inline double at(const Values& values, Index index) { return values.at(static_cast<std::size_t>(index)); }
inline Values zeros(Index count) { return Values(static_cast<std::size_t>(count), 0.0); }

// Calls f(x index, weight index, y index, output channel) for every product of a convolution.
template <class F>
void each_product(const ConvSpec& s, Index rows, F&& f) {
  const Index in = s.in_channels / s.groups, out = s.out_channels / s.groups;
  for (Index n = 0; n < rows; ++n)
    for (Index oh = 0; oh < s.out_height(); ++oh)
      for (Index ow = 0; ow < s.out_width(); ++ow)
        for (Index o = 0; o < s.out_channels; ++o)
          for (Index kh = 0; kh < s.kernel_h; ++kh)
            for (Index kw = 0; kw < s.kernel_w; ++kw) {
              const Index ih = oh * s.stride_h + kh - s.pad_h, iw = ow * s.stride_w + kw - s.pad_w;
              if (ih < 0 || iw < 0 || ih >= s.height || iw >= s.width) continue;
              for (Index i = 0; i < in; ++i) {
                f(((n * s.height + ih) * s.width + iw) * s.in_channels + o / out * in + i,
                  ((o * s.kernel_h + kh) * s.kernel_w + kw) * in + i,
                  ((n * s.out_height() + oh) * s.out_width() + ow) * s.out_channels + o);
              }
            }
}

inline Values conv(const ConvSpec& s, Index rows, const Values& x, const Values& w, const Values& bias) {
  const Index count = rows * s.out_height() * s.out_width() * s.out_channels;
  Values y = zeros(count);
  each_product(s, rows, [&](Index xi, Index wi, Index yi) { at(y, yi) += at(x, xi) * at(w, wi); });
  for (Index i = 0; i < count; ++i) {
    if (s.bias) at(y, i) += at(bias, i % s.out_channels);
    if (s.relu) at(y, i) = std::max(0.0, at(y, i));
  }
  return y;
}

struct WeightGradients {
  Values x, weights, bias;
};

inline Values masked(bool relu, const Values& y, const Values& dy) {
  Values g = dy;
  for (Index i = 0; relu && i < static_cast<Index>(g.size()); ++i) {
    if (!(at(y, i) > 0)) at(g, i) = 0;
  }
  return g;
}

inline WeightGradients conv_backward(const ConvSpec& s, Index rows, const Values& x, const Values& w, const Values& y, const Values& dy) {
  const Values g = masked(s.relu, y, dy);
  WeightGradients result{zeros(static_cast<Index>(x.size())), zeros(static_cast<Index>(w.size())), zeros(s.out_channels)};
  each_product(s, rows, [&](Index xi, Index wi, Index yi) {
    at(result.x, xi) += at(g, yi) * at(w, wi);
    at(result.weights, wi) += at(g, yi) * at(x, xi);
  });
  for (Index i = 0; i < static_cast<Index>(g.size()); ++i) at(result.bias, i % s.out_channels) += at(g, i);
  return result;
}

inline Values linear(const LinearSpec& s, Index rows, const Values& x, const Values& w, const Values& bias) {
  Values y = zeros(rows * s.out);
  for (Index n = 0; n < rows; ++n)
    for (Index o = 0; o < s.out; ++o) {
      double sum = s.bias ? at(bias, o) : 0.0;
      for (Index i = 0; i < s.in; ++i) sum += at(x, n * s.in + i) * at(w, o * s.in + i);
      at(y, n * s.out + o) = s.relu ? std::max(0.0, sum) : sum;
    }
  return y;
}

inline WeightGradients linear_backward(const LinearSpec& s, Index rows, const Values& x, const Values& w, const Values& y,
                                       const Values& dy) {
  const Values g = masked(s.relu, y, dy);
  WeightGradients result{zeros(rows * s.in), zeros(s.out * s.in), zeros(s.out)};
  for (Index n = 0; n < rows; ++n)
    for (Index o = 0; o < s.out; ++o) {
      const double d = at(g, n * s.out + o);
      at(result.bias, o) += d;
      for (Index i = 0; i < s.in; ++i) {
        at(result.x, n * s.in + i) += d * at(w, o * s.in + i);
        at(result.weights, o * s.in + i) += d * at(x, n * s.in + i);
      }
    }
  return result;
}

// Groups of values that share a mean: columns (batch normalisation) or rows (layer normalisation) of a matrix.
struct Normalized {
  Values y, mean, variance;
};
struct NormGradients {
  Values x, scale, shift;
};

inline Normalized normalize(Index rows, Index columns, bool by_column, double epsilon, bool relu, const Values& x, const Values& scale,
                            const Values& shift) {
  const Index groups = by_column ? columns : rows, size = by_column ? rows : columns;
  Normalized result{zeros(rows * columns), zeros(groups), zeros(groups)};
  const auto index = [&](Index group, Index i) { return by_column ? i * columns + group : group * columns + i; };
  for (Index g = 0; g < groups; ++g) {
    for (Index i = 0; i < size; ++i) at(result.mean, g) += at(x, index(g, i)) / static_cast<double>(size);
    for (Index i = 0; i < size; ++i)
      at(result.variance, g) += std::pow(at(x, index(g, i)) - at(result.mean, g), 2) / static_cast<double>(size);
    for (Index i = 0; i < size; ++i) {
      const Index column = index(g, i) % columns;
      const double value =
          (at(x, index(g, i)) - at(result.mean, g)) / std::sqrt(at(result.variance, g) + epsilon) * at(scale, column) + at(shift, column);
      at(result.y, index(g, i)) = relu ? std::max(0.0, value) : value;
    }
  }
  return result;
}

// dx = (g s - mean(g s) - n mean(g s n)) / sqrt(variance + epsilon), n the normalised value.
inline NormGradients normalize_backward(Index rows, Index columns, bool by_column, double epsilon, bool relu, const Values& x,
                                        const Values& scale, const Values& shift, const Values& dy) {
  const Normalized f = normalize(rows, columns, by_column, epsilon, relu, x, scale, shift);
  const Values d = masked(relu, f.y, dy);
  const Index groups = by_column ? columns : rows, size = by_column ? rows : columns;
  NormGradients result{zeros(rows * columns), zeros(columns), zeros(columns)};
  const auto index = [&](Index group, Index i) { return by_column ? i * columns + group : group * columns + i; };
  for (Index g = 0; g < groups; ++g) {
    const double inverse = 1 / std::sqrt(at(f.variance, g) + epsilon);
    double sum = 0, product = 0;
    for (Index i = 0; i < size; ++i) {
      const Index k = index(g, i), column = k % columns;
      const double n = (at(x, k) - at(f.mean, g)) * inverse;
      sum += at(d, k) * at(scale, column) / static_cast<double>(size);
      product += at(d, k) * at(scale, column) * n / static_cast<double>(size);
      at(result.scale, column) += at(d, k) * n;
      at(result.shift, column) += at(d, k);
    }
    for (Index i = 0; i < size; ++i) {
      const Index k = index(g, i);
      const double n = (at(x, k) - at(f.mean, g)) * inverse;
      at(result.x, k) = (at(d, k) * at(scale, k % columns) - sum - n * product) * inverse;
    }
  }
  return result;
}

// Calls f(x index, y index, window's part on the image) for every element of every pooling window, in order.
template <class F>
void each_tap(const PoolSpec& s, Index rows, F&& f) {
  for (Index n = 0; n < rows; ++n)
    for (Index oh = 0; oh < s.out_height(); ++oh)
      for (Index ow = 0; ow < s.out_width(); ++ow)
        for (Index c = 0; c < s.channels; ++c) {
          Index taps = 0;
          for (int pass = 0; pass < 2; ++pass)
            for (Index kh = 0; kh < s.kernel_h; ++kh)
              for (Index kw = 0; kw < s.kernel_w; ++kw) {
                const Index ih = oh * s.stride_h + kh - s.pad_h, iw = ow * s.stride_w + kw - s.pad_w;
                if (ih < 0 || iw < 0 || ih >= s.height || iw >= s.width) continue;
                if (pass == 0) {
                  ++taps;
                } else {
                  f(((n * s.height + ih) * s.width + iw) * s.channels + c,
                    ((n * s.out_height() + oh) * s.out_width() + ow) * s.channels + c, taps);
                }
              }
        }
}

struct Pooled {
  Values y;
  std::vector<Index> from;
};  // from: max pooling's first maximum

inline Pooled pool(const PoolSpec& s, Index rows, const Values& x) {
  Pooled result{zeros(rows * s.out_height() * s.out_width() * s.channels), {}};
  result.from.assign(result.y.size(), -1);
  each_tap(s, rows, [&](Index xi, Index yi, Index taps) {
    if (s.kind == PoolSpec::average) {
      at(result.y, yi) += at(x, xi) / static_cast<double>(s.count_padding ? s.kernel_h * s.kernel_w : taps);
    } else if (Index& from = result.from.at(static_cast<std::size_t>(yi)); from < 0 || at(x, xi) > at(result.y, yi)) {
      from = xi;
      at(result.y, yi) = at(x, xi);
    }
  });
  return result;
}

inline Values pool_backward(const PoolSpec& s, Index rows, const Values& x, const Values& dy) {
  const Pooled forward = pool(s, rows, x);
  Values dx = zeros(static_cast<Index>(x.size()));
  each_tap(s, rows, [&](Index xi, Index yi, Index taps) {
    if (s.kind == PoolSpec::average) {
      at(dx, xi) += at(dy, yi) / static_cast<double>(s.count_padding ? s.kernel_h * s.kernel_w : taps);
    } else if (forward.from.at(static_cast<std::size_t>(yi)) == xi) {
      at(dx, xi) += at(dy, yi);
    }
  });
  return dx;
}

inline double activation(Activation kind, double x) {
  switch (kind) {
    case Activation::relu:
      return std::max(0.0, x);
    case Activation::gelu:
      return x * 0.5 * std::erfc(-x / std::sqrt(2.0));
    case Activation::tanh:
      return std::tanh(x);
    case Activation::sigmoid:
      return 1 / (1 + std::exp(-x));
  }
  return 0;
}

inline double activation_slope(Activation kind, double x) {
  switch (kind) {
    case Activation::relu:
      return x > 0 ? 1 : 0;
    case Activation::gelu:
      return 0.5 * std::erfc(-x / std::sqrt(2.0)) + x * std::exp(-x * x / 2) / std::sqrt(2 * std::acos(-1.0));
    case Activation::tanh:
      return 1 - std::tanh(x) * std::tanh(x);
    case Activation::sigmoid:
      return activation(kind, x) * (1 - activation(kind, x));
  }
  return 0;
}

struct Loss {
  double sum = 0;
  Index correct = 0;
  Values gradient;
};

inline Loss cross_entropy(Index rows, Index classes, const Values& x, const std::vector<std::int32_t>& labels, double scale) {
  Loss result{0, 0, zeros(rows * classes)};
  for (Index n = 0; n < rows; ++n) {
    const Index label = labels.at(static_cast<std::size_t>(n));
    double sum = 0;
    Index best = 0;
    for (Index c = 0; c < classes; ++c) {
      sum += std::exp(at(x, n * classes + c));
      if (at(x, n * classes + c) > at(x, n * classes + best)) best = c;
    }
    result.sum -= at(x, n * classes + label) - std::log(sum);
    result.correct += best == label ? 1 : 0;
    for (Index c = 0; c < classes; ++c)
      at(result.gradient, n * classes + c) = scale * (std::exp(at(x, n * classes + c)) / sum - (c == label ? 1.0 : 0.0));
  }
  return result;
}

// The gradient of f(x) . dy by central differences.
inline Values finite_differences(const std::function<Values(const Values&)>& f, Values x, const Values& dy, double h = 1e-5) {
  const auto dot = [&](const Values& y) {
    double sum = 0;
    for (Index i = 0; i < static_cast<Index>(dy.size()); ++i) sum += at(y, i) * at(dy, i);
    return sum;
  };
  Values gradient = zeros(static_cast<Index>(x.size()));
  for (Index i = 0; i < static_cast<Index>(x.size()); ++i) {
    const double value = at(x, i);
    at(x, i) = value + h;
    const double above = dot(f(x));
    at(x, i) = value - h;
    at(gradient, i) = (above - dot(f(x))) / (2 * h);
    at(x, i) = value;
  }
  return gradient;
}

}  // namespace syncline::reference
