// SPDX-License-Identifier: GPL-3.0-or-later
// What counts as one in means and spreads: an experiment with a seed, however often it was run.
#pragma once

#include <utility>
#include <vector>

#include "engine/metrics/statistics.h"
#include "ui/models/runs_rows.h"

namespace syncline::ui {

// Seeds of one experiment; of a group by something else, experiments with their seeds.
int distinct_seeds(const std::vector<RunRowPtr>&);

struct SeedsSpread {
  Spread spread;        // over the seeds, each with the mean of its runs; of one seed alone over its runs
  int runs = 0;         // that have a value
  bool copies = false;  // more runs than seeds
};
SeedsSpread spread_over_seeds(const std::vector<std::pair<const RunRow*, double>>&);

}  // namespace syncline::ui
