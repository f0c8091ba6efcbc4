// SPDX-License-Identifier: Apache-2.0
// The tables of the experiment file's own sections. Validation, the complete print, `schema` and the desktop's forms read these and the
// catalogue's, and nothing else. A feature that arrives later extends a list of choices or a range here.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/experiment/parameter.h"

namespace syncline {

struct Section {
  std::string_view name;  // "train.optimizer"; empty: the keys before the first header
  std::string_view title, help;
  std::span<const Parameter> parameters;  // kind table: a further section, or a list of such tables
  // Kinds of the catalogue whose entries add keys of their own to this section, by the value of `chosen_by` ("" where none do).
  std::string_view entries, chosen_by;
  bool repeated = false;  // [[...]]: any number of such tables
};

std::span<const Section> sections();            // in the order of the file
const Section& section(std::string_view name);  // UsageError for an unknown one
const Section& profile_section();               // of cluster.profile where it is a table: no form and no header of its own

// What a key may be: the table's own choices, or the names in the catalogue ("strategy.name", "model.zoo").
std::vector<std::string_view> choices_of(const Catalogue&, std::string_view section, const Parameter&);

// The entries of a kind by the names that `schema` gives them: "strategies", "plans", "allreduces", "codecs", "optimizers", "schedules",
// "layers", "zoo", "sources", "augmentations", "orchestrations".
std::span<const std::string_view> catalogue_kinds();
std::vector<const Entry*> entries_of(const Catalogue&, std::string_view kind);
const Entry* find_entry(const Catalogue&, std::string_view kind, std::string_view name);  // null when there is none

// Keys of the contract whose feature this version does not have, with what to say about them.
struct Reserved {
  std::string_view section, key, reason;
};
std::span<const Reserved> reserved_keys();

// What is wrong with the tables themselves: defaults out of range, conditions on keys that do not exist, doubled keys, missing help. For
// tests.
std::vector<std::string> mistakes_of(const Catalogue&);

}  // namespace syncline
