// SPDX-License-Identifier: Apache-2.0
#include "engine/base/units.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <span>

namespace syncline {
namespace {

// value in base units = number * up / down. Both are whole numbers, so that one rounding is left: 100 us is exactly the double 1e-4.
struct Unit {
  std::string_view name;
  double up, down;
};

constexpr double kibi = 1024, mebi = 1048576, gibi = 1073741824, tebi = 1099511627776;

constexpr std::array durations = {Unit{"s", 1, 1},       Unit{"ms", 1, 1e3},    Unit{"us", 1, 1e6},    Unit{"µs", 1, 1e6},
                                  Unit{"μs", 1, 1e6},    Unit{"ns", 1, 1e9},    Unit{"min", 60, 1},    Unit{"h", 3600, 1},
                                  Unit{"d", 86400, 1},   Unit{"sec", 1, 1},     Unit{"hour", 3600, 1}, Unit{"hours", 3600, 1},
                                  Unit{"day", 86400, 1}, Unit{"days", 86400, 1}};
constexpr std::array sizes = {Unit{"B", 1, 1},     Unit{"kB", 1e3, 1},   Unit{"KB", 1e3, 1},   Unit{"MB", 1e6, 1},   Unit{"GB", 1e9, 1},
                              Unit{"TB", 1e12, 1}, Unit{"KiB", kibi, 1}, Unit{"MiB", mebi, 1}, Unit{"GiB", gibi, 1}, Unit{"TiB", tebi, 1},
                              Unit{"Ki", kibi, 1}, Unit{"Mi", mebi, 1},  Unit{"Gi", gibi, 1},  Unit{"Ti", tebi, 1}};
constexpr std::array rates = {Unit{"bit/s", 1, 8},     Unit{"kbit/s", 1e3, 8}, Unit{"Mbit/s", 1e6, 8}, Unit{"Gbit/s", 1e9, 8},
                              Unit{"Tbit/s", 1e12, 8}, Unit{"B/s", 1, 1},      Unit{"kB/s", 1e3, 1},   Unit{"MB/s", 1e6, 1},
                              Unit{"GB/s", 1e9, 1},    Unit{"TB/s", 1e12, 1},  Unit{"KiB/s", kibi, 1}, Unit{"MiB/s", mebi, 1},
                              Unit{"GiB/s", gibi, 1},  Unit{"TiB/s", tebi, 1}};

// What exact_* tries, from the largest unit down.
constexpr std::array exact_durations = {Unit{"d", 86400, 1}, Unit{"h", 3600, 1}, Unit{"min", 60, 1}, Unit{"s", 1, 1},
                                        Unit{"ms", 1, 1e3},  Unit{"us", 1, 1e6}, Unit{"ns", 1, 1e9}};
constexpr std::array exact_sizes = {Unit{"TiB", tebi, 1}, Unit{"GiB", gibi, 1}, Unit{"MiB", mebi, 1},
                                    Unit{"KiB", kibi, 1}, Unit{"TB", 1e12, 1},  Unit{"GB", 1e9, 1},
                                    Unit{"MB", 1e6, 1},   Unit{"kB", 1e3, 1},   Unit{"B", 1, 1}};
constexpr std::array exact_rates = {Unit{"Tbit/s", 1e12, 8}, Unit{"Gbit/s", 1e9, 8}, Unit{"Mbit/s", 1e6, 8}, Unit{"kbit/s", 1e3, 8},
                                    Unit{"bit/s", 1, 8}};

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blank = " \t";
  const std::size_t first = text.find_first_not_of(blank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blank) - first + 1);
}

std::optional<double> parse(std::string_view text, std::span<const Unit> units) {
  text = trimmed(text);
  if (!text.empty() && text.front() == '+') text.remove_prefix(1);
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || !std::isfinite(number)) return std::nullopt;
  const std::string_view name = trimmed(text.substr(static_cast<std::size_t>(end - text.data())));
  if (name.empty()) return number;
  for (const Unit& unit : units) {
    if (unit.name != name) continue;
    const double value = number * unit.up / unit.down;
    return std::isfinite(value) ? std::optional(value) : std::nullopt;
  }
  return std::nullopt;
}

