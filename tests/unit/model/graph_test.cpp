// SPDX-License-Identifier: Apache-2.0
// What a pass promises: hooks, empty batches, micro-batches, statistics, no trace of earlier passes, no allocation.
#include "engine/model/graph.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/support/allocations.h"
#include "tests/unit/model/models.h"
#include "tests/unit/model/recording_backend.h"

namespace syncline::test {
namespace {

class Log final : public Hooks {
 public:
  void before_forward(int slice) override { add("before", slice); }
  void gradient_ready(int slice) override { add("ready", slice); }
  void forward_done(int layer) override { add("forward", layer); }
  void backward_done(int layer) override { add("backward", layer); }
  std::string take() { return std::exchange(text_, {}); }

 private:
  void add(const char* what, int number) { text_ += fmt::format("{}{} ", what, number); }
  std::string text_;
};

const std::vector<LayerSpec> small = {conv(4, 3, 1, 1), layer("batch_norm"), layer("relu"), layer("flatten"), linear(10)};
const Shape small_input = {6, 5, 1};

TEST(Graph, HooksFireInOrder) {
  Model model(small, small_input, 10, 4);
  const Batch batch(small_input, 10, 4, 3);
  EXPECT_EQ(model.graph.layer_names(), (std::vector<std::string>{"conv1", "batch_norm1", "flatten1", "linear1"}));
  Log log;
  const std::string all =
      "before3 before4 forward0 before2 forward1 forward2 before0 before1 forward3 "
      "backward3 ready0 ready1 backward2 backward1 ready2 backward0 ready3 ready4 ";
  model.graph.train(model.bound(), batch.input(4), {}, log);
  EXPECT_EQ(log.take(), all);
  model.graph.train(model.bound(), batch.input(0), {}, log);
  EXPECT_EQ(log.take(), all);
  model.graph.train(model.bound(), batch.input(4), {.fire_ready = false}, log);
  EXPECT_EQ(log.take(),
            "before3 before4 forward0 before2 forward1 forward2 before0 before1 forward3 backward3 backward2 backward1 backward0 ");
  model.graph.train(model.bound(), batch.input(4), {.accumulate = true, .fire_before = false}, log);
  EXPECT_EQ(log.take(), "forward0 forward1 forward2 forward3 backward3 ready0 ready1 backward2 backward1 ready2 backward0 ready3 ready4 ");
}

// What is announced as final does not change any more, and the parameters are not read again: a hook may overwrite both.
TEST(Graph, ReadyMeansFinalAndNotReadAgain) {
  const auto layers = shared_cases()[1].layers;
  const Shape input = shared_cases()[1].input;
  Model model(layers, input, case_classes, 4);
  model.shake();
  const Batch batch(input, case_classes, 4, 3);
  model.train(batch.input(4));
  const std::vector<float> expected = model.gradient();

  class Overwrite final : public Hooks {
   public:
    Overwrite(Model& model, std::vector<float>& seen) : model_(model), seen_(seen) {}
    void gradient_ready(int slice) override {
      const LayerSlice& it = model_.graph.slices()[static_cast<std::size_t>(slice)];
      std::copy_n(model_.grads.data() + it.offset, it.count, seen_.begin() + it.offset);
      model_.backend.fill(model_.grads.part(it.offset, it.count), 1e30f);
      model_.backend.fill(model_.params.part(it.offset, it.count), 1e30f);
    }

   private:
    Model& model_;
    std::vector<float>& seen_;
  };
  std::vector<float> seen(expected.size());
  Overwrite hooks(model, seen);
  model.graph.train(model.bound(), batch.input(4), {}, hooks);
  EXPECT_EQ(seen, expected);
  for (const float g : model.gradient()) EXPECT_EQ(g, 1e30f);
}

TEST(Graph, NoRowsZeroTheGradientUnlessItAccumulates) {
  Model model(small, small_input, 10, 4);
  const Batch batch(small_input, 10, 4, 3);
  model.train(batch.input(4));
  const std::vector<float> before = model.gradient();
  const std::vector<float> running(model.statistics.data(), model.statistics.data() + model.statistics.count());
  EXPECT_EQ(model.train(batch.input(0), {.accumulate = true}).samples, 0);
  EXPECT_EQ(model.gradient(), before);
  model.train({.data = {}, .labels = {}, .rows = 0});
  EXPECT_EQ(model.gradient(), std::vector<float>(before.size(), 0.0f));
  EXPECT_EQ(std::vector<float>(model.statistics.data(), model.statistics.data() + model.statistics.count()), running);
  EXPECT_EQ(model.graph.evaluate(model.bound(), batch.input(0)).samples, 0);
}

TEST(Graph, ScaleMultipliesTheGradientOnly) {
  Model model(small, small_input, 10, 4);
  const Batch batch(small_input, 10, 4, 3);
  const LossSums one = model.train(batch.input(4), {.scale = 1});
  const std::vector<float> whole = model.gradient();
  const LossSums half = model.train(batch.input(4), {.scale = 0.5});
  EXPECT_EQ(one.loss_sum, half.loss_sum);
  EXPECT_EQ(half.samples, 4);
  std::vector<float> doubled = model.gradient();
  for (float& g : doubled) g *= 2;
  EXPECT_LT(difference(doubled, whole), 1e-6);
}

// n = rows * positions: the batch's variance is biased where it normalises and corrected by n / (n - 1) where it is remembered.
TEST(Graph, RunningStatisticsOfBatchNorm) {
  const Shape input = {2, 1, 1};
  Model model({layer("batch_norm", {{"momentum", Value{0.25}}}), layer("flatten"), linear(10)}, input, 10, 2);
  Batch batch(input, 10, 2, 3);
  const float x[] = {1, 2, 4, 7};  // mean 3.5, biased variance 5.25, unbiased 7
  std::copy_n(x, 4, batch.data.view.data());
  model.train(batch.input(2));
  EXPECT_FLOAT_EQ(model.statistics.data()[0], 0.25f * 3.5f);
  EXPECT_FLOAT_EQ(model.statistics.data()[1], 0.75f + 0.25f * 7);
}

TEST(Graph, BatchNormNormalisesWithTheBiasedVariance) {
  const Shape input = {4};
  const std::vector<LayerSpec> layers = {layer("batch_norm", {{"epsilon", Value{1e-12}}}), linear(2)};
  Model model(layers, input, 2, 2);
  Batch batch(input, 2, 2, 3);
  for (std::int64_t i = 0; i < 4; ++i) {  // two samples +-d apart: normalised to -1 and 1 with the biased variance
    batch.data.view.data()[i] = static_cast<float>(i) - 3;
    batch.data.view.data()[4 + i] = static_cast<float>(i) + 3;
  }
  batch.labels.ints()[0] = batch.labels.ints()[1] = 0;
  model.backend.fill(model.params, 0);
  // The linear layer comes first in the arena: weight [2][4], bias [2], then scale and shift.
  model.params.data()[0] = 1;
  for (int c = 0; c < 4; ++c) model.params.data()[10 + c] = 1;
  const double expected = std::log(1 + std::exp(1.0)) + std::log(1 + std::exp(-1.0));
  EXPECT_NEAR(model.train(batch.input(2)).loss_sum, expected, 1e-5);
}

TEST(Graph, EvaluationReadsRunningStatisticsAndWritesNothing) {
  Model model(small, small_input, 10, 6);
  const Batch batch(small_input, 10, 6, 3);
  for (int i = 0; i < 400; ++i) model.train(batch.input(6));
  const double trained = model.train(batch.input(6)).loss_sum;
  const std::vector<float> running(model.statistics.data(), model.statistics.data() + model.statistics.count());
  const std::vector<float> gradient = model.gradient();
  const LossSums evaluated = model.graph.evaluate(model.bound(), batch.input(6));
  EXPECT_EQ(evaluated.samples, 6);
  EXPECT_NEAR(evaluated.loss_sum, trained, 0.05);  // biased against unbiased variance
  EXPECT_NE(evaluated.loss_sum, trained);
  EXPECT_EQ(std::vector<float>(model.statistics.data(), model.statistics.data() + model.statistics.count()), running);
  EXPECT_EQ(model.gradient(), gradient);
  // Without gradients, and row by row: samples do not influence each other.
  double rows = 0;
  for (std::int64_t i = 0; i < 6; ++i) {
    rows += model.graph.evaluate({.params = model.params, .grads = {}, .statistics = model.statistics}, batch.input(1, i)).loss_sum;
  }
  EXPECT_NEAR(rows, evaluated.loss_sum, 1e-4);
}

TEST(Graph, DropoutIsOffInEvaluationAndKeyedInTraining) {
  const Case it = flat_cases()[5];
  Model model(it.layers, it.input, case_classes, 8);
  const Batch batch(it.input, case_classes, 8, 3);
  const auto loss = [&](std::uint64_t seed, std::int64_t step) {
    return model.train(batch.input(8), {.seed = seed, .step = step}).loss_sum;
  };
  EXPECT_EQ(loss(1, 1), loss(1, 1));
  EXPECT_NE(loss(1, 1), loss(1, 2));
  EXPECT_NE(loss(1, 1), loss(2, 1));
  const double evaluated = model.graph.evaluate(model.bound(), batch.input(8)).loss_sum;
  EXPECT_EQ(evaluated, model.graph.evaluate(model.bound(), batch.input(8)).loss_sum);
  EXPECT_NE(evaluated, loss(1, 1));
}

TEST(Graph, InitialValuesDependOnNameAndSeedOnly) {
  const std::vector<LayerSpec> layers = {linear(40, "a"), layer("relu"), linear(30, "b"), layer("batch_norm", {}, "n"), linear(10, "fc")};
  std::vector<LayerSpec> longer = layers;
  longer.insert(longer.begin() + 2, linear(40, "extra"));
  Model one(layers, {50}, 10, 2), two(longer, {50}, 10, 2);
  std::map<std::string, std::vector<float>> values[2];
  for (Model* model : {&one, &two}) {
    for (const LayerSlice& slice : model->graph.slices()) {
      const float* first = model->params.data() + slice.offset;
      values[model == &two][slice.name] = {first, first + slice.count};
    }
  }
  EXPECT_EQ(values[0]["a"], values[1]["a"]);
  EXPECT_EQ(values[0]["fc"], values[1]["fc"]);
  EXPECT_NE(values[0]["a"], values[1]["extra"]);
  EXPECT_EQ(values[0]["a.bias"], std::vector<float>(40, 0.0f));
  // a is before a ReLU: std sqrt(2 / 50); b is not: uniform within sqrt(6 / (40 + 30)).
  EXPECT_NEAR(norm(values[0]["a"]) / std::sqrt(2000.0), std::sqrt(2.0 / 50), 0.01);
  for (const float w : values[0]["b"]) EXPECT_LE(std::abs(w), std::sqrt(6.0f / 70));
  EXPECT_NEAR(norm(values[0]["b"]) / std::sqrt(1200.0), std::sqrt(2.0 / 70), 0.01);
  one.reset(2);
  EXPECT_NE(one.params.data()[one.graph.slices()[0].offset], values[0]["fc"][0]);
}

// Whatever was in any buffer before a pass does not reach its results.
TEST(Graph, NothingSurvivesAPass) {
  for (const Case& it : all_cases()) {
    SCOPED_TRACE(it.name);
    RecordingBackend backend(cpu());
    Model model(it.layers, it.input, case_classes, 5, true, backend);
    const View params = model.params;
    model.shake();
    const Batch batch(it.input, case_classes, 5, 3, it.tokens);
    const double loss = model.train(batch.input(5), {.seed = 1}).loss_sum;
    const std::vector<float> gradient = model.gradient();
    const auto poison = [&] {
      for (const View& view : backend.allocated) {
        if (!view.same_range(params) && !view.same_range(model.statistics)) backend.fill(view, NAN);
      }
    };
    poison();
    EXPECT_EQ(model.train(batch.input(5), {.seed = 1}).loss_sum, loss);
    EXPECT_EQ(model.gradient(), gradient);
    // Fewer rows, an evaluation, and another set of vectors in between.
    model.train(batch.input(2));
    model.graph.evaluate(model.bound(), batch.input(3));
    const View other = View::host(model.grads.count());
    poison();
    model.graph.train({.params = model.params, .grads = other, .statistics = model.statistics}, batch.input(5), {.seed = 1}, model.hooks);
    EXPECT_EQ(std::vector<float>(other.data(), other.data() + other.count()), gradient);
  }
}

TEST(Graph, AllocatesNothingInTheSteadyState) {
  SilentBackend backend;
  for (const char* name : {"mlp", "lenet", "resnet20", "vgg11"}) {
    const Shape input = {28, 28, 1};
    Model model(zoo(name, input, 10), input, 10, 6, true, backend);
    const View other = View::host(model.grads.count());
    const Batch batch(input, 10, 6, 3);
    const auto pass = [&](int i) {
      const Graph::Bound bound = {.params = model.params, .grads = i % 2 == 0 ? model.grads : other, .statistics = model.statistics};
      model.graph.train(bound, batch.input(i % 3 == 0 ? 2 : 6), {.step = i}, model.hooks);
      model.graph.evaluate(bound, batch.input(5));
    };
    for (int i = 0; i < 6; ++i) pass(i);
    const long before = allocations();
    for (int i = 0; i < 20; ++i) pass(i);
    EXPECT_EQ(allocations() - before, 0) << name;
  }
}

TEST(Graph, RemembersManyNumbersOfRows) {
  Model model(small, small_input, 10, 20);
  const Batch batch(small_input, 10, 20, 3);
  std::vector<std::vector<float>> gradients;
  for (int round = 0; round < 2; ++round) {
    for (std::int64_t rows = 1; rows <= 20; ++rows) {
      model.train(batch.input(rows));
      if (round == 0)
        gradients.push_back(model.gradient());
      else
        EXPECT_EQ(model.gradient(), gradients[static_cast<std::size_t>(rows - 1)]);
    }
  }
}

TEST(Graph, RefusesWhatDoesNotFit) {
  Model model(small, small_input, 10, 4);
  const Batch batch(small_input, 10, 8, 3), wrong({5, 6, 1}, 10, 4, 3), tokens(small_input, 10, 4, 3, 7);
  EXPECT_THROW(model.train(batch.input(8)), UsageError);
  EXPECT_THROW(model.train(wrong.input(4)), UsageError);
  EXPECT_THROW(model.train(tokens.input(4)), UsageError);
  Graph::Input few = batch.input(4);
  few.labels = few.labels.part(0, 3);
  EXPECT_THROW(model.train(few), UsageError);
  Graph::Bound bound = model.bound();
  bound.grads = {};
  EXPECT_THROW(model.graph.train(bound, batch.input(4), {}, model.hooks), UsageError);
  bound = model.bound();
  bound.params = bound.params.part(1, bound.params.count() - 1);
  EXPECT_THROW(model.graph.evaluate(bound, batch.input(4)), UsageError);
  EXPECT_THROW(Graph(small, small_input, 10, cpu(), 0), UsageError);
}

}  // namespace
}  // namespace syncline::test
