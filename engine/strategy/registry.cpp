// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <string>

#include "engine/base/error.h"
#include "engine/strategy/entries.h"

namespace syncline {

namespace {

constexpr const StrategyEntry* entries[] = {
    &none_entry,
    &sync_entry,
};

}  // namespace

void check_names(std::span<const StrategyEntry* const> all) {
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (all[i]->name == all[j]->name) throw UsageError(fmt::format("internal error: two strategies are called '{}'", all[i]->name));
    }
  }
}

std::span<const StrategyEntry* const> strategies() {
  static const bool checked = [] {
    check_names(entries);
    return true;
  }();
  static_cast<void>(checked);
  return entries;
}

const StrategyEntry& strategy_entry(std::string_view name) {
  std::string known;
  for (const StrategyEntry* entry : strategies()) {
    if (entry->name == name) return *entry;
    known += (known.empty() ? "" : ", ") + std::string(entry->name);
  }
  throw ConfigError(fmt::format("there is no strategy called '{}'; known are {}", name, known), {.file = "", .key = "strategy.name"});
}

}  // namespace syncline
