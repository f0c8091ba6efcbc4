// SPDX-License-Identifier: Apache-2.0
// What lists of thousands of runs are read with: the same values as one run at a time, in fewer reads.
#include <nlohmann/json.hpp>

#include "engine/store/summary.h"
#include "tests/unit/store/fixture.h"

namespace syncline {
namespace {

class ListsTest : public StoreTest {
 protected:
  // A run with 40 steps; `close`: with its stored summary and an exit record.
  std::string record(const Workspace& store, NewRun run, bool close) {
    RunRegistry registry(store);
    const std::string id = registry.create(run);
    writers_.push_back(std::make_unique<RunWriter>(store, id));
    RunWriter& writer = *writers_.back();
    for (std::int64_t step = 0; step < 40; ++step) {
      writer.position(axes_at(step));
      writer.scalar("train_loss", step, 1.0 / static_cast<double>(step + 1));
      for (int rank = 0; rank < 2; ++rank) writer.step(sums_at(step, rank));
    }
    writer.flush();
    if (!close) return id;
    writer.close();
    registry.finish(id, {"finished", "", 0, 0});
    return id;
  }
  void TearDown() override {
    writers_.clear();
    StoreTest::TearDown();
  }
  std::vector<std::unique_ptr<RunWriter>> writers_;
};

TEST_F(ListsTest, HeadersAreTheRunsWithoutTheirTexts) {
  const Workspace store = workspace();
  const std::string id = record(store, new_run(), true);
  Annotations(store).add_tag(id, "fig 3");
  Reader reader(store);
  std::vector<RunInfo> runs = reader.runs();
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_FALSE(runs[0].experiment.empty());
  runs[0].experiment.clear();
  runs[0].experiment_as_typed.clear();
  runs[0].command.clear();
  EXPECT_EQ(reader.run_headers(), runs);
}

TEST_F(ListsTest, StoredSummariesAreWhatSummariseGives) {
  const Workspace store = workspace();
  record(store, new_run("alone", "none"), true);
  const std::string id = record(store, new_run(), true);
  Reader reader(store);
  const RunInfo run = reader.run(id);
  const auto stored = StoredSummaries(reader).of(run);
  ASSERT_TRUE(stored.has_value());
  EXPECT_EQ(to_json(*stored), to_json(summarise(reader, run)));
  EXPECT_TRUE(stored->compute_inflation.has_value()) << "the compute-only run of the same experiment was not found";
}

TEST_F(ListsTest, ARunThatIsGoingOnHasNoStoredSummary) {
  const Workspace store = workspace();
  const std::string id = record(store, new_run(), false);
  Reader reader(store);
  EXPECT_FALSE(StoredSummaries(reader).of(reader.run(id)).has_value());
  EXPECT_EQ(summarise(reader, reader.run(id)).steps, 40);
}

TEST_F(ListsTest, EveryKeyOfASummaryHasItsNumberByName) {
  const Workspace store = workspace();
  const std::string id = record(store, new_run(), true);
  Reader reader(store);
  const Summary summary = summarise(reader, reader.run(id));
  auto json = to_json(summary);
  json.erase("times_withheld");  // a sentence
  ASSERT_EQ(summary_keys().size(), json.size());
  for (const auto& [key, value] : json.items()) {
    const auto number = value_of(summary, key);
    ASSERT_EQ(number.has_value(), value.is_number()) << key;
    if (number) {
      EXPECT_EQ(*number, value.get<double>()) << key;
    }
    EXPECT_TRUE(summary_metric(key).has_value()) << key;
  }
  EXPECT_FALSE(summary_metric("no such key").has_value());
  EXPECT_DOUBLE_EQ(exposed_share(summary).value(), *summary.exposed_comm_s / *summary.step_s);
}

}  // namespace
}  // namespace syncline
