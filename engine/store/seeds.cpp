// SPDX-License-Identifier: Apache-2.0
#include "engine/store/seeds.h"

#include <map>
#include <set>
#include <tuple>

namespace syncline {
namespace {

auto seed_of(const RunInfo& run) { return std::tie(run.group_key, run.kind, run.seed); }
using Seed = decltype(seed_of(std::declval<const RunInfo&>()));

}  // namespace

int distinct_seeds(std::span<const RunInfo* const> runs) {
  std::set<Seed> seeds;
  for (const RunInfo* run : runs) seeds.insert(seed_of(*run));
  return static_cast<int>(seeds.size());
}

SeedsSpread spread_over_seeds(std::span<const std::pair<const RunInfo*, double>> values) {
  std::map<Seed, std::vector<double>> by_seed;
  std::vector<double> all, means;
  for (const auto& [run, value] : values) {
    by_seed[seed_of(*run)].push_back(value);
    all.push_back(value);
  }
  for (const auto& [seed, of] : by_seed) means.push_back(spread_of(of).mean);
  return {spread_of(means.size() == 1 ? all : means), static_cast<int>(all.size()), all.size() > means.size()};
}

}  // namespace syncline
