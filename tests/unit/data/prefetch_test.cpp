// SPDX-License-Identifier: Apache-2.0
// The reading thread: order, bounds, errors, end, and memory.
#include <chrono>
#include <set>
#include <thread>

#include "tests/support/allocations.h"
#include "tests/unit/data/fixtures.h"

namespace syncline {
namespace {

using namespace test;

LoaderOptions options_with(int prefetch) {
  LoaderOptions options;
  options.batch_per_rank = {4};
  options.prefetch = prefetch;
  return options;
}

TEST(Prefetch, DeliversTheSameAtAnyDepth) {
  const auto set = std::make_shared<NumberedSet>(26);
  const auto plain = make_loader(set, options_with(0));
  std::vector<std::vector<std::int64_t>> expected;
  for (int k = 0; k < 30; ++k) expected.push_back(ids_of(plain->next()));
  for (const int depth : {1, 2, 5}) {
    const auto loader = make_loader(set, options_with(depth));
    for (const auto& ids : expected) EXPECT_EQ(ids_of(loader->next()), ids);
  }
}

TEST(Prefetch, ReadsNoFurtherThanItsDepth) {
  const auto set = std::make_shared<NumberedSet>(4000);
  const auto loader = make_loader(set, options_with(3));
  loader->next();
  const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (set->reads < (1 + 3) * 4 && std::chrono::steady_clock::now() < limit) std::this_thread::yield();
  for (int i = 0; i < 200; ++i) std::this_thread::yield();  // a chance to go too far
  EXPECT_EQ(set->reads, (1 + 3) * 4) << "one batch held and three ahead";
}

TEST(Prefetch, ABatchStaysValidUntilTheNextCall) {
  const auto set = std::make_shared<NumberedSet>(4000);
  const auto loader = make_loader(set, options_with(2));
  const Batch& batch = loader->next();
  const std::vector<std::int64_t> ids = ids_of(batch);
  loader->seek(3, 7);
  const std::vector<std::int64_t> larger = {64};
  loader->set_batch(larger);
  EXPECT_EQ(loader->epoch(), 3);
  for (int i = 0; i < 200; ++i) std::this_thread::yield();
  EXPECT_EQ(ids_of(batch), ids);
  EXPECT_EQ(loader->next().rows, 64);
}

TEST(Prefetch, ErrorsComeInTheirTurn) {
  for (const int depth : {0, 3}) {
    const auto set = std::make_shared<NumberedSet>(40);
    const auto good = make_loader(set, options_with(0));
    for (int k = 0; k < 5; ++k) good->next();
    const std::int64_t broken = ids_of(good->next())[2];  // in batch 5
    set->broken = broken;
    const auto loader = make_loader(set, options_with(depth));
    for (int k = 0; k < 5; ++k) EXPECT_EQ(loader->next().index, k);
    for (int again = 0; again < 2; ++again) {
      EXPECT_EQ(message_of([&] { loader->next(); }), "sample.png: broken; a whole one is needed");
    }
    loader->seek(0, 6);
    EXPECT_EQ(loader->next().index, 6);
  }
}

TEST(Prefetch, AllocatesNothingInTheSteadyState) {
  const Shape shape{16, 16, 3};
  const auto set = std::make_shared<NumberedSet>(50, shape);
  LoaderOptions options = options_with(2);
  options.augment = {"crop", "flip"};
  for (const std::string shards : {"shuffled", "by-label"}) {
    options.shards = shards;
    const auto loader = make_loader(set, options);
    std::set<const float*> places;
    for (int k = 0; k < 20; ++k) places.insert(loader->next().images.data());
    EXPECT_EQ(places.size(), 3u);
    const AllocationCount count;
    bool known = true;
    for (int k = 0; k < 100; ++k) known = places.count(loader->next().images.data()) == 1 && known;
    EXPECT_EQ(count.so_far(), 0);
    EXPECT_TRUE(known);
  }
}

TEST(Prefetch, EndsAtAnyMoment) {
  for (int k = 0; k < 60; ++k) {
    const auto set = std::make_shared<NumberedSet>(1000, Shape{8, 8, 3});
    LoaderOptions options = options_with(1 + k % 3);
    options.batch_per_rank = {100};
    const auto loader = make_loader(set, options);
    for (int i = 0; i < k % 4; ++i) loader->next();
    if (k % 5 == 0) loader->seek(1, 2);
  }
}

}  // namespace
}  // namespace syncline
