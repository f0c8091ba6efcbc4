// SPDX-License-Identifier: Apache-2.0
// Recipes, and expressions of claims: never a crash, always a recipe or a reason; an expression that parses comes to something whatever the
// evidence is.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "engine/experiment/recipe.h"
#include "tests/unit/experiment/test_catalogue.h"

namespace {

using namespace syncline;

void require(bool holds, const char* what, std::string_view text) {
  if (holds) return;
  std::fprintf(stderr, "%s:\n%.*s\n", what, static_cast<int>(text.size()), text.data());
  std::abort();
}

class SomeEvidence final : public Evidence {
 public:
  std::vector<double> numbers(const Lookup& lookup) override { return {1, static_cast<double>(lookup.key.size()), 0}; }
  NumberList series(const std::string& step, const std::string&) override {
    if (step.size() % 2 == 0) throw NoEvidence("an even name");
    return {{3, 2, 1}, {0, 1, 2}};
  }
  NumberList counter(const std::string&, const std::string&) override { return {}; }
  std::string parameters(const std::string& step) override { return step; }
};

void evaluate(const Expression& expression) {
  SomeEvidence evidence;
  try {
    const Expression::Result result = expression.evaluate(evidence);
    require(std::holds_alternative<double>(result) == expression.is_number(), "another kind than promised", expression.text());
  } catch (const NoEvidence&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Catalogue catalogue = test::small_catalogue();
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  try {
    evaluate(Expression(input));
  } catch (const ExpressionError& error) {
    require(error.position() <= input.size() && *error.what() != 0, "a mistake beyond the text", input);
  }
  const ParsedRecipe parsed = parse_recipe(input, "fuzz.toml", {.catalogue = catalogue, .summary = {"step_s"}});
  require(parsed.recipe.has_value() == parsed.problems.empty(), "neither a recipe nor a reason", input);
  for (const Problem& problem : parsed.problems) require(!problem.message.empty(), "a problem without a message", input);
  if (!parsed.recipe) return 0;
  for (const RecipeStep& step : parsed.recipe->steps) {
    for (const bool quick : {false, true}) {
      const Parsed experiment = parse_experiment(parsed.recipe->experiment_text(step, quick), "step.toml", catalogue);
      require(!step.needs.empty() || (quick && !step.in_quick) || experiment.experiment.has_value(),
              "a step that was checked does not parse", input);
    }
  }
  for (const Claim& claim : parsed.recipe->claims) {
    require(!claim.expected().empty() || !claim.needs.empty(), "a claim that expects nothing", input);
    if (!claim.measure.empty()) evaluate(claim.measure);
    if (!claim.holds.empty()) evaluate(claim.holds);
  }
  return 0;
}
