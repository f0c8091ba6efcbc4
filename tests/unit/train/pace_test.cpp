// SPDX-License-Identifier: Apache-2.0
// Layers that last as long as a profile says, on a clock of the test's own: paced and emulated tasks.
#include <gtest/gtest.h>

#include <cmath>

#include "engine/data/counting_loader.h"
#include "engine/train/emulated_task.h"
#include "engine/train/emulated_update.h"
#include "engine/train/handover.h"
#include "engine/train/paced_task.h"
#include "engine/train/rank/supervised_task.h"
#include "tests/unit/train/job.h"

namespace syncline::test {
namespace {

class ManualClock final : public Clock {
 public:
  double now_s() const override { return now; }
  double training_s() const override { return now; }
  void sleep_until(double t_s) override {
    EXPECT_GT(t_s, now) << "a wait that is over";
    now = t_s + late_s;
    ++sleeps;
  }
  double now = 100, late_s = 0;  // late_s: what each timer is late
  int sleeps = 0;
};

constexpr double ms = 1e-3;

LayerProfile two_layers() {
  return {.model = {},
          .source = {},
          .batch = 8,
          .layers = {},
          .forward_s = {1 * ms, 2 * ms},
          .backward_s = {4 * ms, 3 * ms},
          .update_s = 5 * ms};
}

PaceOptions options(double factor = 1, std::int64_t micro_batches = 1) {
  return {.profile = two_layers(),
          .factor = [factor](std::int64_t) { return factor; },
          .batch = 8,
          .micro_batches = micro_batches,
          .parameters = 100};
}

TEST(Pace, LayersAreOverWhenTheProfileSays) {
  ManualClock clock;
  Pace pace(options(2), clock);
  pace.begin_passes(0, 8);
  clock.now += 0.5 * ms;  // arithmetic
  pace.forward(0);
  EXPECT_NEAR(clock.now, 100 + 2 * ms, 1e-9);
  pace.forward(1);
  pace.backward(1);
  EXPECT_NEAR(clock.now, 100 + 12 * ms, 1e-9);
  pace.backward(0);
  pace.end_passes();
  EXPECT_NEAR(clock.now, 100 + 20 * ms, 1e-9);
  EXPECT_FALSE(pace.take_overrun());

  pace.begin_passes(1, 4);  // a last batch of half the rows
  pace.forward(0);
  EXPECT_NEAR(clock.now, 100 + 21 * ms, 1e-9);
}

TEST(Pace, WhatATimerIsLateDoesNotAddUp) {
  ManualClock clock;
  clock.late_s = 60e-6;
  Pace pace(options(), clock);
  pace.begin_passes(0, 8);
  for (int k = 0; k < 100; ++k) pace.forward(0);
  EXPECT_NEAR(clock.now - 100, 100 * ms, 61e-6);
  EXPECT_FALSE(pace.take_overrun());
}

TEST(Pace, AWaitThatIsOverBeforeItBeginsIsAnOverrun) {
  ManualClock clock;
  Pace pace(options(), clock);
  pace.begin_passes(0, 8);
  EXPECT_NEAR(pace.tolerance_s(), 0.15 * ms, 1e-9);  // 1 % of 15 ms
  clock.now += 1.1 * ms;
  pace.forward(0);  // late by less than that: the next layer makes up for it
  EXPECT_FALSE(pace.take_overrun());
  pace.forward(1);
  EXPECT_NEAR(clock.now, 100 + 3 * ms, 1e-9);
  clock.now += 3.2 * ms;
  pace.backward(1);
  EXPECT_TRUE(pace.take_overrun());

  clock.late_s = 0.5 * ms;  // a timer that the next wait makes up for
  pace.begin_passes(0, 8);
  pace.forward(0);
  clock.late_s = 0;
  pace.forward(1);
  pace.end_passes();
  EXPECT_FALSE(pace.take_overrun());

  clock.late_s = 1 * ms;  // nobody let this process run again
  pace.begin_passes(1, 8);
  pace.forward(0);
  EXPECT_TRUE(pace.take_overrun());
}

TEST(Pace, WaitingForParametersIsNoLayersTime) {
  struct Waits final : Hooks {
    explicit Waits(ManualClock& given) : clock(given) {}
    void before_forward(int) override { clock.now += 7 * ms; }
    ManualClock& clock;
  };
  ManualClock clock;
  Waits waits(clock);
  Pace pace(options(), clock);
  PacedHooks hooks(waits, pace);
  pace.begin_passes(0, 8);
  hooks.before_forward(1);
  hooks.forward_done(0);
  EXPECT_NEAR(clock.now, 100 + 8 * ms, 1e-9);
  EXPECT_FALSE(pace.take_overrun());
}

TEST(Pace, UpdatesTakeTheirShareAndWaitingForExchangesIsNotTheirs) {
  ManualClock clock;
  clock.late_s = 50e-6;
  Pace pace(options(), clock);
  pace.begin_passes(0, 8);
  pace.end_passes();
  for (int group = 0; group < 4; ++group) {
    clock.now += 20 * ms;  // an exchange
    pace.update_begins();
    clock.now += 0.2 * ms;  // arithmetic
    pace.update(25);
  }
  EXPECT_NEAR(clock.now - 100, (80 + 5) * ms, 51e-6);
  EXPECT_FALSE(pace.take_overrun());
  pace.update_begins();
  clock.now += 3 * ms;
  pace.update(25);
  EXPECT_TRUE(pace.take_overrun());
}

TEST(EmulatedUpdates, AreAFunctionOfTheGradientsAndCostNextToNothing) {
  const auto backend = make_cpu_backend(1);
  const View params = backend->allocate(10000), grads = backend->allocate(10000);
  backend->fill(params, 1);
  backend->fill(grads, 2);
  EmulatedUpdate update(*backend, [] { return 0.25; });
  update.begin(1).apply(params, grads, 0.5);
  EXPECT_EQ(params.floats()[0], 0.75f);  // 1 - 0.25 * 0.5 * 2
  EXPECT_EQ(params.floats()[EmulatedUpdate::touched - 1], 0.75f);
  EXPECT_EQ(params.floats()[EmulatedUpdate::touched], 1.0f);
  auto again = update.begin(1);
  again.apply(params.part(9000, 10), grads.part(9000, 10));
  EXPECT_EQ(params.floats()[9009], 0.5f);
  EXPECT_EQ(params.floats()[9010], 1.0f);
  EXPECT_EQ(update.updates(), 2);
  EmulatedUpdate other(*backend, [] { return 0.25; });
  other.load(update.save());
  EXPECT_EQ(other.updates(), 2);
}

// ---- tasks ----

std::vector<LayerSpec> small_model() {
  return {layer("conv", "conv1", {{"channels", Value{std::int64_t{4}}}, {"kernel", numbers({3})}, {"padding", numbers({1})}}),
          layer("relu", "relu1"), layer("flatten", "flatten1"), layer("linear", "fc1", {{"features", Value{std::int64_t{3}}}})};
}

struct Events final : Hooks {
  explicit Events(const Clock* given = nullptr) : clock(given) {}
  void add(const char* what, int number) {
    seen.push_back(what + std::to_string(number));
    if (clock != nullptr) times.push_back(clock->now_s());
  }
  void before_forward(int slice) override { add("before ", slice); }
  void gradient_ready(int slice) override { add("ready ", slice); }
  void forward_done(int layer) override { add("forward ", layer); }
  void backward_done(int layer) override { add("backward ", layer); }
  const Clock* clock;
  std::vector<std::string> seen;
  std::vector<double> times;
};

struct Vectors {
  Vectors(Backend& backend, const Task& task)
      : params(backend.allocate(task.slices().back().offset + task.slices().back().count)),
        grads(backend.allocate(params.count())),
        statistics(backend.allocate(task.statistic_count())) {}
  Task::Bound bound() const { return {params, grads, statistics}; }
  std::vector<float> gradients() const { return {grads.floats().begin(), grads.floats().end()}; }
  View params, grads, statistics;
};

LoaderOptions eights() {
  LoaderOptions options;
  options.batch_per_rank = {8};
  options.prefetch = 0;
  return options;
}

LayerProfile three_layers() {  // the ReLU is the convolution's
  return {.model = {}, .source = {}, .batch = 8, .layers = {}, .forward_s = {1, 2, 3}, .backward_s = {4, 5, 6}, .update_s = 0};
}

// Under a clock that stands, so that only the waits move it.
class Tasks : public testing::TestWithParam<int> {
 protected:
  std::unique_ptr<Task> real() {
    return std::make_unique<SupervisedTask>(
        SupervisedOptions{.layers = small_model(), .input = shape_, .classes = 3, .batch = 8, .micro_batches = GetParam(), .seed = 1},
        *backend_);
  }
  EmulatedTask emulated(int rank = 0, std::uint64_t seed = 1) {
    return {{.layers = small_model(), .input = shape_, .classes = 3, .micro_batches = GetParam(), .seed = seed, .rank = rank},
            *backend_,
            pace_};
  }
  const Shape shape_ = Shape{6, 6, 1};
  std::unique_ptr<Backend> backend_ = make_cpu_backend(1);
  ManualClock clock_;
  Pace pace_{{.profile = three_layers(), .factor = {}, .batch = 8, .micro_batches = GetParam(), .parameters = 1}, clock_};
};

class Ramps final : public Dataset {  // 20 samples
 public:
  std::int64_t size() const override { return 20; }
  Shape shape() const override { return Shape{6, 6, 1}; }
  std::int64_t classes() const override { return 3; }
  const std::vector<std::string>& class_names() const override { return names_; }
  std::int32_t label(std::int64_t id) const override { return static_cast<std::int32_t>(id % 3); }
  void read(std::int64_t id, std::span<std::uint8_t> out) const override {
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = static_cast<std::uint8_t>(7 * i + 31 * static_cast<std::size_t>(id));
  }
  std::vector<float> default_mean() const override { return {0}; }
  std::vector<float> default_stddev() const override { return {1}; }

