// SPDX-License-Identifier: Apache-2.0
// The keys of an experiment as keys of the runs' filter: `train.optimizer.lr>0.03`, `batch_per_worker:64`.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/experiment/parameter.h"

namespace syncline {

struct FilterKey {
  std::string name;  // "train.optimizer.lr"; lists of tables without numbers: "model.layers.kernel"
  Parameter::Kind kind = Parameter::text;
  std::vector<std::string> choices;  // of kind choice
};

// Every key that an experiment file can have, in the order of the file; those of single optimizers, strategies, layers ... once each.
std::vector<FilterKey> experiment_filter_keys(const Catalogue&);

// The keys that `name` stands for: the one of this name, else all that end with ".name".
std::vector<const FilterKey*> find_filter_keys(std::span<const FilterKey>, std::string_view name);

// Gives each value that a complete experiment has for the key, in order, until `found` returns true; texts without their quotes, elements
// of lists one by one. Whether any call did. It reads the text as it goes, without a tree: a filter looks through thousands of runs at each
// key typed. Of a text that is no TOML it gives what it can read.
bool any_value_of(std::string_view complete, std::string_view key, const std::function<bool(std::string_view)>& found);

}  // namespace syncline
