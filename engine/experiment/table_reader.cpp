// SPDX-License-Identifier: Apache-2.0
#include "engine/experiment/table_reader.h"

#include <fmt/format.h>

#include <algorithm>

namespace syncline {
namespace {

using document::Member;
using document::Node;

std::string lower_first(std::string_view sentence) {
  std::string result(sentence);
  const bool word = result.size() > 1 && result[1] >= 'a' && result[1] <= 'z';
  if (word && result[0] >= 'A' && result[0] <= 'Z') result[0] = static_cast<char>(result[0] - 'A' + 'a');
  if (!result.empty() && result.back() == '.') result.pop_back();
  return result;
}

// The section's own rows; where the entry has a row of the same key, that one in its place.
std::vector<const Parameter*> merged(std::span<const Parameter> common, std::span<const Parameter> own) {
  std::vector<const Parameter*> rows;
  for (const Parameter& parameter : common) rows.push_back(&parameter);
  for (const Parameter& parameter : own) {
    const auto same = std::find_if(rows.begin(), rows.end(), [&](const Parameter* row) { return row->key == parameter.key; });
    if (same == rows.end()) {
      rows.push_back(&parameter);
    } else {
      *same = &parameter;
    }
  }
  return rows;
}

std::optional<Value> plain_value(const Node& node) {
  if (node.type == Node::flag) return Value{std::get<bool>(node.value)};
  if (node.type == Node::integer) return Value{std::get<std::int64_t>(node.value)};
  if (node.type == Node::real && std::isfinite(std::get<double>(node.value))) return Value{std::get<double>(node.value) + 0.0};
  if (node.type == Node::text) return Value{std::get<std::string>(node.value)};
  return std::nullopt;
}

// The section, other than `here`, whose own table has this key; null when none or several.
const Section* owner_of(std::string_view key, std::string_view here) {
  const Section* owner = nullptr;
  for (const Section& candidate : sections()) {
    if (candidate.name == here || candidate.repeated || candidate.name.empty()) continue;
    const auto& rows = candidate.parameters;
    if (std::none_of(rows.begin(), rows.end(), [&](const Parameter& row) { return row.key == key; })) continue;
    if (owner != nullptr) return nullptr;
    owner = &candidate;
  }
  return owner;
}

}  // namespace

Place TableRecord::place_of(std::string_view key) const {
  const auto found = given.find(key);
  return found == given.end() ? place : found->second;
}

bool TableRecord::applies(const Parameter& parameter) const {
  return condition_holds(parameter.only_if, [&](std::string_view key) -> const Value* {
    const auto found = params.all().find(key);
    return found == params.all().end() ? nullptr : &found->second;
  });
}

TableRecord TableReader::read(const Node* table, const Section& section, Options options, Place if_absent) {
  TableRecord record;
  record.path = options.path.empty() ? std::string(section.name) : options.path;
  record.parameters = merged(section.parameters, options.own);
  record.place = if_absent;
  if (table != nullptr) {
    record.place = {table->line, table->column};
    if (table->type != Node::table) {
      problems_.add(record.place, record.path, fmt::format("must be a table, not {}", document::describe(*table)));
      for (const Parameter* parameter : record.parameters) record.wrong.insert(std::string(parameter->key));
    } else {
      for (const Member& each : table->members) member(each, section, options, record);
    }
  }
  fill(record, section);
  conditions(record);
  return record;
}

void TableReader::member(const Member& member, const Section& section, const Options& options, TableRecord& record) {
  const auto row =
      std::find_if(record.parameters.begin(), record.parameters.end(), [&](const Parameter* p) { return p->key == member.key; });
  const Place key_place{member.line, member.column};
  record.given[member.key] = key_place;
  if (row == record.parameters.end()) {
    if (options.any_key) {
      if (std::optional<Value> value = plain_value(member.node)) {
        record.params.set(member.key, *std::move(value));
      } else {
        problems_.add(key_place, record.key(member.key),
                      fmt::format("must be a number, a text, true or false, not {}", document::describe(member.node)));
      }
    } else if (!options.owner_unknown) {
      unknown(member, section, record);
    }
    return;
  }
  const Parameter& parameter = **row;
  if (parameter.kind == Parameter::table) return;  // a section of its own, read by whoever knows it
  const bool sections_own = &parameter >= section.parameters.data() && &parameter < section.parameters.data() + section.parameters.size();
  std::vector<std::string_view> choices;
  if (sections_own) choices = choices_of(catalogue_, section.name, parameter);
  const auto rule = options.rules.find(member.key);
  std::variant<Value, std::string> read =
      rule != options.rules.end() ? rule->second(member.node) : read_value(member.node, parameter, choices);
  if (std::string* problem = std::get_if<std::string>(&read)) {
    problems_.add(key_place, record.key(member.key), std::move(*problem));
    record.wrong.insert(member.key);
    return;
  }
  record.params.set(member.key, std::get<Value>(std::move(read)));
}

void TableReader::unknown(const Member& member, const Section& section, TableRecord& record) {
  const Place place{member.line, member.column};
  for (const Reserved& reserved : reserved_keys()) {
    if (reserved.section == section.name && reserved.key == member.key) {
      problems_.add(place, record.key(member.key), std::string(reserved.reason));
      return;
    }
  }
  std::vector<std::string_view> known;
  for (const Parameter* parameter : record.parameters) known.push_back(parameter->key);
  const std::string shown = member.key.size() > 64 ? member.key.substr(0, 61) + "..." : member.key;
  std::string message = fmt::format("unknown key '{}'", shown);
  if (const std::string_view near = nearest(member.key, known); !near.empty()) {
    message += fmt::format("; did you mean '{}'?", near);
  } else if (const Section* owner = owner_of(member.key, section.name); owner != nullptr) {
    message += fmt::format("; it belongs to [{}]", owner->name);
  } else if (known.empty()) {
    message += "; there are no keys here";
  } else {
    message += "; known here are " + quoted_list(known);
  }
  problems_.add(place, record.key(member.key), std::move(message));
}

void TableReader::fill(TableRecord& record, const Section& section) {
  for (const Parameter* parameter : record.parameters) {
    if (parameter->kind == Parameter::table || record.params.all().contains(parameter->key)) continue;
    record.params.set(std::string(parameter->key), default_of(*parameter));
  }
  for (const Parameter* parameter : record.parameters) {
    const bool required =
        parameter->kind != Parameter::table && !parameter->optional && std::holds_alternative<std::monostate>(parameter->initial);
    if (!required || record.is_given(parameter->key) || record.wrong.contains(std::string(parameter->key)) || !record.applies(*parameter))
      continue;
    const std::vector<std::string_view> choices = choices_of(catalogue_, section.name, *parameter);
    std::string message = choices.empty() ? "is missing: " + lower_first(parameter->help) : "is missing; known are " + quoted_list(choices);
    problems_.add(record.place, record.key(parameter->key), std::move(message));
    record.wrong.insert(std::string(parameter->key));
  }
}

void TableReader::conditions(TableRecord& record) {
  for (const Parameter* parameter : record.parameters) {
    if (parameter->only_if.empty()) continue;
    const std::vector<std::string_view> keys = condition_keys(parameter->only_if);
    const bool unclear =
        std::any_of(keys.begin(), keys.end(), [&](std::string_view key) { return record.wrong.contains(std::string(key)); });
    if (unclear || record.applies(*parameter)) continue;
    record.hidden.insert(std::string(parameter->key));
    if (!record.is_given(parameter->key)) continue;
    problems_.add(record.place_of(parameter->key), record.key(parameter->key), fmt::format("applies only with {}", parameter->only_if));
    record.wrong.insert(std::string(parameter->key));
  }
}

}  // namespace syncline
