// SPDX-License-Identifier: Apache-2.0
#include "engine/optim/description.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

namespace syncline {
namespace {

using nlohmann::json;

constexpr std::array<std::string_view, 10> kinds = {"integer", "real", "flag",     "choice", "text",
                                                    "path",    "list", "duration", "size",   "rate"};

json initial_json(const OptionDescription& option) {
  return std::visit(
      [](const auto& value) -> json {
        if constexpr (std::is_same_v<std::decay_t<decltype(value)>, std::monostate>)
          return nullptr;
        else
          return value;
      },
      option.initial);
}

OptionDescription describe_option(const Parameter& p) {
  OptionDescription o{.key = std::string(p.key),
                      .symbol = std::string(p.symbol),
                      .help = std::string(p.help),
                      .section = std::string(p.section),
                      .unit = std::string(p.unit),
                      .only_if = std::string(p.only_if),
                      .kind = std::string(kinds[static_cast<std::size_t>(p.kind)]),
                      .initial = {},
                      .least = {},
                      .most = {},
                      .optional = p.optional,
                      .advanced = p.advanced,
                      .choices = {p.choices.begin(), p.choices.end()}};
  std::visit(
      [&](const auto& value) {
        using Kind = std::decay_t<decltype(value)>;
        if constexpr (std::is_same_v<Kind, std::string_view>)
          o.initial = std::string(value);
        else if constexpr (!std::is_same_v<Kind, std::monostate>)
          o.initial = value;
      },
      p.initial);
  if (std::isfinite(p.least)) o.least = p.least;
  if (std::isfinite(p.most)) o.most = p.most;
  return o;
}

json option_json(const OptionDescription& o) {
  return {{"key", o.key},
          {"kind", o.kind},
          {"default", initial_json(o)},
          {"least", o.least ? json(*o.least) : json(nullptr)},
          {"most", o.most ? json(*o.most) : json(nullptr)},
          {"choices", o.choices},
          {"symbol", o.symbol},
          {"help", o.help},
          {"section", o.section},
          {"unit", o.unit},
          {"only_if", o.only_if},
          {"optional", o.optional},
          {"advanced", o.advanced}};
}

// Reads members of one object; `good` turns false at the first that is missing or of another type.
struct Reader {
  const json& object;
  bool good = true;

  const json* member(const char* key) {
    const auto found = object.is_object() ? object.find(key) : object.end();
    if (!object.is_object() || found == object.end()) {
      good = false;
      return nullptr;
    }
    return &*found;
  }
  std::string text(const char* key) {
    const json* value = member(key);
    if (value == nullptr || !value->is_string()) return good = false, std::string();
    return value->get<std::string>();
  }
  bool flag(const char* key) {
    const json* value = member(key);
    if (value == nullptr || !value->is_boolean()) return good = false, false;
    return value->get<bool>();
  }
  std::optional<double> limit(const char* key) {
    const json* value = member(key);
    if (value == nullptr || value->is_null()) return std::nullopt;
    if (!value->is_number() || !std::isfinite(value->get<double>())) return good = false, std::nullopt;
    return value->get<double>();
  }
};

bool read_initial(Reader& reader, OptionDescription& option) {
  const json* value = reader.member("default");
  if (value == nullptr) return false;
  if (value->is_boolean())
    option.initial = value->get<bool>();
  else if (value->is_number_integer() && !value->is_number_unsigned())
    option.initial = value->get<std::int64_t>();
  else if (value->is_number_unsigned() && value->get<std::uint64_t>() <= INT64_MAX)
    option.initial = value->get<std::int64_t>();
  else if (value->is_number_float())
    option.initial = value->get<double>();
  else if (value->is_string())
    option.initial = value->get<std::string>();
  else
    return value->is_null();
  return true;
}

std::optional<OptionDescription> parse_option(const json& object) {
  Reader reader{object};
  OptionDescription o{.key = reader.text("key"),
                      .symbol = reader.text("symbol"),
                      .help = reader.text("help"),
                      .section = reader.text("section"),
                      .unit = reader.text("unit"),
                      .only_if = reader.text("only_if"),
                      .kind = reader.text("kind"),
                      .initial = {},
                      .least = reader.limit("least"),
                      .most = reader.limit("most"),
                      .optional = reader.flag("optional"),
                      .advanced = reader.flag("advanced"),
                      .choices = {}};
  const json* choices = reader.member("choices");
  if (!read_initial(reader, o) || !reader.good || !choices->is_array()) return std::nullopt;
  if (std::find(kinds.begin(), kinds.end(), o.kind) == kinds.end()) return std::nullopt;
  for (const json& choice : *choices) {
    if (!choice.is_string()) return std::nullopt;
    o.choices.push_back(choice.get<std::string>());
  }
  return o;
}

}  // namespace

RuleDescription describe(const Rule& rule) {
  const syncline_optimizer_table& t = rule.table();
  const auto text = [](const char* value) { return std::string(value == nullptr ? "" : value); };
  RuleDescription d{.name = std::string(rule.entry().name),
                    .title = std::string(rule.entry().title),
                    .summary = text(t.summary),
                    .version = text(t.version),
                    .license = text(t.license),
                    .paper = text(t.paper),
                    .abi = fmt::format("{}.{}", t.abi_version >> 16, t.abi_version & 0xffff),
                    .file = rule.file(),
                    .file_hash = rule.file_hash(),
                    .state_arrays = t.state_arrays,
                    .options = {}};
  for (const Parameter& parameter : rule.entry().parameters) d.options.push_back(describe_option(parameter));
  return d;
}

std::string to_json(const RuleDescription& d) {
  json options = json::array();
  for (const OptionDescription& option : d.options) options.push_back(option_json(option));
  return json({{"name", d.name},
               {"title", d.title},
               {"summary", d.summary},
               {"version", d.version},
               {"license", d.license},
               {"paper", d.paper},
               {"abi", d.abi},
               {"file", d.file},
               {"file_hash", d.file_hash},
               {"state_arrays", d.state_arrays},
               {"parameters", options}})
      .dump(-1, ' ', false, json::error_handler_t::replace);
}

std::optional<RuleDescription> parse_description(std::string_view text) {
  const json object = json::parse(text, nullptr, false);
  if (!object.is_object()) return std::nullopt;
  Reader reader{object};
  RuleDescription d{.name = reader.text("name"),
                    .title = reader.text("title"),
                    .summary = reader.text("summary"),
                    .version = reader.text("version"),
                    .license = reader.text("license"),
                    .paper = reader.text("paper"),
                    .abi = reader.text("abi"),
                    .file = reader.text("file"),
                    .file_hash = reader.text("file_hash"),
                    .state_arrays = 0,
                    .options = {}};
  const json* arrays = reader.member("state_arrays");
  const json* options = reader.member("parameters");
  if (!reader.good || !arrays->is_number_integer() || !options->is_array()) return std::nullopt;
  d.state_arrays = arrays->get<std::int64_t>();
  for (const json& option : *options) {
    const std::optional<OptionDescription> parsed = parse_option(option);
    if (!parsed) return std::nullopt;
    d.options.push_back(*parsed);
  }
  return d;
}

}  // namespace syncline
