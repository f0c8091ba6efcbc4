// SPDX-License-Identifier: Apache-2.0
// What is said of an experiment before it runs is what its parts then do.
#include "engine/sim/preview.h"

#include <gtest/gtest.h>

#include "engine/base/error.h"
#include "engine/data/order.h"
#include "engine/sim/schema.h"

namespace syncline {
namespace {

class Set final : public Dataset {
 public:
  explicit Set(std::int64_t size) : size_(size) {}
  std::int64_t size() const override { return size_; }
  Shape shape() const override { return {}; }
  std::int64_t classes() const override { return 2; }
  const std::vector<std::string>& class_names() const override { return names_; }
  std::int32_t label(std::int64_t) const override { return 0; }
  void read(std::int64_t, std::span<std::uint8_t>) const override {}
  std::vector<float> default_mean() const override { return {0}; }
  std::vector<float> default_stddev() const override { return {1}; }

 private:
  std::int64_t size_;
  std::vector<std::string> names_ = {"a", "b"};
};

Experiment lenet(const std::string& strategy, const std::string& train = {}, int workers = 4) {
  const std::string text = "name = \"job\"\nmodel = { zoo = \"lenet\" }\ndata = { source = \"synthetic\" }\n[train]\nsteps = 10\n" + train +
                           "\n[cluster]\nworkers = " + std::to_string(workers) + "\n[strategy]\n" + strategy + "\n";
  Parsed parsed = parse_experiment(text, "job.toml", catalogue());
  EXPECT_TRUE(parsed.experiment) << (parsed.problems.empty() ? std::string() : parsed.problems.front().message);
  return *parsed.experiment;
}

TEST(Preview, StepsOfAnEpochAreTheLoadersOwn) {
  for (const std::int64_t size : {130, 256, 60000}) {  // no fewer than a global batch: "drop" would leave nothing
    for (const std::int64_t batch : {7, 32, 64}) {
      for (const bool drop : {false, true}) {
        const Set set(size);
        LoaderOptions options;
        options.ranks = 2;
        options.batch_per_rank = {batch};
        options.last_batch = drop ? "drop" : "keep";
        const SampleOrder order(set, options);
        EXPECT_EQ(steps_per_epoch(size, 2 * batch, drop).steps, order.batches_per_epoch()) << size << " " << batch << " " << drop;
      }
    }
  }
}

TEST(Preview, BytesSentAgreeWithTheClosedFormOfTheCollective) {
  // Every rank but for its own part sends the vector twice: 2 (p-1)/p n.
  const std::vector<std::int64_t> small = {4000}, large = {8000000};
  EXPECT_DOUBLE_EQ(bytes_sent_per_rank(lenet("name = \"sync\""), small).value_or(-1), 2 * 3 * 1000 * 4.0);
  EXPECT_DOUBLE_EQ(bytes_sent_per_rank(lenet("name = \"sync\"", {}, 4000), large).value_or(-1), 2 * 3999 * 2000 * 4.0);
  EXPECT_EQ(bytes_sent_per_rank(lenet("name = \"sync\"", {}, 1), small), 0.0);
  EXPECT_FALSE(bytes_sent_per_rank(lenet("name = \"sync\"\nallreduce = \"library\""), small));
}

TEST(Preview, MessagesCoverTheModelOnceWithTimesOnlyFromAProfile) {
  const Experiment experiment = lenet("name = \"sync\"\nplan = \"wfbp\"");
  const ModelDescription model = describe_model(experiment);
  const PlannedMessages planned = plan_messages(experiment, model, {});
  ASSERT_EQ(planned.messages.size(), 4u) << "one per layer with parameters";
  EXPECT_EQ(planned.messages.front().layers, (std::vector<std::string>{"fc2", "fc2.bias"})) << "the last layer is ready first";
  std::int64_t elements = 0;
  for (const std::int64_t count : planned.elements()) elements += count;
  EXPECT_EQ(elements, model.parameters);
  EXPECT_FALSE(planned.step_s);
  Profile profile;
  profile.forward_s = 1e-3;
  profile.backward_s.assign(model.slices.size(), 1e-3);
  profile.update_s = 5e-4;
  const PlannedMessages timed = plan_messages(experiment, model, profile);
  ASSERT_TRUE(timed.step_s && timed.messages.front().times);
  EXPECT_GE(*timed.step_s, 1e-3 + 1e-3 * static_cast<double>(model.slices.size()) + 5e-4);
  EXPECT_THROW(plan_messages(lenet("name = \"none\""), model, {}), ConfigError);
}

TEST(Preview, MemoryCountsTheOptimizersArraysAndTheLargestPartOfABatch) {
  const auto need = [](const std::string& train) {
    const Experiment experiment = lenet("name = \"sync\"", train);
    const DataShape data = data_shape(experiment.data);
    return memory_per_rank(experiment, expand_model(experiment.model, data.shape, data.classes), data);
  };
  const auto plain = need("optimizer = { name = \"sgd\", momentum = 0.9 }"), adam = need("optimizer = { name = \"adam\" }");
  ASSERT_TRUE(plain && adam);
  const auto parameters = static_cast<double>(describe_model(lenet("name = \"sync\"")).parameters);
  EXPECT_DOUBLE_EQ(adam->values - plain->values, 4 * parameters) << "one array more";
  EXPECT_DOUBLE_EQ(adam->values - adam->checkpoint, 4 * parameters) << "gradients are not saved";
  EXPECT_LT(need("micro_batches = 4")->activations, 0.5 * plain->activations);
  EXPECT_FALSE(need("optimizer = { name = \"plugin:absent\" }"));
}

TEST(Preview, LearningRatesFollowTheSchedule) {
  const std::vector<std::int64_t> steps = {0, 5, 9};
  const auto constant = learning_rates(lenet("name = \"sync\"", "optimizer = { name = \"sgd\", lr = 0.1 }"), 10, steps);
  ASSERT_TRUE(constant);
  EXPECT_EQ(*constant, (std::vector<double>{0.1, 0.1, 0.1}));
  const auto cosine =
      learning_rates(lenet("name = \"sync\"", "optimizer = { name = \"sgd\", lr = 0.1 }\nschedule = { name = \"cosine\" }"), 10, steps);
  ASSERT_TRUE(cosine);
  EXPECT_GT((*cosine)[0], (*cosine)[1]);
  EXPECT_GT((*cosine)[1], (*cosine)[2]);
}

}  // namespace
}  // namespace syncline
