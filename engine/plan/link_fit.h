// SPDX-License-Identifier: Apache-2.0
// Fitting T(n) = latency_s + per_byte_s * n to measured exchanges.
#pragma once

#include <span>

#include "engine/plan/plan.h"

namespace syncline {

struct LinkSample {
  double bytes = 0, seconds = 0;
};

struct LinkFit {
  LinkCost cost;                    // add_per_byte_s is 0: a fit of the whole collective contains the addition
  double worst_relative_error = 0;  // of the samples against the line
};

// Least squares on the RELATIVE error (weights 1 / seconds^2): otherwise the largest message decides alone. Latency and slope are not
// negative; the better of the two lines through the boundary is taken where the free one would be. Throws UsageError for fewer than two
// different sizes or a time that is not positive.
LinkFit fit_link(std::span<const LinkSample>);

}  // namespace syncline
