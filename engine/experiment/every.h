// SPDX-License-Identifier: Apache-2.0
// How often something happens: "5 min", "500 steps", "1 epoch", "never".
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "engine/experiment/experiment.h"

namespace syncline {

// A plain number is seconds. Steps and epochs are whole and at least 1, times above 0. nullopt: no such text.
std::optional<Every> parse_every(std::string_view);
std::string print_every(const Every&);  // parses back to an equal value

}  // namespace syncline
