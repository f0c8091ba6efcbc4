// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "engine/optim/optimizer.h"
#include "tests/unit/optim/support.h"

namespace syncline {
namespace {

using testing::options;

std::unique_ptr<Schedule> make(const std::string& name, std::map<std::string, Value, std::less<>> given, double lr = 0.5,
                               std::int64_t workers = 1, std::int64_t total = 100) {
  return make_schedule({.name = name, .options = options(std::move(given))}, lr, workers, total);
}

Value integers(std::initializer_list<std::int64_t> list) {
  std::vector<Value> values;
  for (const std::int64_t i : list) values.push_back({i});
  return {values};
}

TEST(Schedule, ConstantStays) {
  const auto schedule = make("constant", {});
  for (const std::int64_t k : {0, 1, 99, 1000}) EXPECT_EQ(schedule->lr(k), 0.5);
}

// The rate is the number in the file unless the file itself asks for scaling; then it is exactly workers times as large, in every form.
TEST(Schedule, WorkersChangeTheRateOnlyWhenAsked) {
  struct Row {
    std::int64_t workers;
    bool scaled;
    double factor;
  };
  for (const Row& row : {Row{1, false, 1}, Row{2, false, 1}, Row{4, false, 1}, Row{64, false, 1}, Row{1, true, 1}, Row{2, true, 2},
                         Row{3, true, 3}, Row{4, true, 4}, Row{64, true, 64}}) {
    for (const std::string name : {"constant", "step", "cosine", "polynomial"}) {
      const std::map<std::string, Value, std::less<>> shape = name == "step"
                                                                  ? std::map<std::string, Value, std::less<>>{{"every", {std::int64_t{30}}}}
                                                                  : std::map<std::string, Value, std::less<>>{};
      auto scaled = shape;
      scaled["scale_lr_with_workers"] = {row.scaled};
      for (const std::int64_t k : {0, 10, 60, 99}) {
        EXPECT_DOUBLE_EQ(make(name, scaled, 0.05, row.workers)->lr(k), row.factor * make(name, shape, 0.05)->lr(k))
            << name << ", " << row.workers << " workers, scaled " << row.scaled << ", step " << k;
      }
    }
  }
}

TEST(Schedule, WarmUpIsLinearAndEndsAtTheFullRate) {
  for (const std::string name : {"constant", "step", "cosine", "polynomial"}) {
    const auto schedule = make(name, {{"warmup_steps", {std::int64_t{5}}}, {"scale_lr_with_workers", {true}}}, 0.5, 4);
    const double peak = 2;
    for (std::int64_t k = 0; k < 5; ++k) EXPECT_DOUBLE_EQ(schedule->lr(k), peak * static_cast<double>(k + 1) / 5) << name << " step " << k;
    EXPECT_DOUBLE_EQ(schedule->lr(5), peak) << name;
  }
}

TEST(Schedule, StepsByDistanceAndByMilestones) {
  const auto every = make("step", {{"every", {std::int64_t{30}}}, {"gamma", {0.5}}});
  EXPECT_DOUBLE_EQ(every->lr(29), 0.5);
  EXPECT_DOUBLE_EQ(every->lr(30), 0.25);
  EXPECT_DOUBLE_EQ(every->lr(89), 0.125);
  EXPECT_DOUBLE_EQ(every->lr(90), 0.0625);
  const auto milestones = make("step", {{"milestones", integers({80, 60})}});  // gamma 0.1; the order in the file does not matter
  EXPECT_DOUBLE_EQ(milestones->lr(59), 0.5);
  EXPECT_DOUBLE_EQ(milestones->lr(60), 0.05);
  EXPECT_DOUBLE_EQ(milestones->lr(79), 0.05);
  EXPECT_DOUBLE_EQ(milestones->lr(80), 0.005);
  EXPECT_DOUBLE_EQ(make("step", {})->lr(50), 0.5);
}

TEST(Schedule, CosineAndPolynomialFollowTheirFormulas) {
  const auto cosine = make("cosine", {{"end_lr", {0.1}}, {"warmup_steps", {std::int64_t{20}}}});
  const auto polynomial = make("polynomial", {{"end_lr", {0.1}}, {"warmup_steps", {std::int64_t{20}}}, {"power", {3.0}}});
  for (const std::int64_t k : {20, 40, 60, 99, 100, 1000}) {
    const double x = std::min(1.0, static_cast<double>(k - 20) / 80);
    EXPECT_DOUBLE_EQ(cosine->lr(k), 0.1 + 0.4 * (1 + std::cos(std::numbers::pi * x)) / 2) << k;
    EXPECT_DOUBLE_EQ(polynomial->lr(k), 0.1 + 0.4 * std::pow(1 - x, 3)) << k;
  }
  EXPECT_DOUBLE_EQ(cosine->lr(60), 0.3);  // half-way
  EXPECT_DOUBLE_EQ(cosine->lr(100), 0.1);
}

TEST(Schedule, WarmUpLongerThanTheRunIsHarmless) {
  const auto schedule = make("cosine", {{"warmup_steps", {std::int64_t{200}}}});
  EXPECT_DOUBLE_EQ(schedule->lr(99), 0.25);
}

TEST(Schedule, SaysWhatIsWrong) {
  const auto message = [](const std::string& name, std::map<std::string, Value, std::less<>> given,
                          std::int64_t total = 10) -> std::string {
    try {
      make(name, std::move(given), 1, 1, total);
    } catch (const ConfigError& error) {
      return error.origin().key + ": " + error.what();
    }
    return "no error";
  };
  EXPECT_EQ(message("cosin", {}), "train.schedule.name: unknown schedule \"cosin\"; known are constant, step, cosine and polynomial.");
  EXPECT_EQ(message("cosine", {{"gamma", {0.1}}}), "train.schedule.gamma: the schedule cosine has no option \"gamma\".");
  EXPECT_EQ(message("cosine", {}, 0), "train.schedule.name: the schedule cosine needs to know how many steps the run has, at least 1.");
  EXPECT_EQ(message("step", {{"every", {std::int64_t{3}}}, {"milestones", integers({5})}}),
            "train.schedule.milestones: the schedule step takes either every or milestones, not both.");
}

TEST(Schedule, TableNamesEverythingThatIsAccepted) {
  for (const Entry& entry : schedule_entries()) {
    EXPECT_FALSE(entry.summary.empty());
    for (const Parameter& parameter : entry.parameters) EXPECT_FALSE(parameter.help.empty()) << parameter.key;
    EXPECT_NO_THROW(make(std::string(entry.name), {}));
  }
  EXPECT_EQ(schedule_entries().size(), 4u);
}

}  // namespace
}  // namespace syncline
