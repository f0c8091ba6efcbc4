// SPDX-License-Identifier: Apache-2.0
// Which rank sees which sample, at one to five ranks.
#include <algorithm>
#include <numeric>
#include <set>

#include "tests/unit/data/fixtures.h"

namespace syncline {
namespace {

using namespace test;
using Batches = std::vector<std::int64_t>;

LoaderOptions options_for(const Batches& batches, int rank) {
  LoaderOptions options;
  options.seed = 7;
  options.rank = rank;
  options.ranks = static_cast<int>(batches.size());
  options.batch_per_rank = batches;
  options.prefetch = rank % 3;  // with and without a thread
  return options;
}

using Group = std::vector<std::unique_ptr<Loader>>;

template <class Change>
Group make_group(const std::shared_ptr<const Dataset>& set, const Batches& batches, Change change) {
  Group group;
  for (int rank = 0; rank < static_cast<int>(batches.size()); ++rank) {
    LoaderOptions options = options_for(batches, rank);
    change(options);
    group.push_back(make_loader(set, options));
  }
  return group;
}
Group make_group(const std::shared_ptr<const Dataset>& set, const Batches& batches) {
  return make_group(set, batches, [](LoaderOptions&) {});
}

struct Step {
  std::vector<std::int64_t> ids, rows;
  std::vector<float> images;
  std::int64_t global_rows = 0, epoch = 0, index = 0;
  bool last = false;
};

// One global batch, ranks in order, with what must hold for every one.
Step next_of(Group& group, std::int64_t elements = 4) {
  Step step;
  std::int64_t position = -1;
  for (std::size_t rank = 0; rank < group.size(); ++rank) {
    const std::int64_t epoch = group[rank]->epoch();
    const Batch& batch = group[rank]->next();
    EXPECT_EQ(batch.epoch, epoch);
    EXPECT_EQ(batch.images.size(), static_cast<std::size_t>(batch.rows * elements));
    EXPECT_EQ(batch.labels.size(), static_cast<std::size_t>(batch.rows));
    if (rank == 0) {
      step.global_rows = batch.global_rows;
      step.epoch = batch.epoch;
      step.index = batch.index;
      step.last = batch.last_of_epoch;
      position = batch.first_position;
    }
    EXPECT_EQ(batch.global_rows, step.global_rows);
    EXPECT_EQ(batch.epoch, step.epoch);
    EXPECT_EQ(batch.index, step.index);
    EXPECT_EQ(batch.last_of_epoch, step.last);
    EXPECT_EQ(batch.first_position, position) << "rank " << rank;
    position += batch.rows;
    for (const std::int64_t id : ids_of(batch, elements)) step.ids.push_back(id);
    step.images.insert(step.images.end(), batch.images.begin(), batch.images.end());
    step.rows.push_back(batch.rows);
  }
  EXPECT_EQ(static_cast<std::int64_t>(step.ids.size()), step.global_rows);
  return step;
}

std::vector<Step> epoch_of(Group& group) {
  std::vector<Step> steps;
  do {
    steps.push_back(next_of(group));
    EXPECT_LT(steps.size(), 10000u);
  } while (!steps.back().last && steps.size() < 10000);
  return steps;
}

std::vector<std::int64_t> sorted_ids(const std::vector<Step>& steps) {
  std::vector<std::int64_t> ids;
  for (const Step& step : steps) ids.insert(ids.end(), step.ids.begin(), step.ids.end());
  std::sort(ids.begin(), ids.end());
  return ids;
}

std::vector<std::int64_t> all_ids(std::int64_t size) {
  std::vector<std::int64_t> ids(static_cast<std::size_t>(size));
  std::iota(ids.begin(), ids.end(), 0);
  return ids;
}

// The same global batch of 12, split over one to five ranks, evenly and not.
const std::vector<Batches> splits_of_12 = {{12}, {6, 6}, {4, 4, 4}, {3, 3, 3, 3}, {1, 2, 3, 4, 2}, {11, 1}, {5, 0, 7}, {2, 2, 2, 2, 4}};

TEST(Loader, StepsDoNotDependOnHowTheBatchIsSplit) {
  const auto set = std::make_shared<NumberedSet>(103);
  Group one = make_group(set, {12});
  const std::vector<Step> first = epoch_of(one), second = epoch_of(one);
  ASSERT_EQ(first.size(), 9u);
  EXPECT_EQ(first.back().global_rows, 103 - 8 * 12);
  EXPECT_NE(first[0].ids, second[0].ids) << "each epoch has an order of its own";
  EXPECT_NE(first[0].ids, all_ids(12));
  for (const Batches& split : splits_of_12) {
    Group group = make_group(set, split);
    for (const std::vector<Step>* expected : {&first, &second}) {
      const std::vector<Step> steps = epoch_of(group);
      ASSERT_EQ(steps.size(), expected->size());
      for (std::size_t k = 0; k < steps.size(); ++k) {
        EXPECT_EQ(steps[k].ids, (*expected)[k].ids);
        EXPECT_EQ(steps[k].index, static_cast<std::int64_t>(k));
        if (!steps[k].last) {
          EXPECT_EQ(steps[k].rows, split);
        }
      }
    }
  }
}

TEST(Loader, EverySampleOnceAnEpoch) {
  for (const std::string shards : {"shuffled", "by-label"}) {
    for (const Batches& split : splits_of_12) {
      for (const std::int64_t size : {1, 5, 12, 13, 100, 103}) {
        Group group = make_group(std::make_shared<NumberedSet>(size), split, [&](LoaderOptions& options) { options.shards = shards; });
        for (int epoch = 0; epoch < 2; ++epoch) EXPECT_EQ(sorted_ids(epoch_of(group)), all_ids(size)) << shards << " of " << size;
        EXPECT_EQ(group[0]->samples_per_epoch(), size);
        EXPECT_EQ(group[0]->batches_per_epoch(), (size + 11) / 12);
      }
    }
  }
}

// LB1: 10 samples, batch 4 per rank, 2 and 3 ranks. PT1: 4k + 1 samples on 4 ranks.
TEST(Loader, UnevenLastBatchIsSharedByCumulativeShares) {
  Group two = make_group(std::make_shared<NumberedSet>(10), {4, 4});
  const std::vector<Step> of_two = epoch_of(two);
  ASSERT_EQ(of_two.size(), 2u);
  EXPECT_EQ(of_two[1].rows, (Batches{1, 1}));
  EXPECT_EQ(of_two[1].global_rows, 2);

  Group three = make_group(std::make_shared<NumberedSet>(10), {4, 4, 4});
  const std::vector<Step> of_three = epoch_of(three);
  ASSERT_EQ(of_three.size(), 1u);
  EXPECT_EQ(of_three[0].rows, (Batches{3, 3, 4}));
  EXPECT_EQ(of_three[0].global_rows, 10);

  Group four = make_group(std::make_shared<NumberedSet>(21), {1, 1, 1, 1});
  const std::vector<Step> of_four = epoch_of(four);
  ASSERT_EQ(of_four.size(), 6u);
  EXPECT_EQ(of_four[5].rows, (Batches{0, 0, 0, 1}));
  EXPECT_EQ(of_four[5].global_rows, 1);
}

TEST(Loader, DropLeavesTheRestOut) {
  Group group = make_group(std::make_shared<NumberedSet>(103), {5, 7}, [](LoaderOptions& options) { options.last_batch = "drop"; });
  EXPECT_EQ(group[0]->batches_per_epoch(), 8);
  EXPECT_EQ(group[0]->samples_per_epoch(), 96);
  const std::vector<Step> steps = epoch_of(group);
  ASSERT_EQ(steps.size(), 8u);
  for (const Step& step : steps) EXPECT_EQ(step.global_rows, 12);
  const std::vector<std::int64_t> ids = sorted_ids(steps);
  EXPECT_EQ(std::set<std::int64_t>(ids.begin(), ids.end()).size(), 96u);
  EXPECT_EQ(next_of(group).epoch, 1);
}

TEST(Loader, DropOfEverythingIsRefused) {
  LoaderOptions options = options_for({8, 8}, 0);
  options.last_batch = "drop";
  EXPECT_EQ(message_of<ConfigError>([&] { make_loader(std::make_shared<NumberedSet>(10), options); }),
            "data.last_batch: \"drop\" leaves nothing of 10 samples, fewer than one global batch of 16; \"keep\" uses them");
}

TEST(Loader, ByLabelGivesEachRankABlockOfItsOwn) {
  const std::int64_t size = 90;
  const auto set = std::make_shared<NumberedSet>(size);
  std::vector<std::int64_t> sorted = all_ids(size);
  std::stable_sort(sorted.begin(), sorted.end(), [&](std::int64_t a, std::int64_t b) { return set->label(a) < set->label(b); });
  const Batches batches = {4, 2, 3};  // blocks of 40, 20 and 30
  Group group = make_group(set, batches, [](LoaderOptions& options) { options.shards = "by-label"; });
  for (int epoch = 0; epoch < 2; ++epoch) {
    std::vector<std::vector<std::int64_t>> seen(3);
    for (int k = 0; k < 10; ++k) {
      for (std::size_t rank = 0; rank < 3; ++rank) {
        for (const std::int64_t id : ids_of(group[rank]->next())) seen[rank].push_back(id);
      }
    }
    std::int64_t begin = 0;
    for (std::size_t rank = 0; rank < 3; ++rank) {
      std::vector<std::int64_t> block(sorted.begin() + begin, sorted.begin() + begin + batches[rank] * 10);
      EXPECT_NE(seen[rank], block) << "shuffled within the block";
      std::sort(block.begin(), block.end());
      std::sort(seen[rank].begin(), seen[rank].end());
      EXPECT_EQ(seen[rank], block);
      begin += batches[rank] * 10;
    }
  }
}

TEST(Loader, TestSetsComeInOrderAndWhole) {
  for (const Batches& split : splits_of_12) {
    Group group = make_group(std::make_shared<NumberedSet>(29), split, [](LoaderOptions& options) {
      options.train = false;
      options.last_batch = "drop";  // concerns training alone
      options.shards = "by-label";
      options.augment = {"flip"};
    });
    for (int pass = 0; pass < 2; ++pass) {
      const std::vector<Step> steps = epoch_of(group);
      std::vector<std::int64_t> ids;
      for (const Step& step : steps) ids.insert(ids.end(), step.ids.begin(), step.ids.end());
      EXPECT_EQ(ids, all_ids(29));
    }
  }
}

TEST(Loader, SeedChangesTheOrder) {
  const auto set = std::make_shared<NumberedSet>(50);
  Group a = make_group(set, {10}), b = make_group(set, {10}, [](LoaderOptions&options) { options.seed = 8; });
  EXPECT_NE(next_of(a).ids, next_of(b).ids);
}

// EL4: from any batch on, a new loader gives what an uninterrupted one gives, augmented pixels included.
TEST(Loader, SeekContinuesAsIfNeverStopped) {
  const Shape shape{8, 8, 3};
  const auto set = std::make_shared<NumberedSet>(41, shape);
  for (const std::string shards : {"shuffled", "by-label"}) {
    for (const Batches& split : {Batches{12}, Batches{5, 7}, Batches{3, 3, 6}}) {
      const auto change = [&](LoaderOptions& options) {
        options.shards = shards;
        options.augment = {"crop", "flip"};
      };
      Group whole = make_group(set, split, change);
      std::vector<Step> steps;
      for (int k = 0; k < 12; ++k) steps.push_back(next_of(whole, shape.elements()));
      EXPECT_NE(steps[0].images, steps[4].images);
      for (int from = 0; from < 12; from += 3) {
        Group resumed = make_group(set, split, change);
        next_of(resumed, shape.elements());  // read ahead at the beginning, then elsewhere
        for (auto& loader : resumed) loader->seek(from / 4, from % 4);
        EXPECT_EQ(resumed[0]->epoch(), from / 4);
        for (int k = from; k < 12; ++k) {
          const Step step = next_of(resumed, shape.elements());
          EXPECT_EQ(step.images, steps[static_cast<std::size_t>(k)].images) << shards << " from " << from << " at " << k;
          EXPECT_EQ(step.index, k % 4);
        }
      }
    }
  }
}

TEST(Loader, AugmentationDoesNotDependOnTheSplit) {
  const Shape shape{9, 8, 3};
  const auto set = std::make_shared<NumberedSet>(40, shape);
  std::vector<float> expected;
  for (const Batches& split : splits_of_12) {
    Group group = make_group(set, split, [](LoaderOptions& options) { options.augment = {"flip", "crop"}; });
    std::vector<float> images;
    for (int k = 0; k < 6; ++k) {
      const Step step = next_of(group, shape.elements());
      images.insert(images.end(), step.images.begin(), step.images.end());
    }
    if (expected.empty()) expected = images;
    EXPECT_EQ(images, expected);
  }
}

TEST(Loader, NewBatchSizesTakeEffectAtTheNextStep) {
  const auto set = std::make_shared<NumberedSet>(60);
  Group one = make_group(set, {20});
  std::vector<std::int64_t> order;
  for (const Step& step : epoch_of(one)) order.insert(order.end(), step.ids.begin(), step.ids.end());

  Group group = make_group(set, {4, 4});
  std::vector<std::int64_t> ids = next_of(group).ids;
  const Batches larger = {3, 9};
  for (auto& loader : group) loader->set_batch(larger);
  EXPECT_EQ(group[1]->position(), 8);
  std::vector<Step> rest = epoch_of(group);
  for (const Step& step : rest) ids.insert(ids.end(), step.ids.begin(), step.ids.end());
  EXPECT_EQ(rest[0].rows, larger);
  EXPECT_EQ(rest[0].index, 1);
  EXPECT_EQ(ids, order) << "the epoch's order stays, and every sample is used";

  Group resumed = make_group(set, larger);
  for (auto& loader : resumed) loader->resume_at(0, 2, 20);
  EXPECT_EQ(next_of(resumed).ids, rest[1].ids);
}

TEST(Loader, DropEndsTheEpochAloudAfterBatchesGrew) {
  Group group = make_group(std::make_shared<NumberedSet>(20), {4, 4}, [](LoaderOptions& options) { options.last_batch = "drop"; });
  EXPECT_FALSE(next_of(group).last);
  for (auto& loader : group) loader->set_batch(Batches{8, 8});
  const Step rest = next_of(group);  // 12 left, fewer than 16
  EXPECT_TRUE(rest.last);
  EXPECT_EQ(rest.global_rows, 12);
  EXPECT_EQ(next_of(group).global_rows, 16);
  EXPECT_THROW(group[0]->set_batch(Batches{20, 20}), ConfigError);
  EXPECT_EQ(group[0]->next().global_rows, 16) << "the old sizes go on";
}

TEST(Loader, RefusesWhatDoesNotFit) {
  const auto set = std::make_shared<NumberedSet>(10);
  const auto with = [&](auto change) {
    LoaderOptions options = options_for({2, 2}, 0);
    change(options);
    make_loader(set, options);
  };
  EXPECT_THROW(with([](LoaderOptions& o) { o.rank = 2; }), UsageError);
  EXPECT_THROW(with([](LoaderOptions& o) { o.batch_per_rank = {1, 2, 3}; }), UsageError);
  EXPECT_THROW(with([](LoaderOptions& o) { o.batch_per_rank = {0, 0}; }), UsageError);
  EXPECT_THROW(with([](LoaderOptions& o) { o.batch_per_rank = {-1, 2}; }), UsageError);
  EXPECT_THROW(with([](LoaderOptions& o) { o.batch_per_rank = {0x7fffffff, 1}; }), UsageError);
  EXPECT_THROW(with([](LoaderOptions& o) { o.prefetch = -1; }), UsageError);
  EXPECT_EQ(message_of<ConfigError>([&] { with([](LoaderOptions& o) { o.shards = "sorted"; }); }),
            "data.shards: \"sorted\" is not possible; \"shuffled\" and \"by-label\" are");
  EXPECT_EQ(message_of<ConfigError>([&] { with([](LoaderOptions& o) { o.augment = {"blur"}; }); }),
            "data.augment: there is no augmentation \"blur\"; \"crop\" and \"flip\" are possible");
  EXPECT_EQ(message_of<ConfigError>([&] { with([](LoaderOptions& o) {
                                            o.mean = {0.5f, 0.5f};
                                          }); }),
            "data.mean: 2 values for 4 channels; one per channel, or one for all, are needed");
  EXPECT_THROW(with([](LoaderOptions& o) { o.stddev = {0.0f}; }), ConfigError);
  LoaderOptions good = options_for({2}, 0);
  EXPECT_THROW(make_loader(set, good)->seek(0, 5), UsageError);
  EXPECT_THROW(make_loader(set, good)->resume_at(0, 0, 10), UsageError);
}

}  // namespace
}  // namespace syncline
