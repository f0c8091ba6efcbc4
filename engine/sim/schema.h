// SPDX-License-Identifier: Apache-2.0
// The algorithms' face for validation, forms and the manual: every registry in one catalogue, and what only the registries can check.
#pragma once

#include <string>
#include <vector>

#include "engine/experiment/experiment.h"

namespace syncline {

const Catalogue& catalogue();

// What parsing cannot know: the model's shapes against the data's, the strategy's own cross-key rules. Data files that are not there are no
// problem of the experiment (exit code 3 when it runs), so shapes are checked as far as the source's shape is known.
std::vector<Problem> check_model(const Experiment&, const std::string& file);

}  // namespace syncline
