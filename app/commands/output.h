// SPDX-License-Identifier: Apache-2.0
// What several commands print alike: tables, optional numbers, documents whose keys keep their order.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace syncline::app {

// Columns as wide as their content, the first one left-aligned, numbers right-aligned, two blanks between.
class Table {
 public:
  explicit Table(std::vector<std::string> heads, std::vector<bool> right = {});
  void row(std::vector<std::string> cells);
  void print() const;

 private:
  std::vector<bool> right_;
  std::vector<std::vector<std::string>> rows_;
};

using Format = std::function<std::string(double)>;
std::string text_or_dash(const std::optional<double>&, const Format&);
std::string percent(double share);     // "12.3 %"
std::string accuracy(double share);    // "91.42 %"
std::string fixed(double value);       // four significant digits
std::string local_time(double utc_s);  // "2026-01-31 12:00"

void print_document(const nlohmann::ordered_json&);

}  // namespace syncline::app
