// SPDX-License-Identifier: Apache-2.0
#include "engine/optim/option_text.h"

#include <charconv>
#include <cmath>

#include "engine/base/units.h"

namespace syncline {
namespace {

void skip_blanks(std::string_view& text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t' || text.front() == '\n')) text.remove_prefix(1);
}

// The bytes that follow the first one of a UTF-8 sequence and the smallest code point that may need so many; -1: not a first byte.
struct Lead {
  int following;
  std::uint32_t bits, least;
};
Lead lead_of(unsigned char byte) {
  if (byte < 0x80) return {0, byte, 0};
  if (byte >= 0xc2 && byte < 0xe0) return {1, byte & 0x1fu, 0x80};
  if (byte >= 0xe0 && byte < 0xf0) return {2, byte & 0x0fu, 0x800};
  if (byte >= 0xf0 && byte < 0xf5) return {3, byte & 0x07u, 0x10000};
  return {-1, 0, 0};
}

}  // namespace

bool is_utf8(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const Lead lead = lead_of(static_cast<unsigned char>(text[i]));
    if (lead.following < 0 || i + static_cast<std::size_t>(lead.following) >= text.size()) return false;
    std::uint32_t code = lead.bits;
    ++i;
    for (int k = 0; k < lead.following; ++k, ++i) {
      const auto byte = static_cast<unsigned char>(text[i]);
      if ((byte & 0xc0) != 0x80) return false;
      code = code << 6 | (byte & 0x3fu);
    }
    if (code < lead.least || code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) return false;
  }
  return true;
}

std::optional<std::vector<double>> parse_number_list(std::string_view text) {
  std::vector<double> numbers;
  skip_blanks(text);
  if (text.empty() || text.front() != '[') return std::nullopt;
  text.remove_prefix(1);
  while (true) {
    skip_blanks(text);
    if (!text.empty() && text.front() == ']') break;
    double number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || !std::isfinite(number)) return std::nullopt;
    numbers.push_back(number);
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    skip_blanks(text);
    if (!text.empty() && text.front() == ',')
      text.remove_prefix(1);
    else if (text.empty() || text.front() != ']')
      return std::nullopt;
  }
  text.remove_prefix(1);
  skip_blanks(text);
  if (!text.empty()) return std::nullopt;
  return numbers;
}

std::optional<double> parse_quantity(Parameter::Kind kind, std::string_view text) {
  if (kind == Parameter::duration) return parse_duration(text);
  if (kind == Parameter::size) return parse_size(text);
  if (kind == Parameter::rate) return parse_rate(text);
  return std::nullopt;
}

}  // namespace syncline
