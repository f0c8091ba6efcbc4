// SPDX-License-Identifier: Apache-2.0
// The strategies: one file each, one line here and one in registry.cpp.
#pragma once

#include "engine/strategy/strategy.h"

namespace syncline {

extern const StrategyEntry none_entry;
extern const StrategyEntry sync_entry;

// Throws UsageError when two entries have one name.
void check_names(std::span<const StrategyEntry* const>);

}  // namespace syncline
