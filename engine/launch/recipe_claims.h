// SPDX-License-Identifier: Apache-2.0
// A recipe's claims against what its steps have found so far.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "engine/experiment/recipe.h"
#include "engine/launch/recipe_record.h"
#include "engine/store/reader.h"

namespace syncline {

// A text that is equal for equal parameters at the end of a run; throws an Error where there are none. The checkpoints' format is the
// trainer's affair.
using ParametersOf = std::function<std::string(const RunInfo&)>;

// Every claim of the recipe in its order. `reader` may be null where there is no workspace yet.
std::vector<ClaimResult> evaluate_claims(const Recipe&, const RecipeRecord&, Reader*, const ParametersOf&);

}  // namespace syncline
