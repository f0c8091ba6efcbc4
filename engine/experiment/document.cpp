// SPDX-License-Identifier: Apache-2.0
#include "engine/experiment/document.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <sstream>

#include "engine/experiment/text_edit.h"

// toml++ 3.3 asserts on some malformed input, and with NDEBUG turns these assertions into assumptions for the optimizer, which is worse.
#undef NDEBUG
#define TOML_ASSERT(condition) static_assert(true)
#define TOML_EXCEPTIONS 0
#define TOML_MAX_NESTED_VALUES 32
#define TOML_ENABLE_WINDOWS_COMPAT 0
#include <toml++/toml.h>

namespace syncline::document {
namespace {

constexpr std::size_t longest_text = 4u << 20;
constexpr int deepest_key = 16;

template <class T>
std::string streamed(const T& value) {
  std::ostringstream stream;
  stream << value;
  return stream.str();
}

Node convert(const toml::node& node);

void convert_table(const toml::table& table, Node& result) {
  result.type = Node::table;
  for (const auto& [key, value] : table) {
    Member member{std::string(key.str()), convert(value), static_cast<int>(key.source().begin.line),
                  static_cast<int>(key.source().begin.column)};
    // A table that only dotted keys or deeper headers imply has no place of its own: its first member's will do.
    if (member.line <= 0) member.line = member.node.line, member.column = member.node.column;
    result.members.push_back(std::move(member));
  }
  std::stable_sort(result.members.begin(), result.members.end(),
                   [](const Member& a, const Member& b) { return std::pair(a.line, a.column) < std::pair(b.line, b.column); });
}

Node convert(const toml::node& node) {
  Node result;
  result.line = std::max(1, static_cast<int>(node.source().begin.line));
  result.column = std::max(1, static_cast<int>(node.source().begin.column));
  switch (node.type()) {
    case toml::node_type::string:
      result.type = Node::text, result.value = node.as_string()->get();
      break;
    case toml::node_type::integer:
      result.type = Node::integer, result.value = node.as_integer()->get();
      break;
    case toml::node_type::floating_point:
      result.type = Node::real, result.value = node.as_floating_point()->get();
      break;
    case toml::node_type::boolean:
      result.type = Node::flag, result.value = node.as_boolean()->get();
      break;
    case toml::node_type::date:
      result.type = Node::moment, result.value = streamed(node.as_date()->get());
      break;
    case toml::node_type::time:
      result.type = Node::moment, result.value = streamed(node.as_time()->get());
      break;
    case toml::node_type::date_time:
      result.type = Node::moment, result.value = streamed(node.as_date_time()->get());
      break;
    case toml::node_type::array:
      result.type = Node::array;
      for (const toml::node& item : *node.as_array()) result.items.push_back(convert(item));
      break;
    default:
      convert_table(*node.as_table(), result);
  }
  return result;
}

}  // namespace

const Node* Node::find(std::string_view key) const {
  for (const Member& member : members) {
    if (member.key == key) return &member.node;
  }
  return nullptr;
}

std::variant<Node, SyntaxError> parse(std::string_view text) {
  if (text.size() > longest_text)
    return SyntaxError{fmt::format("the text has {} bytes; an experiment has at most {}", text.size(), longest_text), 1, 1};
  // toml++ builds and destroys dotted keys by recursion without a limit of its own.
  if (const int line = line_of_deep_key(text, deepest_key); line > 0) {
    return SyntaxError{fmt::format("a key with more than {} parts", deepest_key), line, 1};
  }
  const toml::parse_result parsed = toml::parse(text);
  if (!parsed) {
    const toml::source_position at = parsed.error().source().begin;
    return SyntaxError{std::string(parsed.error().description()), static_cast<int>(at.line), static_cast<int>(at.column)};
  }
  return convert(parsed.table());
}

std::string print_text(std::string_view text) {
  std::string result = "\"";
  for (const char character : text) {
    switch (character) {
      case '"':
        result += "\\\"";
        break;
      case '\\':
        result += "\\\\";
        break;
      case '\n':
        result += "\\n";
        break;
      case '\t':
        result += "\\t";
        break;
      case '\r':
        result += "\\r";
        break;
      default:
        if (static_cast<unsigned char>(character) < 0x20 || character == 0x7f) {
          result += fmt::format("\\u{:04X}", static_cast<unsigned>(static_cast<unsigned char>(character)));
        } else {
          result += character;
        }
    }
  }
  return result + '"';
}

std::string print_real(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  std::string text = fmt::format("{}", value);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

std::string print_key(std::string_view key) {
  const bool bare = !key.empty() && std::all_of(key.begin(), key.end(), [](unsigned char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  });
  return bare ? std::string(key) : print_text(key);
}

std::string print(const Node& node) {
  std::string result;
  switch (node.type) {
    case Node::text:
      return print_text(std::get<std::string>(node.value));
    case Node::integer:
      return fmt::format("{}", std::get<std::int64_t>(node.value));
    case Node::real:
      return print_real(std::get<double>(node.value));
    case Node::flag:
      return std::get<bool>(node.value) ? "true" : "false";
    case Node::moment:
      return std::get<std::string>(node.value);
    case Node::array:
      for (const Node& item : node.items) result += (result.empty() ? "" : ", ") + print(item);
      return "[" + result + "]";
    case Node::table:
      for (const Member& member : node.members)
        result += (result.empty() ? " " : ", ") + print_key(member.key) + " = " + print(member.node);
      return result.empty() ? "{}" : "{" + result + " }";
  }
  return result;
}

std::string describe(const Node& node) {
  switch (node.type) {
    case Node::text: {
      const std::string& text = std::get<std::string>(node.value);
      if (text.size() <= 60) return "the text " + print_text(text);
      std::size_t end = 60;
      while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;  // not inside a UTF-8 character
      return "the text " + print_text(text.substr(0, end) + "...");
    }
    case Node::integer:
    case Node::real:
      return "the number " + print(node);
    case Node::flag:
      return print(node);
    case Node::moment:
      return "the date or time " + print(node);
    case Node::array:
      return "a list";
    case Node::table:
      return "a table";
  }
  return "a value";
}

}  // namespace syncline::document
