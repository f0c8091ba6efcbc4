// SPDX-License-Identifier: Apache-2.0
// The references' gradients against finite differences of their own forward pass.
#include "tests/unit/kernels/support.h"

namespace syncline {
namespace {

using reference::Values;

void expect_equal(const Values& got, const Values& differences) {
  ASSERT_EQ(got.size(), differences.size());
  for (std::size_t i = 0; i < got.size(); ++i) ASSERT_NEAR(got[i], differences[i], 1e-6 * (1 + std::abs(got[i]))) << i;
}

TEST(Reference, ConvGradients) {
  for (const ConvSpec& s :
       {ConvSpec{5, 6, 4, 6, 3, 2, 2, 1, 1, 0, 2, true, false, true}, ConvSpec{4, 4, 3, 2, 3, 3, 1, 1, 2, 2, 1, true, true, true}}) {
    const std::int64_t rows = 2;
    const Values x = random_data(rows * s.height * s.width * s.in_channels, 1).values,
                 w = random_data(s.out_channels * s.kernel_h * s.kernel_w * s.in_channels / s.groups, 2).values,
                 b = random_data(s.out_channels, 3).values, y = reference::conv(s, rows, x, w, b),
                 dy = random_data(static_cast<std::int64_t>(y.size()), 4).values;
    const auto got = reference::conv_backward(s, rows, x, w, y, dy);
    expect_equal(got.x, reference::finite_differences([&](const Values& v) { return reference::conv(s, rows, v, w, b); }, x, dy));
    expect_equal(got.weights, reference::finite_differences([&](const Values& v) { return reference::conv(s, rows, x, v, b); }, w, dy));
    expect_equal(got.bias, reference::finite_differences([&](const Values& v) { return reference::conv(s, rows, x, w, v); }, b, dy));
  }
}

TEST(Reference, LinearGradients) {
  const LinearSpec s{7, 5, true, true, true};
  const Values x = random_data(21, 1).values, w = random_data(35, 2).values, b = random_data(5, 3).values, dy = random_data(15, 4).values;
  const auto got = reference::linear_backward(s, 3, x, w, reference::linear(s, 3, x, w, b), dy);
  expect_equal(got.x, reference::finite_differences([&](const Values& v) { return reference::linear(s, 3, v, w, b); }, x, dy));
  expect_equal(got.weights, reference::finite_differences([&](const Values& v) { return reference::linear(s, 3, x, v, b); }, w, dy));
  expect_equal(got.bias, reference::finite_differences([&](const Values& v) { return reference::linear(s, 3, x, w, v); }, b, dy));
}

TEST(Reference, NormGradients) {
  const Values x = random_data(35, 1).values, scale = random_data(5, 2).values, shift = random_data(5, 3).values,
               dy = random_data(35, 4).values;
  for (const bool by_column : {false, true}) {
    for (const bool relu : {false, true}) {
      const auto f = [&](const Values& a, const Values& b, const Values& c) {
        return reference::normalize(7, 5, by_column, 1e-3, relu, a, b, c).y;
      };
      const auto got = reference::normalize_backward(7, 5, by_column, 1e-3, relu, x, scale, shift, dy);
      expect_equal(got.x, reference::finite_differences([&](const Values& v) { return f(v, scale, shift); }, x, dy));
      expect_equal(got.scale, reference::finite_differences([&](const Values& v) { return f(x, v, shift); }, scale, dy));
      expect_equal(got.shift, reference::finite_differences([&](const Values& v) { return f(x, scale, v); }, shift, dy));
    }
  }
}

TEST(Reference, PoolGradients) {
  for (const PoolSpec::Kind kind : {PoolSpec::max, PoolSpec::average}) {
    const PoolSpec s{kind, 5, 6, 3, 3, 2, 2, 1, 1, 1, false};
    const Values x = random_data(2 * 90, 1).values,
                 dy = random_data(static_cast<std::int64_t>(reference::pool(s, 2, x).y.size()), 2).values;
    expect_equal(reference::pool_backward(s, 2, x, dy),
                 reference::finite_differences([&](const Values& v) { return reference::pool(s, 2, v).y; }, x, dy));
  }
}

TEST(Reference, ActivationsAndLoss) {
  const Values x = random_data(30, 1).values, dy = random_data(30, 2).values;
  for (const Activation kind : {Activation::relu, Activation::gelu, Activation::tanh, Activation::sigmoid}) {
    Values slopes;
    for (std::size_t i = 0; i < 30; ++i) slopes.push_back(reference::activation_slope(kind, x[i]) * dy[i]);
    expect_equal(slopes, reference::finite_differences(
                             [&](const Values& v) {
                               Values y;
                               for (const double value : v) y.push_back(reference::activation(kind, value));
                               return y;
                             },
                             x, dy));
  }
  const std::vector<std::int32_t> labels{0, 9, 4};
  expect_equal(
      reference::cross_entropy(3, 10, x, labels, 1).gradient,
      reference::finite_differences([&](const Values& v) { return Values{reference::cross_entropy(3, 10, v, labels, 1).sum}; }, x, {1.0}));
}

}  // namespace
}  // namespace syncline
