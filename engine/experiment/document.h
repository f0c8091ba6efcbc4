// SPDX-License-Identifier: Apache-2.0
// A TOML text as a tree whose members stand in the order of the text and know where they were written. The only user of toml++, which
// sorts keys; everything else works on this tree.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace syncline::document {

struct Member;

struct Node {
  enum Type { text, integer, real, flag, moment, array, table };
  Type type = table;
  std::variant<std::monostate, bool, std::int64_t, double, std::string> value;  // moment (a date or time): as TOML text
  std::vector<Member> members;                                                  // table
  std::vector<Node> items;                                                      // array
  int line = 1, column = 1;                                                     // of the value

  const Node* find(std::string_view key) const;
};

struct Member {
  std::string key;
  Node node;
  int line = 1, column = 1;  // of the key
};

struct SyntaxError {
  std::string message;
  int line = 0, column = 0;
};

// The root table, or what is wrong with the text. Never throws for the text's sake, whatever it holds.
std::variant<Node, SyntaxError> parse(std::string_view toml);

// TOML for a value: the shortest text that reads back as the same number; a real always has a point, an exponent, inf or nan.
std::string print_text(std::string_view);
std::string print_real(double);
std::string print_key(std::string_view);  // bare where TOML allows it, else quoted
std::string print(const Node&);           // on one line

// What a person calls such a value: "the text \"abc\"", "the number 3", "a table".
std::string describe(const Node&);

}  // namespace syncline::document
