// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstring>
#include <set>

#include "engine/base/random.h"
#include "engine/strategy/entries.h"
#include "tests/support/slices.h"
#include "tests/unit/comm/support.h"
#include "tests/unit/strategy/mock_replica.h"

namespace syncline {
namespace {

using test::MockReplica;
using test::on_ranks;
using test::one_step;
using test::slices_of;

Plan planned(std::string_view name, std::span<const LayerSlice> slices) {
  const PlannerEntry& entry = planner(name);
  Params params = defaults_of(entry.parameters);
  if (name == "threshold") params.set("threshold_bytes", Value{100.0});
  return entry.make(slices, {}, params);
}

std::unique_ptr<Strategy> made(std::string_view name, std::optional<bool> overlap = {}) {
  const StrategyEntry& entry = strategy_entry(name);
  Params params = defaults_of(entry.parameters);
  if (overlap) params.set("overlap", Value{*overlap});
  return entry.make(params);
}

float target(int rank, int workers) { return workers == 1 ? 2.0F : 2.0F + (rank % 2 == 0 ? 0.5F : -0.5F); }

// One parameter x, worker i minimises (x - c_i)^2 / 2, mean of the c_i = 2, lr = 0.1, from 0: x_k = 2 (1 - 0.9^k) = 0.2, 0.38, 0.542.
TEST(Sync, TakesTheMeanGradientOfAllWorkersOnAQuadratic) {
  for (const int workers : {1, 2, 4}) {
    on_ranks(workers, [workers](World& world) {
      const auto slices = slices_of({1});
      MockReplica replica(world, slices, planned("single", slices), 0.1);
      if (world.rank() != 0) replica.params().all().data()[0] = 99;  // the broadcast at start makes them equal
      const auto strategy = made("sync");
      strategy->start(replica);
      const float expected[] = {0.2F, 0.38F, 0.542F};
      for (const float x : expected) {
        one_step(*strategy, replica, [&](std::int64_t) { return replica.params().all().data()[0] - target(world.rank(), workers); });
        EXPECT_NEAR(replica.params().all().data()[0], x, 1e-6) << workers;
        EXPECT_EQ(replica.updates(), replica.step());
      }
      Vector out(View::host(1));
      strategy->drain(replica);
      strategy->evaluated_parameters(replica, out);
      EXPECT_EQ(out.all().data()[0], replica.params().all().data()[0]);
    });
  }
}

// Shares of an uneven batch: rank r used r + 1 samples. before = workers * share, after = 1 / workers.
TEST(Sync, WeighsUnequalSharesByWhatMeanScaleSays) {
  on_ranks(3, [](World& world) {
    const auto slices = slices_of({1});
    MockReplica replica(world, slices, planned("single", slices), 1);
    replica.before = 3.0 * (world.rank() + 1) / 6;
    const auto strategy = made("sync");
    strategy->start(replica);
    one_step(*strategy, replica, [&](std::int64_t) { return static_cast<float>(10 * (world.rank() + 1)); });
    EXPECT_NEAR(replica.params().all().data()[0], -(10 * 1 + 20 * 2 + 30 * 3) / 6.0, 1e-5);
  });
}

std::vector<float> after_steps(int workers, std::string_view plan, bool overlap, bool whole, double delay_s, int steps) {
  ThreadWorldOptions options;
  options.group.chunk_bytes = 256;
  options.delays = {.seed = 4, .most_s = delay_s};
  std::vector<float> result;
  std::mutex mutex;
  on_ranks(workers, options, [&](World& world) {
    const auto slices = slices_of({33, 1, 400, 17, 5, 250, 2});
    MockReplica replica(world, slices, planned(plan, slices), 0.05);
    RandomStream initial(1, "initial", static_cast<std::uint64_t>(world.rank()));
    for (float& value : replica.params().all().floats()) value = static_cast<float>(initial.normal());
    replica.whole = whole;
    const auto strategy = made("sync", overlap);
    strategy->start(replica);
    for (int step = 0; step < steps; ++step) {
      RandomStream noise(9, "noise", static_cast<std::uint64_t>(world.rank()), static_cast<std::uint64_t>(step));
      const float* x = replica.params().all().data();
      one_step(*strategy, replica, [&](std::int64_t i) { return x[i] + static_cast<float>(noise.normal()); });
    }
    const auto values = replica.params().all().floats();
    const std::scoped_lock lock(mutex);
    if (result.empty()) result.assign(values.begin(), values.end());
    EXPECT_EQ(std::memcmp(result.data(), values.data(), result.size() * 4), 0) << "replicas differ";
  });
  return result;
}

TEST(Sync, BitwiseTheSameWhateverThePlanTheOverlapAndTheDelays) {
  for (const int workers : {2, 3, 4}) {
    const auto reference = after_steps(workers, "single", false, false, 0, 50);
    for (const std::string_view plan : {"single", "wfbp", "threshold"}) {
      for (const bool overlap : {false, true}) {
        EXPECT_EQ(after_steps(workers, plan, overlap, false, 0, 50), reference) << workers << " " << plan << " overlap " << overlap;
      }
    }
    EXPECT_EQ(after_steps(workers, "wfbp", true, true, 0, 50), reference) << "one update of the whole arena";
    EXPECT_EQ(after_steps(workers, "wfbp", true, false, 2e-4, 50), reference) << "with random delays";
  }
}

TEST(Sync, SendsEachGroupWhenItsLastSliceIsReadyAndUpdatesInThatOrder) {
  on_ranks(2, [](World& world) {
    const auto slices = slices_of({10, 20, 3, 40, 5});
    MockReplica replica(world, slices, planned("threshold", slices), 0.1);  // 100 bytes: {0,1}, {2,3}, {4}
    const auto strategy = made("sync");
    strategy->start(replica);
    const auto ready = [&](int index) { strategy->gradient_ready(replica, slices[static_cast<std::size_t>(index)]); };
    ready(0);
    EXPECT_TRUE(replica.sent.empty());
    ready(1);
    EXPECT_EQ(replica.sent, std::vector<int>{0});
    ready(2);
    ready(3);
    ready(4);
    EXPECT_EQ(replica.sent, (std::vector<int>{0, 2, 4}));
    strategy->after_backward(replica);
    EXPECT_EQ(replica.sgd().applied, (std::vector<std::int64_t>{0, 30, 73}));
    EXPECT_EQ(replica.updates(), 1) << "three ranges, one update";
  });
}

TEST(Sync, AGradientThatIsNotUsableChangesNothing) {
  on_ranks(2, [](World& world) {
    const auto slices = slices_of({4});
    MockReplica replica(world, slices, planned("single", slices), 0.1);
    replica.whole = replica.skip = true;
    const auto strategy = made("sync");
    strategy->start(replica);
    one_step(*strategy, replica, [](std::int64_t) { return INFINITY; });
    for (const float value : replica.params().all().floats()) EXPECT_EQ(value, 0);
    EXPECT_EQ(replica.updates(), 0);
  });
}

TEST(None, TrainsAloneFromRankZerosParameters) {
  for (const int workers : {1, 2, 4}) {
    on_ranks(workers, [workers](World& world) {
      const auto slices = slices_of({1});
      MockReplica replica(world, slices, planned("single", slices), 0.1);
      replica.params().all().data()[0] = world.rank() == 0 ? 1.0F : 50.0F;
      const auto strategy = made("none");
      strategy->start(replica);
      EXPECT_EQ(replica.params().all().data()[0], 1.0F);
      double x = 1;
      for (int step = 0; step < 3; ++step) {
        one_step(*strategy, replica, [&](std::int64_t) { return replica.params().all().data()[0] - target(world.rank(), workers); });
        x -= 0.1 * (x - target(world.rank(), workers));
        EXPECT_NEAR(replica.params().all().data()[0], x, 1e-6);
      }
      EXPECT_TRUE(replica.sent.empty());
    });
  }
}

TEST(Strategies, AreNamedOnceAndSayWhatTheyAre) {
  std::set<std::string_view> names;
  for (const StrategyEntry* entry : strategies()) {
    EXPECT_TRUE(names.insert(entry->name).second);
    EXPECT_FALSE(entry->title.empty());
    EXPECT_FALSE(entry->summary.empty());
    EXPECT_NE(entry->make(defaults_of(entry->parameters)), nullptr);
    for (const Parameter& parameter : entry->parameters) EXPECT_FALSE(parameter.help.empty()) << parameter.key;
  }
  const Params none_given;
  EXPECT_FALSE(none_entry.traits(none_given).exchanges_gradients);
  EXPECT_FALSE(none_entry.traits(none_given).replicas_identical);
  EXPECT_TRUE(sync_entry.traits(none_given).replicas_identical);
  const StrategyEntry* twice[] = {&sync_entry, &none_entry, &sync_entry};
  EXPECT_THROW(check_names(twice), UsageError);
  try {
    strategy_entry("sink");
    FAIL();
  } catch (const ConfigError& error) {
    EXPECT_STREQ(error.what(), "there is no strategy called 'sink'; known are none, sync");
  }
}

}  // namespace
}  // namespace syncline
