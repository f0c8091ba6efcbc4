// SPDX-License-Identifier: Apache-2.0
#include "engine/experiment/schema_json.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "engine/experiment/check.h"
#include "engine/experiment/sections.h"

namespace syncline {
namespace {

using Json = nlohmann::ordered_json;

const char* kind_name(Parameter::Kind kind) {
  constexpr const char* names[] = {"integer", "real", "flag", "choice", "text", "path", "list", "duration", "size", "rate", "table"};
  return names[static_cast<int>(kind)];
}

Json bound(double value) { return std::isnan(value) ? Json(nullptr) : Json(value); }

Json json_of(const Value& value) {
  if (const auto* flag = std::get_if<bool>(&value.data)) return *flag;
  if (const auto* integer = std::get_if<std::int64_t>(&value.data)) return *integer;
  if (const auto* real = std::get_if<double>(&value.data)) return *real;
  if (const auto* text = std::get_if<std::string>(&value.data)) return *text;
  if (const auto* list = std::get_if<std::vector<Value>>(&value.data)) {
    Json result = Json::array();
    for (const Value& element : *list) result.push_back(json_of(element));
    return result;
  }
  return nullptr;
}

Json parameter_json(const Parameter& parameter, const std::vector<std::string_view>& choices) {
  const Value initial = parameter.kind == Parameter::table ? Value{} : default_of(parameter);
  return {{"key", parameter.key},           {"symbol", parameter.symbol},
          {"help", parameter.help},         {"kind", kind_name(parameter.kind)},
          {"default", json_of(initial)},    {"least", bound(parameter.least)},
          {"most", bound(parameter.most)},  {"choices", choices},
          {"unit", parameter.unit},         {"only_if", parameter.only_if},
          {"advanced", parameter.advanced}, {"optional", parameter.optional},
          {"section", parameter.section}};
}

Json entry_json(const Entry& entry) {
  Json parameters = Json::array();
  for (const Parameter& parameter : entry.parameters) {
    parameters.push_back(parameter_json(parameter, {parameter.choices.begin(), parameter.choices.end()}));
  }
  return {{"name", entry.name},
          {"title", entry.title},
          {"paper", entry.paper},
          {"summary", entry.summary},
          {"parameters", std::move(parameters)}};
}

}  // namespace

nlohmann::ordered_json schema_json(const Catalogue& catalogue) {
  Json document;
  Json& all = document["sections"] = Json::array();
  for (const Section& section : sections()) {
    Json parameters = Json::array();
    for (const Parameter& parameter : section.parameters) {
      parameters.push_back(parameter_json(parameter, choices_of(catalogue, section.name, parameter)));
    }
    all.push_back({{"name", section.name},
                   {"title", section.title},
                   {"help", section.help},
                   {"repeated", section.repeated},
                   {"entries", section.entries},
                   {"chosen_by", section.chosen_by},
                   {"parameters", std::move(parameters)}});
  }
  for (const std::string_view kind : catalogue_kinds()) {
    Json& entries = document[std::string(kind)] = Json::array();
    if (kind == "strategies") {
      for (const Catalogue::Strategy& strategy : catalogue.strategies) {
        entries.push_back(entry_json(strategy));
        entries.back()["exchanges_gradients"] = strategy.exchanges_gradients;
        entries.back()["has_servers"] = strategy.has_servers;
      }
      continue;
    }
    for (const Entry* entry : entries_of(catalogue, kind)) entries.push_back(entry_json(*entry));
  }
  return document;
}

}  // namespace syncline
