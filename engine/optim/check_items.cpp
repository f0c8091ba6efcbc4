// SPDX-License-Identifier: Apache-2.0
#include "engine/optim/check_items.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "engine/optim/check_bench.h"

namespace syncline {
namespace {

using Plugin = std::shared_ptr<const Rule>;

std::string compare(const CheckBench& a, const CheckBench& b, const std::string& difference) {
  std::string where;
  return a.same_as(b, where) ? std::string() : fmt::format("{} differ {}", where, difference);
}

std::string finite(const Plugin& plugin) {  // the first step has gradients of zero: nothing may be divided by them
  CheckBench bench(plugin);
  bench.run(8);
  return {};  // TableOptimizer throws at a value that is not finite
}

std::string determinism(const Plugin& plugin) {
  CheckBench a(plugin), b(plugin);
  for (int step = 0; step < 5; ++step) {  // in turns: two instances may not share what they change
    a.run(1);
    b.run(1);
  }
  return compare(a, b, "between two equal runs");
}

std::string threads(const Plugin& plugin) {
  CheckBench one(plugin, 1), three(plugin, 3);
  one.run(5);
  three.run(5);
  return compare(one, three, "between 1 and 3 threads");
}

std::string ranges(const Plugin& plugin) {
  CheckBench whole(plugin), layers(plugin);
  whole.run(5);
  layers.run(5, CheckBench::layers_backwards);
  return compare(whole, layers, "between one call for the model and a call for each layer");
}

std::string state(const Plugin& plugin) {
  CheckBench straight(plugin), before(plugin), after(plugin);
  straight.run(4);
  before.run(3);
  after.continue_from(before);
  after.run(1);
  return compare(straight, after, "after saving and loading from those without");
}

std::string bounds(const Plugin& plugin) {
  for (const GuardedArray::End end : {GuardedArray::at_back, GuardedArray::at_front}) {
    CheckBench bench(plugin, end);
    watch(bench.arrays());
    bench.run(3, CheckBench::at_once);
    bench.run(2, CheckBench::layers_backwards);
    if (const std::string array = bench.stray_write(); !array.empty()) return fmt::format("it writes beside {}", array);
  }
  return {};
}

struct Rate final : Schedule {
  double rate = 0;
  double lr(std::int64_t) const override { return rate; }
};

// The final share of the first loss on sum of a_i (p_i - c_i)^2 / 2, two layers of 64, after 400 steps; infinity when it diverges.
double quadratic(const Plugin& plugin, const OptionValues& values, double rate) {
  constexpr std::int64_t count = 128;
  const std::vector<LayerSlice> slices = {
      {.index = 0, .name = "a", .offset = 0, .count = 64, .decay = true, .dense = true, .rows = 8, .cols = 8},
      {.index = 1, .name = "b", .offset = 64, .count = 64, .decay = true, .dense = false, .rows = 0, .cols = 0}};
  Rate schedule;
  schedule.rate = rate;
  OptimizerContext context;
  context.slices = slices;
  context.make_vector = [](std::string_view) { return Vector(View::host(count)); };
  context.schedule = &schedule;
  TableOptimizer optimizer(plugin, values, std::move(context));
  const Vector params{View::host(count)}, grads{View::host(count)};
  const auto curvature = [](std::int64_t i) { return 0.25 + static_cast<double>(i % 8) / 8; };
  const auto centre = [](std::int64_t i) { return static_cast<double>(i % 5) / 2 - 1; };
  const auto loss = [&] {
    double sum = 0;
    for (std::int64_t i = 0; i < count; ++i) sum += curvature(i) * std::pow(params.all().data()[i] - centre(i), 2) / 2;
    return sum;
  };
  for (std::int64_t i = 0; i < count; ++i) params.all().data()[i] = static_cast<float>(centre(i) + (i % 2 == 0 ? 1.5 : -1.5));
  const double first = loss();
  for (int step = 0; step < 400; ++step) {
    for (std::int64_t i = 0; i < count; ++i)
      grads.all().data()[i] = static_cast<float>(curvature(i) * (params.all().data()[i] - centre(i)));
    try {
      optimizer.step(params, grads);
    } catch (const TrainingError&) {
      return INFINITY;
    }
  }
  const double last = loss();
  return std::isfinite(last) ? last / first : INFINITY;
}

std::string convergence(const Plugin& plugin) {
  const OptionValues values(*plugin, {});
  double best = INFINITY, best_rate = values.lr();
  for (const double factor : {1.0, 10.0, 100.0, 0.1, 0.01}) {  // the default rate may suit another scale of problem
    const double share = quadratic(plugin, values, values.lr() * factor);
    if (share < best) best = share, best_rate = values.lr() * factor;
    if (share < 0.1) return {};
  }
  if (best >= 1) return "the loss of a quadratic does not fall at any of 5 learning rates from 1/100 to 100 times the default";
  return fmt::format("of the loss of a quadratic {:.0f} % are left after 400 steps at the best of 5 learning rates, {:g}", 100 * best,
                     best_rate);
}

constexpr std::array checks = {
    Check{"finite", "parameters stay finite, with gradients of zero too", finite},
    Check{"determinism", "two equal runs give the same bits", determinism},
    Check{"threads", "1 and 3 threads give the same bits", threads},
    Check{"ranges", "one call for the model and one for each layer give the same bits", ranges},
    Check{"state", "saving and loading goes on with the same bits", state},
    Check{"bounds", "nothing is touched outside the arrays, and gradients are only read", bounds},
    Check{"convergence", "a quadratic is minimised", convergence},
};

}  // namespace

std::span<const Check> plugin_checks() { return checks; }

}  // namespace syncline
