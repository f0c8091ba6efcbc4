// SPDX-License-Identifier: Apache-2.0
#include "app/commands/output.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <ctime>

namespace syncline::app {
namespace {

// Characters that a terminal shows: bytes that continue a UTF-8 sequence take no room.
std::size_t width_of(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

}  // namespace

Table::Table(std::vector<std::string> heads, std::vector<bool> right) : right_(std::move(right)) {
  right_.resize(heads.size(), false);
  rows_.push_back(std::move(heads));
}

void Table::row(std::vector<std::string> cells) {
  cells.resize(rows_.front().size());
  rows_.push_back(std::move(cells));
}

void Table::print() const {
  std::vector<std::size_t> widths(rows_.front().size(), 0);
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width_of(row[i]));
  }
  for (const auto& row : rows_) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string blanks(widths[i] - width_of(row[i]), ' ');
      line += (i == 0 ? "" : "  ") + (right_[i] ? blanks + row[i] : row[i] + blanks);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    std::printf("%s\n", line.c_str());
  }
}

std::string text_or_dash(const std::optional<double>& value, const Format& format) { return value ? format(*value) : "-"; }
std::string percent(double share) { return fmt::format("{:.1f} %", 100 * share); }
std::string accuracy(double share) { return fmt::format("{:.2f} %", 100 * share); }
std::string fixed(double value) { return fmt::format("{:.4g}", value); }

std::string local_time(double utc_s) {
  const auto seconds = static_cast<std::time_t>(utc_s);
  std::tm parts{};
  localtime_r(&seconds, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%d %H:%M", &parts);
  return text;
}

void print_document(const nlohmann::ordered_json& document) {
  const std::string text = document.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fputc('\n', stdout);
}

}  // namespace syncline::app
