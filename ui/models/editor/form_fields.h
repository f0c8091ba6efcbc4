// SPDX-License-Identifier: GPL-3.0-or-later
// The fields of a form, made from the tables with which the engine validates: the section's own keys and those of what is chosen in it. A
// strategy, layer or optimizer that adds a key gets its field without code here.
#pragma once

#include <QString>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/experiment/experiment.h"
#include "engine/experiment/sections.h"
#include "ui/models/editor/experiment_document.h"

namespace syncline::ui {

struct Field {
  KeyPath path;
  Parameter parameter;  // texts live as long as the catalogue
  std::vector<std::string_view> choices;
  std::string section;
  bool given = false;    // the text has the key
  std::string written;   // its characters
  QString shown;         // in the field: the value, or empty where the default stands
  QString initial;       // the default as the field would show it
  bool differs = false;  // given and not equal to the default
  bool required = false;
  QString why_not;  // it means nothing at present, with the reason; empty: it applies
  QString key() const { return QString::fromStdString(print_key_path(path)); }
};

// A part of a form: a section, all its keys or those named, in this order. `at`: where the table stands ("model.layers.3"); empty: at the
// section's name.
struct FormPart {
  std::string section;
  std::vector<std::string> only = {};
  KeyPath at = {};
  std::vector<std::string> except = {};
};

std::vector<Field> fields_of(const ExperimentDocument&, const Catalogue&, const FormPart&);
std::vector<Field> fields_of(const ExperimentDocument&, const Catalogue&, const std::vector<FormPart>&);

// The entry chosen in a section ("sync" in [strategy]), for its title, paper and summary; null when it is none of the catalogue.
const Entry* chosen_entry(const document::Node& root, const Catalogue&, const Section&, const KeyPath& at = {});

// Value of a key as the engine would take it: as written, else the default; nullopt where neither is.
std::optional<Value> value_at(const document::Node& root, const KeyPath&, const Parameter&);
const document::Node* node_at(const document::Node& root, const KeyPath&);

// The steps of the editor, in their order, with the parts of their forms. Every key of every section stands in one of them.
enum class Step { model, data, topology, strategy, optimizer, launch };
inline constexpr Step steps[] = {Step::model, Step::data, Step::topology, Step::strategy, Step::optimizer, Step::launch};
QString title_of(Step);
const std::vector<FormPart>& parts_of(Step);
Step step_of_key(const std::string& key);  // of a problem; keys that none has: launch

// Keys that can stand in the text at this place, with their help, for completion: `table` is the header above the line.
struct Completion {
  std::string key;
  QString help;
};
std::vector<Completion> completions_in(const document::Node& root, const Catalogue&, const KeyPath& table);

}  // namespace syncline::ui
