// SPDX-License-Identifier: Apache-2.0
// An optimizer described in plain values: what crosses from the child process that looks into a plugin, and what `plugins --json` prints.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "engine/optim/rule.h"

namespace syncline {

struct OptionDescription {
  std::string key, symbol, help, section, unit, only_if, kind;  // kind: "integer", "real", ... as in Parameter
  std::variant<std::monostate, bool, std::int64_t, double, std::string> initial;
  std::optional<double> least, most;
  bool optional = false, advanced = false;
  std::vector<std::string> choices;
  bool operator==(const OptionDescription&) const = default;
};

struct RuleDescription {
  std::string name, title, summary, version, license, paper;  // name: "sgd", "plugin:lion"
  std::string abi, file, file_hash;                           // abi: "1.0"; file and hash empty for a built-in
  std::int64_t state_arrays = 0;
  std::vector<OptionDescription> options;
  bool operator==(const RuleDescription&) const = default;
};

RuleDescription describe(const Rule&);
std::string to_json(const RuleDescription&);  // one line
// nullopt for anything that to_json does not write: the text comes from a process that ran somebody's code.
std::optional<RuleDescription> parse_description(std::string_view json);

}  // namespace syncline
