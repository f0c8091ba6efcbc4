// SPDX-License-Identifier: GPL-3.0-or-later
// What the run page reads of an attempt that has nothing of its own yet.
#include <gtest/gtest.h>

#include "tests/unit/store/fixture.h"
#include "ui/models/chart/series_cache.h"
#include "ui/models/run_page_state.h"

namespace syncline::ui {
namespace {

class RunReadTest : public StoreTest {
 protected:
  // 40 steps, evaluations after 10, 20 and 30, checkpoints of 10 and 20; then an attempt from step 20 that trains `steps` and dies.
  void SetUp() override {
    StoreTest::SetUp();
    first_ = train({}, 0, 40, {10, 20, 30}, {10, 20});
  }
  std::string train(const std::string& before, int from, int to, const std::vector<int>& evaluated, const std::vector<int>& saved) {
    const Workspace at = workspace();
    NewRun run = new_run("a run");
    run.attempt_of = run.resumed_from = before;
    RunRegistry registry(at);
    const std::string id = registry.create(run);
    RunWriter writer(at, id);
    const auto among = [](const std::vector<int>& steps, int step) { return std::find(steps.begin(), steps.end(), step) != steps.end(); };
    for (int step = from; step < to; ++step) {
      writer.position(axes_at(step));
      writer.scalar(series::learning_rate, step, 0.1);
      writer.scalar(series::train_loss, step, 1.0 / (step + 1));
      writer.position(axes_at(step + 1));
      if (among(evaluated, step + 1)) writer.scalar(series::test_accuracy, step + 1, 0.01 * (step + 1));
      if (among(saved, step + 1))
        writer.checkpoint({.sequence = 0, .step = step + 1, .wall_s = 1.8e9, .path = "checkpoints/x", .bytes = 100, .verified = true});
    }
    writer.close();
    registry.finish(id, {.state = "failed", .reason = "rank 1 ended by signal 9", .exit_code = 4, .ended = 0});
    return id;
  }
  RunSnapshot read(const std::string& id) {
    Reader reader(workspace());
    return read_run(reader, id, workspace().run_folder(id).string(), {});
  }
  std::string first_;
};

TEST_F(RunReadTest, AnAttemptThatDiedBeforeItsFirstEvaluationHasTheLastOneThatCounts) {
  const RunSnapshot snapshot = read(train(first_, 20, 25, {}, {}));
  EXPECT_TRUE(snapshot.test_accuracy);
  EXPECT_FALSE(snapshot.test_loss);  // nobody recorded it
  ASSERT_TRUE(snapshot.latest.test_accuracy.has_value());
  EXPECT_DOUBLE_EQ(*snapshot.latest.test_accuracy, 0.2) << "that of step 30 was replaced";
  EXPECT_DOUBLE_EQ(read(first_).latest.test_accuracy.value_or(0), 0.2) << "the page of an earlier attempt draws the same curve";
}

TEST_F(RunReadTest, ChartsCutEvaluationsWhereTheNextAttemptBeganToTrain) {
  const std::string second = train(first_, 20, 25, {}, {});
  Reader reader(workspace());
  chart::FirstPoints firsts;
  const auto attempts = chart::attempts_of(reader, firsts, second, std::string(series::test_accuracy), -1, XAxis::step);
  ASSERT_EQ(attempts.size(), 2u);
  EXPECT_EQ(attempts[0].cutoff_x, 20);
  const auto losses = chart::attempts_of(reader, firsts, second, std::string(series::train_loss), -1, XAxis::step);
  EXPECT_EQ(losses[0].cutoff_x, 19);
}

TEST_F(RunReadTest, AnAttemptWithoutACheckpointCanGoOnFromTheOneItBeganWith) {
  const std::string second = train(first_, 20, 25, {}, {});
  const RunSnapshot snapshot = read(second);
  EXPECT_EQ(reason_not_to_resume(snapshot), QString());
  EXPECT_EQ(newest_checkpoint(snapshot)->step, 20);
  const std::string third = train(second, 10, 12, {}, {});  // from an older one
  EXPECT_EQ(newest_checkpoint(read(third))->step, 10);
  const std::string fourth = train(third, 10, 16, {}, {15});
  EXPECT_EQ(newest_checkpoint(read(fourth))->step, 15) << "its own comes first";
  const std::string alone = train({}, 0, 5, {}, {});
  EXPECT_EQ(reason_not_to_resume(read(alone)), QStringLiteral("The run has no checkpoint"));
}

}  // namespace
}  // namespace syncline::ui
