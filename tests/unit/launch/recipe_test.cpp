// SPDX-License-Identifier: Apache-2.0
// What a recipe's steps have found, kept in a workspace, and its claims against that.
#include <algorithm>

#include "engine/launch/recipe_claims.h"
#include "engine/launch/recipe_run.h"
#include "tests/unit/store/fixture.h"

namespace syncline {
namespace {

using Json = nlohmann::ordered_json;

class RecipeRecordTest : public StoreTest {
 protected:
  static RecipeRecord record(const std::string& recipe, bool quick, double started) {
    RecipeRecord record;
    record.recipe = recipe;
    record.quick = quick;
    record.started = started;
    return record;
  }
};

TEST_F(RecipeRecordTest, ComesBackAsItWasSavedAndIsReplacedByTheNext) {
  const Workspace at = workspace();
  RecipeRecord first = record("waiting", true, 5);
  first.steps["wire"] = {
      .state = "failed", .reason = "no link", .made_from = "m", .runs = {"r"}, .result = Json{{"rows", 1}}, .seconds = 2};
  first.claims = {{.id = "1", .text = "t", .expected = "at least 1", .measured = 1.5, .held = true, .note = ""},
                  {.id = "2", .text = "u", .expected = "e", .measured = {}, .held = {}, .note = "needs: time"},
                  {.id = "3", .text = "v", .expected = "e", .measured = false, .held = false, .note = ""}};
  save(at, first);
  Reader reader(at);
  const std::optional<RecipeRecord> read = recipe_record(reader.database(), "waiting", true);
  ASSERT_TRUE(read);
  EXPECT_EQ(to_json(*read), to_json(first));
  EXPECT_EQ(read->saved_id, first.saved_id);
  EXPECT_FALSE(recipe_record(reader.database(), "waiting", false)) << "the other size";
  first.started = 6;
  save(at, first);
  EXPECT_EQ(recipe_records(reader.database()).size(), 1u);
}

TEST_F(RecipeRecordTest, OfItsSizesTheOneBegunLastCounts) {
  const std::vector<RecipeRecord> records = {record("a", true, 3), record("a", false, 7), record("b", true, 9), record("a", true, 5)};
  EXPECT_EQ(last_begun(records, "a"), &records[1]);
  EXPECT_EQ(last_begun(records, "c"), nullptr);
}

TEST_F(RecipeRecordTest, OneWhoseProcessIsGoneHasStopped) {
  RecipeRecord going = record("a", false, 1);
  EXPECT_EQ(going.state_now(), "stopped") << "nobody runs it";
  going.process = this_process();
  EXPECT_EQ(going.state_now(), "running");
  going.process.start_ticks += 1;  // a process of this number, but another one
  EXPECT_EQ(going.state_now(), "stopped");
  going.state = "finished";
  EXPECT_EQ(going.state_now(), "finished");
}

class RecipeClaimsTest : public testing::Test {
 protected:
  RecipeClaimsTest() {
    const auto step = [&](RecipeStep::Kind kind, const char* id) -> RecipeStep& {
      RecipeStep& made = recipe_.steps.emplace_back();
      made.kind = kind;
      made.id = id;
      return made;
    };
    step(RecipeStep::simulate, "sim");
    step(RecipeStep::plan, "plan");
    step(RecipeStep::train, "trained");
    step(RecipeStep::bench, "broken");
    step(RecipeStep::bench, "later").needs = "a faster wire";
    step(RecipeStep::bench, "large").in_quick = false;
    finished("sim", {{"results",
                      {{{"workers", 4}, {"plan", "wfbp"}, {"step_s", 0.5}},
                       {{"workers", 8}, {"plan", "wfbp"}, {"step_s", 0.75}},
                       {{"workers", 8}, {"plan", "single"}, {"step_s", 1.0}, {"error", nullptr}}}}});
    finished("plan", {{"step_s", 0.25}, {"buckets", {{{"bytes", 100}}, {{"bytes", 28}}}}});
    record_.steps["broken"] = {.state = "failed", .reason = "no link", .made_from = {}, .runs = {}, .result = {}, .seconds = 0};
  }
  void finished(const char* id, Json result) {
    record_.steps[id] = {.state = "finished", .reason = {}, .made_from = {}, .runs = {}, .result = std::move(result), .seconds = 0};
  }
  ClaimResult judged(const std::string& measure, bool quick = false) {
    Claim claim;
    claim.id = "1";
    claim.measure = Expression(measure);
    claim.at_least = Threshold{0.5, {}, {}};
    recipe_.claims = {claim};
    record_.quick = quick;
    return evaluate_claims(recipe_, record_, nullptr, {}).front();
  }
  double measured(const std::string& measure) { return std::get<double>(judged(measure).measured); }
  std::string note(const std::string& measure, bool quick = false) {
    const ClaimResult result = judged(measure, quick);
    EXPECT_FALSE(result.held) << "not tested is neither";
    EXPECT_TRUE(std::holds_alternative<std::monostate>(result.measured));
    return result.note;
  }
  Recipe recipe_;
  RecipeRecord record_;
};

TEST_F(RecipeClaimsTest, BracketsChooseTheOneRow) {
  EXPECT_EQ(measured("sim.step_s[workers=8, plan=\"wfbp\"]"), 0.75);
  EXPECT_EQ(measured("plan.step_s"), 0.25);
  EXPECT_EQ(measured("plan.buckets"), 2);
  EXPECT_EQ(measured("plan.bytes[bucket=1]"), 28);
  EXPECT_EQ(judged("sim.step_s[workers=4]").held, true);
  EXPECT_EQ(judged("plan.step_s").held, false);
  EXPECT_EQ(note("sim.step_s[workers=8]"), "not tested: sim.step_s[workers=8]: several rows are so");
  EXPECT_EQ(note("sim.step_s[workers=16]"), "not tested: sim.step_s[workers=16]: no row is so");
  EXPECT_EQ(note("sim.step_s[workers=\"8\"]"), "not tested: sim.step_s[workers=\"8\"]: no row is so") << "a text is no number";
  EXPECT_EQ(note("plan.bytes[bucket=2]"), "not tested: plan.bytes[bucket=2]: no row is so");
  EXPECT_EQ(note("sim.error[workers=8, plan=\"single\"]"), "not tested: sim.error[workers=8, plan=\"single\"] has no number");
}

TEST_F(RecipeClaimsTest, WhatIsNotTestedSaysWhy) {
  EXPECT_EQ(note("trained.step_s"), "not tested: step trained has not been run");
  EXPECT_EQ(note("broken.time_s"), "not tested: step broken failed: no link");
  EXPECT_EQ(note("later.time_s"), "needs: a faster wire");
  EXPECT_EQ(note("large.time_s"), "not tested: step large has not been run");
  EXPECT_EQ(note("large.time_s", true), "not at this size: step large is left out");
  EXPECT_EQ(note("last(series(sim, \"train_loss\"))"),
            "not tested: step sim has no runs; series and counters are those of a step of kind 'train'");
  record_.steps["trained"] = {.state = "finished", .reason = {}, .made_from = {}, .runs = {"gone"}, .result = {}, .seconds = 0};
  EXPECT_EQ(note("trained.step_s"), "not tested: run gone is no longer in the workspace");
}

TEST(RecipeExitCode, IsZeroWhenNoClaimIsFalseAndHalfWereTested) {
  const auto claims = [](std::initializer_list<std::optional<bool>> held) {
    std::vector<ClaimResult> all;
    for (const std::optional<bool>& each : held)
      all.push_back({.id = "", .text = "", .expected = "", .measured = {}, .held = each, .note = ""});
    return all;
  };
  EXPECT_EQ(recipe_exit_code(claims({true, std::nullopt})), 0);
  EXPECT_EQ(recipe_exit_code(claims({true, std::nullopt, std::nullopt})), 1);
  EXPECT_EQ(recipe_exit_code(claims({true, true, false})), 1);
}

TEST(StepCommand, NamesRunsAndFilesWhereTheyAre) {
  Recipe recipe;
  recipe.base = "name = \"x\"\n[train]\nsteps = 5\n";
  RecipeStep step;
  step.kind = RecipeStep::simulate;
  step.id = "sim";
  step.full.workers = "4,8";
  step.full.profile = "step:alone";
  step.full.set = {{"cluster.profile", "\"file:card.json\""}};
  const auto run_of = [](const std::string& id) { return "run-of-" + id; };
  const StepCommand command = step_command(recipe, step, false, "/recipes", run_of);
  EXPECT_EQ(command.arguments, (std::vector<std::string>{"simulate", "FILE", "--workers", "4,8", "--profile", "run-of-alone"}));
  EXPECT_NE(command.experiment.find("profile = \"/recipes/card.json\""), std::string::npos) << command.experiment;
  step.kind = RecipeStep::bench;
  step.full = {};
  step.full.sizes = {4, 8};
  step.full.allreduces = {"ring", "multicolor:colors=2"};
  EXPECT_EQ(step_command(recipe, step, false, "/recipes", run_of).arguments,
            (std::vector<std::string>{"bench", "allreduce", "FILE", "--sizes", "4,8", "--allreduce", "ring", "--allreduce",
                                      "multicolor:colors=2"}));
}

}  // namespace
}  // namespace syncline
