// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "engine/optim/option_text.h"
#include "engine/optim/rule.h"

namespace syncline {
namespace {

[[noreturn]] void refuse(const Parameter& p, const std::string& message) {
  throw ConfigError(message, {.file = {}, .key = "train.optimizer." + std::string(p.key)});
}

void check_range(const Parameter& p, const std::string& label, double number) {
  if (!(number < p.least) && !(number > p.most) && !std::isnan(number)) return;
  const std::string range = std::isnan(p.most)    ? fmt::format("at least {}", p.least)
                            : std::isnan(p.least) ? fmt::format("at most {}", p.most)
                                                  : fmt::format("{} to {}", p.least, p.most);
  refuse(p, fmt::format("{}: {} = {} is outside its range, {}.", label, p.key, number, std::isnan(number) ? "a number" : range));
}

double number_of(const Parameter& p, const std::string& label, const Value& value) {
  double number = NAN;
  const auto* text = std::get_if<std::string>(&value.data);
  if (const std::optional<double> quantity = text != nullptr ? parse_quantity(p.kind, *text) : std::nullopt)
    return check_range(p, label, *quantity), *quantity;
  if (const auto* integer = std::get_if<std::int64_t>(&value.data))
    number = static_cast<double>(*integer);
  else if (const auto* real = std::get_if<double>(&value.data); real != nullptr && p.kind != Parameter::integer)
    number = *real;
  else
    refuse(p, fmt::format("{}: {} must be {}.", label, p.key, p.kind == Parameter::integer ? "a whole number" : "a number"));
  check_range(p, label, number);
  return number;
}

std::string text_of(const Parameter& p, const std::string& label, const Value& value) {
  const auto* text = std::get_if<std::string>(&value.data);
  if (text == nullptr) refuse(p, fmt::format("{}: {} must be a text.", label, p.key));
  if (p.kind == Parameter::choice && std::find(p.choices.begin(), p.choices.end(), *text) == p.choices.end()) {
    refuse(p, fmt::format("{}: {} = \"{}\" is not one of {}.", label, p.key, *text, fmt::join(p.choices, ", ")));
  }
  return *text;
}

std::vector<double> list_of(const Parameter& p, const std::string& label, const Value& value) {
  const auto* list = std::get_if<std::vector<Value>>(&value.data);
  if (list == nullptr) refuse(p, fmt::format("{}: {} must be a list of numbers.", label, p.key));
  std::vector<double> numbers;
  for (const Value& element : *list)
    numbers.push_back(number_of({.key = p.key, .kind = Parameter::real, .least = p.least, .most = p.most}, label, element));
  return numbers;
}

// The default as a value of the option's kind; the table was checked, so that the texts parse.
Value default_of(const Parameter& p) {
  if (const auto* flag = std::get_if<bool>(&p.initial)) return {*flag};
  if (const auto* integer = std::get_if<std::int64_t>(&p.initial)) return {*integer};
  if (const auto* real = std::get_if<double>(&p.initial)) return {*real};
  const auto* text = std::get_if<std::string_view>(&p.initial);
  if (text == nullptr) return {};
  if (p.kind == Parameter::list) {
    std::vector<Value> list;
    for (const double number : parse_number_list(*text).value_or(std::vector<double>{})) list.push_back({number});
    return {std::move(list)};
  }
  if (const std::optional<double> quantity = parse_quantity(p.kind, *text)) return {*quantity};
  return {std::string(*text)};
}

}  // namespace

OptionValues::OptionValues(const Rule& rule, const Params& given) {
  const std::span<const Parameter> parameters = rule.entry().parameters;
  for (const auto& [key, value] : given.all()) {
    const bool known =
        std::any_of(parameters.begin(), parameters.end(), [&, name = std::string_view(key)](const Parameter& p) { return p.key == name; });
    if (known) continue;
    std::vector<std::string_view> keys;
    for (const Parameter& p : parameters) keys.push_back(p.key);
    throw ConfigError(fmt::format("{} has no option \"{}\"; it has {}.", rule.label(), key, fmt::join(keys, ", ")),
                      {.file = {}, .key = "train.optimizer." + key});
  }
  texts_.resize(parameters.size());  // never resized again: the values point into these
  lists_.resize(parameters.size());
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const Parameter& p = parameters[i];
    const auto found = given.all().find(p.key);
    const Value value = found != given.all().end() && found->second.present() ? found->second : default_of(p);
    syncline_value out{};
    out.present = value.present() ? 1 : 0;
    if (!value.present()) {
      if (!p.optional) refuse(p, fmt::format("{}: the option {} is required.", rule.label(), p.key));
    } else if (p.kind == Parameter::flag) {
      const auto* flag = std::get_if<bool>(&value.data);
      if (flag == nullptr) refuse(p, fmt::format("{}: {} must be true or false.", rule.label(), p.key));
      out.integer = *flag ? 1 : 0;
    } else if (p.kind == Parameter::choice || p.kind == Parameter::text || p.kind == Parameter::path) {
      texts_[i] = text_of(p, rule.label(), value);
      out.text = texts_[i].c_str();
    } else if (p.kind == Parameter::list) {
      lists_[i] = list_of(p, rule.label(), value);
      out.list = lists_[i].data();
      out.count = static_cast<std::int64_t>(lists_[i].size());
    } else {
      out.real = number_of(p, rule.label(), value);
      if (p.kind == Parameter::integer) out.integer = std::get<std::int64_t>(value.data);
    }
    if (p.key == "lr") lr_ = out.real;
    values_.push_back(out);
  }
  values_.resize(static_cast<std::size_t>(rule.table().option_count));  // without the host's own lr
}

}  // namespace syncline
