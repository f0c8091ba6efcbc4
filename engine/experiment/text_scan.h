// SPDX-License-Identifier: Apache-2.0
// Where the keys and values of a TOML text stand. Reads texts that parse; on others it finds something or nothing, but always ends.
#pragma once

#include <map>

#include "engine/experiment/text_edit.h"

namespace syncline {

class TextScan {
 public:
  struct Header {              // [a.b] or [[a.b]]; the first one is the root
    KeyPath path;              // elements of arrays of tables by number
    std::size_t line_end = 0;  // after the header's line, then after its last entry's
  };
  struct Entry {
    KeyPath path;
    std::size_t key_begin = 0, value_begin = 0, value_end = 0;
    std::size_t header = 0;
    int parent = -1;  // entry whose inline table or array holds it
  };

  explicit TextScan(std::string_view text);
  const std::vector<Header>& headers() const { return headers_; }
  const std::vector<Entry>& entries() const { return entries_; }
  bool is_array_of_tables(const KeyPath& path) const { return arrays_.contains(path); }
  const Entry* find(const KeyPath&) const;

  // Lexical pieces, also used alone. Each returns the position after it.
  static std::size_t skip_string(std::string_view text, std::size_t at);
  static std::size_t skip_blank(std::string_view text, std::size_t at);  // spaces and tabs
  static std::size_t skip_space(std::string_view text, std::size_t at);  // blanks, newlines, comments
  static std::size_t line_end(std::string_view text, std::size_t at);    // after the newline, or the end
  static std::optional<KeyPath> key_path(std::string_view text, std::size_t& at);
  static std::size_t skip_value(std::string_view text, std::size_t at);

 private:
  std::size_t header(std::size_t at);
  std::size_t statement(std::size_t at, const KeyPath& table, int parent);
  std::size_t value(std::size_t at, const KeyPath& path, int entry, int depth);
  KeyPath resolved(const KeyPath&) const;

  std::string_view text_;
  std::vector<Header> headers_{1};
  std::vector<Entry> entries_;
  std::map<KeyPath, std::size_t> arrays_;  // arrays of tables and how many elements they have so far
  int depth_ = 0;
};

}  // namespace syncline
