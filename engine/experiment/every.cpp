// SPDX-License-Identifier: Apache-2.0
#include "engine/experiment/every.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "engine/base/units.h"

namespace syncline {

std::optional<Every> parse_every(std::string_view text) {
  if (text == "never") return Every{};
  std::int64_t count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  std::string_view unit = text.substr(static_cast<std::size_t>(end - text.data()));
  while (!unit.empty() && unit.front() == ' ') unit.remove_prefix(1);
  constexpr std::int64_t most = std::int64_t{1} << 53;  // exact as a double
  if (unit == "step" || unit == "steps" || unit == "epoch" || unit == "epochs") {
    if (error != std::errc{} || count < 1 || count > most) return std::nullopt;
    return Every{unit.starts_with("step") ? Every::steps : Every::epochs, static_cast<double>(count)};
  }
  const std::optional<double> seconds = parse_duration(text);
  if (!seconds || !(*seconds > 0)) return std::nullopt;
  return Every{Every::seconds, *seconds};
}

std::string print_every(const Every& every) {
  switch (every.unit) {
    case Every::seconds:
      return exact_duration(every.amount);
    case Every::steps:
      return fmt::format("{:.0f} {}", every.amount, every.amount == 1 ? "step" : "steps");
    case Every::epochs:
      return fmt::format("{:.0f} {}", every.amount, every.amount == 1 ? "epoch" : "epochs");
    case Every::never:
      break;
  }
  return "never";
}

}  // namespace syncline
