// SPDX-License-Identifier: Apache-2.0
// schema: the reference of every key that an experiment file can have.
#include "engine/sim/schema.h"

#include <fmt/format.h>

#include "app/commands.h"
#include "engine/experiment/schema_json.h"

namespace syncline::app {
namespace {

using Json = nlohmann::ordered_json;

std::string text_of(const Json& value) { return value.is_string() ? value.get<std::string>() : value.dump(); }

// "integer, at least 1" or "choice of 'a', 'b'; default 'a'": what may stand there and what stands there when nothing does.
std::string kind_of(const Json& parameter) {
  std::string text = text_of(parameter["kind"]);
  std::string choices;
  for (const Json& choice : parameter["choices"]) choices += (choices.empty() ? "" : ", ") + text_of(choice);
  if (!choices.empty()) text += " of " + choices;
  if (!parameter["least"].is_null()) text += fmt::format(", at least {}", text_of(parameter["least"]));
  if (!parameter["most"].is_null()) text += fmt::format(", at most {}", text_of(parameter["most"]));
  if (const std::string unit = text_of(parameter["unit"]); !unit.empty()) text += fmt::format(", in {}", unit);
  const bool required = parameter["default"].is_null() && !parameter["optional"].get<bool>() && parameter["kind"] != "table";
  if (!parameter["default"].is_null()) text += fmt::format("; default {}", parameter["default"].dump());
  if (required) text += "; required";
  if (const std::string condition = text_of(parameter["only_if"]); !condition.empty()) text += fmt::format("; only with {}", condition);
  return text;
}

void print_parameters(const Json& parameters, std::string_view indent) {
  for (const Json& parameter : parameters) {
    const std::string symbol = text_of(parameter["symbol"]);
    fmt::print("{}{}{} ({})\n", indent, text_of(parameter["key"]), symbol.empty() ? "" : " " + symbol, kind_of(parameter));
    fmt::print("{}    {}\n", indent, text_of(parameter["help"]));
  }
}

void print_entries(const Json& schema, const std::string& kind) {
  for (const Json& entry : schema[kind]) {
    const std::string paper = text_of(entry["paper"]);
    fmt::print("  {}: {}{}\n", text_of(entry["name"]), text_of(entry["summary"]), paper.empty() ? "" : fmt::format(" [{}]", paper));
    print_parameters(entry["parameters"], "      ");
  }
}

void print_reference(const Json& schema) {
  for (const Json& section : schema["sections"]) {
    const std::string name = text_of(section["name"]), kind = text_of(section["entries"]);
    const std::string header = name.empty() ? "(top)" : section["repeated"].get<bool>() ? "[[" + name + "]]" : "[" + name + "]";
    fmt::print("{}\n  {}\n", header, text_of(section["help"]));
    print_parameters(section["parameters"], "  ");
    if (!kind.empty()) {
      fmt::print("  Further keys by {}:\n", text_of(section["chosen_by"]));
      print_entries(schema, kind);
    }
    fmt::print("\n");
  }
  fmt::print("Augmentations\n");
  print_entries(schema, "augmentations");
}

}  // namespace

Action define_schema(CLI::App&, const Global& global) {
  return [&global] {
    const Json schema = schema_json(catalogue());
    if (global.json) {
      print_json(nlohmann::json(schema));
    } else {
      print_reference(schema);
    }
    return static_cast<int>(ExitCode::done);
  };
}

}  // namespace syncline::app
