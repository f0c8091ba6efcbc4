// SPDX-License-Identifier: Apache-2.0
#include "engine/train/due.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <string>

#include "engine/base/units.h"

namespace syncline {
namespace {

// The multiple of `period` last reached. The tolerance takes up the rounding of (batch index / batches per epoch).
double periods(double value, double period) { return std::floor(value / period + 1e-9); }

}  // namespace

Every parse_every(std::string_view text) {
  if (text == "never") return {};
  const auto wrong = [&] {
    return ConfigError(fmt::format("'{}' is no interval; it would be \"500 steps\", \"1 epoch\", \"5 min\" or \"never\"", text));
  };
  const std::string copy(text);
  char* end = nullptr;
  const double amount = std::strtod(copy.c_str(), &end);
  std::string_view unit(end);
  while (!unit.empty() && unit.front() == ' ') unit.remove_prefix(1);
  if (end == copy.c_str() || !(amount > 0) || !std::isfinite(amount)) throw wrong();
  if (unit == "step" || unit == "steps") {
    if (amount != std::floor(amount)) throw wrong();
    return {Every::steps, amount};
  }
  if (unit == "epoch" || unit == "epochs") return {Every::epochs, amount};
  if (const auto seconds = parse_duration(text); seconds && !unit.empty()) return {Every::seconds, *seconds};
  throw wrong();
}

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
