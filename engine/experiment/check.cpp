// SPDX-License-Identifier: Apache-2.0
#include "engine/experiment/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>

#include "engine/base/units.h"

namespace syncline {
namespace {

using document::Node;
using Read = std::variant<Value, std::string>;

bool is_number(const Node& node) { return node.type == Node::integer || node.type == Node::real; }

double number_of(const Node& node) {
  return node.type == Node::integer ? static_cast<double>(std::get<std::int64_t>(node.value)) : std::get<double>(node.value);
}

std::string print_bound(double bound, Parameter::Kind kind) {
  switch (kind) {
    case Parameter::duration:
      return exact_duration(bound);
    case Parameter::size:
      return exact_size(bound);
    case Parameter::rate:
      return exact_rate(bound);
    case Parameter::flag:
      return bound == 0 ? "false" : "true";
    default:
      return fmt::format("{}", bound);
  }
}

std::string what_fits(Parameter::Kind kind) {
  switch (kind) {
    case Parameter::integer:
      return "a whole number";
    case Parameter::real:
      return "a number";
    case Parameter::flag:
      return "true or false";
    case Parameter::duration:
      return "a time such as \"100 us\", or a number of seconds";
    case Parameter::size:
      return "a size such as \"64 KiB\", or a number of bytes";
    case Parameter::rate:
      return "a rate such as \"1 Gbit/s\", or a number of bytes per second";
    case Parameter::list:
      return "a list such as [1, 2]";
    case Parameter::table:
      return "a table such as { name = \"...\" }";
    default:
      return "a text";
  }
}

std::string misfit(const Node& node, Parameter::Kind kind) {
  const bool wants_number = kind != Parameter::flag && kind != Parameter::text && kind != Parameter::list && kind != Parameter::table;
  return fmt::format("must be {}, not {}", what_fits(kind),
                     wants_number && is_number(node) ? document::print(node) : document::describe(node));
}

// Empty when the number is within the table's range.
std::string out_of_range(double number, const std::string& printed, const Parameter& parameter) {
  const bool quantity = parameter.kind == Parameter::duration || parameter.kind == Parameter::size || parameter.kind == Parameter::rate;
  const double least = std::isnan(parameter.least) && quantity ? 0 : parameter.least, most = parameter.most;
  if (!(number < least) && !(number > most)) return {};
  const std::string low = print_bound(least, parameter.kind), high = print_bound(most, parameter.kind);
  if (least == most) return fmt::format("must be {}, not {}: this version knows no other value", low, printed);
  if (std::isnan(most)) return fmt::format("must be at least {}, not {}", low, printed);
  if (std::isnan(least)) return fmt::format("must be at most {}, not {}", high, printed);
  return fmt::format("must be between {} and {}, not {}", low, high, printed);
}

Read read_number(const Node& node, const Parameter& parameter) {
  if (node.type == Node::real && !std::isfinite(std::get<double>(node.value)))
    return "must be a finite number, not " + document::print(node);
  if (parameter.kind == Parameter::integer) {
    if (node.type != Node::integer) return misfit(node, parameter.kind);
    if (std::string problem = out_of_range(number_of(node), document::print(node), parameter); !problem.empty()) return problem;
    return Value{std::get<std::int64_t>(node.value)};
  }
  std::optional<double> number;
  if (is_number(node)) {
    number = number_of(node);
  } else if (node.type == Node::text && parameter.kind != Parameter::real) {
    const std::string& text = std::get<std::string>(node.value);
    number = parameter.kind == Parameter::duration ? parse_duration(text)
             : parameter.kind == Parameter::size   ? parse_size(text)
                                                   : parse_rate(text);
  }
  if (!number) return misfit(node, parameter.kind);
  if (std::string problem = out_of_range(*number, document::print(node), parameter); !problem.empty()) return problem;
  return Value{*number == 0 ? 0.0 : *number};  // no negative zero: it would print otherwise than it reads
}

Read read_text(const Node& node, const Parameter& parameter, std::span<const std::string_view> choices) {
  if (node.type != Node::text) {
    return choices.empty() ? misfit(node, Parameter::text)
                           : fmt::format("must be one of {}, not {}", quoted_list(choices), document::describe(node));
  }
  const std::string& text = std::get<std::string>(node.value);
  if (parameter.kind == Parameter::choice && std::find(choices.begin(), choices.end(), text) == choices.end())
    return not_known(text, choices);
  return Value{text};
}

// By the choices, else by the default's elements, else by what is given: whole numbers stay whole where all are.
Parameter::Kind element_kind(const Parameter& list, std::span<const Node> items, bool has_choices) {
  if (has_choices) return Parameter::choice;
  const Value initial = default_of(list);
  if (const auto* elements = std::get_if<std::vector<Value>>(&initial.data); elements != nullptr && !elements->empty()) {
    const std::size_t type = elements->front().data.index();
    return type == 1 ? Parameter::flag : type == 2 ? Parameter::integer : type == 3 ? Parameter::real : Parameter::text;
  }
  if (items.front().type == Node::text) return Parameter::text;
  const auto is_whole = [](const Node& item) { return item.type == Node::integer; };
  return std::all_of(items.begin(), items.end(), is_whole) ? Parameter::integer : Parameter::real;
}

Read read_list(const Node& node, const Parameter& parameter, std::span<const std::string_view> choices) {
  std::vector<Value> values;
  if (node.type == Node::moment || node.type == Node::table) return misfit(node, Parameter::list);
  const std::span<const Node> items = node.type == Node::array ? std::span<const Node>(node.items) : std::span<const Node>(&node, 1);
  if (items.empty()) return Value{std::move(values)};
  Parameter element = parameter;
  element.kind = element_kind(parameter, items, !choices.empty());
  for (std::size_t i = 0; i < items.size(); ++i) {
    Read read = read_value(items[i], element, choices);
    if (std::string* problem = std::get_if<std::string>(&read)) {
      return node.type == Node::array ? fmt::format("element {}: {}", i + 1, *problem) : std::move(*problem);
    }
    values.push_back(std::get<Value>(std::move(read)));
  }
  return Value{std::move(values)};
}

}  // namespace

Value default_of(const Parameter& parameter) {
  if (const auto* text = std::get_if<std::string_view>(&parameter.initial); text != nullptr && parameter.kind == Parameter::list) {
    const auto parsed = document::parse(fmt::format("list = {}", *text));
    const Node* root = std::get_if<Node>(&parsed);
    if (root == nullptr || root->members.size() != 1 || root->members.front().node.type != Node::array) {
      throw UsageError(fmt::format("the default '{}' of the key '{}' is no list", *text, parameter.key));
    }
    const Node& list = root->members.front().node;
    // Whole numbers stay whole here: the default decides what the elements are.
    std::vector<Value> values;
    for (const Node& item : list.items) {
      if (item.type == Node::integer) values.push_back({std::get<std::int64_t>(item.value)});
      if (item.type == Node::real) values.push_back({std::get<double>(item.value)});
      if (item.type == Node::flag) values.push_back({std::get<bool>(item.value)});
      if (item.type == Node::text) values.push_back({std::get<std::string>(item.value)});
    }
    return Value{std::move(values)};
  }
  Node node;
  if (std::holds_alternative<std::monostate>(parameter.initial)) return {};
  if (const auto* flag = std::get_if<bool>(&parameter.initial)) node.type = Node::flag, node.value = *flag;
  if (const auto* integer = std::get_if<std::int64_t>(&parameter.initial)) node.type = Node::integer, node.value = *integer;
  if (const auto* real = std::get_if<double>(&parameter.initial)) node.type = Node::real, node.value = *real;
  if (const auto* text = std::get_if<std::string_view>(&parameter.initial)) node.type = Node::text, node.value = std::string(*text);
  Parameter open = parameter;
  if (open.kind == Parameter::choice) open.kind = Parameter::text;  // the choices may come from a registry
  Read read = read_value(node, open);
  if (const std::string* problem = std::get_if<std::string>(&read)) {
    throw UsageError(fmt::format("the default of the key '{}' {}", parameter.key, *problem));
  }
  return std::get<Value>(std::move(read));
}

std::variant<Value, std::string> read_value(const Node& node, const Parameter& parameter, std::span<const std::string_view> choices) {
  if (choices.empty()) choices = parameter.choices;
  switch (parameter.kind) {
    case Parameter::flag: {
      if (node.type != Node::flag) return misfit(node, parameter.kind);
      const bool flag = std::get<bool>(node.value);
      if (std::string problem = out_of_range(flag ? 1 : 0, document::print(node), parameter); !problem.empty()) return problem;
      return Value{flag};
    }
    case Parameter::choice:
    case Parameter::text:
    case Parameter::path:
      return read_text(node, parameter, choices);
    case Parameter::list:
      return read_list(node, parameter, choices);
    case Parameter::table:
      return misfit(node, parameter.kind);
    default:
      return read_number(node, parameter);
  }
}

std::string print_value(const Value& value, Parameter::Kind kind) {
  if (const auto* flag = std::get_if<bool>(&value.data)) return *flag ? "true" : "false";
  if (const auto* integer = std::get_if<std::int64_t>(&value.data)) return fmt::format("{}", *integer);
  if (const auto* text = std::get_if<std::string>(&value.data)) return document::print_text(*text);
  if (const auto* real = std::get_if<double>(&value.data)) {
    std::string quantity;
    if (kind == Parameter::duration) quantity = exact_duration(*real);
    if (kind == Parameter::size) quantity = exact_size(*real);
    if (kind == Parameter::rate) quantity = exact_rate(*real);
    return quantity.find(' ') == std::string::npos ? document::print_real(*real) : document::print_text(quantity);
  }
  std::string result;
  if (const auto* list = std::get_if<std::vector<Value>>(&value.data)) {
    for (const Value& element : *list) result += (result.empty() ? "" : ", ") + print_value(element, Parameter::real);
  }
  return "[" + result + "]";
}

namespace {

char folded(char c) { return c == '-' ? '_' : c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// Insertions, deletions, replacements and swaps of neighbours (optimal string alignment).
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), current(b.size() + 1);
  std::iota(last.begin(), last.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    current[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool same = folded(a[i - 1]) == folded(b[j - 1]);
      current[j] = std::min({last[j] + 1, current[j - 1] + 1, last[j - 1] + (same ? 0 : 1)});
      const bool swapped = i > 1 && j > 1 && folded(a[i - 1]) == folded(b[j - 2]) && folded(a[i - 2]) == folded(b[j - 1]);
      if (swapped) current[j] = std::min(current[j], before[j - 2] + 1);
    }
    before = last;
    last = current;
  }
  return last[b.size()];
}

}  // namespace

