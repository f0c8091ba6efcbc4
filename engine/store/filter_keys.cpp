// SPDX-License-Identifier: Apache-2.0
#include "engine/store/filter_keys.h"

#include <algorithm>

#include "engine/experiment/sections.h"

namespace syncline {
namespace {

void add_key(std::vector<FilterKey>& keys, std::string name, const Parameter& parameter, std::vector<std::string_view> choices) {
  if (parameter.kind == Parameter::table) return;
  auto same = std::find_if(keys.begin(), keys.end(), [&](const FilterKey& key) { return key.name == name; });
  if (same == keys.end()) {
    keys.push_back({std::move(name), parameter.kind, {}});
    same = std::prev(keys.end());
  } else if (same->kind != parameter.kind) {
    same->kind = Parameter::list;  // may be anything
  }
  for (const std::string_view choice : choices) {
    if (std::find(same->choices.begin(), same->choices.end(), choice) == same->choices.end()) same->choices.emplace_back(choice);
  }
}

class Walk {
 public:
  Walk(std::string_view text, std::string_view key, const std::function<bool(std::string_view)>& found)
      : text_(text), key_(key), found_(found) {}

  bool any() {
    while (skip_blank_lines(), at_ < text_.size()) {
      if (text_[at_] == '[') {
        read_header();
      } else if (read_member(0)) {
        return true;
      }
    }
    return false;
  }

 private:
  static constexpr int deepest = 50;

  bool at(char c) const { return at_ < text_.size() && text_[at_] == c; }

  void skip_blank_lines() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '#') {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
        ++at_;
      } else {
        return;
      }
    }
  }

  void read_header() {
    while (at('[')) ++at_;
    path_.clear();
    read_key();
    while (at_ < text_.size() && text_[at_] != '\n') ++at_;
    header_ = path_.size();
  }

  // Appends a dotted key to the path.
  void read_key() {
    const auto ends = [](char c) { return c == '=' || c == ']' || c == '\n' || c == '#'; };
    while (at_ < text_.size() && !ends(text_[at_])) {
      const char c = text_[at_];
      if (c == ' ' || c == '\t' || c == '.') {
        ++at_;
        continue;
      }
      const std::string_view part = c == '"' || c == '\'' ? read_quoted() : read_bare(" \t.=]\n#");
      if (!path_.empty()) path_ += '.';
      path_ += part;
    }
  }

  std::string_view read_bare(std::string_view end) {
    const std::size_t begin = at_;
    at_ = std::min(text_.find_first_of(end, at_), text_.size());
    if (at_ == begin && at_ < text_.size()) ++at_;  // always moves on
    return text_.substr(begin, at_ - begin);
  }

  std::string_view read_quoted() {
    const char quote = text_[at_++];
    const std::size_t begin = at_;
    while (at_ < text_.size() && text_[at_] != quote && text_[at_] != '\n') at_ += quote == '"' && text_[at_] == '\\' ? 2 : 1;
    at_ = std::min(at_, text_.size());
    const std::size_t end = at_;
    if (at(quote)) ++at_;
    return text_.substr(begin, end - begin);
  }

  bool read_member(int depth) {
    const std::size_t outside = depth == 0 ? header_ : path_.size();
    path_.resize(outside);
    read_key();
    bool done = false;
    if (at('=')) {
      ++at_;
      done = read_value(depth + 1);
    } else if (at_ < text_.size()) {
      ++at_;
    }
    path_.resize(outside);
    return done;
  }

  bool read_value(int depth) {
    while (at(' ') || at('\t')) ++at_;
    if (at_ >= text_.size() || depth > deepest) {
      at_ = text_.size();
      return false;
    }
    if (at('{') || at('[')) {
      const char close = at('{') ? '}' : ']';
      ++at_;
      while (skip_blank_lines(), at_ < text_.size() && !at(close)) {
        if (at(',')) {
          ++at_;
        } else if (close == '}' ? read_member(depth) : read_value(depth + 1)) {
          return true;
        }
      }
      if (at_ < text_.size()) ++at_;
      return false;
    }
    const bool quoted = at('"') || at('\'');
    std::string_view value = quoted ? read_quoted() : read_bare(",]}\n#");
    if (!quoted) value = value.substr(0, value.find_last_not_of(" \t\r") + 1);
    return path_ == key_ && found_(value);
  }

  std::string_view text_, key_;
  const std::function<bool(std::string_view)>& found_;
  std::string path_;
  std::size_t at_ = 0, header_ = 0;  // header: length of the path of the last header
};

}  // namespace

std::vector<FilterKey> experiment_filter_keys(const Catalogue& catalogue) {
  std::vector<FilterKey> keys;
  for (const Section& section : sections()) {
    const auto named = [&](const Parameter& parameter) {
      return section.name.empty() ? std::string(parameter.key) : std::string(section.name) + "." + std::string(parameter.key);
    };
    const auto add = [&](const Parameter& parameter) {
      std::vector<std::string_view> choices;
      if (parameter.kind == Parameter::choice) choices = choices_of(catalogue, section.name, parameter);
      add_key(keys, named(parameter), parameter, std::move(choices));
    };
    for (const Parameter& parameter : section.parameters) add(parameter);
    if (section.entries.empty()) continue;
    for (const Entry* entry : entries_of(catalogue, section.entries)) {
      for (const Parameter& parameter : entry->parameters) {
        add_key(keys, named(parameter), parameter, {parameter.choices.begin(), parameter.choices.end()});
      }
    }
  }
  return keys;
}

std::vector<const FilterKey*> find_filter_keys(std::span<const FilterKey> keys, std::string_view name) {
  std::vector<const FilterKey*> found;
  for (const FilterKey& key : keys) {
    if (key.name == name) return {&key};
    if (key.name.size() > name.size() && key.name.ends_with(name) && key.name[key.name.size() - name.size() - 1] == '.')
      found.push_back(&key);
  }
  return found;
}

bool any_value_of(std::string_view complete, std::string_view key, const std::function<bool(std::string_view)>& found) {
  // Most texts without the key are told by its last part.
  if (complete.find(key.substr(key.rfind('.') + 1)) == std::string_view::npos) return false;
  return Walk(complete, key, found).any();
}

}  // namespace syncline
