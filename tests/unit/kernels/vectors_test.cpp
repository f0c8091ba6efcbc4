// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <limits>

#include "kernels/pointwise/strategies.h"
#include "tests/unit/kernels/support.h"

namespace syncline {
namespace {

TEST(Vectors, SetAddsUpToFourTerms) {
  const auto backend = make_cpu_backend(1);
  for (const std::int64_t count : {1, 15, 16, 33, 40000}) {
    const Data a = random_data(count, 1), b = random_data(count, 2), c = random_data(count, 3), d = random_data(count, 4);
    for (const bool relaxed : {false, true}) {
      const View out = nan_view(count);
      reference::Values expected = reference::zeros(count);
      const auto add_term = [&](double factor, const Data& data) {
        for (std::size_t i = 0; i < expected.size(); ++i) expected[i] += factor * data.values[i];
      };
      add_term(0.5, a);
      backend->set(out, {{0.5, a.view}}, relaxed);
      EXPECT_TRUE(close(out, expected, 1e-6));
      add_term(-2, b);
      backend->set(out, {{0.5, a.view}, {-2, b.view}}, relaxed);
      EXPECT_TRUE(close(out, expected, 1e-6));
      add_term(0.25, c);
      backend->set(out, {{0.5, a.view}, {-2, b.view}, {0.25, c.view}}, relaxed);
      EXPECT_TRUE(close(out, expected, 1e-6));
      add_term(3, d);
      backend->set(out, {{0.5, a.view}, {-2, b.view}, {0.25, c.view}, {3, d.view}}, relaxed);
      EXPECT_TRUE(close(out, expected, 1e-6));
      const View before = view_of(a.values);
      backend->set(before, {{1, before}, {1, b.view}}, relaxed);  // out may be a term
      EXPECT_TRUE(close(before, plus(a.values, b.values), 1e-6));
    }
  }
  const View two = View::host(2), three = View::host(3);
  EXPECT_THROW(backend->set(two, {}, false), std::invalid_argument);
  EXPECT_THROW(backend->set(two, {{1, three}}, false), std::invalid_argument);
  EXPECT_THROW(backend->set(two, {{1, two}, {1, two}, {1, two}, {1, two}, {1, two}}, false), std::invalid_argument);
}

TEST(Vectors, DotIsADoubleSum) {
  const auto backend = make_cpu_backend(1);
  for (const std::int64_t count : {0, 1, 17, 100000, 2000003}) {
    const View a = View::host(count), b = View::host(count);
    backend->fill(a, 0.1f);
    backend->fill(b, 1);
    EXPECT_NEAR(backend->dot(a, b), static_cast<double>(count) * static_cast<double>(0.1f), 1e-9 * static_cast<double>(count + 1)) << count;
  }
  EXPECT_THROW(backend->dot(View::host(2), View::host(3)), std::invalid_argument);
}

TEST(Vectors, FillWritesEveryElement) {
  const auto backend = make_cpu_backend(1);
  for (const std::int64_t count : {1, 16, 17, 16385}) {
    const View x = nan_view(count);
    backend->fill(x, 2.5f);
    EXPECT_EQ(copy_of(x), std::vector<float>(static_cast<std::size_t>(count), 2.5f));
  }
}

TEST(Vectors, AllFiniteFindsOneBadValueAnywhere) {
  const auto backend = make_cpu_backend(1);
  const View x = View::host(20003);
  backend->fill(x, std::numeric_limits<float>::max());
  EXPECT_TRUE(backend->all_finite(x));
  for (const std::int64_t place : {0, 17, 16383, 16384, 20002}) {
    for (const float bad : {std::nanf(""), std::numeric_limits<float>::infinity(), -std::numeric_limits<float>::infinity()}) {
      const float good = x.data()[place];
      x.data()[place] = bad;
      EXPECT_FALSE(backend->all_finite(x)) << place;
      x.data()[place] = good;
    }
  }
}

TEST(Vectors, CopiesInAndOut) {
  const auto backend = make_cpu_backend(1);
  const View x = backend->allocate(3);
  EXPECT_EQ(copy_of(x), std::vector<float>(3, 0.0f));
  const std::array<float, 3> in{1, 2, 3};
  std::array<float, 3> out{};
  backend->copy_in(x, in);
  backend->copy_out(x, out);
  EXPECT_EQ(in, out);
  const std::array<std::int32_t, 2> tokens{7, -8};
  backend->copy_in_ints(x, tokens);
  EXPECT_EQ(x.ints()[1], -8);
  EXPECT_THROW(backend->copy_in(View::host(2), in), std::invalid_argument);
}

TEST(Pointwise, FunctorsByName) {
  const auto backend = make_cpu_backend(1);
  const Data w = random_data(40, 1), then = random_data(40, 2), g = random_data(40, 3);
  const View gradient = view_of(g.values), squares = View::host(40);
  reference::Values expected = g.values, adaptive = g.values;
  for (std::size_t i = 0; i < 40; ++i) {
    expected[i] += 0.04 * g.values[i] * g.values[i] * (w.values[i] - then.values[i]);
    adaptive[i] += 2 / std::sqrt(0.05 * g.values[i] * g.values[i] + 1e-3) * g.values[i] * g.values[i] * (w.values[i] - then.values[i]);
  }
  backend->pointwise("delay_compensation", std::array{gradient, w.view, then.view}, std::array{0.04});
  EXPECT_TRUE(close(gradient, expected, 1e-6));
  backend->copy_in(gradient, g.view.floats());
  backend->pointwise("adaptive_delay_compensation", std::array{gradient, squares, w.view, then.view}, std::array{2.0, 0.95, 1e-3});
  EXPECT_TRUE(close(gradient, adaptive, 1e-5));
  backend->copy_in(gradient, g.view.floats());
  backend->pointwise("multiply", std::array{gradient, w.view}, {});
  EXPECT_EQ(gradient.data()[7], g.view.data()[7] * w.view.data()[7]);
  EXPECT_THROW(backend->pointwise("multiply", std::array{gradient}, {}), std::invalid_argument);
  EXPECT_THROW(backend->pointwise("multiply", std::array{gradient, View::host(3)}, {}), std::invalid_argument);
  EXPECT_THROW(backend->pointwise("divide", std::array{gradient, w.view}, {}), std::invalid_argument);
}

}  // namespace
}  // namespace syncline
