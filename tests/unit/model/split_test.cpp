// SPDX-License-Identifier: Apache-2.0
// The gradient is the mean over the samples, however they are split over micro-batches or ranks.
#include <gtest/gtest.h>

#include "tests/unit/model/models.h"

namespace syncline::test {
namespace {

class Split : public ::testing::TestWithParam<Case> {};

const std::vector<std::vector<std::int64_t>> splits = {{12}, {6, 6}, {4, 4, 4}, {5, 4, 3}, {0, 7, 0, 5}};

TEST_P(Split, MicroBatchesAddUp) {
  const Case& it = GetParam();
  if (!it.per_sample) return;  // batch statistics are of the micro-batch: they differ by definition
  const Batch batch(it.input, case_classes, 12, 30, it.tokens);
  std::vector<float> whole;
  for (const auto& split : splits) {
    Model model(it.layers, it.input, case_classes, 12);
    model.shake();
    model.backend.fill(model.grads, NAN);
    double loss = 0;
    std::int64_t from = 0, samples = 0;
    for (std::size_t i = 0; i < split.size(); ++i) {
      const LossSums sums = model.train(batch.input(split[i], from), {.scale = 1.0 / 12, .accumulate = i > 0, .seed = 5, .step = 2});
      loss += sums.loss_sum;
      samples += sums.samples;
      from += split[i];
    }
    if (whole.empty()) whole = model.gradient();
    EXPECT_EQ(samples, 12);
    EXPECT_LT(difference(model.gradient(), whole), 1e-6) << split.size() << " parts";
    EXPECT_GT(loss, 0);
  }
}

TEST_P(Split, RanksAddUp) {
  const Case& it = GetParam();
  if (!it.per_sample) return;
  const Batch batch(it.input, case_classes, 12, 31, it.tokens);
  std::vector<float> whole;
  for (const auto& split : splits) {
    Model model(it.layers, it.input, case_classes, 12);
    model.shake();
    const View sum = View::host(model.grads.count());
    std::int64_t from = 0;
    for (const std::int64_t rows : split) {
      model.train(batch.input(rows, from), {.scale = 1.0 / 12, .seed = 5, .step = 2});
      model.backend.set(sum, {{1.0, sum}, {1.0, model.grads}}, false);
      from += rows;
    }
    const std::vector<float> gradient(sum.data(), sum.data() + sum.count());
    if (whole.empty()) whole = gradient;
    EXPECT_LT(difference(gradient, whole), 1e-6) << split.size() << " ranks";
  }
}

INSTANTIATE_TEST_SUITE_P(Layers, Split, ::testing::ValuesIn(all_cases()), name_of);

}  // namespace
}  // namespace syncline::test
