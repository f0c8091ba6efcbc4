// SPDX-License-Identifier: Apache-2.0
#include "engine/experiment/text_scan.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace syncline {
namespace {

constexpr int deepest_value = 64;

bool is_bare(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-'; }

void append_utf8(std::string& text, std::uint32_t code) {
  if (code < 0x80) {
    text += static_cast<char>(code);
  } else if (code < 0x800) {
    text += static_cast<char>(0xc0 | (code >> 6));
    text += static_cast<char>(0x80 | (code & 0x3f));
  } else if (code < 0x10000) {
    text += static_cast<char>(0xe0 | (code >> 12));
    text += static_cast<char>(0x80 | ((code >> 6) & 0x3f));
    text += static_cast<char>(0x80 | (code & 0x3f));
  } else {
    text += static_cast<char>(0xf0 | ((code >> 18) & 0x07));
    text += static_cast<char>(0x80 | ((code >> 12) & 0x3f));
    text += static_cast<char>(0x80 | ((code >> 6) & 0x3f));
    text += static_cast<char>(0x80 | (code & 0x3f));
  }
}

// The content of a quoted key, quotes included in `quoted`.
std::string unquoted(std::string_view quoted) {
  if (quoted.size() < 2) return {};
  const std::string_view inner = quoted.substr(1, quoted.size() - 2);
  if (quoted.front() == '\'') return std::string(inner);
  std::string result;
  for (std::size_t i = 0; i < inner.size(); ++i) {
    if (inner[i] != '\\' || i + 1 == inner.size()) {
      result += inner[i];
      continue;
    }
    const char escape = inner[++i];
    const std::size_t digits = escape == 'u' ? 4 : escape == 'U' ? 8 : 0;
    constexpr std::string_view letters = "btnfr\"\\", meanings = "\b\t\n\f\r\"\\";
    if (digits != 0) {
      std::uint32_t code = 0;
      const std::string_view hex = inner.substr(i + 1, digits);
      std::from_chars(hex.data(), hex.data() + hex.size(), code, 16);
      append_utf8(result, code);
      i += hex.size();
    } else if (const std::size_t which = letters.find(escape); which != std::string_view::npos) {
      result += meanings[which];
    }
  }
  return result;
}

}  // namespace

std::size_t TextScan::skip_string(std::string_view text, std::size_t at) {
  const char quote = text[at];
  const bool escapes = quote == '"';
  const std::string triple(3, quote);
  const bool multiline = text.substr(at, 3) == triple;
  for (at += multiline ? 3 : 1; at < text.size(); ++at) {
    if (escapes && text[at] == '\\') {
      ++at;
    } else if (!multiline && (text[at] == quote || text[at] == '\n')) {
      return at + 1;
    } else if (multiline && text.substr(at, 3) == triple) {
      at += 3;
      for (int extra = 0; extra < 2 && at < text.size() && text[at] == quote; ++extra) ++at;  // """a""""" ends in two quotes of its own
      return at;
    }
  }
  return text.size();
}

std::size_t TextScan::skip_blank(std::string_view text, std::size_t at) {
  while (at < text.size() && (text[at] == ' ' || text[at] == '\t')) ++at;
  return at;
}

std::size_t TextScan::skip_space(std::string_view text, std::size_t at) {
  while (at < text.size()) {
    if (text[at] == '#') {
      at = line_end(text, at);
    } else if (text[at] == ' ' || text[at] == '\t' || text[at] == '\n' || text[at] == '\r') {
      ++at;
    } else {
      break;
    }
  }
  return at;
}

std::size_t TextScan::line_end(std::string_view text, std::size_t at) {
  const std::size_t newline = text.find('\n', at);
  return newline == std::string_view::npos ? text.size() : newline + 1;
}

std::optional<KeyPath> TextScan::key_path(std::string_view text, std::size_t& at) {
  KeyPath path;
  for (;;) {
    at = skip_blank(text, at);
    if (at >= text.size()) return std::nullopt;
    const std::size_t begin = at;
    if (text[at] == '"' || text[at] == '\'') {
      at = skip_string(text, at);
      if (at - begin < 2 || text[at - 1] != text[begin]) return std::nullopt;
      path.push_back(unquoted(text.substr(begin, at - begin)));
    } else {
      while (at < text.size() && is_bare(text[at])) ++at;
      if (at == begin) return std::nullopt;
      path.emplace_back(text.substr(begin, at - begin));
    }
    const std::size_t next = skip_blank(text, at);
    if (next >= text.size() || text[next] != '.') return path;
    at = next + 1;
  }
}

std::size_t TextScan::skip_value(std::string_view text, std::size_t at) {
  if (at >= text.size()) return at;
  if (text[at] == '"' || text[at] == '\'') return skip_string(text, at);
  if (text[at] == '[' || text[at] == '{') {
    int depth = 0;
    while (at < text.size()) {
      const char c = text[at];
      if (c == '"' || c == '\'') {
        at = skip_string(text, at);
      } else if (c == '#') {
        at = line_end(text, at);
      } else {
        ++at;
        if (c == '[' || c == '{') ++depth;
        if ((c == ']' || c == '}') && --depth == 0) return at;
      }
    }
    return text.size();
  }
  std::size_t end = text.find_first_of(",]}#\r\n", at);
  if (end == std::string_view::npos) end = text.size();
  while (end > at && (text[end - 1] == ' ' || text[end - 1] == '\t')) --end;
  return end;
}

TextScan::TextScan(std::string_view text) : text_(text) {
  std::size_t at = text.starts_with("\xef\xbb\xbf") ? 3 : 0;
  headers_.front().line_end = at;
  while ((at = skip_space(text_, at)) < text_.size()) {
    const std::size_t before = at;
    if (text_[at] == '[') {
      at = header(at);
    } else {
      at = statement(at, headers_.back().path, -1);
      at = line_end(text_, at);
      headers_.back().line_end = at;
    }
    if (at <= before) return;
  }
}

const TextScan::Entry* TextScan::find(const KeyPath& path) const {
  for (const Entry& entry : entries_) {
    if (entry.path == path) return &entry;
  }
  return nullptr;
}

KeyPath TextScan::resolved(const KeyPath& path) const {
  KeyPath result;
  for (const std::string& part : path) {
    result.push_back(part);
    if (const auto found = arrays_.find(result); found != arrays_.end()) result.push_back(fmt::format("{}", found->second - 1));
  }
  return result;
}

std::size_t TextScan::header(std::size_t at) {
  const bool array = text_.substr(at, 2) == "[[";
  at += array ? 2 : 1;
  const std::optional<KeyPath> path = key_path(text_, at);
  at = line_end(text_, at);
  if (!path) return at;
  KeyPath full = resolved(*path);
  if (array) {
    KeyPath outer = resolved(KeyPath(path->begin(), path->end() - 1));
    outer.push_back(path->back());
    full = outer;
    full.push_back(fmt::format("{}", arrays_[outer]++));
  }
  headers_.push_back({std::move(full), at});
  return at;
}

std::size_t TextScan::statement(std::size_t at, const KeyPath& table, int parent) {
  const std::size_t key_begin = at;
  const std::optional<KeyPath> key = key_path(text_, at);
  at = skip_blank(text_, at);
  if (!key || at >= text_.size() || text_[at] != '=') return at;
  at = skip_blank(text_, at + 1);
  KeyPath path = table;
  path.insert(path.end(), key->begin(), key->end());
  const int index = static_cast<int>(entries_.size());
  entries_.push_back({path, key_begin, at, at, headers_.size() - 1, parent});
  return value(at, path, index, depth_);
}

std::size_t TextScan::value(std::size_t at, const KeyPath& path, int entry, int depth) {
  const std::size_t end = skip_value(text_, at);
  entries_[static_cast<std::size_t>(entry)].value_end = end;
  if (depth >= deepest_value || at >= text_.size() || (text_[at] != '[' && text_[at] != '{')) return end;
  const bool table = text_[at] == '{';
  depth_ = depth + 1;
  std::size_t inside = skip_space(text_, at + 1);
  for (std::size_t index = 0; inside + 1 < end; ++index) {
    const std::size_t before = inside;
    if (table) {
      inside = statement(inside, path, entry);
    } else {
      KeyPath element = path;
      element.push_back(fmt::format("{}", index));
      const int number = static_cast<int>(entries_.size());
      entries_.push_back({element, inside, inside, inside, headers_.size() - 1, entry});
      inside = value(inside, element, number, depth + 1);
    }
    depth_ = depth + 1;
    inside = skip_space(text_, inside);
    if (inside < text_.size() && text_[inside] == ',') inside = skip_space(text_, inside + 1);
    if (inside <= before) break;
  }
  depth_ = depth;
  return end;
}

}  // namespace syncline
