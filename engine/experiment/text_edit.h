// SPDX-License-Identifier: Apache-2.0
// Changes single values of a TOML text and leaves every other character where it was: comments, order, spacing. Works on texts that parse;
// on any other text it changes something or nothing, but never fails.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace syncline {

// Parts of a dotted key. An element of an array or of an array of tables is its number, from "0": {"cluster", "nodes", "1", "cores"}.
using KeyPath = std::vector<std::string>;

// "train.optimizer.lr" or a."quoted.part"; nullopt when it is no dotted key.
std::optional<KeyPath> parse_key_path(std::string_view);
std::string print_key_path(const KeyPath&);

struct Replacement {
  std::size_t begin = 0, end = 0;  // the characters [begin, end) of the text ...
  std::string text;                // ... become this
};

// Where to put `value` (TOML, one value) so that the key has it: over the old value; else into the key's table, as its last entry; else
// into a new table at the end. nullopt: the key names a table that is written with a header, or goes through something that is no table.
std::optional<Replacement> replace_value(std::string_view toml, const KeyPath&, std::string_view value);
std::string with_replacement(std::string_view toml, const Replacement&);

// Removes the key with its value; the whole line when nothing else is on it. nullopt when the text does not have the key as a value.
std::optional<Replacement> remove_value(std::string_view toml, const KeyPath&);

// Whether the text is exactly one value: no comment, nothing before or after it but blanks. Says nothing about the value being well formed.
bool is_one_value(std::string_view);

// The first line that has a key of more than `most` parts; 0 when there is none. A cheap look that needs no valid text.
int line_of_deep_key(std::string_view toml, int most);

}  // namespace syncline
