// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/editor/layer_list.h"

#include <fmt/format.h>

#include <QCoreApplication>
#include <algorithm>
#include <cmath>

#include "engine/experiment/check.h"
#include "engine/experiment/sections.h"
#include "engine/experiment/text_scan.h"
#include "engine/sim/schema.h"

namespace syncline::ui {

namespace {

using document::Node;

QString say(const char* text) { return QCoreApplication::translate("LayerList", text); }

const KeyPath list_path = {"model", "layers"};

struct Range {
  std::size_t begin = 0, end = 0;
};
struct Places {
  bool tables = false;        // [[model.layers]]
  std::vector<Range> layers;  // the tables' braces, or the lines of a header and its keys
  Range brackets;             // of the array, when it is one
};

std::optional<Places> places_of(const std::string& text) {
  const TextScan scan(text);
  Places places;
  if (const TextScan::Entry* list = scan.find(list_path)) {
    places.brackets = {list->value_begin, list->value_end};
    for (int i = 0;; ++i) {
      const TextScan::Entry* layer = scan.find({"model", "layers", std::to_string(i)});
      if (layer == nullptr) break;
      places.layers.push_back({layer->value_begin, layer->value_end});
    }
    return places;
  }
  if (!scan.is_array_of_tables(list_path)) return std::nullopt;
  places.tables = true;
  for (std::size_t i = 1; i < scan.headers().size(); ++i) {
    const KeyPath& path = scan.headers()[i].path;
    if (path.size() != 3 || path[0] != "model" || path[1] != "layers") continue;
    places.layers.push_back({TextScan::skip_space(text, scan.headers()[i - 1].line_end), scan.headers()[i].line_end});
  }
  return places;
}

bool editable(const ExperimentDocument& document) { return !document.readOnly() && !document.syntaxError(); }

// The characters between the list's layers, so that a new one stands as the others do.
std::string separator_of(const std::string& text, const Places& places) {
  if (places.layers.size() >= 2) {
    const std::string between = text.substr(places.layers[0].end, places.layers[1].begin - places.layers[0].end);
    if (between.find('#') == std::string::npos) return between;
  }
  return ",\n  ";
}

std::string new_layer(const std::string& type, bool table) {
  std::vector<std::string> keys = {"type = " + document::print_text(type)};
  if (const Entry* entry = find_entry(catalogue(), "layers", type)) {
    for (const Parameter& parameter : entry->parameters) {
      if (default_of(parameter).present() || parameter.optional) continue;
      // A required number has no default; the smallest legal one is at least seen to be a choice.
      const double least = std::isnan(parameter.least) ? 1 : std::max(1.0, parameter.least);
      if (parameter.kind == Parameter::integer)
        keys.push_back(std::string(parameter.key) + " = " +
                       std::to_string(static_cast<long long>(parameter.key == "kernel" ? 3
                                                             : least < 16              ? 16
                                                                                       : least)));
    }
  }
  std::string result;
  for (const std::string& key : keys) {
    if (!result.empty()) result.append(table ? "\n" : ", ");
    result.append(key);
  }
  return table ? "[[model.layers]]\n" + result + "\n" : "{ " + result + " }";
}

std::string layer_text(const LayerSpec& layer, const std::string& before) {
  std::string text = "{ type = " + document::print_text(layer.type) + ", name = " + document::print_text(layer.name);
  const bool follows = layer.inputs.empty() || (layer.inputs.size() == 1 && layer.inputs.front() == before);
  if (!follows) {
    text += ", inputs = [";
    for (std::size_t i = 0; i < layer.inputs.size(); ++i) {
      if (i > 0) text.append(", ");
      text.append(document::print_text(layer.inputs[i]));
    }
    text += "]";
  }
  const Entry* entry = find_entry(catalogue(), "layers", layer.type);
  for (const auto& [key, value] : layer.options.all()) {
    if (!value.present() || entry == nullptr) continue;
    for (const Parameter& parameter : entry->parameters) {
      if (parameter.key == key && !(default_of(parameter) == value)) text += ", " + key + " = " + print_value(value, parameter.kind);
    }
  }
  return text + " }";
}

}  // namespace

int layer_count(const ExperimentDocument& document) {
  const std::optional<Places> places = places_of(document.text());
  return places ? static_cast<int>(places->layers.size()) : 0;
}

bool add_layer(ExperimentDocument& document, int after, const std::string& type) {
  const std::string& text = document.text();
  const std::optional<Places> places = editable(document) ? places_of(text) : std::nullopt;
  if (!places || after < -1 || after >= static_cast<int>(places->layers.size())) return false;
  const std::string layer = new_layer(type, places->tables);
  const QString what = say("Add Layer");
  if (places->tables) {
    const std::size_t at = after < 0 ? places->layers.front().begin : places->layers[static_cast<std::size_t>(after)].end;
    const bool unfinished = at > 0 && text[at - 1] != '\n';
    return document.replace(
        {{at, at, fmt::format("{}{}{}{}", unfinished ? "\n" : "", after < 0 ? "" : "\n", layer, after < 0 ? "\n" : "")}}, what);
  }
  const std::string separator = separator_of(text, *places);
  if (places->layers.empty()) return document.replace({{places->brackets.begin + 1, places->brackets.end - 1, layer}}, what);
  if (after < 0) return document.replace({{places->layers.front().begin, places->layers.front().begin, layer + separator}}, what);
  const std::size_t at = places->layers[static_cast<std::size_t>(after)].end;
  return document.replace({{at, at, separator + layer}}, what);
}

bool remove_layer(ExperimentDocument& document, int index) {
  const std::string& text = document.text();
  const std::optional<Places> places = editable(document) ? places_of(text) : std::nullopt;
  if (!places || index < 0 || index >= static_cast<int>(places->layers.size())) return false;
  const auto number = static_cast<std::size_t>(index);
  Range range = places->layers[number];
  if (!places->tables) {
    if (number > 0) {
      const std::size_t comma = text.find(',', places->layers[number - 1].end);  // comments before it stay
      range.begin = comma < range.begin ? comma : range.begin;
    } else if (places->layers.size() > 1) {
      range.end = places->layers[1].begin;
    } else if (const std::size_t next = TextScan::skip_space(text, range.end); next < text.size() && text[next] == ',') {
      range.end = next + 1;
    }
  }
  return document.replace({{range.begin, range.end, ""}}, say("Remove Layer"));
}

bool swap_layers(ExperimentDocument& document, int upper) {
  const std::string& text = document.text();
  const std::optional<Places> places = editable(document) ? places_of(text) : std::nullopt;
  if (!places || upper < 0 || upper + 1 >= static_cast<int>(places->layers.size())) return false;
  const Range a = places->layers[static_cast<std::size_t>(upper)], b = places->layers[static_cast<std::size_t>(upper) + 1];
  const std::string first = text.substr(a.begin, a.end - a.begin), second = text.substr(b.begin, b.end - b.begin);
  const std::string between = text.substr(a.end, b.begin - a.end);
  return document.replace({{a.begin, b.end, second + between + first}}, say("Move Layer"));
}

bool write_as_layers(ExperimentDocument& document, const std::vector<LayerSpec>& layers) {
  if (!editable(document) || layers.empty()) return false;
  std::string list = "[\n", before = "input";
  for (const LayerSpec& layer : layers) {
    list += "  " + layer_text(layer, before) + ",\n";
    before = layer.name;
  }
  list += "]";
  std::string text = document.text();
  if (const auto edit = remove_value(text, {"model", "zoo"})) text = with_replacement(text, *edit);
  const auto edit = replace_value(text, list_path, list);
  if (!edit) return false;
  return document.replace({difference_between(document.text(), with_replacement(text, *edit))}, say("Write as Layers"));
}

bool choose_zoo(ExperimentDocument& document, const std::string& name) {
  if (!editable(document)) return false;
  std::string text = document.text();
  const std::optional<Places> places = places_of(text);
  if (places && places->tables) {
    for (auto range = places->layers.rbegin(); range != places->layers.rend(); ++range) text.erase(range->begin, range->end - range->begin);
  } else if (const auto edit = remove_value(text, list_path)) {
    text = with_replacement(text, *edit);
  }
  const auto edit = replace_value(text, {"model", "zoo"}, document::print_text(name));
  if (!edit) return false;
  text = with_replacement(text, *edit);
  if (!std::holds_alternative<Node>(document::parse(text))) return false;
  return document.replace({difference_between(document.text(), text)}, say("Choose Model"));
}

}  // namespace syncline::ui
