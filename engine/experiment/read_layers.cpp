// SPDX-License-Identifier: Apache-2.0
// [model] layers: each by the table of its type; names that are unique; inputs that are there before they are read.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "engine/experiment/experiment_reader.h"

namespace syncline {
namespace {

using document::Node;

constexpr std::size_t most_layers = 10000;
constexpr std::string_view model_input = "input";

std::string name_problem(const std::string& name) {
  constexpr std::string_view allowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./";
  if (name.empty() || name.size() > 200 || name.find_first_not_of(allowed) != std::string::npos) {
    return fmt::format("must be 1 to 200 letters, digits, or any of _ - . /, not {}", document::print_text(name.substr(0, 60)));
  }
  if (name == model_input) return "'input' is the model's input; a layer needs another name";
  return {};
}

}  // namespace

void ExperimentReader::read_layers(const Node& list) {
  const Place place{list.line, list.column};
  if (list.type != Node::array) {
    problems_.add(place, "model.layers",
                  fmt::format("must be a list of tables such as [{{ type = \"linear\", ... }}], not {}", document::describe(list)));
    return;
  }
  if (list.items.empty() || list.items.size() > most_layers) {
    problems_.add(place, "model.layers", fmt::format("must have 1 to {} layers, not {}", most_layers, list.items.size()));
    return;
  }
  for (std::size_t i = 0; i < list.items.size(); ++i) read_layer(list.items[i], i);
  name_layers();
  check_inputs();
}

void ExperimentReader::read_layer(const Node& node, std::size_t index) {
  const Section& table_section = section("model.layers");
  bool unknown = false;
  const Entry* entry = chosen(&node, table_section, unknown);
  // Without a type the keys cannot be judged either.
  const bool open = entry == nullptr;
  TableRecord table = tables_.read(&node, table_section,
                                   {.path = fmt::format("model.layers.{}", index),
                                    .own = open ? std::span<const Parameter>{} : entry->parameters,
                                    .owner_unknown = open},
                                   {});
  LayerSpec layer;
  if (table.usable("type")) layer.type = table.params.choice("type");
  if (table.usable("name")) layer.name = table.params.text("name");
  if (table.usable("inputs")) {
    for (const Value& each : table.params.list("inputs")) {
      if (const auto* text = std::get_if<std::string>(&each.data)) {
        layer.inputs.push_back(*text);
      } else {
        problems_.add(table.place_of("inputs"), table.key("inputs"), "must be a list of layer names");
        break;
      }
    }
  }
  for (const auto& [key, value] : table.params.all()) {
    const auto is_key = [&key = key](const Parameter& row) { return row.key == key; };
    if (std::none_of(table_section.parameters.begin(), table_section.parameters.end(), is_key)) layer.options.set(key, value);
  }
  layer.origin = {problems_.file(), node.line, node.column, table.path};
  reading_.experiment.model.layers.push_back(std::move(layer));
  reading_.layers.push_back(std::move(table));
}

void ExperimentReader::name_layers() {
  std::vector<LayerSpec>& layers = reading_.experiment.model.layers;
  std::set<std::string> taken;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    TableRecord& table = reading_.layers[i];
    if (!table.usable("name")) continue;
    std::string problem = name_problem(layers[i].name);
    if (problem.empty() && !taken.insert(layers[i].name).second)
      problem = fmt::format("'{}' is the name of an earlier layer; names are unique", layers[i].name);
    if (!problem.empty()) problems_.add(table.place_of("name"), table.key("name"), std::move(problem));
  }
  std::map<std::string, int> counts;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const int number = ++counts[layers[i].type];
    if (!layers[i].name.empty() || layers[i].type.empty()) continue;
    std::string name = fmt::format("{}{}", layers[i].type, number);
    for (int next = number + 1; taken.contains(name); ++next) name = fmt::format("{}{}", layers[i].type, next);
    taken.insert(name);
    layers[i].name = name;
    reading_.layers[i].params.set("name", Value{std::move(name)});
  }
}

void ExperimentReader::check_inputs() {
  const std::vector<LayerSpec>& layers = reading_.experiment.model.layers;
  std::set<std::string> all;
  for (const LayerSpec& layer : layers) all.insert(layer.name);
  std::vector<std::string_view> before = {model_input};
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const TableRecord& table = reading_.layers[i];
    for (const std::string& input : layers[i].inputs) {
      if (std::find(before.begin(), before.end(), input) != before.end()) continue;
      std::string message;
      if (input == layers[i].name) {
        message = fmt::format("'{}' is this layer itself; a layer reads layers before it", input);
      } else if (all.contains(input)) {
        message = fmt::format("'{}' comes later; a layer reads layers before it", input);
      } else {
        const std::string_view near = nearest(input, before);
        message = fmt::format("no layer before it is called '{}'", input.substr(0, 60));
        if (!near.empty()) message += fmt::format("; did you mean '{}'?", near);
      }
      problems_.add(table.place_of("inputs"), table.key("inputs"), std::move(message));
    }
    before.push_back(layers[i].name);
  }
}

}  // namespace syncline
