// SPDX-License-Identifier: Apache-2.0
#include "engine/data/counting_loader.h"

#include <string>

#include "engine/data/order.h"

namespace syncline {
namespace {

class CountOnly final : public Dataset {  // all that an order asks of a set whose samples nobody reads
 public:
  explicit CountOnly(std::int64_t size) : size_(size) {}
  std::int64_t size() const override { return size_; }
  Shape shape() const override { return {}; }
  std::int64_t classes() const override { return 1; }
  const std::vector<std::string>& class_names() const override { return names_; }
  std::int32_t label(std::int64_t) const override { return 0; }
  void read(std::int64_t, std::span<std::uint8_t>) const override { throw UsageError("a counted set has no samples"); }
  std::vector<float> default_mean() const override { return {}; }
  std::vector<float> default_stddev() const override { return {}; }

 private:
  std::int64_t size_;
  std::vector<std::string> names_;
};

class CountingLoader final : public Loader {
 public:
  CountingLoader(std::int64_t samples, const LoaderOptions& options)
      : ranks_(options.ranks), order_(CountOnly(samples), counted(options)) {}

  const Batch& next() override {
    const Slice slice = order_.slice(upcoming_);
    upcoming_ = order_.after(slice);
    batch_ = batch_of(slice);
    return batch_;
  }
  std::int64_t epoch() const override { return upcoming_.epoch; }
  std::int64_t position() const override { return upcoming_.position; }
  std::int64_t batches_per_epoch() const override { return order_.batches_per_epoch(); }
  std::int64_t samples_per_epoch() const override { return order_.samples_per_epoch(); }
  void seek(std::int64_t epoch, std::int64_t batch) override { go_to(order_.at(epoch, batch)); }
  void resume_at(std::int64_t epoch, std::int64_t batch, std::int64_t position) override { go_to({epoch, batch, position}); }
  void set_batch(std::span<const std::int64_t> batches) override { order_.set_shares(Shares(batches, ranks_)); }

 private:
  static LoaderOptions counted(LoaderOptions options) {
    options.shards = "shuffled";  // whose samples a rank takes is nothing to count
    return options;
  }
  void go_to(const Cursor& at) {
    order_.check(at);
    upcoming_ = at;
  }
  int ranks_;
  SampleOrder order_;
  Cursor upcoming_;
  Batch batch_;
};

}  // namespace

std::unique_ptr<Loader> make_counting_loader(std::int64_t samples, const LoaderOptions& options) {
  return std::make_unique<CountingLoader>(samples, options);
}

}  // namespace syncline
