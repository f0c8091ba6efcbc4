// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/runs_seeds.h"

#include <map>
#include <set>
#include <tuple>

namespace syncline::ui {

namespace {

auto seed_of(const RunRow& row) { return std::tie(row.info.group_key, row.info.kind, row.info.seed); }

}  // namespace

int distinct_seeds(const std::vector<RunRowPtr>& rows) {
  std::set<decltype(seed_of(*rows.front()))> seeds;
  for (const RunRowPtr& row : rows) seeds.insert(seed_of(*row));
  return static_cast<int>(seeds.size());
}

SeedsSpread spread_over_seeds(const std::vector<std::pair<const RunRow*, double>>& values) {
  std::map<decltype(seed_of(*values.front().first)), std::vector<double>> by_seed;
  std::vector<double> all, means;
  for (const auto& [row, value] : values) {
    by_seed[seed_of(*row)].push_back(value);
    all.push_back(value);
  }
  for (const auto& [seed, of] : by_seed) means.push_back(spread_of(of).mean);
  return {spread_of(means.size() == 1 ? all : means), static_cast<int>(all.size()), all.size() > means.size()};
}

}  // namespace syncline::ui
