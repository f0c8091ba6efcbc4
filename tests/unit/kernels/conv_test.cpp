// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/kernels/support.h"

namespace syncline {
namespace {

std::string text(const ConvSpec& s, std::int64_t rows) {
  const auto part = [](const char* name, std::int64_t value) { return std::string(" ") + name + std::to_string(value); };
  return std::to_string(s.height) + "x" + std::to_string(s.width) + "x" + std::to_string(s.in_channels) + part("to ", s.out_channels) +
         part("kernel ", s.kernel_h) + part("x ", s.kernel_w) + part("stride ", s.stride_h) + part("x ", s.stride_w) +
         part("pad ", s.pad_h) + part("x ", s.pad_w) + part("groups ", s.groups) + part("rows ", rows) + (s.bias ? " bias" : "") +
         (s.relu ? " relu" : "");
}

void check(Backend& backend, const ConvSpec& s, std::int64_t rows, double tolerance = 1e-5) {
  SCOPED_TRACE(text(s, rows));
  const std::int64_t out = rows * s.out_height() * s.out_width() * s.out_channels;
  const Data x = random_data(rows * s.height * s.width * s.in_channels, 1),
             w = random_data(s.out_channels * s.kernel_h * s.kernel_w * s.in_channels / s.groups, 2),
             b = random_data(s.bias ? s.out_channels : 0, 3), dy = random_data(out, 4), before_w = random_data(w.view.count(), 5),
             before_b = random_data(s.out_channels, 6);
  const reference::Values y = reference::conv(s, rows, x.values, w.values, b.values);
  const reference::WeightGradients expected = reference::conv_backward(s, rows, x.values, w.values, y, dy.values);
  const auto op = backend.conv(s);
  const View got_y = nan_view(out), dw = nan_view(w.view.count()), db = nan_view(s.bias ? s.out_channels : 0),
             dx = nan_view(x.view.count());
  op->forward(rows, x.view, w.view, b.view, got_y);
  EXPECT_TRUE(close(got_y, y, tolerance));
  for (const bool accumulate : {false, true}) {
    SCOPED_TRACE(accumulate ? "accumulate" : "overwrite");
    if (accumulate) {
      std::copy_n(before_w.view.data(), dw.count(), dw.data());
      std::copy_n(before_b.view.data(), db.count(), db.data());
    }
    const View gradient = view_of(dy.values);
    op->backward_weights(rows, x.view, got_y, gradient, dw, db, accumulate);
    EXPECT_TRUE(close(dw, accumulate ? plus(expected.weights, before_w.values) : expected.weights, tolerance)) << "weights";
    if (s.bias) {
      EXPECT_TRUE(close(db, accumulate ? plus(expected.bias, before_b.values) : expected.bias, tolerance)) << "bias";
    }
    op->backward_input(rows, got_y, gradient, w.view, dx);
    EXPECT_TRUE(close(dx, expected.x, tolerance)) << "input";
  }
}

ConvSpec spec(std::int64_t size, std::int64_t in, std::int64_t out, std::int64_t kernel, std::int64_t stride, std::int64_t pad,
              std::int64_t groups = 1, bool bias = true, bool relu = false) {
  return {size, size, in, out, kernel, kernel, stride, stride, pad, pad, groups, bias, relu, true};
}

TEST(Conv, MatchesTheFormulaOnOddSizes) {
  const auto backend = make_cpu_backend(1);
  for (const std::int64_t channels : {1, 3, 17, 20}) {
    for (const std::int64_t stride : {1, 2, 3}) {
      for (const std::int64_t pad : {0, 1, 2}) {
        check(*backend, spec(7, channels, 5, 3, stride, pad), 5);
        check(*backend, spec(5, 3, channels, 5, stride, pad, 1, pad == 1), 1);
      }
    }
  }
}

TEST(Conv, MatchesTheFormulaOnRoundSizes) {
  const auto backend = make_cpu_backend(1);
  check(*backend, spec(8, 16, 32, 3, 1, 1), 4);
  check(*backend, spec(8, 32, 32, 3, 2, 1, 1, false), 4);
  check(*backend, spec(8, 32, 64, 1, 2, 0, 1, false), 4);
  check(*backend, spec(3, 64, 64, 3, 1, 1), 8);
  check(*backend, spec(7, 64, 64, 3, 1, 1, 1, true, true), 8);
  check(*backend, spec(1, 32, 48, 3, 1, 1), 8);
  check(*backend, spec(12, 20, 50, 5, 1, 0), 2);
}

// Many channels with a 3x3 kernel: computed in the library's blocked format, by Winograd's algorithm where it has it.
TEST(Conv, MatchesTheFormulaOnManyChannels) {
  const auto backend = make_cpu_backend(1);
  check(*backend, spec(7, 64, 128, 3, 1, 1), 2);
  check(*backend, spec(3, 64, 128, 3, 1, 1, 1, true, true), 4);
  check(*backend, spec(8, 128, 67, 3, 1, 1, 1, false), 1);
  check(*backend, spec(9, 100, 90, 3, 1, 0), 1);
}

TEST(Conv, GroupsAndDepthwise) {
  const auto backend = make_cpu_backend(1);
  check(*backend, spec(6, 6, 10, 3, 1, 1, 2), 3);
  check(*backend, spec(6, 32, 32, 3, 2, 1, 2, false), 2);
  check(*backend, spec(6, 17, 17, 3, 1, 1, 17), 3);
  check(*backend, spec(6, 32, 32, 3, 2, 1, 32), 2);
}

TEST(Conv, SidesMayDiffer) {
  const auto backend = make_cpu_backend(1);
  check(*backend, {9, 6, 3, 7, 3, 1, 2, 1, 1, 0, 1, true, false, true}, 2);
  check(*backend, {4, 11, 5, 16, 2, 5, 1, 3, 0, 2, 1, true, true, true}, 3);
  check(*backend, {3, 4, 40, 24, 3, 2, 1, 1, 1, 0, 1, true, true, true}, 3);
}

TEST(Conv, FusedRelu) {
  const auto backend = make_cpu_backend(1);
  check(*backend, spec(7, 3, 20, 3, 1, 1, 1, true, true), 5);
  check(*backend, spec(8, 16, 16, 3, 2, 1, 1, false, true), 3);
}

TEST(Conv, RowsMayChangeAndWeightsAreReadAnew) {
  const auto backend = make_cpu_backend(1);
  const ConvSpec s = spec(6, 16, 16, 3, 1, 1);
  const auto op = backend->conv(s);
  const View weights = View::host(16 * 9 * 16);  // one place, new values each time
  std::uint64_t seed = 20;
  for (const std::int64_t rows : {4, 1, 4, 3}) {
    const Data x = random_data(rows * 36 * 16, 7), w = random_data(weights.count(), ++seed), b = random_data(16, 9);
    backend->copy_in(weights, w.view.floats());
    const View y = nan_view(rows * 36 * 16), dx = nan_view(rows * 36 * 16);
    op->forward(rows, x.view, weights, b.view, y);
    EXPECT_TRUE(close(y, reference::conv(s, rows, x.values, w.values, b.values))) << rows;
    const Data dy = random_data(rows * 36 * 16, 8);
    op->backward_input(rows, y, dy.view, weights, dx);
    EXPECT_TRUE(close(dx, reference::conv_backward(s, rows, x.values, w.values, {}, dy.values).x)) << rows;
  }
}

TEST(Conv, NoRowsGiveNoGradient) {
  const auto backend = make_cpu_backend(1);
  const auto op = backend->conv(spec(6, 3, 4, 3, 1, 1));
  const View dw = nan_view(4 * 27), db = nan_view(4), empty;
  op->forward(0, empty, dw, db, empty);
  op->backward_weights(0, empty, empty, empty, dw, db, false);
  EXPECT_EQ(copy_of(dw), std::vector<float>(4 * 27, 0.0f));
  EXPECT_EQ(copy_of(db), std::vector<float>(4, 0.0f));
}

TEST(Conv, RefusesWhatDoesNotFit) {
  const auto backend = make_cpu_backend(1);
  EXPECT_THROW(backend->conv(spec(6, 5, 4, 3, 1, 1, 2)), std::invalid_argument);
  EXPECT_THROW(backend->conv(spec(2, 5, 4, 5, 1, 1)), std::invalid_argument);
  EXPECT_THROW(backend->conv(spec(6, 5, 4, 3, 0, 1)), std::invalid_argument);
  const auto op = backend->conv(spec(6, 3, 4, 3, 1, 1));
  EXPECT_THROW(op->forward(2, View::host(36 * 3), View::host(4 * 27), View::host(4), View::host(2 * 36 * 4)), std::invalid_argument);
  EXPECT_THROW(op->forward(1, View::host(36 * 3), View::host(4 * 27), View::host(3), View::host(36 * 4)), std::invalid_argument);
  EXPECT_THROW(op->forward(1, View::ghost(36 * 3), View::host(4 * 27), View::host(4), View::host(36 * 4)), std::invalid_argument);
}

}  // namespace
}  // namespace syncline
