// SPDX-License-Identifier: Apache-2.0
// What counts as one in means and spreads: an experiment with a seed, however often it was run.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "engine/metrics/statistics.h"
#include "engine/store/records.h"

namespace syncline {

// Seeds of one experiment; of runs of several experiments, experiments with their seeds. A prediction is never a measured run's seed.
int distinct_seeds(std::span<const RunInfo* const>);

struct SeedsSpread {
  Spread spread;        // over the seeds, each with the mean of its runs; of one seed alone over its runs
  int runs = 0;         // that have a value
  bool copies = false;  // more runs than seeds
};
// Values of runs; those without one are left out by the caller.
SeedsSpread spread_over_seeds(std::span<const std::pair<const RunInfo*, double>>);

}  // namespace syncline
