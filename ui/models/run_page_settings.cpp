// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/run_page_settings.h"

#include <QCoreApplication>
#include <set>
#include <variant>

#include "engine/experiment/document.h"
#include "engine/launch/command.h"
#include "engine/store/emulation.h"
#include "ui/models/format.h"

namespace syncline::ui {

namespace {

QString say(const char* text) { return QCoreApplication::translate("RunSettings", text); }
QString text_of(const std::string& text) { return QString::fromStdString(text); }

// Tables written in braces (optimizer = { ... }) are tables like those with a header.
void each_value(const document::Node& table, const QString& prefix,
                const std::function<void(const QString&, const document::Node&)>& visit) {
  for (const document::Member& member : table.members) {
    const QString key = prefix.isEmpty() ? text_of(member.key) : QString(prefix + u'.' + text_of(member.key));
    if (member.node.type == document::Node::table)
      each_value(member.node, key, visit);
    else
      visit(key, member.node);
  }
}

std::set<QString> keys_of(const std::string& toml) {
  std::set<QString> keys;
  const auto parsed = document::parse(toml);
  if (const auto* root = std::get_if<document::Node>(&parsed))
    each_value(*root, {}, [&](const QString& key, const document::Node&) { keys.insert(key); });
  return keys;
}

QString command_text(const std::vector<std::string>& argv) {
  QStringList parts;
  for (const std::string& part : argv) parts << text_of(shell_quote(part));
  return parts.join(u' ');
}

}  // namespace

std::vector<SettingRow> settings_of(const RunInfo& run) {
  std::vector<SettingRow> rows;
  const std::set<QString> typed = keys_of(run.experiment_as_typed);
  const auto parsed = document::parse(run.experiment);
  const auto* root = std::get_if<document::Node>(&parsed);
  if (root == nullptr) return rows;
  each_value(*root, {}, [&](const QString& key, const document::Node& node) {
    const QString origin = typed.contains(key)                              ? say("typed")
                           : key.startsWith(QStringLiteral("model.layers")) ? say("zoo")
                                                                            : say("default");
    rows.push_back({key, text_of(document::print(node)), origin});
  });
  return rows;
}

std::vector<SettingRow> environment_of(const RunInfo& run) {
  std::vector<SettingRow> rows;
  const auto add = [&rows](const QString& key, const QString& value) {
    if (!value.isEmpty()) rows.push_back({key, value, {}});
  };
  add(say("Run"), text_of(run.id));
  add(say("Host"), text_of(run.host));
  add(say("Version of Syncline"), text_of(run.version));
  add(say("Device"), text_of(run.device));
  add(say("Computed by"), text_of(run.backend));
  add(say("Threads of a worker"), QString::number(run.threads_per_worker));
  add(say("Traced steps"), text_of(run.tracing));
  add(say("Times of"), text_of(emulation_text(run)));
  add(say("Command"), command_text(run.command));
  add(say("Created"), format::isoUtc(run.created));
  if (run.started) add(say("Started"), format::isoUtc(*run.started));
  if (run.ended) add(say("Ended"), format::isoUtc(*run.ended));
  if (run.exit_code) add(say("Exit code"), QString::number(*run.exit_code));
  for (const auto& [name, value] : run.environment) add(text_of(name), text_of(value));
  return rows;
}

}  // namespace syncline::ui
