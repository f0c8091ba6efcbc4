// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/editor/field_values.h"

#include <QCoreApplication>
#include <QStringList>

#include "engine/experiment/check.h"

namespace syncline::ui {

namespace {

using document::Node;

// The one value that the text is in TOML.
std::optional<Node> value_node(const std::string& text) {
  auto parsed = document::parse("x = " + text);
  auto* root = std::get_if<Node>(&parsed);
  if (root == nullptr || root->members.size() != 1) return std::nullopt;
  return std::move(root->members.front().node);
}

bool is_number(const std::string& text) {
  const std::optional<Node> node = value_node(text);
  return node && (node->type == Node::integer || node->type == Node::real);
}

std::string number_or_text(const QString& typed) {
  const std::string text = typed.toStdString();
  if (is_number(text)) return text;
  // TOML wants digits on both sides of the point; people do not.
  const QString fuller = typed.startsWith(u'.') ? QStringLiteral("0") + typed : typed.endsWith(u'.') ? typed + QStringLiteral("0") : typed;
  if (is_number(fuller.toStdString())) return fuller.toStdString();
  return document::print_text(text);
}

std::string list_toml(const QString& typed, const Parameter& parameter, const std::optional<std::string>& written) {
  QString inner = typed;
  const bool bracketed = inner.startsWith(u'[') && inner.endsWith(u']');
  if (bracketed) inner = inner.mid(1, inner.size() - 2);
  std::vector<std::string> elements;
  bool numbers = true;
  for (const QString& part : inner.split(u',', Qt::SkipEmptyParts)) {
    QString element = part.trimmed();
    if (element.size() >= 2 && (element.startsWith(u'"') || element.startsWith(u'\'')) && element.endsWith(element[0]))
      element = element.mid(1, element.size() - 2);
    if (element.isEmpty()) continue;
    elements.push_back(number_or_text(element));
    numbers = numbers && elements.back().front() != '"';
  }
  const bool was_list = written && !written->empty() && written->front() == '[';
  if (elements.size() == 1 && numbers && !bracketed && !was_list && parameter.kind == Parameter::list) return elements.front();
  std::string list;
  for (const std::string& element : elements) list += (list.empty() ? "" : ", ") + element;
  return "[" + list + "]";
}

QString unit_name(Parameter::Kind kind, std::string_view unit) {
  if (kind == Parameter::duration) return QStringLiteral("s");
  if (kind == Parameter::size) return QStringLiteral("bytes");
  if (kind == Parameter::rate) return QStringLiteral("bytes/s");
  return text_of(unit);
}

}  // namespace

QString text_of(std::string_view text) { return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size())); }

std::string toml_of(const QString& typed, const Parameter& parameter, const std::optional<std::string>& written) {
  const QString trimmed = typed.trimmed();
  switch (parameter.kind) {
    case Parameter::text:
    case Parameter::path:
    case Parameter::choice:
      return typed.isEmpty() ? std::string() : document::print_text(typed.toStdString());
    case Parameter::flag:
      if (trimmed == QStringLiteral("true") || trimmed == QStringLiteral("false")) return trimmed.toStdString();
      return trimmed.isEmpty() ? std::string() : document::print_text(trimmed.toStdString());
    case Parameter::list:
      return trimmed.isEmpty() ? std::string() : list_toml(trimmed, parameter, written);
    case Parameter::table:
      return trimmed.toStdString();
    default:
      return trimmed.isEmpty() ? std::string() : number_or_text(trimmed);
  }
}

QString shown_value(const document::Node& node, const std::string& written, const Parameter& parameter) {
  if (node.type == Node::text) return text_of(std::get<std::string>(node.value));
  if (node.type == Node::array && parameter.kind == Parameter::list) {
    QStringList elements;
    for (const Node& item : node.items)
      elements << (item.type == Node::text ? text_of(std::get<std::string>(item.value)) : text_of(document::print(item)));
    return elements.join(QStringLiteral(", "));
  }
  return text_of(written);
}

QString shown_default(const Parameter& parameter) {
  const Value value = default_of(parameter);
  if (!value.present()) return {};
  const std::string toml = print_value(value, parameter.kind);
  const std::optional<Node> node = value_node(toml);
  if (!node) return text_of(toml);
  return shown_value(*node, toml, parameter);
}

bool is_default(const document::Node& node, const Parameter& parameter) {
  const Value initial = default_of(parameter);
  if (!initial.present()) return false;
  Parameter open = parameter;
  if (open.kind == Parameter::choice) open.kind = Parameter::text;  // choices may come from the catalogue
  const auto read = read_value(node, open);
  const auto* value = std::get_if<Value>(&read);
  return value != nullptr && *value == initial;
}

QString unit_suffix(const Parameter& parameter, const QString& shown) {
  const QString unit = unit_name(parameter.kind, parameter.unit);
  if (unit.isEmpty() || shown.trimmed().isEmpty() || !is_number(shown.trimmed().toStdString())) return {};
  return unit;
}

QString typing_help(const Parameter& parameter) {
  switch (parameter.kind) {
    case Parameter::duration:
      return QCoreApplication::translate("Field", "A time such as 450us or 5 min; a number alone is seconds");
    case Parameter::size:
      return QCoreApplication::translate("Field", "A size such as 64Ki or 4 GiB; a number alone is bytes");
    case Parameter::rate:
      return QCoreApplication::translate("Field", "A rate such as 25 Gbit/s or 3.1 GB/s; a number alone is bytes per second");
    case Parameter::list:
      return QCoreApplication::translate("Field", "Several values with commas between them");
    default:
      return {};
  }
}

}  // namespace syncline::ui
