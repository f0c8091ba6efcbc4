// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/editor/recipe_list.h"

#include <gtest/gtest.h>

#include <QDir>
#include <QFile>
#include <QTemporaryDir>

namespace syncline::ui {
namespace {

Recipe small() {
  Recipe recipe;
  recipe.name = "small";
  recipe.steps.resize(2);
  recipe.steps[0].id = "alone";
  recipe.steps[1].id = "later";
  recipe.steps[1].needs = "a faster wire";
  recipe.claims.resize(2);
  recipe.claims[0].id = "1";
  recipe.claims[0].holds = Expression("alone.step_s > 0");
  recipe.claims[1].id = "2";
  recipe.claims[1].holds = Expression("later.step_s > 0");
  return recipe;
}

RecipeRecord finished(std::initializer_list<std::optional<bool>> held) {
  RecipeRecord record;
  record.recipe = "small";
  record.state = "finished";
  record.quick = true;
  for (const std::optional<bool>& each : held)
    record.claims.push_back({.id = "1", .text = "", .expected = "", .measured = {}, .held = each, .note = ""});
  return record;
}

TEST(RecipeList, ReadsEveryFileAndSaysWhatIsWrongWithOne) {
  QTemporaryDir folder;
  ASSERT_TRUE(
      QFile::copy(QStringLiteral(SYNCLINE_SOURCE_DIR "/resources/recipes/mg-wfbp.toml"), folder.filePath(QStringLiteral("b.toml"))));
  QFile broken(folder.filePath(QStringLiteral("a.toml")));
  ASSERT_TRUE(broken.open(QIODevice::WriteOnly));
  broken.write("title = \"A\"\ntitel = 1\n");
  broken.close();
  const std::vector<ShippedRecipe> recipes = read_recipes(folder.path());
  ASSERT_EQ(recipes.size(), 2U);
  EXPECT_EQ(recipes[0].name, QStringLiteral("a"));
  EXPECT_FALSE(recipes[0].recipe);
  EXPECT_TRUE(recipes[0].problem.contains(QStringLiteral("a.toml:"))) << recipes[0].problem.toStdString();
  ASSERT_TRUE(recipes[1].recipe) << recipes[1].problem.toStdString();
  EXPECT_EQ(recipes[1].title, QString::fromStdString(recipes[1].recipe->title));
  EXPECT_TRUE(recipes[1].facts().startsWith(QString::number(recipes[1].recipe->paper.year))) << recipes[1].facts().toStdString();
  EXPECT_TRUE(read_recipes(QString()).empty());
}

TEST(RecipeList, BeforeTheFirstRunEachClaimSaysWhyItIsNotTested) {
  const RecipeStanding standing = standing_of(small(), {});
  EXPECT_EQ(standing.state, RecipeStanding::not_run);
  EXPECT_EQ(standing.sentence, QStringLiteral("– not run yet"));
  ASSERT_EQ(standing.claims.size(), 2U);
  EXPECT_EQ(standing.claims[0].note, "not tested: step alone has not been run");
  EXPECT_EQ(verdict_text(standing.claims[0]), QStringLiteral("– not tested"));
  EXPECT_EQ(verdict_text(standing.claims[1]), QStringLiteral("– not built yet")) << "its step needs what is not there";
  EXPECT_EQ(measured_text(standing.claims[0]), QStringLiteral("–"));
}

TEST(RecipeList, TheStandingIsThatOfTheSizeBegunLast) {
  RecipeRecord running;
  running.recipe = "small";
  running.started = 1;
  running.at = "alone";
  running.step_count = 2;
  running.process = this_process();
  EXPECT_EQ(standing_of(small(), {running}).sentence, QStringLiteral("▶ running: 0 of 2 steps, now alone"));
  running.process.start_ticks += 1;  // a process of this number, but another one
  EXPECT_EQ(standing_of(small(), {running}).sentence, QStringLiteral("■ stopped after 0 of 2 steps; Run goes on"));

  RecipeRecord last = finished({true, true});
  last.started = 2;
  EXPECT_EQ(standing_of(small(), {last, running}).sentence, QStringLiteral("✓ reproduced here (quick): 2 of 2 tested claims held"));
  last.recipe = "other";
  EXPECT_EQ(standing_of(small(), {last, running}).state, RecipeStanding::stopped);
}

TEST(RecipeList, OneFalseClaimOrTooFewTestedAreNoReproduction) {
  const RecipeStanding differs = standing_of(small(), {finished({true, true, false})});
  EXPECT_EQ(differs.state, RecipeStanding::differs);
  EXPECT_EQ(differs.sentence, QStringLiteral("! differs here (quick): 2 of 3 tested claims held"));
  EXPECT_EQ(differs.status, palette::Status::bad);
  const RecipeStanding little = standing_of(small(), {finished({true, std::nullopt, std::nullopt})});
  EXPECT_EQ(little.state, RecipeStanding::too_little);
  EXPECT_EQ(little.sentence, QStringLiteral("! too little tested (quick): 1 of 1 tested claims held"));
}

}  // namespace
}  // namespace syncline::ui
