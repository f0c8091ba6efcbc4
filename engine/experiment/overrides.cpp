// SPDX-License-Identifier: Apache-2.0
#include "engine/experiment/overrides.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "engine/experiment/document.h"
#include "engine/experiment/sections.h"

namespace syncline {
namespace {

std::ptrdiff_t newlines(std::string_view text) { return std::count(text.begin(), text.end(), '\n'); }

bool wants_text(const KeyPath& path) {
  const std::string section_name = print_key_path(KeyPath(path.begin(), path.end() - 1));
  for (const Section& candidate : sections()) {
    if (candidate.name != section_name) continue;
    for (const Parameter& parameter : candidate.parameters) {
      if (parameter.key == path.back())
        return parameter.kind == Parameter::choice || parameter.kind == Parameter::text || parameter.kind == Parameter::path;
    }
  }
  return false;
}

// VALUE as TOML.
std::string toml_value(const KeyPath& path, const std::string& value) {
  if (is_one_value(value)) {
    const auto parsed = document::parse("value = " + value);
    if (const auto* root = std::get_if<document::Node>(&parsed); root != nullptr && root->members.size() == 1) {
      const document::Node::Type type = root->members.front().node.type;
      const bool scalar = type == document::Node::integer || type == document::Node::real || type == document::Node::flag;
      if (type != document::Node::moment && !(scalar && wants_text(path))) {
        const std::size_t first = value.find_first_not_of(" \t");
        return value.substr(first, value.find_last_not_of(" \t") - first + 1);
      }
    }
  }
  return document::print_text(value);
}

void follow_lines(std::vector<int>& lines, std::string_view text, const Replacement& edit) {
  const std::string_view before = text.substr(0, edit.begin);
  const bool at_line_start = before.empty() || before.back() == '\n';
  const auto at = lines.begin() + newlines(before) + (at_line_start ? 0 : 1);
  const std::ptrdiff_t removed = newlines(text.substr(edit.begin, edit.end - edit.begin)), added = newlines(edit.text);
  const auto rest = lines.erase(at, at + std::min(removed, lines.end() - at));
  lines.insert(rest, static_cast<std::size_t>(added), 0);
}

}  // namespace

OverriddenText apply_overrides(std::string_view toml, const Overrides& overrides) {
  OverriddenText result;
  result.text = toml;
  result.lines.resize(static_cast<std::size_t>(newlines(toml)) + 1);
  std::iota(result.lines.begin(), result.lines.end(), 1);
  for (const auto& [key, value] : overrides) {
    const std::string argument = fmt::format("--set {}={}", key, value);
    const auto fail = [&](std::string message) { result.problems.push_back({{argument, 0, 0, key}, std::move(message)}); };
    const std::optional<KeyPath> path = parse_key_path(key);
    if (!path) {
      fail(fmt::format("'{}' is no dotted key such as train.epochs", key));
      continue;
    }
    const std::optional<Replacement> edit = replace_value(result.text, *path, toml_value(*path, value));
    if (!edit) {
      fail("the file has a table there; set one key of it, such as " + key + ".KEY=VALUE");
      continue;
    }
    std::string edited = with_replacement(result.text, *edit);
    if (std::holds_alternative<document::SyntaxError>(document::parse(edited))) {
      fail("cannot be set in this file: the key goes through something that is no table");
      continue;
    }
    follow_lines(result.lines, result.text, *edit);
    result.text = std::move(edited);
    result.applied.push_back({print_key_path(*path), argument});
  }
  return result;
}

Origin OverriddenText::origin(Origin found) const {
  for (auto it = applied.rbegin(); it != applied.rend(); ++it) {
    const bool below = found.key.size() > it->key.size() && found.key.starts_with(it->key) && found.key[it->key.size()] == '.';
    if (found.key == it->key || below) return {it->argument, 0, 0, std::move(found.key)};
  }
  if (found.line >= 1 && static_cast<std::size_t>(found.line) <= lines.size()) found.line = lines[static_cast<std::size_t>(found.line) - 1];
  return found;
}

}  // namespace syncline
