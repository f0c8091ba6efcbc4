// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/kernels/support.h"

namespace syncline {
namespace {

void check(Backend& backend, const LinearSpec& s, std::int64_t rows) {
  SCOPED_TRACE(std::to_string(rows) + " rows " + std::to_string(s.in) + " to " + std::to_string(s.out) + (s.bias ? " bias" : "") +
               (s.relu ? " relu" : ""));
  const Data x = random_data(rows * s.in, 1), w = random_data(s.out * s.in, 2), b = random_data(s.bias ? s.out : 0, 3),
             dy = random_data(rows * s.out, 4), before_w = random_data(s.out * s.in, 5), before_b = random_data(s.out, 6);
  const reference::Values y = reference::linear(s, rows, x.values, w.values, b.values);
  const reference::WeightGradients expected = reference::linear_backward(s, rows, x.values, w.values, y, dy.values);
  const auto op = backend.linear(s);
  const View got_y = nan_view(rows * s.out), dw = nan_view(s.out * s.in), db = nan_view(s.bias ? s.out : 0), dx = nan_view(rows * s.in);
  op->forward(rows, x.view, w.view, b.view, got_y);
  EXPECT_TRUE(close(got_y, y));
  for (const bool accumulate : {false, true}) {
    SCOPED_TRACE(accumulate ? "accumulate" : "overwrite");
    if (accumulate) {
      std::copy_n(before_w.view.data(), dw.count(), dw.data());
      std::copy_n(before_b.view.data(), db.count(), db.data());
    }
    const View gradient = view_of(dy.values);
    op->backward_weights(rows, x.view, got_y, gradient, dw, db, accumulate);
    EXPECT_TRUE(close(dw, accumulate ? plus(expected.weights, before_w.values) : expected.weights)) << "weights";
    if (s.bias) {
      EXPECT_TRUE(close(db, accumulate ? plus(expected.bias, before_b.values) : expected.bias)) << "bias";
    }
    op->backward_input(rows, got_y, gradient, w.view, dx);
    EXPECT_TRUE(close(dx, expected.x)) << "input";
  }
}

TEST(Linear, MatchesTheFormula) {
  const auto backend = make_cpu_backend(1);
  for (const std::int64_t rows : {1, 5, 64}) {
    for (const bool relu : {false, true}) {
      check(*backend, {17, 3, true, relu, true}, rows);
      check(*backend, {1, 1, true, relu, true}, rows);
      check(*backend, {20, 83, false, relu, true}, rows);
      check(*backend, {64, 128, true, relu, true}, rows);
      check(*backend, {100, 10, true, relu, true}, rows);
    }
  }
}

TEST(Linear, NoRowsGiveNoGradient) {
  const auto backend = make_cpu_backend(1);
  const auto op = backend->linear({3, 4});
  const View dw = nan_view(12), db = nan_view(4), empty;
  op->backward_weights(0, empty, empty, empty, dw, db, false);
  EXPECT_EQ(copy_of(dw), std::vector<float>(12, 0.0f));
  EXPECT_EQ(copy_of(db), std::vector<float>(4, 0.0f));
}

TEST(Linear, RefusesWhatDoesNotFit) {
  const auto backend = make_cpu_backend(1);
  EXPECT_THROW(backend->linear({0, 4}), std::invalid_argument);
  const auto op = backend->linear({3, 4, true, false, false});
  EXPECT_THROW(op->forward(1, View::host(2), View::host(12), View::host(4), View::host(4)), std::invalid_argument);
  EXPECT_THROW(op->backward_input(1, {}, View::host(4), View::host(12), View::host(3)), std::invalid_argument);
}

}  // namespace
}  // namespace syncline
