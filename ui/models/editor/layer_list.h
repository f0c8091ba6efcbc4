// SPDX-License-Identifier: GPL-3.0-or-later
// Adding, removing and moving layers of a model that is written as a list, as replacements of the text: of `layers = [ ... ]` as of
// [[model.layers]] tables. Comments between layers stay where they are; layers change places.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/experiment/experiment.h"
#include "ui/models/editor/experiment_document.h"

namespace syncline::ui {

int layer_count(const ExperimentDocument&);  // of the list; 0 where there is none

// Each false when the document cannot be edited or has no such layer. The new layer stands after layer `after` (-1: first).
bool add_layer(ExperimentDocument&, int after, const std::string& type);
bool remove_layer(ExperimentDocument&, int index);
bool swap_layers(ExperimentDocument&, int upper);  // upper and the one below it

// The zoo model as the list that it stands for, with the keys of its layers that differ from their defaults; one undo step.
bool write_as_layers(ExperimentDocument&, const std::vector<LayerSpec>&);
// A zoo model instead of what is there: its list or another name; one undo step.
bool choose_zoo(ExperimentDocument&, const std::string& name);

}  // namespace syncline::ui
