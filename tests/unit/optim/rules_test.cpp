// SPDX-License-Identifier: Apache-2.0
// The built-in rules against PyTorch's numbers, and against their papers' formulas written out in double.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "engine/optim/optimizer.h"
#include "tests/unit/optim/support.h"

namespace syncline {
namespace {

using testing::Bench;
using testing::options;

constexpr std::int64_t count = 12;
constexpr int steps = 6;
constexpr double rate = 0.125;  // the inputs are those of torch_reference.py

double start(std::int64_t i) { return static_cast<double>((i * 7) % 11 - 5) / 8; }
double gradient(std::int64_t i, std::int64_t step) { return static_cast<double>((i * 5 + step * 3) % 13 - 6) / 16; }

// Two layers of 5 and 7; with decay on both unless told.
Bench small(const std::string& name, Params given, bool second_decays = true) {
  std::vector<LayerSlice> slices = {{.index = 0, .name = "a", .offset = 0, .count = 5}, {.index = 1, .name = "b", .offset = 5, .count = 7}};
  slices[1].decay = second_decays;
  return Bench(name, std::move(given), 1, std::move(slices));
}

void begin(Bench& bench) {
  bench.schedule.rate = rate;
  for (std::int64_t i = 0; i < count; ++i) bench.params.all().data()[i] = static_cast<float>(start(i));
}

// The gradients come in doubled and are halved by the scale, so that a rule that forgets the scale fails.
void step(Bench& bench, std::int64_t k) {
  for (std::int64_t i = 0; i < count; ++i) bench.grads.all().data()[i] = static_cast<float>(2 * gradient(i, k));
  bench.optimizer->step(bench.params, bench.grads, 0.5);
}

struct TorchCase {
  const char* name;
  Params given;
  std::vector<double> after;  // steps x count
};

const std::vector<TorchCase>& torch_cases() {
  static const std::vector<TorchCase> cases = {
#include "tests/unit/optim/torch_reference.inc"
  };
  return cases;
}

TEST(Rules, AgreeWithPyTorch) {
  for (const TorchCase& reference : torch_cases()) {
    Bench bench = small(reference.name, reference.given);
    begin(bench);
    for (int k = 0; k < steps; ++k) {
      step(bench, k);
      for (std::int64_t i = 0; i < count; ++i) {
        const double expected = reference.after[static_cast<std::size_t>(k * count + i)];
        ASSERT_NEAR(bench.params.all().data()[i], expected, 1e-6 + 2e-6 * std::abs(expected))
            << reference.name << " case " << &reference - torch_cases().data() << " step " << k << " element " << i;
      }
    }
  }
}

using Double = std::vector<double>;

double norm(const Double& x, std::int64_t from, std::int64_t to) {
  double sum = 0;
  for (std::int64_t i = from; i < to; ++i) sum += x[static_cast<std::size_t>(i)] * x[static_cast<std::size_t>(i)];
  return std::sqrt(sum);
}

// One layer of LARS, algorithm 1 of the paper, whole layer at once.
void lars_layer(Double& w, Double& v, std::int64_t step_number, std::int64_t from, std::int64_t to, bool adapted) {
  const double momentum = 0.8, trust = 0.02, decay = adapted ? 0.1 : 0.0;
  Double g(w.size());
  for (std::int64_t i = 0; i < count; ++i) g[static_cast<std::size_t>(i)] = gradient(i, step_number);
  const double wn = norm(w, from, to), gn = norm(g, from, to);
  const double local = adapted ? trust * wn / (gn + decay * wn) : 1.0;
  for (auto i = static_cast<std::size_t>(from); i < static_cast<std::size_t>(to); ++i) {
    v[i] = momentum * v[i] + rate * local * (g[i] + decay * w[i]);
    w[i] -= v[i];
  }
}

TEST(Rules, LarsFollowsItsPaperLayerByLayer) {
  Bench bench = small("lars", options({{"momentum", {0.8}}, {"trust", {0.02}}, {"weight_decay", {0.1}}}), false);
  begin(bench);
  Double w(count), v(count);
  for (std::int64_t i = 0; i < count; ++i) w[static_cast<std::size_t>(i)] = start(i);
  for (int k = 0; k < steps; ++k) {
    step(bench, k);
    lars_layer(w, v, k, 0, 5, true);
    lars_layer(w, v, k, 5, 12, false);
    for (std::int64_t i = 0; i < count; ++i)
      ASSERT_NEAR(bench.params.all().data()[i], w[static_cast<std::size_t>(i)], 1e-6) << k << " " << i;
  }
}

// One layer of LAMB, algorithm 2 of the paper.
void lamb_layer(Double& w, Double& m, Double& v, std::int64_t step_number, std::int64_t from, std::int64_t to, bool adapted) {
  const double b1 = 0.8, b2 = 0.95, epsilon = 1e-6, decay = adapted ? 0.1 : 0.0;
  const auto t = static_cast<double>(step_number + 1);
  Double u(w.size());
  for (std::int64_t j = from; j < to; ++j) {
    const auto i = static_cast<std::size_t>(j);
    const double g = gradient(j, step_number);
    m[i] = b1 * m[i] + (1 - b1) * g;
    v[i] = b2 * v[i] + (1 - b2) * g * g;
    u[i] = m[i] / (1 - std::pow(b1, t)) / (std::sqrt(v[i] / (1 - std::pow(b2, t))) + epsilon) + decay * w[i];
  }
  const double ratio = adapted ? norm(w, from, to) / norm(u, from, to) : 1.0;
  for (auto i = static_cast<std::size_t>(from); i < static_cast<std::size_t>(to); ++i) w[i] -= rate * ratio * u[i];
}

TEST(Rules, LambFollowsItsPaperLayerByLayer) {
  Bench bench = small("lamb", options({{"beta1", {0.8}}, {"beta2", {0.95}}, {"weight_decay", {0.1}}}), false);
  begin(bench);
  Double w(count), m(count), v(count);
  for (std::int64_t i = 0; i < count; ++i) w[static_cast<std::size_t>(i)] = start(i);
  for (int k = 0; k < steps; ++k) {
    step(bench, k);
    lamb_layer(w, m, v, k, 0, 5, true);
    lamb_layer(w, m, v, k, 5, 12, false);
    for (std::int64_t i = 0; i < count; ++i)
      ASSERT_NEAR(bench.params.all().data()[i], w[static_cast<std::size_t>(i)], 2e-6) << k << " " << i;
  }
}

// Norms of a layer of many pieces: LARS's first step on equal numbers has a closed form.
TEST(Rules, LarsNormsRunOverTheWholeLayer) {
  Bench bench("lars", options({{"momentum", {0.0}}, {"trust", {0.5}}, {"weight_decay", {0.0}}}), 1,
              {{.index = 0, .name = "a", .offset = 0, .count = 40'001}});
  for (float& p : bench.params.all().floats()) p = 4;
  for (float& g : bench.grads.all().floats()) g = 2;
  bench.schedule.rate = 0.25;
  bench.optimizer->step(bench.params, bench.grads);
  for (const float p : bench.params.all().floats()) ASSERT_FLOAT_EQ(p, 4 - 0.25f * 0.5f * 2 * 2);
}

TEST(Rules, ZeroLayersStayFinite) {
  for (const std::string name : {"lars", "lamb"}) {
    Bench bench(name);
    for (float& p : bench.params.all().floats()) p = 0;
    bench.optimizer->step(bench.params, bench.grads);
    bench.run(1);
    for (const float p : bench.params.all().floats()) ASSERT_TRUE(std::isfinite(p)) << name;
  }
}

TEST(Rules, DecayLeavesMarkedLayersAlone) {
  for (const Entry& entry : optimizer_entries()) {
    Bench with(std::string(entry.name), options({{"weight_decay", {0.5}}})),
        without(std::string(entry.name), options({{"weight_decay", {0.0}}}));
    with.schedule.rate = without.schedule.rate = 0.5;
    with.run(3);
    without.run(3);
    const LayerSlice &marked = with.slices[2], &other = with.slices[3];
    EXPECT_TRUE(testing::same_bits(with.params[marked], without.params[marked])) << entry.name;
    EXPECT_FALSE(testing::same_bits(with.params[other], without.params[other])) << entry.name;
  }
}

}  // namespace
}  // namespace syncline
