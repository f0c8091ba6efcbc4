// SPDX-License-Identifier: Apache-2.0
#include "engine/optim/rules/support.h"

#include <cmath>

namespace syncline::rules {

double bias(double beta, std::int64_t step) { return 1 - std::pow(beta, static_cast<double>(step)); }

std::int64_t pieces_of_largest(const syncline_config& config) {
  std::int64_t most = 0;
  for (std::int32_t i = 0; i < config.slice_count; ++i) most = std::max(most, (config.slices[i].count + grain - 1) / grain);
  return most;
}

}  // namespace syncline::rules
