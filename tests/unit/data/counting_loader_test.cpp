// SPDX-License-Identifier: Apache-2.0
// The loader that only counts: the same rows, positions and epochs as the one that reads samples.
#include "engine/data/counting_loader.h"

#include <gtest/gtest.h>

namespace syncline {
namespace {

class Set final : public Dataset {
 public:
  std::int64_t size() const override { return 47; }
  Shape shape() const override { return Shape{1, 1, 1}; }
  std::int64_t classes() const override { return 2; }
  const std::vector<std::string>& class_names() const override { return names_; }
  std::int32_t label(std::int64_t id) const override { return static_cast<std::int32_t>(id % 2); }
  void read(std::int64_t, std::span<std::uint8_t>) const override {}
  std::vector<float> default_mean() const override { return {0}; }
  std::vector<float> default_stddev() const override { return {1}; }

 private:
  std::vector<std::string> names_ = {"a", "b"};
};

void expect_alike(Loader& counted, Loader& real, int batches) {
  EXPECT_EQ(counted.batches_per_epoch(), real.batches_per_epoch());
  EXPECT_EQ(counted.samples_per_epoch(), real.samples_per_epoch());
  for (int k = 0; k < batches; ++k) {
    const Batch a = counted.next(), b = real.next();
    EXPECT_EQ(a.rows, b.rows) << k;
    EXPECT_EQ(a.global_rows, b.global_rows) << k;
    EXPECT_EQ(a.first_position, b.first_position) << k;
    EXPECT_EQ(a.epoch, b.epoch) << k;
    EXPECT_EQ(a.index, b.index) << k;
    EXPECT_EQ(a.last_of_epoch, b.last_of_epoch) << k;
    EXPECT_EQ(counted.epoch(), real.epoch());
    EXPECT_EQ(counted.position(), real.position());
  }
}

TEST(CountingLoader, CountsAsARealOneDoes) {
  for (const char* last : {"keep", "drop"}) {
    for (const char* shards : {"shuffled", "by-label"}) {
      LoaderOptions options;
      options.ranks = 3;
      options.rank = 1;
      options.batch_per_rank = {4, 3, 5};
      options.last_batch = last;
      options.shards = shards;
      options.prefetch = 0;
      const auto counted = make_counting_loader(47, options), real = make_loader(std::make_shared<Set>(), options);
      expect_alike(*counted, *real, 10);
      counted->seek(2, 1);
      real->seek(2, 1);
      expect_alike(*counted, *real, 5);
      const std::vector<std::int64_t> batches = {2, 2, 2};
      counted->set_batch(batches);
      real->set_batch(batches);
      expect_alike(*counted, *real, 20);
      counted->resume_at(1, 2, 20);
      real->resume_at(1, 2, 20);
      expect_alike(*counted, *real, 3);
      for (Loader* loader : {counted.get(), real.get()}) {
        EXPECT_THROW(loader->seek(0, loader->batches_per_epoch()), UsageError);
        EXPECT_THROW(loader->resume_at(0, 0, 47), UsageError);
      }
    }
  }
}

}  // namespace
}  // namespace syncline