std::string three_digits(double value) {
  if (value != 0 && std::abs(value) >= 999.5) return fmt::format("{:.0f}", value);
  return fmt::format("{:.3g}", value);
}

// The largest of the ascending steps that leaves a number of at least one after rounding to three digits.
std::string format(double value, std::span<const Unit> ascending) {
  if (!std::isfinite(value)) return std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
  const Unit* chosen = &ascending.front();
  for (const Unit& unit : ascending) {
    if (std::abs(value) * unit.down / unit.up >= 0.9995) chosen = &unit;
  }
  const std::string number = three_digits(value == 0 ? 0.0 : value * chosen->down / chosen->up);
  return chosen->name.empty() ? number : fmt::format("{} {}", number, chosen->name);
}

// The unit that leaves the fewest digits, the larger one of two alike; without a unit where none leaves few.
std::string exact(double value, std::span<const Unit> descending, std::span<const Unit> known) {
  if (value == 0) return "0";
  std::string best = fmt::format("{}", value);
  std::size_t fewest = 8;
  for (const Unit& unit : descending) {
    const double number = value * unit.down / unit.up;
    if (std::abs(number) < 1 || !std::isfinite(number)) continue;
    const std::string digits = fmt::format("{}", number);
    std::string text = fmt::format("{} {}", digits, unit.name);
    if (digits.size() >= fewest || digits.find('e') != std::string::npos || parse(text, known) != value) continue;
    fewest = digits.size();
    best = std::move(text);
  }
  return best;
}

}  // namespace

std::optional<double> parse_duration(std::string_view text) { return parse(text, durations); }
std::optional<double> parse_size(std::string_view text) { return parse(text, sizes); }
std::optional<double> parse_rate(std::string_view text) { return parse(text, rates); }

std::string format_duration(double seconds) {
  static constexpr std::array steps = {Unit{"ns", 1, 1e9}, Unit{"us", 1, 1e6}, Unit{"ms", 1, 1e3}, Unit{"s", 1, 1},
                                       Unit{"min", 60, 1}, Unit{"h", 3600, 1}, Unit{"d", 86400, 1}};
  if (seconds == 0) return "0 s";
  // Below two minutes, two hours and two days the smaller unit says more: 90 s rather than 1.5 min.
  const double magnitude = std::abs(seconds);
  const std::size_t count = magnitude < 119.5 ? 4 : magnitude < 7170 ? 5 : magnitude < 172000 ? 6 : 7;
  return format(seconds, std::span(steps).first(count));
}

std::string format_size(double bytes) {
  static constexpr std::array steps = {Unit{"B", 1, 1}, Unit{"kB", 1e3, 1}, Unit{"MB", 1e6, 1}, Unit{"GB", 1e9, 1}, Unit{"TB", 1e12, 1}};
  return format(bytes, steps);
}

std::string format_rate(double bytes_per_s) {
  static constexpr std::array steps = {Unit{"B/s", 1, 1}, Unit{"kB/s", 1e3, 1}, Unit{"MB/s", 1e6, 1}, Unit{"GB/s", 1e9, 1},
                                       Unit{"TB/s", 1e12, 1}};
  return format(bytes_per_s, steps);
}

std::string format_bit_rate(double bytes_per_s) {
  static constexpr std::array steps = {Unit{"bit/s", 1, 8}, Unit{"kbit/s", 1e3, 8}, Unit{"Mbit/s", 1e6, 8}, Unit{"Gbit/s", 1e9, 8},
                                       Unit{"Tbit/s", 1e12, 8}};
  return format(bytes_per_s, steps);
}

std::string format_count(double count) {
  static constexpr std::array steps = {Unit{"", 1, 1}, Unit{"k", 1e3, 1}, Unit{"M", 1e6, 1}, Unit{"G", 1e9, 1}, Unit{"T", 1e12, 1}};
  return format(count, steps);
}

std::string exact_duration(double seconds) { return exact(seconds, exact_durations, durations); }
std::string exact_size(double bytes) { return exact(bytes, exact_sizes, sizes); }
std::string exact_rate(double bytes_per_s) { return exact(bytes_per_s, exact_rates, rates); }

}  // namespace syncline
