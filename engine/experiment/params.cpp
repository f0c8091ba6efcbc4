// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "engine/experiment/check.h"
#include "engine/experiment/parameter.h"

namespace syncline {
namespace {

template <class T>
const T& as(const Value& value, std::string_view key, std::string_view kind) {
  if (const T* held = std::get_if<T>(&value.data)) return *held;
  throw UsageError(fmt::format("the key '{}' is read as {}, which it is not", key, kind));
}

bool fits(const Value& value, const Parameter& parameter) {
  switch (parameter.kind) {
    case Parameter::integer:
      return std::holds_alternative<std::int64_t>(value.data);
    case Parameter::flag:
      return std::holds_alternative<bool>(value.data);
    case Parameter::choice:
    case Parameter::text:
    case Parameter::path:
      return std::holds_alternative<std::string>(value.data);
    case Parameter::list:
      return std::holds_alternative<std::vector<Value>>(value.data);
    case Parameter::table:
      return false;
    default:
      return std::holds_alternative<double>(value.data);
  }
}

}  // namespace

const Value& Params::at(std::string_view key) const {
  const auto found = values_.find(key);
  if (found == values_.end()) throw UsageError(fmt::format("the key '{}' is in no table that was read", key));
  return found->second;
}

bool Params::has(std::string_view key) const {
  const auto found = values_.find(key);
  return found != values_.end() && found->second.present();
}

std::int64_t Params::integer(std::string_view key) const { return as<std::int64_t>(at(key), key, "a whole number"); }

double Params::real(std::string_view key) const {
  const Value& value = at(key);
  if (const auto* integer = std::get_if<std::int64_t>(&value.data)) return static_cast<double>(*integer);
  return as<double>(value, key, "a number");
}

bool Params::flag(std::string_view key) const { return as<bool>(at(key), key, "true or false"); }
const std::string& Params::text(std::string_view key) const { return as<std::string>(at(key), key, "a text"); }
const std::string& Params::choice(std::string_view key) const { return as<std::string>(at(key), key, "a choice"); }
const std::vector<Value>& Params::list(std::string_view key) const { return as<std::vector<Value>>(at(key), key, "a list"); }

std::vector<double> Params::reals(std::string_view key) const {
  std::vector<double> result;
  for (const Value& element : list(key)) {
    const auto* integer = std::get_if<std::int64_t>(&element.data);
    result.push_back(integer != nullptr ? static_cast<double>(*integer) : as<double>(element, key, "a list of numbers"));
  }
  return result;
}

std::vector<std::int64_t> Params::integers(std::string_view key) const {
  std::vector<std::int64_t> result;
  for (const Value& element : list(key)) result.push_back(as<std::int64_t>(element, key, "a list of whole numbers"));
  return result;
}

Params defaults_of(std::span<const Parameter> table) { return with_defaults(table, {}); }

Params with_defaults(std::span<const Parameter> table, const std::map<std::string, Value, std::less<>>& given) {
  Params params;
  std::vector<std::string_view> known;
  for (const Parameter& parameter : table) {
    known.push_back(parameter.key);
    if (parameter.kind == Parameter::table) continue;
    const auto found = given.find(parameter.key);
    if (found == given.end()) {
      Value value = default_of(parameter);
      if (!value.present() && !parameter.optional)
        throw ConfigError(fmt::format("the key '{}' is missing: {}", parameter.key, parameter.help));
      params.set(std::string(parameter.key), std::move(value));
      continue;
    }
    Value value = found->second;
    const bool real = parameter.kind == Parameter::real || parameter.kind == Parameter::duration || parameter.kind == Parameter::size ||
                      parameter.kind == Parameter::rate;
    if (const auto* integer = std::get_if<std::int64_t>(&value.data); integer != nullptr && real)
      value = Value{static_cast<double>(*integer)};
    if (!fits(value, parameter))
      throw ConfigError(fmt::format("the key '{}' has a value of another kind than its table says", parameter.key));
    params.set(std::string(parameter.key), std::move(value));
  }
  for (const auto& [key, value] : given) {
    if (std::find(known.begin(), known.end(), key) == known.end()) throw ConfigError("unknown key: " + not_known(key, known));
  }
  return params;
}

}  // namespace syncline
