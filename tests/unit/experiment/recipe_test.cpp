// SPDX-License-Identifier: Apache-2.0
#include "engine/experiment/recipe.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/unit/experiment/test_catalogue.h"

namespace syncline {
namespace {

constexpr std::string_view whole = R"(title = "Waiting"
minutes = 3
[paper]
title = "On waiting"
year = 2020
[base]
name = "waiting"
[base.model]
zoo = "mlp"
[base.data]
source = "fashion-mnist"
[base.train]
steps = 100
[base.cluster]
workers = 2
[base.cluster.link]
bandwidth = "1 Gbit/s"
[base.strategy]
name = "none"
[[steps]]
id = "alone"
kind = "train"
set = { cluster = { workers = 1 } }
seeds = [1, 2, 3]
[[steps]]
id = "many"
kind = "simulate"
workers = "4,8"
profile = "step:alone"
set = { cluster = { link = { latency = "1 ms" } } }
quick = { workers = "4", set = { train = { steps = 10 }, cluster = { link = { latency = "2 ms" } } } }
[[steps]]
id = "later"
kind = "train"
needs = "a strategy that waits"
set = { strategy = { name = "waiting" } }
[[steps]]
id = "wire"
kind = "bench"
sizes = [4096, 8192]
allreduces = ["ring"]
quick = false
[[claims]]
id = "1.ratio"
text = "it waits"
measure = 'many.step_s[workers=4] / alone.step_s'
at_least = { card = 1.5, used = 1.4, why = "two cores" }
[[claims]]
id = "1.same"
text = "and loses nothing"
holds = 'same(parameters(alone), parameters(alone))'
[[claims]]
id = "2"
text = "more of it"
needs = "a strategy that waits"
)";

const RecipeKeys& keys() {
  static const Catalogue catalogue = test::small_catalogue();
  static const RecipeKeys keys{.catalogue = catalogue, .summary = {"step_s", "comm_s", "final_train_loss"}};
  return keys;
}

std::string with(const std::string& what, const std::string& instead) {
  std::string text(whole);
  text.replace(text.find(what), what.size(), instead);  // throws where it is not there
  return text;
}

// The only problem, as a person reads it.
std::string problem(const std::string& toml) {
  const ParsedRecipe parsed = parse_recipe(toml, "waiting.toml", keys());
  if (parsed.recipe) return "none";
  return parsed.problems.size() == 1 ? to_string(parsed.problems[0])
                                     : std::to_string(parsed.problems.size()) + ", first: " + to_string(parsed.problems[0]);
}

TEST(Recipe, AWholeOneIsReadWithBothSizes) {
  ParsedRecipe parsed = parse_recipe(whole, "folder/waiting.toml", keys());
  for (const Problem& each : parsed.problems) ADD_FAILURE() << to_string(each);
  ASSERT_TRUE(parsed.recipe);
  const Recipe& recipe = *parsed.recipe;
  EXPECT_EQ(recipe.name, "waiting");
  EXPECT_EQ(recipe.paper.year, 2020);
  ASSERT_EQ(recipe.steps.size(), 4u);
  EXPECT_EQ(recipe.steps[0].full.seeds.size(), 3u);
  EXPECT_EQ(recipe.steps[0].quick.seeds.size(), 1u) << "one seed is enough for the quick size";
  EXPECT_EQ(recipe.steps[1].full.workers, "4,8");
  EXPECT_EQ(recipe.steps[1].quick.workers, "4");
  EXPECT_EQ(recipe.steps[1].uses, (std::vector<std::string>{"alone"}));
  EXPECT_TRUE(recipe.steps[2].in_quick);
  EXPECT_FALSE(recipe.steps[3].in_quick);
  const std::string full = recipe.experiment_text(recipe.steps[1], false), quick = recipe.experiment_text(recipe.steps[1], true);
  EXPECT_NE(full.find("steps = 100"), std::string::npos) << full;
  EXPECT_NE(full.find("latency = \"1 ms\""), std::string::npos) << full;
  EXPECT_NE(quick.find("steps = 10\n"), std::string::npos) << quick;
  EXPECT_NE(quick.find("latency = \"2 ms\""), std::string::npos) << quick;
}

TEST(Recipe, AClaimSaysWhatIsExpectedAndWhereThatDiffersFromTheCard) {
  const Recipe recipe = *parse_recipe(whole, "waiting.toml", keys()).recipe;
  EXPECT_EQ(recipe.claims[0].expected(), "at least 1.4 (card: 1.5; two cores)");
  EXPECT_TRUE(recipe.claims[0].judge(1.4));
  EXPECT_FALSE(recipe.claims[0].judge(1.39999));
  EXPECT_EQ(recipe.claims[1].expected(), "same(parameters(alone), parameters(alone))");
  EXPECT_EQ(recipe.claims[2].needs, "a strategy that waits");
  Claim equal;
  equal.equals = Threshold{2, {}, {}};
  EXPECT_EQ(equal.expected(), "2");
  EXPECT_TRUE(equal.judge(2));
  EXPECT_FALSE(equal.judge(2.001));
  equal.tolerance = 0.01;
  EXPECT_EQ(equal.expected(), "2 within 1 %");
  EXPECT_TRUE(equal.judge(1.98));
  EXPECT_FALSE(equal.judge(1.97));
}

TEST(Recipe, MistakesAreSaidWithLineAndKeyAndWhatWouldBeRight) {
  EXPECT_EQ(problem("a = [").substr(0, 32), "waiting.toml:1: this is no TOML:");
  EXPECT_EQ(problem(with("minutes = 3", "minuets = 3")), "waiting.toml:2: minuets: is not known; did you mean 'minutes'?");
  EXPECT_EQ(problem(with("kind = \"bench\"", "kind = \"benhc\"")),
            "waiting.toml:39: steps.3.kind: 'benhc' is not known; did you mean 'bench'?")
      << "and nothing of what follows from it";
  EXPECT_EQ(problem(with("sizes = [4096, 8192]\nallreduces = [\"ring\"]\nquick = false",
                         "bench = \"setp\"\nquick = { set = { train = { steps = 10 } } }")),
            "waiting.toml:40: steps.3.bench: 'setp' is not known; did you mean 'step'?")
      << "once, not again for the quick size";
  std::string nameless(whole);
  for (const char* id : {"id = \"alone\"\n", "id = \"later\"\n"}) nameless.erase(nameless.find(id), std::string_view(id).size());
  const ParsedRecipe parsed = parse_recipe(nameless, "waiting.toml", keys());
  EXPECT_EQ(std::count_if(parsed.problems.begin(), parsed.problems.end(),
                          [](const Problem& each) { return each.message == "is missing; a text is needed"; }),
            2)
      << "each of them by itself";
}

TEST(Recipe, ExperimentsAreCheckedWhereTheyAreWritten) {
  EXPECT_EQ(problem(with("steps = 100", "stesp = 100")).substr(0, 3), "2, ");
  EXPECT_EQ(problem(with("zoo = \"mlp\"", "zoo = \"mpl\"")), "waiting.toml:9: base.model.zoo: 'mpl' is not known; did you mean 'mlp'?");
  EXPECT_EQ(problem(with("set = { cluster = { workers = 1 } }", "set = { cluster = { wokers = 1 } }")),
            "waiting.toml:20: steps.alone.cluster.wokers: unknown key 'wokers'; did you mean 'workers'?");
}

TEST(Recipe, ClaimsAreCheckedAgainstTheSteps) {
  EXPECT_EQ(problem(with("alone.step_s'", "alnoe.step_s'")),
            "waiting.toml:46: claims.0.measure: the step 'alnoe' is not known; did you mean 'alone'?");
  EXPECT_EQ(problem(with("alone.step_s'", "alone.setp_s'")),
            "waiting.toml:46: claims.0.measure: alone.setp_s: the key 'setp_s' is not known; did you mean 'step_s'?");
  EXPECT_EQ(problem(with("[workers=4]", "[wrokers=4]")),
            "waiting.toml:46: claims.0.measure: many.step_s[wrokers=4]: the key 'wrokers' is not known; did you mean 'workers'?");
  EXPECT_EQ(problem(with("alone.step_s'", "alone.step_s['")).substr(0, 50), "waiting.toml:46: claims.0.measure: at character 39");
  EXPECT_EQ(problem(with("profile = \"step:alone\"", "profile = \"step:none\"")),
            "waiting.toml:25: steps.1.profile: 'step:none' names no step of kind 'train' before this one");
  EXPECT_EQ(problem(with("id = \"1.same\"", "id = \"1.ratio\"")), "waiting.toml:48: claims.1.id: there is a claim '1.ratio' already");
  EXPECT_EQ(problem(with("holds = 'same(parameters(alone), parameters(alone))'", "holds = 'alone.step_s'")),
            "waiting.toml:51: claims.1.holds: must be a comparison or same(...), not a number");
  EXPECT_EQ(problem(with("at_least = { card = 1.5, used = 1.4, why = \"two cores\" }", "")),
            "waiting.toml:43: claims.0.measure: needs a threshold; at_least, at_most or equals would be right");
  EXPECT_EQ(problem(with(", why = \"two cores\"", "")), "waiting.toml:47: claims.0.at_least.why: is missing; a text is needed");
}

}  // namespace
}  // namespace syncline
