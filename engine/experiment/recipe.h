// SPDX-License-Identifier: Apache-2.0
// A recipe: what a paper claims, the steps that test it here, and the claims as expressions over what the steps measured. One file a paper,
// resources/recipes/<card>.toml (README, "Recipes").
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/experiment/experiment.h"
#include "engine/experiment/expression.h"

namespace syncline {

struct Paper {
  std::string title, authors, venue, link;
  std::int64_t year = 0;
  std::string claim, confidence;  // what it reports, and how sure the recipe's numbers are
};

// What a step is run with; sizes of --quick replace single keys of it.
struct StepSettings {
  Overrides set;                                           // of the base experiment; values are TOML
  std::string workers, plans, strategies, level, profile;  // simulate; plan: profile
  std::string what = "allreduce";                          // bench: allreduce | step | ops
  std::vector<std::int64_t> sizes;                         // bench allreduce
  std::vector<std::string> allreduces;                     // bench allreduce, as its --allreduce
  std::vector<std::uint64_t> seeds;                        // train; empty: the experiment's own
};

struct RecipeStep {
  enum Kind { train, simulate, bench, plan } kind = train;
  std::string id, text, needs;  // needs: what this version lacks; such a step is not run
  StepSettings full, quick;
  bool in_quick = true;
  int line = 0;
  const StepSettings& settings(bool quick_size) const { return quick_size ? quick : full; }
  // Steps before it whose runs it refers to ("step:ID" in a profile).
  std::vector<std::string> uses;
};
std::string_view name_of(RecipeStep::Kind);

// A threshold; where it is not the card's, that one and the reason stand beside it.
struct Threshold {
  double used = 0;
  std::optional<double> card;
  std::string why;
};

struct Claim {
  std::string id, text;
  // Either `measure` against one of the thresholds, or `holds`, beside which `measure` may be shown.
  Expression measure, holds;
  std::optional<Threshold> at_least, at_most, equals;
  double tolerance = 0;      // of equals, relative
  double tolerance_abs = 0;  // of equals, in its own unit
  std::string needs;         // what this version lacks; the claim is listed, not tested
  std::string not_quick;     // why its evidence does not fit --quick; empty: it does
  std::string note;          // shown with the result
  int line = 0;

  std::string expected() const;  // in words: "at least 1.5"
  bool judge(double measured) const;
  std::vector<std::string> steps() const;  // that its expressions speak of
};

struct Recipe {
  std::string name;  // the file's, without .toml
  std::string title, summary;
  Paper paper;
  std::int64_t cores = 2;  // it was sized for
  double minutes = 0;      // about, on them; 0: not said
  std::string base;        // the base experiment as TOML
  std::vector<RecipeStep> steps;
  std::vector<Claim> claims;

  const RecipeStep* step(std::string_view id) const;  // null: none
  // The experiment of a step: the base with its settings, "step:ID" and "file:NAME" as they stand.
  std::string experiment_text(const RecipeStep&, bool quick) const;
};

struct ParsedRecipe {
  std::optional<Recipe> recipe;   // set when there is no problem
  std::vector<Problem> problems;  // a syntax error alone, or every error of meaning, in order of line
};
// What a recipe's text may speak of beyond itself.
struct RecipeKeys {
  const Catalogue& catalogue;
  std::vector<std::string> summary;  // keys of a run's summary
};
// Never throws for the text's sake. `file` gives the recipe its name and is used in messages.
ParsedRecipe parse_recipe(std::string_view toml, const std::string& file, const RecipeKeys&);

// Values "step:ID" of a profile: the run that step made; "file:NAME": a file beside the recipe.
inline constexpr std::string_view step_prefix = "step:", file_prefix = "file:";

}  // namespace syncline
