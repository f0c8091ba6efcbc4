// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include "tests/unit/kernels/support.h"

namespace syncline {
namespace {

void check(Backend& backend, const PoolSpec& s, std::int64_t rows, bool ties) {
  SCOPED_TRACE(std::string(s.kind == PoolSpec::max ? "max " : "average ") + std::to_string(s.height) + "x" + std::to_string(s.width) + "x" +
               std::to_string(s.channels) + " kernel " + std::to_string(s.kernel_h) + "x" + std::to_string(s.kernel_w) + " stride " +
               std::to_string(s.stride_h) + " pad " + std::to_string(s.pad_h) + (s.count_padding ? " counted" : "") +
               (ties ? " ties" : ""));
  Data x = random_data(rows * s.height * s.width * s.channels, 1);
  if (ties) {
    for (double& value : x.values) value = std::round(value);
    x.view = view_of(x.values);
  }
  const std::int64_t out = rows * s.out_height() * s.out_width() * s.channels;
  const Data dy = random_data(out, 2);
  const auto op = backend.pool(s);
  const View y = nan_view(out), inferred = nan_view(out), dx = nan_view(x.view.count()), workspace = View::host(op->workspace_count(rows));
  op->forward(rows, x.view, y, workspace);
  EXPECT_TRUE(close(y, reference::pool(s, rows, x.values).y, 1e-6));
  op->forward(rows, x.view, inferred, {});
  EXPECT_EQ(copy_of(inferred), copy_of(y));
  op->backward(rows, dy.view, workspace, dx);
  EXPECT_TRUE(close(dx, reference::pool_backward(s, rows, x.values, dy.values), 1e-6));
}

TEST(Pool, MatchesTheFormula) {
  const auto backend = make_cpu_backend(1);
  for (const std::int64_t channels : {1, 3, 17, 20, 32}) {
    for (const std::int64_t rows : {1, 5}) {
      for (const PoolSpec::Kind kind : {PoolSpec::max, PoolSpec::average}) {
        for (const bool counted : {false, true}) {
          if (kind == PoolSpec::max && counted) continue;
          for (const bool ties : {false, true}) {
            check(*backend, {kind, 8, 8, channels, 2, 2, 2, 2, 0, 0, counted}, rows, ties);
            check(*backend, {kind, 7, 7, channels, 2, 2, 2, 2, 0, 0, counted}, rows, ties);  // rounds down
            check(*backend, {kind, 7, 9, channels, 3, 3, 2, 2, 1, 1, counted}, rows, ties);  // overlap and padding
            check(*backend, {kind, 6, 5, channels, 3, 2, 1, 3, 2, 1, counted}, rows, ties);
            check(*backend, {kind, 9, 9, channels, 2, 2, 3, 3, 0, 0, counted}, rows, ties);  // gaps between windows
          }
        }
      }
    }
  }
}

TEST(Pool, FirstMaximumWins) {
  const auto backend = make_cpu_backend(1);
  for (const std::int64_t channels : {1, 16}) {
    const auto op = backend->pool({PoolSpec::max, 2, 2, channels});
    const View x = View::host(4 * channels), y = View::host(channels), dy = View::host(channels), dx = nan_view(4 * channels),
               workspace = View::host(op->workspace_count(1));
    backend->fill(x, 7);
    backend->fill(dy, 1);
    op->forward(1, x, y, workspace);
    op->backward(1, dy, workspace, dx);
    std::vector<float> expected(static_cast<std::size_t>(4 * channels), 0.0f);
    std::fill_n(expected.begin(), channels, 1.0f);
    EXPECT_EQ(copy_of(dx), expected);
  }
}

TEST(Pool, NanIsNotHidden) {
  const auto backend = make_cpu_backend(1);
  for (const std::int64_t channels : {1, 16}) {
    const auto op = backend->pool({PoolSpec::max, 2, 2, channels});
    const View x = View::host(4 * channels), y = View::host(channels);
    x.data()[channels] = std::numeric_limits<float>::quiet_NaN();
    op->forward(1, x, y, {});
    EXPECT_TRUE(std::isnan(y.data()[0]));
  }
}

TEST(Pool, GlobalAverage) {
  const auto backend = make_cpu_backend(1);
  for (const std::int64_t channels : {1, 3, 17, 64}) {
    const std::int64_t rows = 5, positions = 49;
    const PoolSpec s{PoolSpec::average, 7, 7, channels, 7, 7, 1, 1, 0, 0, false};
    const Data x = random_data(rows * positions * channels, 1), dy = random_data(rows * channels, 2);
    const View y = nan_view(rows * channels), dx = nan_view(x.view.count());
    backend->global_average_forward(rows, positions, channels, x.view, y);
    EXPECT_TRUE(close(y, reference::pool(s, rows, x.values).y, 1e-5));
    backend->global_average_backward(rows, positions, channels, dy.view, dx);
    EXPECT_TRUE(close(dx, reference::pool_backward(s, rows, x.values, dy.values), 1e-6));
  }
}

TEST(Pool, RefusesWhatDoesNotFit) {
  const auto backend = make_cpu_backend(1);
  EXPECT_THROW(backend->pool({PoolSpec::max, 8, 8, 3, 2, 2, 2, 2, 2, 0, false}), std::invalid_argument);  // padding as wide as the kernel
  EXPECT_THROW(backend->pool({PoolSpec::max, 1, 8, 3}), std::invalid_argument);
  const auto op = backend->pool({PoolSpec::max, 4, 4, 3});
  EXPECT_THROW(op->backward(1, View::host(12), View::host(11), View::host(48)), std::invalid_argument);
}

}  // namespace
}  // namespace syncline
