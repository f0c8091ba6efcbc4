// SPDX-License-Identifier: Apache-2.0
#include "engine/experiment/text_edit.h"

#include <algorithm>

#include "engine/experiment/document.h"
#include "engine/experiment/text_scan.h"

namespace syncline {
namespace {

bool is_prefix(const KeyPath& prefix, const KeyPath& path) {
  return prefix.size() <= path.size() && std::equal(prefix.begin(), prefix.end(), path.begin());
}

KeyPath rest_of(const KeyPath& path, const KeyPath& prefix) {
  return {path.begin() + static_cast<std::ptrdiff_t>(prefix.size()), path.end()};
}

class Edit {
 public:
  Edit(std::string_view text, const KeyPath& path, std::string_view value) : text_(text), scan_(text), path_(path), value_(value) {}

  std::optional<Replacement> run() const {
    if (path_.empty()) return std::nullopt;
    if (const TextScan::Entry* entry = scan_.find(path_)) return Replacement{entry->value_begin, entry->value_end, std::string(value_)};
    if (is_written_as_table(path_)) return std::nullopt;
    for (KeyPath table(path_.begin(), path_.end() - 1);; table.pop_back()) {
      if (const TextScan::Entry* entry = scan_.find(table)) return into_inline(*entry);
      if (scan_.is_array_of_tables(table)) return std::nullopt;
      if (const TextScan::Entry* entry = last_dotted(table)) return into_lines(entry->header, end_of_line(*entry));
      if (const auto header = header_of(table)) return into_header(*header, table);
      if (table.empty()) return std::nullopt;
    }
  }

 private:
  bool is_written_as_table(const KeyPath& path) const {
    const auto below = [&](const auto& thing) { return is_prefix(path, thing.path); };
    return std::any_of(scan_.headers().begin(), scan_.headers().end(), below) ||
           std::any_of(scan_.entries().begin(), scan_.entries().end(), below);
  }

  std::optional<std::size_t> header_of(const KeyPath& table) const {
    for (std::size_t i = 0; i < scan_.headers().size(); ++i) {
      if (scan_.headers()[i].path == table) return i;
    }
    return std::nullopt;
  }

  // The last line that makes `table` with a dotted key under a header further up ("optimizer.lr = 0.1" in [train]).
  const TextScan::Entry* last_dotted(const KeyPath& table) const {
    const TextScan::Entry* last = nullptr;
    for (const TextScan::Entry& entry : scan_.entries()) {
      if (entry.parent >= 0 || entry.path.size() <= table.size() || !is_prefix(table, entry.path)) continue;
      if (scan_.headers()[entry.header].path.size() < table.size()) last = &entry;
    }
    return last;
  }

  std::size_t end_of_line(const TextScan::Entry& entry) const { return TextScan::line_end(text_, entry.value_end); }

  std::string assignment(const KeyPath& from) const { return print_key_path(rest_of(path_, from)) + " = " + std::string(value_); }
  std::string newline() const { return text_.find("\r\n") == std::string_view::npos ? "\n" : "\r\n"; }

  Replacement line_at(std::size_t at, const std::string& line) const {
    const bool unfinished = at > 0 && at == text_.size() && text_[at - 1] != '\n';
    return {at, at, (unfinished ? newline() : "") + line + newline()};
  }

  Replacement into_lines(std::size_t header, std::size_t at) const { return line_at(at, assignment(scan_.headers()[header].path)); }

  std::optional<Replacement> into_header(std::size_t header, const KeyPath& table) const {
    const bool own_table = table.size() + 1 == path_.size();
    const bool in_array = std::any_of(scan_.headers().begin(), scan_.headers().end(), [&](const TextScan::Header& other) {
      return is_prefix(other.path, table) && !other.path.empty() &&
             scan_.is_array_of_tables(KeyPath(other.path.begin(), other.path.end() - 1));
    });
    if (own_table || in_array) return into_lines(header, scan_.headers()[header].line_end);
    const KeyPath wanted(path_.begin(), path_.end() - 1);
    const std::string blank = text_.empty() ? "" : newline();
    return line_at(text_.size(), blank + "[" + print_key_path(wanted) + "]" + newline() + assignment(wanted));
  }

