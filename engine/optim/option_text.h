// SPDX-License-Identifier: Apache-2.0
// The texts in which an option's value or default may be written, and the values as the C interface passes them.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "engine/experiment/parameter.h"

namespace syncline {

bool is_utf8(std::string_view);
// "[]", "[30, 60]", a trailing comma allowed, as in TOML. Finite numbers only.
std::optional<std::vector<double>> parse_number_list(std::string_view);
// A duration, size or rate as a text with a unit, in SI base units.
std::optional<double> parse_quantity(Parameter::Kind, std::string_view);

}  // namespace syncline
