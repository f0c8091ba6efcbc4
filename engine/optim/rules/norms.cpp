// SPDX-License-Identifier: Apache-2.0
#include "engine/optim/rules/norms.h"

#include "engine/optim/rules/support.h"

namespace syncline::rules {

double sum_of_lanes(const double (&sums)[lanes]) {
  double total = 0;
  for (const double sum : sums) total += sum;
  return total;
}

SYNCLINE_CLONES double sum_of_squares(const float* values, std::int64_t count) {
  double sums[lanes] = {};
  std::int64_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    for (int lane = 0; lane < lanes; ++lane) {
      const double x = values[i + lane];
      sums[lane] += x * x;
    }
  }
  for (int lane = 0; i < count; ++i, ++lane) {
    const double x = values[i];
    sums[lane] += x * x;
  }
  return sum_of_lanes(sums);
}

}  // namespace syncline::rules
