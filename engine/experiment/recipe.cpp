// SPDX-License-Identifier: Apache-2.0
#include "engine/experiment/recipe.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "engine/experiment/overrides.h"
#include "engine/experiment/recipe_reader.h"

namespace syncline {
namespace {

// A difference as small as rounding leaves when the same numbers are added in another order.
constexpr double rounding = 1e-12;

std::string number_text(double value) { return fmt::format("{:.6g}", value); }

std::string on_one_line(const std::string& text) {
  std::string line;
  for (const char c : text) {
    const bool blank = c == ' ' || c == '\n' || c == '\r' || c == '\t';
    if (!blank) line += c;
    if (blank && !line.empty() && line.back() != ' ') line += ' ';
  }
  return line;
}

std::string threshold_text(const char* word, const Threshold& threshold) {
  std::string text = word + number_text(threshold.used);
  if (threshold.card) text += fmt::format(" (card: {}; {})", number_text(*threshold.card), threshold.why);
  return text;
}

}  // namespace

std::string_view name_of(RecipeStep::Kind kind) {
  switch (kind) {
    case RecipeStep::train:
      return "train";
    case RecipeStep::simulate:
      return "simulate";
    case RecipeStep::bench:
      return "bench";
    case RecipeStep::plan:
      return "plan";
  }
  return "";
}

std::string Claim::expected() const {
  std::string words;
  if (at_least) words = threshold_text("at least ", *at_least);
  if (at_most) words += (words.empty() ? "" : ", ") + threshold_text("at most ", *at_most);
  if (equals) {
    words = threshold_text("", *equals);
    if (tolerance > 0) words += fmt::format(" within {} %", number_text(100 * tolerance));
    if (tolerance_abs > 0) words += fmt::format(" within {}", number_text(tolerance_abs));
  }
  return words.empty() ? on_one_line(holds.text()) : words;
}

bool Claim::judge(double measured) const {
  if (at_least && measured < at_least->used) return false;
  if (at_most && measured > at_most->used) return false;
  if (!equals) return true;
  const double allowed = std::max(tolerance * std::abs(equals->used), tolerance_abs) + rounding * std::abs(equals->used);
  return std::abs(measured - equals->used) <= allowed;
}

std::vector<std::string> Claim::steps() const {
  std::vector<std::string> all = measure.steps();
  for (std::string& each : holds.steps())
    if (std::find(all.begin(), all.end(), each) == all.end()) all.push_back(std::move(each));
  return all;
}

const RecipeStep* Recipe::step(std::string_view id) const {
  const auto found = std::find_if(steps.begin(), steps.end(), [&](const RecipeStep& each) { return each.id == id; });
  return found == steps.end() ? nullptr : &*found;
}

std::string Recipe::experiment_text(const RecipeStep& step, bool quick) const {
  return apply_overrides(base, step.settings(quick).set).text;
}

ParsedRecipe parse_recipe(std::string_view toml, const std::string& file, const RecipeKeys& keys) {
  ParsedRecipe result;
  const auto parsed = document::parse(toml);
  if (const auto* error = std::get_if<document::SyntaxError>(&parsed)) {
    result.problems.push_back({{file, error->line, error->column, {}}, "this is no TOML: " + error->message});
    return result;
  }
  ProblemList problems(file);
  Recipe recipe = RecipeReader(std::get<document::Node>(parsed), keys, problems).read();
  recipe.name = std::filesystem::path(file).stem().string();
  result.problems = problems.take();
  std::stable_sort(result.problems.begin(), result.problems.end(),
                   [](const Problem& a, const Problem& b) { return a.origin.line < b.origin.line; });
  if (result.problems.empty()) result.recipe = std::move(recipe);
  return result;
}

}  // namespace syncline
