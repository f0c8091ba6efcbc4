// SPDX-License-Identifier: GPL-3.0-or-later
#include <nlohmann/json.hpp>

#include "ui/views/compare/compare_page.h"

namespace syncline::ui {

namespace {

std::vector<std::string> texts(const QStringList& list) {
  std::vector<std::string> words;
  for (const QString& one : list) words.push_back(one.toStdString());
  return words;
}

QStringList list_of(const nlohmann::json& json, const char* key) {
  QStringList list;
  if (const auto found = json.find(key); found != json.end() && found->is_array()) {
    for (const auto& one : *found) {
      if (one.is_string()) list << QString::fromStdString(one.get<std::string>());
    }
  }
  return list;
}

template <typename T>
T value_or(const nlohmann::json& json, const char* key, T otherwise, bool (nlohmann::json::*is)() const noexcept) {
  const auto found = json.find(key);
  return found != json.end() && ((*found).*is)() ? found->get<T>() : otherwise;
}

}  // namespace

std::string to_text(const ComparisonChoice& choice) {
  return nlohmann::ordered_json({{"runs", texts(choice.runs)},
                                 {"hidden", texts(choice.hidden)},
                                 {"baseline", choice.baseline.toStdString()},
                                 {"axis", choice.axis.toStdString()},
                                 {"aggregate", choice.aggregate},
                                 {"align_starts", choice.align},
                                 {"name_by_difference", choice.by_difference},
                                 {"half_life", choice.half_life},
                                 {"notes", choice.notes.toStdString()}})
      .dump();
}

ComparisonChoice comparison_choice(std::string_view text) {
  ComparisonChoice choice;
  const auto json = nlohmann::json::parse(text, nullptr, false);
  if (!json.is_object()) return choice;
  const auto words = [&json](const char* key) {
    return QString::fromStdString(value_or<std::string>(json, key, {}, &nlohmann::json::is_string));
  };
  choice.runs = list_of(json, "runs");
  choice.hidden = list_of(json, "hidden");
  choice.baseline = words("baseline");
  choice.axis = words("axis");
  choice.notes = words("notes");
  choice.aggregate = value_or(json, "aggregate", true, &nlohmann::json::is_boolean);
  choice.align = value_or(json, "align_starts", false, &nlohmann::json::is_boolean);
  choice.by_difference = value_or(json, "name_by_difference", false, &nlohmann::json::is_boolean);
  choice.half_life = value_or(json, "half_life", 0.0, &nlohmann::json::is_number);
  return choice;
}

}  // namespace syncline::ui
