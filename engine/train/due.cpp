// SPDX-License-Identifier: Apache-2.0
#include "engine/train/due.h"

#include <cmath>

namespace syncline {
namespace {

// The multiple of `period` last reached. The tolerance takes up the rounding of (batch index / batches per epoch).
double periods(double value, double period) { return std::floor(value / period + 1e-9); }

}  // namespace

bool Due::at(std::int64_t step, double epochs) const {
  switch (every_.unit) {
    case Every::steps:
      return periods(static_cast<double>(step), every_.amount) > periods(static_cast<double>(last_step_), every_.amount);
    case Every::epochs:
      return periods(epochs, every_.amount) > periods(last_epochs_, every_.amount);
    case Every::seconds:
    case Every::never:
      return false;
  }
  return false;
}

void Due::done(std::int64_t step, double epochs, double now_s) {
  last_step_ = step;
  last_epochs_ = epochs;
  last_s_ = now_s;
}

}  // namespace syncline
