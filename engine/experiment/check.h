// SPDX-License-Identifier: Apache-2.0
// One key against its row in a table: reading, range, choices, conditions, and printing back.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "engine/experiment/document.h"
#include "engine/experiment/parameter.h"

namespace syncline {

// The default as a value; not present when the parameter has none. Throws UsageError for a default that does not fit its own table.
Value default_of(const Parameter&);

// The value, or what is wrong with it and what would be right ("must be at least 1, not 0"). `choices` replaces the table's own.
std::variant<Value, std::string> read_value(const document::Node&, const Parameter&, std::span<const std::string_view> choices = {});

// As TOML, exactly: reading it again gives an equal value. Durations, sizes and rates with a unit where one fits.
std::string print_value(const Value&, Parameter::Kind);

// The known name nearest to a mistyped one, by edit distance; empty when none is near. '-' and '_' and upper and lower case count alike.
std::string_view nearest(std::string_view name, std::span<const std::string_view> known);
std::string not_known(std::string_view name, std::span<const std::string_view> known);  // "'adm' is not known; did you mean 'adam'?"
std::string quoted_list(std::span<const std::string_view>);                             // "'a', 'b' and 'c'"

// "momentum > 0", "name = cosine | step", several joined by " and ". An empty condition holds; one on a key without a value does not.
bool condition_holds(std::string_view condition, const std::function<const Value*(std::string_view key)>& lookup);
std::vector<std::string_view> condition_keys(std::string_view condition);

}  // namespace syncline