  std::optional<Replacement> into_inline(const TextScan::Entry& table) const {
    if (table.value_end < table.value_begin + 2 || text_[table.value_begin] != '{') return std::nullopt;
    const auto number = &table - scan_.entries().data();
    const TextScan::Entry* last = nullptr;
    for (const TextScan::Entry& entry : scan_.entries()) {
      if (entry.parent == number) last = &entry;
    }
    if (last != nullptr) return Replacement{last->value_end, last->value_end, ", " + assignment(table.path)};
    return Replacement{table.value_begin + 1, table.value_end - 1, " " + assignment(table.path) + " "};
  }

  std::string_view text_;
  TextScan scan_;
  const KeyPath& path_;
  std::string_view value_;
};

}  // namespace

std::optional<KeyPath> parse_key_path(std::string_view text) {
  std::size_t at = 0;
  std::optional<KeyPath> path = TextScan::key_path(text, at);
  if (path && TextScan::skip_blank(text, at) != text.size()) return std::nullopt;
  return path;
}

std::string print_key_path(const KeyPath& path) {
  std::string text;
  for (const std::string& part : path) text += (text.empty() ? "" : ".") + document::print_key(part);
  return text;
}

std::optional<Replacement> replace_value(std::string_view toml, const KeyPath& path, std::string_view value) {
  return Edit(toml, path, value).run();
}

std::string with_replacement(std::string_view toml, const Replacement& replacement) {
  std::string result(toml.substr(0, replacement.begin));
  result += replacement.text;
  return result += toml.substr(replacement.end);
}

std::optional<Replacement> remove_value(std::string_view toml, const KeyPath& path) {
  const TextScan scan(toml);
  const TextScan::Entry* entry = scan.find(path);
  if (entry == nullptr) return std::nullopt;
  if (entry->parent < 0) {
    const std::size_t newline = entry->key_begin == 0 ? std::string_view::npos : toml.rfind('\n', entry->key_begin - 1);
    return Replacement{newline == std::string_view::npos ? 0 : newline + 1, TextScan::line_end(toml, entry->value_end), ""};
  }
  const TextScan::Entry& table = scan.entries()[static_cast<std::size_t>(entry->parent)];
  if (toml[table.value_begin] != '{') return std::nullopt;
  const std::size_t after = TextScan::skip_blank(toml, entry->value_end);
  if (after < toml.size() && toml[after] == ',') return Replacement{entry->key_begin, TextScan::skip_blank(toml, after + 1), ""};
  const std::size_t comma = toml.rfind(',', entry->key_begin);  // the last member: the comma before it goes too
  const bool has_comma =
      comma != std::string_view::npos && comma > table.value_begin && TextScan::skip_blank(toml, comma + 1) == entry->key_begin;
  return Replacement{has_comma ? comma : entry->key_begin, entry->value_end, ""};
}

bool is_one_value(std::string_view text) {
  const std::size_t begin = TextScan::skip_blank(text, 0);
  if (begin == text.size()) return false;
  const std::size_t end = TextScan::skip_value(text, begin);
  return end > begin && TextScan::skip_blank(text, end) == text.size();
}

int line_of_deep_key(std::string_view text, int most) {
  int line = 1, dots = 0;
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    std::size_t next = at + 1;
    if (c == '"' || c == '\'') {
      next = TextScan::skip_string(text, at);
    } else if (c == '#') {
      next = TextScan::line_end(text, at);
      dots = 0;
    } else if (c == '.') {
      if (++dots >= most) return line;
    } else if (c == '=' || c == ',' || c == '{' || c == '}' || c == '[' || c == ']' || c == '\n') {
      dots = 0;
    }
    line += static_cast<int>(std::count(text.begin() + static_cast<std::ptrdiff_t>(at),
                                        text.begin() + static_cast<std::ptrdiff_t>(std::min(next, text.size())), '\n'));
    at = next;
  }
  return 0;
}

}  // namespace syncline