std::string_view nearest(std::string_view name, std::span<const std::string_view> known) {
  std::string_view best;
  if (name.size() > 64) return best;
  std::size_t distance = std::string_view::npos;
  for (const std::string_view candidate : known) {
    const std::size_t d = edit_distance(name, candidate), longer = std::max(name.size(), candidate.size());
    if (d < distance && d <= std::max<std::size_t>(1, longer / 3) && d < longer) best = candidate, distance = d;
  }
  return best;
}

std::string quoted_list(std::span<const std::string_view> names) {
  std::string result;
  for (std::size_t i = 0; i < names.size(); ++i) {
    result += fmt::format("{}'{}'", i == 0 ? "" : i + 1 == names.size() ? " and " : ", ", names[i]);
  }
  return result;
}

std::string not_known(std::string_view name, std::span<const std::string_view> known) {
  const std::string shown = name.size() > 64 ? std::string(name.substr(0, 61)) + "..." : std::string(name);
  if (known.empty()) return fmt::format("'{}' is not known: this version has none", shown);
  if (const std::string_view near = nearest(name, known); !near.empty())
    return fmt::format("'{}' is not known; did you mean '{}'?", shown, near);
  return fmt::format("'{}' is not known: this version knows only {}", shown, quoted_list(known));
}

namespace {

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

std::vector<std::string_view> split(std::string_view text, std::string_view separator) {
  std::vector<std::string_view> parts;
  for (std::size_t at; (at = text.find(separator)) != std::string_view::npos; text.remove_prefix(at + separator.size())) {
    parts.push_back(trimmed(text.substr(0, at)));
  }
  parts.push_back(trimmed(text));
  return parts;
}

struct Term {
  std::string_view key, operation, value;
};

Term term_of(std::string_view text) {
  const std::size_t at = text.find_first_of("=!<>");
  if (at == std::string_view::npos) return {trimmed(text), "=", "true"};
  const std::size_t length = at + 1 < text.size() && text[at + 1] == '=' ? 2 : 1;
  return {trimmed(text.substr(0, at)), text.substr(at, length), trimmed(text.substr(at + length))};
}

bool equals(const Value& value, std::string_view text) {
  if (const auto* flag = std::get_if<bool>(&value.data)) return text == (*flag ? "true" : "false");
  if (const auto* word = std::get_if<std::string>(&value.data)) return *word == text;
  double number = 0;
  const bool is_numeric = std::from_chars(text.data(), text.data() + text.size(), number).ec == std::errc{};
  if (const auto* integer = std::get_if<std::int64_t>(&value.data)) return is_numeric && static_cast<double>(*integer) == number;
  if (const auto* real = std::get_if<double>(&value.data)) return is_numeric && *real == number;
  return false;
}

bool term_holds(const Term& term, const Value& value) {
  if (term.operation == "=" || term.operation == "==" || term.operation == "!=") {
    const std::vector<std::string_view> alternatives = split(term.value, "|");
    const bool any = std::any_of(alternatives.begin(), alternatives.end(), [&](std::string_view text) { return equals(value, text); });
    return any == (term.operation != "!=");
  }
  const auto* integer = std::get_if<std::int64_t>(&value.data);
  const auto* real = std::get_if<double>(&value.data);
  if (integer == nullptr && real == nullptr) return false;
  const double left = integer != nullptr ? static_cast<double>(*integer) : *real;
  double right = 0;
  std::from_chars(term.value.data(), term.value.data() + term.value.size(), right);
  if (term.operation == ">") return left > right;
  if (term.operation == ">=") return left >= right;
  if (term.operation == "<") return left < right;
  return left <= right;
}

}  // namespace

bool condition_holds(std::string_view condition, const std::function<const Value*(std::string_view)>& lookup) {
  if (condition.empty()) return true;
  for (const std::string_view part : split(condition, " and ")) {
    const Term term = term_of(part);
    const Value* value = lookup(term.key);
    if (value == nullptr || !value->present() || !term_holds(term, *value)) return false;
  }
  return true;
}

std::vector<std::string_view> condition_keys(std::string_view condition) {
  std::vector<std::string_view> keys;
  if (condition.empty()) return keys;
  for (const std::string_view part : split(condition, " and ")) keys.push_back(term_of(part).key);
  return keys;
}

}  // namespace syncline
