// SPDX-License-Identifier: Apache-2.0
#include "engine/store/attempts.h"

#include "engine/store/summary.h"
#include "tests/unit/store/fixture.h"

namespace syncline {
namespace {

class AttemptsTest : public StoreTest {
 protected:
  // Trains steps from..to-1, with an evaluation after each of `evaluated` steps (accuracy: a hundredth of the step, and of `better`).
  std::string make(const std::string& name, const RunInfo* before, int from, int to, const std::vector<int>& evaluated, double better = 0,
                   std::vector<std::string> command = {}) {
    const Workspace at = workspace();
    NewRun run = new_run(name);
    if (before != nullptr) {
      run.resumed_from = before->id;
      run.attempt_of = before->attempt_of.empty() ? before->id : before->attempt_of;
    }
    run.command = std::move(command);
    run.target_accuracy = 0.2;
    RunRegistry registry(at);
    const std::string id = registry.create(run);
    {
      RunWriter writer(at, id);
      for (int step = from; step < to; ++step) {
        writer.position(axes_at(step));
        writer.scalar(series::train_loss, step, 1.0 / (step + 1));
        writer.step(sums_at(step));
        if (std::find(evaluated.begin(), evaluated.end(), step + 1) == evaluated.end()) continue;
        writer.position(axes_at(step + 1));
        writer.scalar(series::test_accuracy, step + 1, 0.01 * (step + 1) + better);
      }
      writer.close();
    }
    registry.finish(id, {.state = "failed", .reason = "killed", .exit_code = 4, .ended = 0});
    return id;
  }
  RunInfo info(const std::string& id) { return Reader(workspace()).run(id); }
  std::vector<std::pair<std::string, std::int64_t>> sources(const std::string& id) {
    Reader reader(workspace());
    std::vector<std::pair<std::string, std::int64_t>> found;
    for (const ResumeSource& source : resume_sources(reader, reader.run(id))) found.emplace_back(source.run.id, source.last_step);
    return found;
  }
  static constexpr std::int64_t any = std::numeric_limits<std::int64_t>::max();
};

TEST_F(AttemptsTest, WhatARunCanGoOnFromIsItselfThenWhatEachAttemptBeganWith) {
  const std::string first = make("first", nullptr, 0, 40, {});
  const RunInfo one = info(first);
  const std::string second = make("second", &one, 20, 25, {});
  const RunInfo two = info(second);
  const std::string third = make("third", &two, 22, 24, {});
  EXPECT_EQ(sources(first), (std::vector<std::pair<std::string, std::int64_t>>{{first, any}}));
  EXPECT_EQ(sources(third), (std::vector<std::pair<std::string, std::int64_t>>{{third, any}, {second, 22}, {first, 20}}));
  EXPECT_EQ(first_step(*std::make_unique<Reader>(workspace()), second), 20);
}

TEST_F(AttemptsTest, AnAttemptWithoutAStepBeganWithTheCheckpointItsCommandNamesElseTheNewest) {
  const std::string first = make("first", nullptr, 0, 40, {});
  const RunInfo one = info(first);
  EXPECT_EQ(sources(make("a", &one, 0, 0, {}, 0, {"train", "--resume", "first", "--from-step", "10"})).back().second, 10);
  EXPECT_EQ(sources(make("b", &one, 0, 0, {}, 0, {"train", "--resume", "first", "--from-step=30"})).back().second, 30);
  EXPECT_EQ(sources(make("c", &one, 0, 0, {}, 0, {"train", "--resume", "first"})).back().second, any);
}

TEST_F(AttemptsTest, ASourceThatWasDeletedEndsTheList) {
  const std::string first = make("first", nullptr, 0, 4, {});
  const RunInfo one = info(first);
  const std::string second = make("second", &one, 2, 4, {});
  RunRegistry(workspace()).remove(first, false);
  EXPECT_EQ(sources(second), (std::vector<std::pair<std::string, std::int64_t>>{{second, any}}));
}

TEST_F(AttemptsTest, TheAccuracyOfAnAttemptIsTheLastKnownOfItsRun) {
  const std::string first = make("first", nullptr, 0, 40, {10, 20, 30});
  const RunInfo one = info(first);
  const std::string second = make("second", &one, 20, 25, {});
  Reader reader(workspace());
  const Summary died = summarise(reader, reader.run(second));
  EXPECT_DOUBLE_EQ(died.final_test_accuracy.value_or(0), 0.2) << "of step 20, with which it began; what came after was replaced";
  EXPECT_DOUBLE_EQ(died.best_test_accuracy.value_or(0), 0.2);
  EXPECT_DOUBLE_EQ(died.time_to_target_s.value_or(0), axes_at(20).active_s);
  EXPECT_EQ(StoredSummaries(reader).of(reader.run(second))->final_test_accuracy, died.final_test_accuracy) << "and lists say the same";

  const RunInfo two = info(second);
  const std::string third = make("third", &one, 20, 40, {25, 40}, -0.1);
  const Summary done = summarise(reader, reader.run(third));
  EXPECT_DOUBLE_EQ(done.final_test_accuracy.value_or(0), 0.3);
  EXPECT_DOUBLE_EQ(done.best_test_accuracy.value_or(0), 0.3) << "the 0.3 of the first attempt at step 30 does not count, its own does";
  const Summary whole = summarise(reader, reader.run(first));
  EXPECT_DOUBLE_EQ(whole.final_test_accuracy.value_or(0), 0.3) << "of the first attempt alone nothing is taken away";
}

TEST_F(AttemptsTest, AnotherRunThatBeganWithACheckpointHasItsOwnAccuracyOnly) {
  const std::string first = make("first", nullptr, 0, 40, {10});
  NewRun run = new_run("on another cluster");
  run.resumed_from = first;
  const std::string other = RunRegistry(workspace()).create(run);
  Reader reader(workspace());
  EXPECT_FALSE(summarise(reader, reader.run(other)).final_test_accuracy.has_value());
}

}  // namespace
}  // namespace syncline
