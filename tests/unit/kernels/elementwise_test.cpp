// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <limits>
#include <set>

#include "tests/unit/kernels/support.h"

namespace syncline {
namespace {

TEST(Activation, MatchesTheFormula) {
  const auto backend = make_cpu_backend(1);
  for (const Activation kind : {Activation::relu, Activation::gelu, Activation::tanh, Activation::sigmoid}) {
    for (const std::int64_t count : {1, 17, 20000}) {
      Data x = random_data(count, 1);
      const Data dy = random_data(count, 2);
      for (double& value : x.values) value = static_cast<double>(static_cast<float>(value * 6));
      x.view = view_of(x.values);
      reference::Values y, dx;
      for (std::size_t i = 0; i < x.values.size(); ++i) {
        y.push_back(reference::activation(kind, x.values[i]));
        dx.push_back(reference::activation_slope(kind, x.values[i]) * dy.values[i]);
      }
      const View got = nan_view(count), gradient = nan_view(count);
      backend->activation_forward(kind, x.view, got);
      EXPECT_TRUE(close(got, y, 1e-6)) << static_cast<int>(kind);
      backend->activation_backward(kind, kind == Activation::gelu ? x.view : View(), kind == Activation::gelu ? View() : got, dy.view,
                                   gradient);
      EXPECT_TRUE(close(gradient, dx, 1e-5)) << static_cast<int>(kind);
      const View in_place = view_of(dy.values);
      backend->activation_backward(kind, x.view, got, in_place, in_place);
      EXPECT_EQ(copy_of(in_place), copy_of(gradient));
    }
  }
}

TEST(Activation, ExtremesStayFinite) {
  const auto backend = make_cpu_backend(1);
  reference::Values extremes;
  for (int i = 0; i < 20; ++i) extremes.insert(extremes.end(), {-1e30, -100, -20, 20, 100, 1e30});
  for (const Activation kind : {Activation::relu, Activation::gelu, Activation::tanh, Activation::sigmoid}) {
    const View x = view_of(extremes), y = nan_view(x.count()), dx = nan_view(x.count()), dy = View::host(x.count());
    backend->fill(dy, 1);
    backend->activation_forward(kind, x, y);
    backend->activation_backward(kind, x, y, dy, dx);
    EXPECT_TRUE(backend->all_finite(y)) << static_cast<int>(kind);
    EXPECT_TRUE(backend->all_finite(dx)) << static_cast<int>(kind);
  }
}

TEST(Activation, NanIsNotHidden) {
  const auto backend = make_cpu_backend(1);
  for (const Activation kind : {Activation::relu, Activation::gelu, Activation::tanh, Activation::sigmoid}) {
    const View x = nan_view(33);
    backend->activation_forward(kind, x, x);
    for (const float value : x.floats()) EXPECT_TRUE(std::isnan(value)) << static_cast<int>(kind);
  }
}

TEST(Add, AddsAndMayCutAtZero) {
  const auto backend = make_cpu_backend(1);
  const Data a = random_data(1000, 1), b = random_data(1000, 2);
  reference::Values sum = plus(a.values, b.values), cut = sum;
  for (double& value : cut) value = std::max(0.0, value);
  const View out = nan_view(1000);
  backend->add(a.view, b.view, out, false);
  EXPECT_TRUE(close(out, sum, 1e-7));
  backend->add(a.view, b.view, a.view, true);
  EXPECT_TRUE(close(a.view, cut, 1e-7));
}

TEST(Dropout, DependsOnKeyAndPositionOnly) {
  const auto backend = make_cpu_backend(1);
  const std::int64_t rows = 6, width = 133;
  const View ones = View::host(rows * width), all = nan_view(rows * width), split = nan_view(rows * width), other = nan_view(rows * width);
  backend->fill(ones, 1);
  backend->dropout(rows, width, 42, 100, 0.25, ones, all);
  backend->dropout(2, width, 42, 100, 0.25, ones.part(0, 2 * width), split.part(0, 2 * width));
  backend->dropout(4, width, 42, 102, 0.25, ones.part(0, 4 * width), split.part(2 * width, 4 * width));
  EXPECT_EQ(copy_of(all), copy_of(split));
  backend->dropout(rows, width, 43, 100, 0.25, ones, other);
  EXPECT_NE(copy_of(all), copy_of(other));
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t i = 0; i < width; ++i) {  // element i: word i % 4 of the Philox block (i / 4, position)
      const auto block = philox({static_cast<std::uint32_t>(i / 4), 0, static_cast<std::uint32_t>(100 + row), 0}, 42);
      const bool kept = block[static_cast<std::size_t>(i % 4)] >= 0x40000000u;
      ASSERT_EQ(all.data()[row * width + i], kept ? static_cast<float>(1 / 0.75) : 0.0f) << row << " " << i;
    }
  }
}

TEST(Dropout, KeepsTheMeanAndRefusesARateOfOne) {
  const auto backend = make_cpu_backend(1);
  const View x = View::host(100000), y = View::host(100000);
  backend->fill(x, 1);
  for (const double rate : {0.0, 0.1, 0.5, 0.9}) {
    backend->dropout(10, 10000, 7, 0, rate, x, y);
    EXPECT_NEAR(backend->dot(x, y) / 1e5, 1.0, 0.03) << rate;
  }
  EXPECT_THROW(backend->dropout(1, 10, 7, 0, 1.0, x, y), std::invalid_argument);
}

