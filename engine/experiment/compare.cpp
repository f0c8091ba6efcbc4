// SPDX-License-Identifier: Apache-2.0
// What makes two runs alike: the key of a group, and the keys in which two complete experiments differ.
#define XXH_INLINE_ALL
#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>

#include "engine/experiment/document.h"
#include "engine/experiment/experiment.h"

namespace syncline {
namespace {

using document::Node;
using Flat = std::vector<std::pair<std::string, std::string>>;

std::string shown(const Node& node) { return node.type == Node::text ? std::get<std::string>(node.value) : document::print(node); }

// Elements of a list of tables go by their name, so that a layer put in front does not make every later one differ.
std::string element_key(const Node& element, std::size_t index) {
  const Node* name = element.find("name");
  return name != nullptr && name->type == Node::text ? document::print_key(std::get<std::string>(name->value)) : fmt::format("{}", index);
}

void flatten(const Node& node, const std::string& path, Flat& flat) {
  const auto below = [&](const std::string& key) { return path.empty() ? key : path + "." + key; };
  const bool tables = node.type == Node::array && !node.items.empty() && node.items.front().type == Node::table;
  if (node.type == Node::table) {
    for (const document::Member& member : node.members) flatten(member.node, below(document::print_key(member.key)), flat);
  } else if (tables) {
    for (std::size_t i = 0; i < node.items.size(); ++i) flatten(node.items[i], below(element_key(node.items[i], i)), flat);
  } else {
    flat.emplace_back(path, shown(node));
  }
}

Flat flattened(std::string_view complete) {
  const auto parsed = document::parse(complete);
  if (const auto* error = std::get_if<document::SyntaxError>(&parsed)) {
    throw ConfigError(fmt::format("a stored experiment is no TOML (line {}): {}", error->line, error->message),
                      {{}, error->line, error->column, {}});
  }
  Flat flat;
  flatten(std::get<Node>(parsed), "", flat);
  return flat;
}

auto find(const Flat& flat, std::string_view key) {
  return std::find_if(flat.begin(), flat.end(), [&](const auto& each) { return each.first == key; });
}

std::string hash_of(const std::string& text) {
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, XXH3_128bits(text.data(), text.size()));
  std::string hex;
  for (const unsigned char byte : canonical.digest) hex += fmt::format("{:02x}", byte);
  return hex;
}

}  // namespace

std::string baseline_key(std::string_view complete) {
  if (std::holds_alternative<document::SyntaxError>(document::parse(complete))) return {};
  Flat flat = flattened(complete);
  std::erase_if(flat, [](const auto& entry) {
    const std::string& key = entry.first;
    return key == "name" || key == "cluster.servers" || key.starts_with("strategy.") || key.starts_with("cluster.link.") ||
           key.starts_with("cluster.links.") || key.starts_with("checkpoint.");
  });
  std::sort(flat.begin(), flat.end());
  std::string text;
  for (const auto& [key, value] : flat) text += key + " = " + value + "\n";
  return hash_of(text);
}

std::string group_key(const Experiment& experiment) {
  std::string hashed, section;
  for (std::string_view rest = experiment.complete; !rest.empty();) {
    const std::string_view line = rest.substr(0, std::min(rest.find('\n'), rest.size() - 1) + 1);
    rest.remove_prefix(line.size());
    if (line.starts_with('[')) section = line;
    const bool named = section.empty() && (line.starts_with("name = ") || line.starts_with("seed = "));
    if (!named && section != "[checkpoint]\n") hashed += line;
  }
  return hash_of(hashed);
}

std::vector<Difference> differences(std::string_view complete_a, std::string_view complete_b) {
  const Flat a = flattened(complete_a), b = flattened(complete_b);
  std::vector<Difference> result;
  // The order of the first text; what only the second one has stands where it would be there.
  auto next = b.begin();
  const auto only_in_b = [&](Flat::const_iterator until) {
    for (; next != until; ++next) {
      if (find(a, next->first) == a.end()) result.push_back({next->first, "", next->second});
    }
  };
  for (const auto& [key, value] : a) {
    const auto other = find(b, key);
    if (other == b.end()) {
      result.push_back({key, value, ""});
      continue;
    }
    if (other >= next) {
      only_in_b(other);
      next = other + 1;
    }
    if (value != other->second) result.push_back({key, value, other->second});
  }
  only_in_b(b.end());
  return result;
}

std::vector<std::pair<std::string, std::string>> settings_of(std::string_view complete) { return flattened(complete); }

}  // namespace syncline