 private:
  std::vector<std::string> names_ = {"a", "b", "c"};
};

TEST_P(Tasks, EmulatedHooksComeAsThoseOfTheGraphAndAtTheProfilesTimes) {
  const auto graph = real();
  EmulatedTask task = emulated();
  ASSERT_EQ(task.slices().size(), graph->slices().size());
  for (std::size_t k = 0; k < task.slices().size(); ++k) {
    EXPECT_EQ(task.slices()[k].name, graph->slices()[k].name);
    EXPECT_EQ(task.slices()[k].offset, graph->slices()[k].offset);
    EXPECT_EQ(task.slices()[k].layer, graph->slices()[k].layer);
  }
  const auto samples = make_loader(std::make_shared<Ramps>(), eights());
  const auto counted = make_counting_loader(20, eights());
  const Vectors mine(*backend_, task);
  Vectors theirs(*backend_, *graph);
  graph->initialise(theirs.bound(), 1);
  Events wanted, seen(&clock_);
  graph->compute(theirs.bound(), *samples, 0, wanted);
  const Task::StepResult result = task.compute(mine.bound(), *counted, 0, seen);
  EXPECT_EQ(seen.seen, wanted.seen);
  EXPECT_EQ(result.samples, 8);
  EXPECT_EQ(result.global_samples, 8);
  EXPECT_NEAR(clock_.now, 100 + 21, 1e-9);
  if (GetParam() == 1) {  // the gradient of the last layer is ready with its backward, not before
    const auto ready = std::find(seen.seen.begin(), seen.seen.end(), "ready 0");
    EXPECT_NEAR(seen.times[static_cast<std::size_t>(ready - seen.seen.begin())], 100 + 6 + 6, 1e-9);
  }
  // The first parameters are those of a real run.
  task.initialise(mine.bound(), 1);
  EXPECT_TRUE(std::equal(mine.params.floats().begin(), mine.params.floats().end(), theirs.params.floats().begin()));
}

TEST_P(Tasks, EmulatedGradientsAreAFunctionOfSeedRankAndStep) {
  const auto gradients = [&](int rank, std::uint64_t seed, std::int64_t step) {
    EmulatedTask task = emulated(rank, seed);
    const auto loader = make_counting_loader(20, eights());
    const Vectors vectors(*backend_, task);
    Hooks nobody;
    task.compute(vectors.bound(), *loader, step, nobody);
    return vectors.gradients();
  };
  const std::vector<float> first = gradients(0, 1, 3);
  for (const float value : first) {
    EXPECT_NE(value, 0);
    EXPECT_LT(std::fabs(value), 0.01);
  }
  EXPECT_EQ(gradients(0, 1, 3), first);
  EXPECT_NE(gradients(1, 1, 3), first);
  EXPECT_NE(gradients(0, 2, 3), first);
  EXPECT_NE(gradients(0, 1, 4), first);
}

TEST_P(Tasks, PacingChangesNoBit) {
  const auto bare = real();
  PacedTask paced(real(), pace_);
  const auto loader = make_loader(std::make_shared<Ramps>(), eights()), again = make_loader(std::make_shared<Ramps>(), eights());
  const Vectors expected(*backend_, *bare), vectors(*backend_, paced);
  bare->initialise(expected.bound(), 5);
  paced.initialise(vectors.bound(), 5);
  for (int step = 0; step < 4; ++step) {  // 20 samples in batches of 8: the third one has 4
    Events wanted, seen;
    const double start_s = clock_.now;
    const Task::StepResult right = bare->compute(expected.bound(), *loader, step, wanted),
                           result = paced.compute(vectors.bound(), *again, step, seen);
    EXPECT_EQ(result.loss_sum, right.loss_sum);
    EXPECT_EQ(vectors.gradients(), expected.gradients());
    EXPECT_EQ(seen.seen, wanted.seen);
    EXPECT_NEAR(clock_.now - start_s, step == 2 ? 10.5 : 21, 1e-9);
  }
}

INSTANTIATE_TEST_SUITE_P(WithMicroBatches, Tasks, testing::Values(1, 2));

TEST(Handover, TheDelaysOfAStepAreSeededAndPaceIsToldOfThem) {
  const auto delays = [](std::int64_t step) {
    ManualClock clock;
    std::vector<double> told;
    Handover handover({.jitter_s = 2 * ms, .seed = 5, .rank = 1, .slices = 4, .delayed = [&](double seconds) { told.push_back(seconds); }},
                      clock);
    handover.begin(step);
    std::vector<int> order;
    for (int slice = 0; slice < 4; ++slice) {
      const double before = clock.now;
      handover.ready(slice, [&](int ready) { order.push_back(ready); });
      EXPECT_GT(clock.now, before);
      EXPECT_LT(clock.now, before + 2 * ms);
      EXPECT_NEAR(clock.now - before, told.empty() ? 0 : told.back(), 1e-9);
    }
    EXPECT_EQ(order, (std::vector<int>{0, 1, 2, 3}));
    return told;
  };
  EXPECT_EQ(delays(0), delays(0));
  EXPECT_NE(delays(0), delays(1));
}

}  // namespace
}  // namespace syncline::test
