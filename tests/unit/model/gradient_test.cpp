// SPDX-License-Identifier: Apache-2.0
// Every layer in a small graph: the gradient against central differences of the loss, along random directions of every slice.
#include <gtest/gtest.h>

#include "tests/unit/model/models.h"

namespace syncline::test {
namespace {

class Gradient : public ::testing::TestWithParam<Case> {};

double loss_at(Model& model, const View& params, const Batch& batch, std::int64_t rows, const Graph::Options& options) {
  const View unused = View::host(model.grads.count());
  return model.graph.train({.params = params, .grads = unused, .statistics = model.statistics}, batch.input(rows), options, model.hooks)
      .loss_sum;
}

struct Measured {
  double slope, expected;
};

// The slope of the loss along a direction of random signs within a slice, `step` to both sides, and what the gradient says.
Measured along(Model& model, const LayerSlice& slice, std::uint32_t direction, double step, const Batch& batch, std::int64_t rows,
               const Graph::Options& options, const View& moved) {
  double expected = 0, loss[2] = {};
  for (int side = 0; side < 2; ++side) {
    std::copy_n(model.params.data(), model.params.count(), moved.data());
    for (std::int64_t i = slice.offset; i < slice.offset + slice.count; ++i) {
      const float sign = uniform(direction + 20, static_cast<std::uint32_t>(i)) < 0.5f ? -1.0f : 1.0f;
      moved.data()[i] += static_cast<float>(side == 0 ? -step : step) * sign;
      if (side == 0) expected += static_cast<double>(model.grads.data()[i]) * sign;
    }
    loss[side] = loss_at(model, moved, batch, rows, options);
  }
  return {(loss[1] - loss[0]) / (2 * step), expected};
}

void check(const Case& it, bool fused) {
  constexpr std::int64_t rows = 4;
  Model model(it.layers, it.input, case_classes, rows, fused);
  model.shake();
  const Batch batch(it.input, case_classes, rows, 7, it.tokens);
  const Graph::Options options = {.seed = 5, .step = 3};
  model.train(batch.input(rows), options);
  const View moved = View::host(model.params.count());
  for (const LayerSlice& slice : model.graph.slices()) {
    const double root = std::sqrt(static_cast<double>(slice.count));
    const auto first = model.grads.data() + slice.offset;
    const double length = norm({first, first + slice.count});
    for (std::uint32_t direction = 0; direction < 4; ++direction) {
      // Kinks of ReLU and maximum disturb long steps, rounding short ones; a wrong gradient agrees with none.
      double off = INFINITY;
      for (const double distance : {1e-2, 2e-3, 5e-4}) {
        const Measured at = along(model, slice, direction, distance / root, batch, rows, options, moved);
        off = std::min(off, std::abs(at.slope - at.expected));
      }
      EXPECT_LE(off, 0.02 * length + 5e-4 * root) << slice.name << ", direction " << direction << ", length " << length;
    }
  }
}

TEST_P(Gradient, AgreesWithDifferences) { check(GetParam(), true); }
TEST_P(Gradient, AgreesWithDifferencesUnfused) { check(GetParam(), false); }

// The parts together are the whole: nothing is overwritten where it should be added.
TEST_P(Gradient, FusedAndUnfusedAgree) {
  const Case& it = GetParam();
  constexpr std::int64_t rows = 5;
  const Batch batch(it.input, case_classes, rows, 8, it.tokens);
  std::vector<float> gradients[2];
  double losses[2];
  for (const bool fused : {false, true}) {
    Model model(it.layers, it.input, case_classes, rows, fused);
    // Fusion leaves the arena as it is, so both start from the same point.
    model.shake();
    losses[fused] = model.train(batch.input(rows), {.seed = 5, .step = 3}).loss_sum;
    gradients[fused] = model.gradient();
  }
  EXPECT_NEAR(losses[0], losses[1], 1e-5);
  EXPECT_LT(difference(gradients[0], gradients[1]), 2e-6);
}

INSTANTIATE_TEST_SUITE_P(Layers, Gradient, ::testing::ValuesIn(all_cases()), name_of);

}  // namespace
}  // namespace syncline::test
