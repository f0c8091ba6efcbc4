// SPDX-License-Identifier: GPL-3.0-or-later
// The model of a text as rows, also while other parts of the text, or a layer in the middle, are not right yet.
#pragma once

#include <optional>
#include <string>

#include "engine/experiment/document.h"
#include "engine/sim/preview.h"
#include "ui/models/editor/examination.h"

namespace syncline::ui {

// Fills layers, model_problem, input, totals, order of gradients; returns the description when the whole model fits.
struct ModelParts {
  std::optional<ModelDescription> description;
  std::vector<LayerSpec> layers;
};
ModelParts examine_model(const document::Node& root, Examination&);

}  // namespace syncline::ui
