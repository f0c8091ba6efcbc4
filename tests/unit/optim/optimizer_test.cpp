// SPDX-License-Identifier: Apache-2.0
// What holds for every rule: updates by layer in any order, by any number of threads and across a checkpoint are bitwise those of one call.
#include "engine/optim/optimizer.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "engine/optim/running.h"
#include "tests/unit/optim/support.h"

namespace syncline {
namespace {

using testing::Bench;
using testing::options;
using testing::same_bits;

std::vector<std::string> rules() {
  std::vector<std::string> names;
  for (const Entry& entry : optimizer_entries()) names.emplace_back(entry.name);
  return names;
}

// Every option that changes what a rule does, beside the defaults.
std::vector<std::pair<std::string, Params>> variants() {
  std::vector<std::pair<std::string, Params>> list;
  for (const std::string& name : rules()) {
    list.emplace_back(name, Params{});
    list.emplace_back(name, options({{"weight_decay", {0.05}}}));
    const auto entries = optimizer_entries();
    const auto entry = std::find_if(entries.begin(), entries.end(), [&](const Entry& e) { return e.name == name; });
    for (const Parameter& p : entry->parameters) {
      if (p.key == "momentum") list.emplace_back(name, options({{"momentum", {0.0}}}));
      if (p.key == "momentum") list.emplace_back(name, options({{"momentum", {0.5}}}));
      if (p.kind == Parameter::flag) list.emplace_back(name, options({{std::string(p.key), {true}}}));
    }
  }
  return list;
}

TEST(Optimizer, LayerByLayerInAnyOrderIsBitwiseOneCall) {
  for (const auto& [name, given] : variants()) {
    Bench whole(name, given), parts(name, given);
    for (int step = 0; step < 3; ++step) {
      whole.run(1, 0.25);
      parts.fill_gradients(static_cast<std::uint64_t>(step));
      auto update = parts.optimizer->begin();
      for (const std::size_t i : {3, 0, 4}) update.apply(parts.params[parts.slices[i]], parts.grads[parts.slices[i]], 0.25);
      const Group pair{.first = 1, .last = 2, .offset = parts.slices[1].offset, .count = parts.slices[1].count + parts.slices[2].count};
      update.apply(parts.params[pair], parts.grads[pair], 0.25);
    }
    EXPECT_TRUE(same_bits(whole.params, parts.params)) << name;
    ASSERT_EQ(whole.optimizer->state().size(), parts.optimizer->state().size());
    for (std::size_t k = 0; k < whole.optimizer->state().size(); ++k) {
      EXPECT_TRUE(same_bits(whole.optimizer->state()[k], parts.optimizer->state()[k])) << name << " state " << k;
    }
  }
}

TEST(Optimizer, ThreadsChangeNothing) {
  for (const auto& [name, given] : variants()) {
    Bench one(name, given, 1), three(name, given, 3);
    one.run(3);
    three.run(3);
    EXPECT_TRUE(same_bits(one.params, three.params)) << name;
  }
}

TEST(Optimizer, EveryRuleMovesEveryParameter) {
  for (const auto& [name, given] : variants()) {
    Bench bench(name, given);
    bench.schedule.rate = 10;  // lars moves a layer by a thousandth of its norm
    const std::vector<float> before(bench.params.all().floats().begin(), bench.params.all().floats().end());
    bench.run(1);
    for (std::size_t i = 0; i < before.size(); i += 13) EXPECT_NE(before[i], bench.params.all().data()[i]) << name << " element " << i;
  }
}

TEST(Optimizer, SaveAndLoadContinueBitwise) {
  for (const auto& [name, given] : variants()) {
    Bench straight(name, given), before(name, given), after(name, given);
    straight.run(5);
    before.run(2);
    after.optimizer->load(before.optimizer->save());
    std::copy(before.params.all().floats().begin(), before.params.all().floats().end(), after.params.all().data());
    for (std::size_t k = 0; k < before.optimizer->state().size(); ++k) {
      const View from = before.optimizer->state()[k];
      std::copy(from.floats().begin(), from.floats().end(), after.optimizer->state()[k].all().data());
    }
    EXPECT_EQ(after.optimizer->updates(), 2);
    after.run(3);
    EXPECT_TRUE(same_bits(straight.params, after.params)) << name;
  }
}

TEST(Optimizer, ParametersNeedNotBeTheLiveOnes) {
  Bench bench("sgd");
  const Vector copy{View::host(bench.count)};
  std::copy(bench.params.all().floats().begin(), bench.params.all().floats().end(), copy.all().data());
  Bench reference("sgd");
  reference.run(1);
  bench.fill_gradients(0);
  bench.optimizer->begin().apply(copy, bench.grads);
  EXPECT_TRUE(same_bits(copy, reference.params));
}

TEST(Optimizer, ReadsTheScheduleOncePerUpdateAtTheGivenPosition) {
  struct Counting final : Schedule {
    mutable std::vector<std::int64_t> asked;
    double lr(std::int64_t position) const override {
      asked.push_back(position);
      return 0.5;
    }
  } schedule;
  const std::vector<LayerSlice> slices = {{.index = 0, .name = "a", .offset = 0, .count = 1},
                                          {.index = 1, .name = "b", .offset = 1, .count = 1}};
  std::int64_t position = 40;
  OptimizerContext context{.slices = slices, .make_vector = [](std::string_view) { return Vector(View::host(2)); }, .schedule = &schedule};
  context.position = [&] { return position; };
  const auto optimizer = make_optimizer({.name = "sgd", .options = options({{"momentum", {0.0}}})}, context);
  const Vector params{View::host(2)}, grads{View::host(2)};
  grads.all().data()[0] = grads.all().data()[1] = 1;
  auto update = optimizer->begin(0.5);
  update.apply(params[slices[1]], grads[slices[1]], 2);
  update.apply(params[slices[0]], grads[slices[0]]);
  EXPECT_EQ(params.all().data()[0], -0.25f);
  EXPECT_EQ(params.all().data()[1], -0.5f);
  position = 41;
  optimizer->step(params, grads);
  EXPECT_EQ(schedule.asked, (std::vector<std::int64_t>{40, 41}));
  EXPECT_EQ(optimizer->updates(), 2);
}

TEST(Optimizer, GhostVectorsCostNothing) {
  const std::vector<LayerSlice> slices = {{.index = 0, .name = "a", .offset = 0, .count = std::int64_t{1} << 40}};
  testing::FixedRate schedule;
  OptimizerContext context{
      .slices = slices, .make_vector = [](std::string_view) { return Vector(View::ghost(std::int64_t{1} << 40)); }, .schedule = &schedule};
  const auto optimizer = make_optimizer({.name = "sgd", .options = {}}, context);
  const Vector params{View::ghost(std::int64_t{1} << 40)}, grads{View::ghost(std::int64_t{1} << 40)};
  optimizer->step(params, grads);
  EXPECT_EQ(optimizer->updates(), 1);
}

TEST(Optimizer, WrongUseIsRefused) {
  Bench bench("sgd");
  auto update = bench.optimizer->begin();
  EXPECT_THROW(update.apply(bench.params.all().part(0, 41), bench.grads.all().part(0, 41)), UsageError);  // cuts layer 0
  EXPECT_THROW(update.apply(bench.params.all().part(1, 42), bench.grads.all().part(1, 42)), UsageError);
  EXPECT_THROW(update.apply(bench.params.all(), bench.grads.all().part(0, 42)), UsageError);
  EXPECT_THROW(update.apply(bench.params.all(), bench.params.all()), UsageError);
}

TEST(Optimizer, StateIsNamedAndOnlyWhatIsNeeded) {
  EXPECT_EQ(Bench("sgd").vector_names, (std::vector<std::string>{"sgd.0"}));
  EXPECT_TRUE(Bench("sgd", options({{"momentum", {0.0}}})).vector_names.empty());
}

TEST(Optimizer, SaysWhichOptionIsWrong) {
  const auto message = [](const std::string& name, Params given) -> std::string {
    try {
      Bench bench(name, std::move(given));
    } catch (const ConfigError& error) {
      return error.origin().key + ": " + error.what();
    }
    return "no error";
  };
  EXPECT_EQ(message("sgd", options({{"beta", {0.5}}})),
            "train.optimizer.beta: optimizer sgd has no option \"beta\"; it has lr, momentum, nesterov, weight_decay.");
  EXPECT_EQ(message("sgd", options({{"momentum", {1.5}}})),
            "train.optimizer.momentum: optimizer sgd: momentum = 1.5 is outside its range, 0 to 1.");
  EXPECT_EQ(message("sgd", options({{"weight_decay", {-1.0}}})),
            "train.optimizer.weight_decay: optimizer sgd: weight_decay = -1 is outside its range, at least 0.");
  EXPECT_EQ(message("sgd", options({{"nesterov", {1.0}}})), "train.optimizer.nesterov: optimizer sgd: nesterov must be true or false.");
  EXPECT_EQ(message("sgd", options({{"momentum", {std::string("a")}}})),
            "train.optimizer.momentum: optimizer sgd: momentum must be a number.");
  EXPECT_NE(message("sdg", {}).find("unknown optimizer \"sdg\"; known are sgd"), std::string::npos);
  EXPECT_EQ(message("sgd", options({{"weight_decay", {std::int64_t{1}}}})), "no error");  // a whole number is a number
}

TEST(Optimizer, SavedStateOfAnotherIsRefused) {
  Bench bench("sgd");
  EXPECT_THROW(bench.optimizer->load(std::vector<std::byte>(3)), TrainingError);
  EXPECT_THROW(bench.optimizer->load(std::vector<std::byte>(9)), TrainingError);
}

TEST(Optimizer, NoMarkerRemainsAfterAStep) {
  Bench bench("sgd");
  bench.run(1);
  EXPECT_EQ(Running::current(), nullptr);
}

}  // namespace
}  // namespace syncline
