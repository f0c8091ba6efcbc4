// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/editor/form_fields.h"

#include <QCoreApplication>
#include <algorithm>

#include "engine/experiment/check.h"
#include "engine/experiment/text_scan.h"
#include "ui/models/editor/field_values.h"

namespace syncline::ui {

namespace {

using document::Node;

QString say(const char* text) { return QCoreApplication::translate("Form", text); }

KeyPath path_of(std::string_view section_name) {
  return section_name.empty() ? KeyPath{} : parse_key_path(section_name).value_or(KeyPath{});
}

KeyPath with(KeyPath path, std::string_view key) {
  path.emplace_back(key);
  return path;
}

// By a section's `chosen_by`: a key of its own table, or a dotted one from the root ("strategy.plan").
KeyPath chooser_of(const Section& section, const KeyPath& at) {
  if (section.chosen_by.find('.') != std::string_view::npos) return path_of(section.chosen_by);
  return with(at, section.chosen_by);
}

const Parameter* chooser_parameter(const Section& where) {
  const std::size_t dot = where.chosen_by.rfind('.');
  const Section& owner = dot == std::string_view::npos ? where : section(where.chosen_by.substr(0, dot));
  const std::string_view key = dot == std::string_view::npos ? where.chosen_by : where.chosen_by.substr(dot + 1);
  for (const Parameter& parameter : owner.parameters) {
    if (parameter.key == key) return &parameter;
  }
  return nullptr;
}

// Why the key means nothing with the strategy as it is: one that exchanges no gradients has none to group, order or encode.
QString why_no_exchange(const Node& root, const Catalogue& catalogue, std::string_view section_name, std::string_view key) {
  static constexpr std::string_view keys[] = {"plan", "codec", "orchestration", "submit_order", "hook_jitter"};
  const bool concerned = (section_name == "strategy" && std::find(std::begin(keys), std::end(keys), key) != std::end(keys)) ||
                         section_name == "strategy.plan_options" || section_name == "strategy.orchestration_options" ||
                         section_name == "strategy.codec_options";
  const Entry* chosen = concerned ? chosen_entry(root, catalogue, section("strategy")) : nullptr;
  for (const Catalogue::Strategy& strategy : catalogue.strategies) {
    if (chosen == &strategy && !strategy.exchanges_gradients)
      return say("The strategy '%1' exchanges no gradients, so there is nothing to group or encode").arg(text_of(strategy.name));
  }
  return {};
}

// Of all keys that stand in the form's table, for conditions such as "momentum > 0".
class Table {
 public:
  Table(const Node& root, KeyPath at, std::vector<const Parameter*> rows) : root_(root), at_(std::move(at)), rows_(std::move(rows)) {}
  const Value* find(std::string_view key) {
    for (const Parameter* row : rows_) {
      if (row->key != key) continue;
      std::optional<Value> value = value_at(root_, with(at_, key), *row);
      if (!value) return nullptr;
      return &(values_[std::string(key)] = *std::move(value));
    }
    return nullptr;
  }