TEST(CopyChannels, CopiesOrAddsColumns) {
  const auto backend = make_cpu_backend(1);
  const View from = View::host(300 * 5), to = View::host(300 * 7);
  for (std::int64_t i = 0; i < from.count(); ++i) from.data()[i] = static_cast<float>(i);
  backend->fill(to, -1);
  for (const bool accumulate : {false, true}) {
    backend->copy_channels(300, from, 5, 1, to, 7, 3, 4, accumulate);
    for (std::int64_t p = 0; p < 300; ++p) {
      for (std::int64_t c = 0; c < 7; ++c) {
        const float copied = static_cast<float>(p * 5 + 1 + c - 3);
        ASSERT_EQ(to.data()[p * 7 + c], c < 3 ? -1.0f : accumulate ? 2 * copied : copied);
      }
    }
  }
  EXPECT_THROW(backend->copy_channels(300, from, 5, 2, to, 7, 3, 4, false), std::invalid_argument);
}

TEST(Embedding, LooksUpAndAddsInOrder) {
  const auto backend = make_cpu_backend(1);
  const std::int64_t vocabulary = 5, width = 17;
  const std::vector<std::int32_t> tokens{3, 0, 3, 4, 3};
  const Data table = random_data(vocabulary * width, 1), dy = random_data(5 * width, 2), before = random_data(vocabulary * width, 3);
  const View y = nan_view(5 * width), gradient = nan_view(vocabulary * width), ids = ints_view(tokens);
  backend->embedding_forward(5, vocabulary, width, ids, table.view, y);
  reference::Values sums = reference::zeros(vocabulary * width);
  for (std::int64_t p = 0; p < 5; ++p) {
    for (std::int64_t i = 0; i < width; ++i) {
      const std::int64_t entry = tokens[static_cast<std::size_t>(p)] * width + i;
      ASSERT_EQ(y.data()[p * width + i], table.view.data()[entry]);
      reference::at(sums, entry) += reference::at(dy.values, p * width + i);
    }
  }
  backend->embedding_backward(5, vocabulary, width, ids, dy.view, gradient, false);
  EXPECT_TRUE(close(gradient, sums, 1e-6));
  backend->set(gradient, {{1.0, before.view}}, false);
  backend->embedding_backward(5, vocabulary, width, ids, dy.view, gradient, true);
  EXPECT_TRUE(close(gradient, plus(sums, before.values), 1e-6));
  try {
    backend->embedding_forward(5, 4, width, ids, table.view, y);
    FAIL();
  } catch (const std::out_of_range& error) {
    EXPECT_STREQ(error.what(), "token 4 at position 3 is not one of a vocabulary of 4");
  }
}

TEST(Loss, MatchesTheFormula) {
  const auto backend = make_cpu_backend(1);
  for (const std::int64_t classes : {2, 10, 17, 100}) {
    for (const std::int64_t rows : {1, 5, 64}) {
      Data x = random_data(rows * classes, 1);
      for (double& value : x.values) value = static_cast<double>(static_cast<float>(value * 10));
      x.view = view_of(x.values);
      std::vector<std::int32_t> labels;
      for (std::int64_t n = 0; n < rows; ++n) labels.push_back(static_cast<std::int32_t>(n * 7 % classes));
      const auto expected = reference::cross_entropy(rows, classes, x.values, labels, 1.0 / static_cast<double>(rows));
      const View gradient = nan_view(rows * classes);
      const auto got = backend->softmax_cross_entropy(rows, classes, x.view, ints_view(labels), 1.0 / static_cast<double>(rows), gradient);
      EXPECT_NEAR(got.loss_sum, expected.sum, 1e-9 * expected.sum);
      EXPECT_EQ(got.correct, expected.correct);
      EXPECT_TRUE(close(gradient, expected.gradient, 1e-6));
      EXPECT_EQ(backend->softmax_cross_entropy(rows, classes, x.view, ints_view(labels), 1, {}).loss_sum, got.loss_sum);
    }
  }
}

TEST(Loss, LargeLogitsTiesAndLabels) {
  const auto backend = make_cpu_backend(1);
  const View logits = view_of({1000, 1000, -1000}), gradient = nan_view(3);
  auto result = backend->softmax_cross_entropy(1, 3, logits, ints_view({0}), 1, gradient);
  EXPECT_NEAR(result.loss_sum, std::log(2.0), 1e-12);
  EXPECT_EQ(result.correct, 1);
  EXPECT_EQ(backend->softmax_cross_entropy(1, 3, logits, ints_view({1}), 1, {}).correct, 0);  // the first of equal logits counts
  EXPECT_THROW(backend->softmax_cross_entropy(1, 3, logits, ints_view({3}), 1, {}), std::out_of_range);
  logits.data()[1] = std::nanf("");
  EXPECT_TRUE(std::isnan(backend->softmax_cross_entropy(1, 3, logits, ints_view({0}), 1, {}).loss_sum));
}

}  // namespace
}  // namespace syncline
