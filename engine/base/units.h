// SPDX-License-Identifier: Apache-2.0
// Quantities with units, read from what people type and written for people. One formatter for a quantity, used everywhere.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace syncline {

// "100 us", "5 min", "2.5", "1h30m" is not accepted: one number, one unit. SI base units result. nullopt: not such a quantity.
std::optional<double> parse_duration(std::string_view);  // s ms us µs ns min h d; plain number: seconds
std::optional<double> parse_size(std::string_view);      // B kB MB GB KiB MiB GiB (also Ki Mi Gi); plain number: bytes
std::optional<double> parse_rate(std::string_view);      // bit/s kbit/s Mbit/s Gbit/s Tbit/s B/s ... KiB/s ...; plain number: bytes/s

std::string format_duration(double seconds);      // "41.2 ms", three significant digits
std::string format_size(double bytes);            // "1.05 MB"
std::string format_rate(double bytes_per_s);      // "125 MB/s"
std::string format_bit_rate(double bytes_per_s);  // "1 Gbit/s"
std::string format_count(double);                 // "12.4 k"

// Texts that parse back to exactly this number, for files and for fields that people edit: "100 us", "64 KiB", "1 Gbit/s". A number that
// no unit gives exactly is written as it is, without one. Finite numbers only.
std::string exact_duration(double seconds);
std::string exact_size(double bytes);
std::string exact_rate(double bytes_per_s);

}  // namespace syncline
