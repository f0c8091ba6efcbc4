// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/editor/layer_rows.h"

#include <QCoreApplication>
#include <algorithm>
#include <map>

#include "engine/base/error.h"
#include "engine/experiment/check.h"
#include "engine/experiment/sections.h"
#include "engine/sim/schema.h"
#include "ui/models/editor/field_values.h"
#include "ui/models/format.h"

namespace syncline::ui {

namespace {

using document::Node;

QString say(const char* text) { return QCoreApplication::translate("Examination", text); }
QString words(const std::string& text) { return QString::fromStdString(text); }

// Only [model], and of [data] what decides the samples' shape: the rest of the file may be wrong without hiding the model.
std::string reduced(const Node& root, std::size_t most_layers) {
  std::string text = "name = \"model\"\ntrain = { epochs = 1 }\nstrategy = { name = \"none\" }\n";
  for (const char* table : {"model", "data"}) {
    const Node* node = root.find(table);
    if (node == nullptr || node->type != Node::table) continue;
    Node kept = *node;
    if (std::string_view(table) == "data") {
      const auto of_every_source = [](const document::Member& member) {
        const auto keys = section("data").parameters;
        return member.key != "source" &&
               std::any_of(keys.begin(), keys.end(), [&](const Parameter& parameter) { return parameter.key == member.key; });
      };
      std::erase_if(kept.members, of_every_source);
    }
    for (document::Member& member : kept.members) {
      if (member.key == "layers" && member.node.items.size() > most_layers) member.node.items.resize(most_layers);
    }
    text += std::string(table) + " = " + document::print(kept) + "\n";
  }
  return text;
}

// "model.layers.3.kernel": 3.
std::optional<std::size_t> layer_of(const std::string& key) {
  constexpr std::string_view prefix = "model.layers.";
  if (!key.starts_with(prefix)) return std::nullopt;
  const std::string number = key.substr(prefix.size(), key.find('.', prefix.size()) - prefix.size());
  if (number.empty() || number.find_first_not_of("0123456789") != std::string::npos) return std::nullopt;
  return std::strtoul(number.c_str(), nullptr, 10);
}

LayerRow row_of(const LayerDescription& layer) {
  LayerRow row;
  row.name = words(layer.name);
  row.type = words(layer.type);
  QStringList shapes;
  for (const Shape& shape : layer.input_shapes) shapes << words(shape.text());
  shapes.removeDuplicates();
  row.in = shapes.join(QStringLiteral(" + "));
  row.out = words(layer.output.text());
  row.parameters = layer.parameters;
  row.activation_bytes = layer.activation_bytes;
  row.flop = layer.forward_flop + layer.backward_flop;
  return row;
}

// Shapes from the input on until the first layer that is impossible; the layers themselves say what is wrong. Returns its index.
std::optional<std::size_t> walk(const std::vector<LayerSpec>& specs, const Shape& input, std::vector<LayerRow>& rows) {
  std::map<std::string, Shape, std::less<>> shapes = {{"input", input}};
  std::string before = "input";
  for (std::size_t i = 0; i < specs.size(); ++i) {
    const LayerSpec& spec = specs[i];
    LayerRow& row = rows[i];
    std::vector<Shape> in;
    try {
      QStringList texts;
      for (const std::string& name : spec.inputs.empty() ? std::vector<std::string>{before} : spec.inputs) {
        const auto found = shapes.find(name);
        if (found == shapes.end()) throw ConfigError("there is no layer before it called \"" + name + "\"");
        in.push_back(found->second);
        texts << words(found->second.text());
      }
      texts.removeDuplicates();
      row.in = texts.join(QStringLiteral(" + "));
      const LayerEntry& entry = layer_entry(spec.type);
      const int count = static_cast<int>(in.size());
      if (entry.inputs >= 0 ? count != entry.inputs : count < 2)
        throw ConfigError(entry.inputs >= 0 ? "it reads " + std::to_string(entry.inputs) + " layers, not " + std::to_string(count)
                                            : "it reads two or more layers, not " + std::to_string(count));
      const std::unique_ptr<Layer> layer = entry.make(spec);
      const Shape out = layer->shape(in);
      row.out = words(out.text());
      std::int64_t parameters = 0;
      for (const ParameterSpec& parameter : layer->parameters(in)) parameters += parameter.count();
      row.parameters = parameters;
      shapes[spec.name] = out;
    } catch (const Error& error) {
      row.problem = words(error.what());
      return i;
    }
    before = spec.name;
  }
  return std::nullopt;
}

std::vector<LayerRow> bare_rows(const std::vector<LayerSpec>& specs) {
  std::vector<LayerRow> rows;
  for (const LayerSpec& spec : specs) {
    rows.emplace_back();
    rows.back().name = words(spec.name);
    rows.back().type = words(spec.type);
  }
  return rows;
}

// Rows of a list as it stands in the text, for layers that validation has not reached.
std::vector<LayerRow> listed_rows(const Node& list) {
  std::vector<LayerRow> rows;
  for (const Node& item : list.items) {
    LayerRow row;
    const auto text = [&item](const char* key) {
      const Node* node = item.find(key);
      return node != nullptr && node->type == Node::text ? words(std::get<std::string>(node->value)) : QString();
    };
    row.type = text("type");
    row.name = text("name");
    rows.push_back(std::move(row));
  }
  return rows;
}

void mark_beyond(std::vector<LayerRow>& rows, std::size_t first) {
  for (std::size_t i = first; i < rows.size(); ++i) rows[i].beyond = true;
}

void totals(const ModelDescription& model, Examination& result) {
  result.parameters = model.parameters;
  const double bytes = static_cast<double>(model.parameters) * 4;
  result.model_totals = say("%1 parameters · %2 of gradients · %3 MFLOP and %4 of activations a sample")
                            .arg(format::shortCount(static_cast<double>(model.parameters)), format::traffic(bytes),
                                 format::metric((model.forward_flop + model.backward_flop) / 1e6),
                                 format::bytes(static_cast<double>(model.activation_bytes)));
  QStringList order;
  for (const LayerSlice& slice : model.slices) order << words(slice.name);
  result.gradient_order = order.join(QStringLiteral(" → "));
}

void describe(ModelParts& parts, const DataShape& data, Examination& result) {
  const bool listed = !result.layers.empty();  // rows of the text, of which these layers are the first
  try {
    parts.description = describe_model(parts.layers, data.shape, data.classes);
  } catch (const ConfigError& error) {
    std::vector<LayerRow> rows = bare_rows(parts.layers);
    if (rows.empty()) {
      result.model_problem = words(error.what());
      return;
    }
    const std::optional<std::size_t> first = walk(parts.layers, data.shape, rows);
    std::size_t offender = first.value_or(layer_of(error.origin().key).value_or(rows.size() - 1));
    offender = std::min(offender, rows.size() - 1);
    if (rows[offender].problem.isEmpty() || !first) rows[offender].problem = words(error.what());
    mark_beyond(rows, offender + 1);
    if (listed) std::copy(rows.begin(), rows.end(), result.layers.begin());
    if (listed) mark_beyond(result.layers, offender + 1);
    if (!listed) result.layers = std::move(rows);
    return;
  }
  std::map<std::string, int> numbers;
  for (std::size_t i = 0; i < parts.layers.size(); ++i) numbers[parts.layers[i].name] = static_cast<int>(i);
  std::vector<LayerRow> rows;
  for (const LayerDescription& layer : parts.description->layers) rows.push_back(row_of(layer));
  if (listed) {  // in the order of the text, which is where they are edited
    std::vector<LayerRow> sorted(rows.size());
    for (LayerRow& row : rows) {
      const auto number = static_cast<std::size_t>(numbers.at(row.name.toStdString()));
      sorted[number] = std::move(row);
    }
    rows = std::move(sorted);
  }
  result.layers = std::move(rows);
  totals(*parts.description, result);
}

}  // namespace

ModelParts examine_model(const Node& root, Examination& result) {
  ModelParts parts;
  const Node* model = root.find("model");
  const Node* list = model != nullptr ? model->find("layers") : nullptr;
  const bool has_list = list != nullptr && list->type == Node::array;
  if (has_list) result.layers = listed_rows(*list);

  std::size_t most = has_list ? list->items.size() : 0;
  std::optional<std::size_t> wrong;
  QString why;
  Parsed parsed = parse_experiment(reduced(root, most), "", catalogue());
  for (const Problem& problem : parsed.problems) {
    const std::optional<std::size_t> layer = layer_of(problem.origin.key);
    if (layer && (!wrong || *layer < *wrong)) {
      wrong = layer;
      why = words(problem.message);
    }
  }
  if (wrong && *wrong < result.layers.size()) {
    result.layers[*wrong].problem = why;
    mark_beyond(result.layers, *wrong + 1);
    if (*wrong > 0) parsed = parse_experiment(reduced(root, *wrong), "", catalogue());
  }
  if (!parsed.experiment) {
    if (!parsed.problems.empty() && !wrong) result.model_problem = words(parsed.problems.front().message);
    for (std::size_t i = 0; i < result.layers.size(); ++i) result.layers[i].index = static_cast<int>(i);
    return parts;
  }
  try {
    result.data = data_shape(parsed.experiment->data);
  } catch (const Error& error) {
    result.data_problem = words(error.what());
    result.model_problem = say("Shapes follow from the data, which cannot be read: %1").arg(result.data_problem);
  }
  if (result.data) {
    result.input = say("input %1 · %2 classes").arg(words(result.data->shape.text()), format::count(result.data->classes));
    try {
      parts.layers = expand_model(parsed.experiment->model, result.data->shape, result.data->classes);
      if (wrong) {
        std::vector<LayerRow> rows = bare_rows(parts.layers);
        if (const std::optional<std::size_t> first = walk(parts.layers, result.data->shape, rows)) {
          result.layers[*wrong].problem.clear();
          mark_beyond(result.layers, *first + 1);
        }
        std::copy(rows.begin(), rows.end(), result.layers.begin());
        parts.layers.clear();
      } else {
        describe(parts, *result.data, result);
      }
    } catch (const ConfigError& error) {
      result.model_problem = words(error.what());
    }
  }
  if (has_list) {
    for (std::size_t i = 0; i < result.layers.size(); ++i) result.layers[i].index = static_cast<int>(i);
  }
  return parts;
}

}  // namespace syncline::ui