 private:
  const Node& root_;
  KeyPath at_;
  std::vector<const Parameter*> rows_;
  std::map<std::string, Value> values_;
};

// Whether the table at `at` applies: the row that it has in the table around it may depend on another key there.
bool table_applies(const Node& root, const KeyPath& at) {
  if (at.size() < 2) return true;
  const KeyPath around(at.begin(), at.end() - 1);
  const std::string name = print_key_path(around);
  for (const Section& candidate : sections()) {
    if (candidate.name != name) continue;
    std::vector<const Parameter*> rows;
    for (const Parameter& row : candidate.parameters) rows.push_back(&row);
    for (const Parameter* row : rows) {
      if (row->key != at.back() || row->only_if.empty()) continue;
      Table table(root, around, rows);
      return condition_holds(row->only_if, [&table](std::string_view key) { return table.find(key); });
    }
  }
  return true;
}

Field field_of(const ExperimentDocument& document, const TextScan& scan, const Catalogue& catalogue, const Section& section,
               const KeyPath& at, const Parameter& parameter) {
  Field field;
  field.path = with(at, parameter.key);
  field.parameter = parameter;
  field.section = section.name;
  field.choices = choices_of(catalogue, section.name, parameter);
  field.initial = shown_default(parameter);
  field.required = field.initial.isEmpty() && !parameter.optional && !default_of(parameter).present();
  const Node* node = node_at(document.tree(), field.path);
  const TextScan::Entry* entry = scan.find(field.path);
  field.given = node != nullptr && entry != nullptr;
  if (field.given) {
    field.written = document.text().substr(entry->value_begin, entry->value_end - entry->value_begin);
    field.shown = shown_value(*node, field.written, parameter);
    field.differs = !is_default(*node, parameter);
  }
  field.why_not = why_no_exchange(document.tree(), catalogue, section.name, parameter.key);
  return field;
}

}  // namespace

const Node* node_at(const Node& root, const KeyPath& path) {
  const Node* node = &root;
  for (const std::string& part : path) {
    if (node->type == Node::array) {
      const std::size_t index = static_cast<std::size_t>(std::strtoul(part.c_str(), nullptr, 10));
      node = index < node->items.size() ? &node->items[index] : nullptr;
    } else {
      node = node->find(part);
    }
    if (node == nullptr) return nullptr;
  }
  return node;
}

std::optional<Value> value_at(const Node& root, const KeyPath& path, const Parameter& parameter) {
  const Node* node = node_at(root, path);
  if (node == nullptr) {
    Value initial = default_of(parameter);
    return initial.present() ? std::optional<Value>(std::move(initial)) : std::nullopt;
  }
  Parameter open = parameter;
  if (open.kind == Parameter::choice) open.kind = Parameter::text;
  auto read = read_value(*node, open);
  if (auto* value = std::get_if<Value>(&read)) return std::move(*value);
  return std::nullopt;
}

const Entry* chosen_entry(const Node& root, const Catalogue& catalogue, const Section& section, const KeyPath& at) {
  if (section.entries.empty()) return nullptr;
  const Parameter* parameter = chooser_parameter(section);
  if (parameter == nullptr) return nullptr;
  const std::optional<Value> value = value_at(root, chooser_of(section, at.empty() ? path_of(section.name) : at), *parameter);
  const auto* name = value ? std::get_if<std::string>(&value->data) : nullptr;
  return name != nullptr ? find_entry(catalogue, section.entries, *name) : nullptr;
}

std::vector<Field> fields_of(const ExperimentDocument& document, const Catalogue& catalogue, const FormPart& part) {
  const Section& where = section(part.section);
  const KeyPath at = part.at.empty() ? path_of(where.name) : part.at;
  std::vector<const Parameter*> rows;
  const Entry* entry = chosen_entry(document.tree(), catalogue, where, at);
  const auto replaced = [entry](const Parameter& row) {
    return entry != nullptr &&
           std::any_of(entry->parameters.begin(), entry->parameters.end(), [&](const Parameter& own) { return own.key == row.key; });
  };
  for (const Parameter& row : where.parameters) {
    if (row.kind != Parameter::table && !replaced(row)) rows.push_back(&row);
  }
  const std::size_t common = rows.size();
  if (entry != nullptr) {
    for (const Parameter& row : entry->parameters) rows.push_back(&row);
  }
  // The keys of what was chosen follow the choice.
  if (!where.chosen_by.empty() && where.chosen_by.find('.') == std::string_view::npos && part.only.empty()) {
    const auto is_chooser = [&](const Parameter* row) { return row->key == where.chosen_by; };
    const auto chooser = std::find_if(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(common), is_chooser);
    if (chooser != rows.begin() + static_cast<std::ptrdiff_t>(common))
      std::rotate(chooser + 1, rows.begin() + static_cast<std::ptrdiff_t>(common), rows.end());
  }
  const TextScan scan(document.text());
  Table table(document.tree(), at, rows);
  const bool applies = table_applies(document.tree(), at);
  std::vector<Field> fields;
  for (const Parameter* row : rows) {
    if (!part.only.empty() && std::find(part.only.begin(), part.only.end(), row->key) == part.only.end()) continue;
    if (std::find(part.except.begin(), part.except.end(), row->key) != part.except.end()) continue;
    Field field = field_of(document, scan, catalogue, where, at, *row);
    const bool holds = applies && condition_holds(row->only_if, [&table](std::string_view key) { return table.find(key); });
    if (!holds && !field.given) continue;  // shown only where it is allowed, or where it stands and is wrong
    if (!holds && field.why_not.isEmpty())
      field.why_not = applies ? say("Applies only with %1").arg(text_of(row->only_if)) : say("Does not apply with the other settings");
    fields.push_back(std::move(field));
  }
  if (!part.only.empty()) {
    const auto order = [&part](const Field& field) {
      return std::find(part.only.begin(), part.only.end(), field.path.back()) - part.only.begin();
    };
    std::stable_sort(fields.begin(), fields.end(), [&](const Field& a, const Field& b) { return order(a) < order(b); });
  }
  return fields;
}

std::vector<Field> fields_of(const ExperimentDocument& document, const Catalogue& catalogue, const std::vector<FormPart>& parts) {
  std::vector<Field> fields;
  for (const FormPart& part : parts) {
    std::vector<Field> more = fields_of(document, catalogue, part);
    std::move(more.begin(), more.end(), std::back_inserter(fields));
  }
  return fields;
}

QString title_of(Step step) {
  switch (step) {
    case Step::model:
      return say("Model");
    case Step::data:
      return say("Data");
    case Step::topology:
      return say("Topology");
    case Step::strategy:
      return say("Strategy");
    case Step::optimizer:
      return say("Optimizer");
    case Step::launch:
      return say("Launch");
  }
  return {};
}

const std::vector<FormPart>& parts_of(Step step) {
  static const std::vector<FormPart> model = {{"model"}};
  static const std::vector<FormPart> data = {{"data"}, {"train", {"batch_per_worker", "micro_batches"}}};
  static const std::vector<FormPart> topology = {{"cluster"}, {"cluster.jitter"}, {"cluster.link"}};
  static const std::vector<FormPart> strategy = {{"strategy"},
                                                 {"strategy.plan_options"},
                                                 {"strategy.allreduce_options"},
                                                 {"strategy.orchestration_options"},
                                                 {"strategy.codec_options"}};
  static const std::vector<FormPart> optimizer = {
      {"train.optimizer"}, {"train.schedule"}, {"train", {"task", "precision", "on_divergence"}}};
  static const std::vector<FormPart> launch = {{"", {"name", "seed"}},
                                               {"train", {"epochs", "steps", "target_accuracy", "stop_at_target", "evaluate_every"}},
                                               {"checkpoint", {"every", "keep"}},
                                               {"fault"}};
  switch (step) {
    case Step::model:
      return model;
    case Step::data:
      return data;
    case Step::topology:
      return topology;
    case Step::strategy:
      return strategy;
    case Step::optimizer:
      return optimizer;
    case Step::launch:
      return launch;
  }
  return launch;
}

Step step_of_key(const std::string& key) {
  const auto below = [&key](std::string_view table) {
    return key == table || (key.size() > table.size() && key.starts_with(table) && key[table.size()] == '.');
  };
  if (below("model")) return Step::model;
  if (below("data") || below("train.batch_per_worker") || below("train.micro_batches")) return Step::data;
  if (below("cluster")) return Step::topology;
  if (below("strategy")) return Step::strategy;
  if (below("train.optimizer") || below("train.schedule") || below("train.task") || below("train.precision") ||
      below("train.on_divergence"))
    return Step::optimizer;
  return Step::launch;
}

std::vector<Completion> completions_in(const Node& root, const Catalogue& catalogue, const KeyPath& table) {
  std::string name;
  for (const std::string& part : table) {
    if (part.find_first_not_of("0123456789") != std::string::npos) name += (name.empty() ? "" : ".") + part;
  }
  std::vector<Completion> result;
  const auto all = sections();
  const auto found = std::find_if(all.begin(), all.end(), [&](const Section& section) { return section.name == name; });
  if (found == all.end()) return result;
  const Node* here = node_at(root, table);
  const auto add = [&](std::span<const Parameter> parameters) {
    for (const Parameter& parameter : parameters) {
      if (here != nullptr && here->find(parameter.key) != nullptr) continue;
      const auto is_same = [&](const Completion& other) { return other.key == parameter.key; };
      if (std::any_of(result.begin(), result.end(), is_same)) continue;
      result.push_back({std::string(parameter.key), text_of(parameter.help)});
    }
  };
  add(found->parameters);
  if (const Entry* entry = chosen_entry(root, catalogue, *found, table)) add(entry->parameters);
  return result;
}

}  // namespace syncline::ui
