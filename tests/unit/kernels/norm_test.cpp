// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/kernels/support.h"

namespace syncline {
namespace {

struct NormData {
  Data x, scale, shift, dy, before;
  NormData(std::int64_t count, std::int64_t channels)
      : x(random_data(count, 1)),
        scale(random_data(channels, 2)),
        shift(random_data(channels, 3)),
        dy(random_data(count, 4)),
        before(random_data(channels, 5)) {
    for (std::size_t i = 0; i < x.values.size(); ++i) {  // a mean far from 0: unstable formulas show
      x.view.data()[i] += 20.0f;
      x.values[i] = static_cast<double>(x.view.data()[i]);
    }
  }
};

void expect_gradients(const NormData& d, const reference::NormGradients& expected, const View& dx, const View& dscale, const View& dshift,
                      bool accumulate) {
  SCOPED_TRACE(accumulate ? "accumulate" : "overwrite");
  EXPECT_TRUE(close(dx, expected.x)) << "input";
  EXPECT_TRUE(close(dscale, accumulate ? plus(expected.scale, d.before.values) : expected.scale)) << "scale";
  EXPECT_TRUE(close(dshift, accumulate ? plus(expected.shift, d.before.values) : expected.shift)) << "shift";
}

void check_batch_norm(Backend& backend, std::int64_t rows, std::int64_t positions, std::int64_t channels, bool relu) {
  SCOPED_TRACE(std::to_string(rows) + " rows " + std::to_string(positions) + " positions " + std::to_string(channels) + " channels" +
               (relu ? " relu" : ""));
  const std::int64_t matrix_rows = rows * positions, count = matrix_rows * channels;
  const double epsilon = 1e-3;
  const NormData d(count, channels);
  const auto op = backend.batch_norm({positions, channels, epsilon, relu});
  const auto expected = reference::normalize(matrix_rows, channels, true, epsilon, relu, d.x.values, d.scale.values, d.shift.values);
  const auto gradients =
      reference::normalize_backward(matrix_rows, channels, true, epsilon, relu, d.x.values, d.scale.values, d.shift.values, d.dy.values);
  const View y = nan_view(count), mean = nan_view(channels), variance = nan_view(channels), dx = nan_view(count),
             dscale = nan_view(channels), dshift = nan_view(channels);
  op->forward_training(rows, d.x.view, d.scale.view, d.shift.view, y, mean, variance);
  EXPECT_TRUE(close(y, expected.y));
  EXPECT_TRUE(close(mean, expected.mean, 1e-6));
  EXPECT_TRUE(close(variance, expected.variance, 1e-5));
  for (const bool accumulate : {false, true}) {
    if (accumulate) {
      std::copy_n(d.before.view.data(), channels, dscale.data());
      std::copy_n(d.before.view.data(), channels, dshift.data());
    }
    op->backward(rows, d.x.view, y, d.dy.view, d.scale.view, d.shift.view, mean, variance, dscale, dshift, dx, accumulate);
    expect_gradients(d, gradients, dx, dscale, dshift, accumulate);
  }
  const View in_place = view_of(d.dy.values);
  op->backward(rows, d.x.view, y, in_place, d.scale.view, d.shift.view, mean, variance, dscale, dshift, in_place, false);
  EXPECT_EQ(copy_of(in_place), copy_of(dx));
  const View inferred = nan_view(count);
  op->forward_inference(rows, d.x.view, d.scale.view, d.shift.view, inferred, mean, variance);
  EXPECT_EQ(copy_of(inferred), copy_of(y));
}

TEST(BatchNorm, MatchesTheFormula) {
  const auto backend = make_cpu_backend(1);
  for (const bool relu : {false, true}) {
    for (const std::int64_t channels : {1, 3, 16, 17, 20, 32, 64, 83}) {
      check_batch_norm(*backend, 5, 9, channels, relu);
      check_batch_norm(*backend, 3, 1, channels, relu);
    }
    check_batch_norm(*backend, 4, 600, 16, relu);  // several pieces
    check_batch_norm(*backend, 7, 49, 100, relu);
  }
}

TEST(BatchNorm, RunningVarianceIsCorrected) {
  const auto backend = make_cpu_backend(1);
  const auto op = backend->batch_norm({2, 1, 1e-5, false});
  const View mean = view_of({3}), variance = view_of({8}), running_mean = view_of({1}), running_variance = view_of({2});
  op->update_running(2, mean, variance, running_mean, running_variance, 0.25);  // n = 4: the unbiased variance is 8 * 4/3
  EXPECT_FLOAT_EQ(running_mean.data()[0], 0.75f * 1 + 0.25f * 3);
  EXPECT_FLOAT_EQ(running_variance.data()[0], static_cast<float>(0.75 * 2 + 0.25 * 8 * 4 / 3));
  const auto single = backend->batch_norm({1, 1, 1e-5, false});
  single->update_running(1, mean, variance, running_mean, view_of({0}), 1.0);  // n = 1: nothing to correct with
  const View alone = view_of({0});
  single->update_running(1, mean, variance, running_mean, alone, 1.0);
  EXPECT_FLOAT_EQ(alone.data()[0], 8.0f);
}

TEST(BatchNorm, TheMeanOfManyValuesIsExact) {
  const auto backend = make_cpu_backend(1);
  const std::int64_t positions = 20000;
  const View x = View::host(positions), y = View::host(positions), mean = View::host(1), variance = View::host(1);
  for (std::int64_t i = 0; i < positions; ++i) x.data()[i] = 1000.0f + (i % 2 == 0 ? 0.5f : -0.5f);
  backend->batch_norm({positions, 1, 1e-5, false})->forward_training(1, x, view_of({1}), view_of({0}), y, mean, variance);
  EXPECT_FLOAT_EQ(mean.data()[0], 1000.0f);
  EXPECT_FLOAT_EQ(variance.data()[0], 0.25f);
}

TEST(BatchNorm, RefusesWhatDoesNotFit) {
  const auto backend = make_cpu_backend(1);
  EXPECT_THROW(backend->batch_norm({1, 0, 1e-5, false}), std::invalid_argument);
  EXPECT_THROW(backend->batch_norm({1, 4, 0.0, false}), std::invalid_argument);
  const auto op = backend->batch_norm({1, 4, 1e-5, false});
  EXPECT_THROW(op->forward_training(2, View::host(8), View::host(3), View::host(4), View::host(8), View::host(4), View::host(4)),
               std::invalid_argument);
}

TEST(LayerNorm, MatchesTheFormula) {
  const auto backend = make_cpu_backend(1);
  for (const std::int64_t channels : {1, 3, 17, 20, 64}) {
    for (const std::int64_t positions : {1, 9}) {
      const std::int64_t rows = 15, matrix_rows = rows * positions, count = matrix_rows * channels;
      SCOPED_TRACE(std::to_string(channels) + " channels " + std::to_string(positions) + " positions");
      const double epsilon = 1e-3;
      const NormData d(count, channels);
      const auto op = backend->layer_norm({positions, channels, epsilon});
      const auto expected = reference::normalize(matrix_rows, channels, false, epsilon, false, d.x.values, d.scale.values, d.shift.values);
      const auto gradients = reference::normalize_backward(matrix_rows, channels, false, epsilon, false, d.x.values, d.scale.values,
                                                           d.shift.values, d.dy.values);
      const View y = nan_view(count), again = nan_view(count), mean = nan_view(matrix_rows), variance = nan_view(matrix_rows),
                 dx = nan_view(count), dscale = nan_view(channels), dshift = nan_view(channels);
      op->forward(rows, d.x.view, d.scale.view, d.shift.view, y, mean, variance);
      EXPECT_TRUE(close(y, expected.y));
      EXPECT_TRUE(close(variance, expected.variance, 1e-5));
      op->forward(rows, d.x.view, d.scale.view, d.shift.view, again, {}, {});
      EXPECT_EQ(copy_of(y), copy_of(again));
      for (const bool accumulate : {false, true}) {
        if (accumulate) {
          std::copy_n(d.before.view.data(), channels, dscale.data());
          std::copy_n(d.before.view.data(), channels, dshift.data());
        }
        op->backward(rows, d.x.view, d.dy.view, d.scale.view, mean, variance, dscale, dshift, dx, accumulate);
        expect_gradients(d, gradients, dx, dscale, dshift, accumulate);
      }
    }
  }
}

}  // namespace
}  // namespace syncline
