// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/editor/plugin_list.h"

#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <algorithm>
#include <nlohmann/json.hpp>

#include "ui/models/format.h"
#include "ui/models/settings.h"

namespace syncline::ui {

namespace {

QString disabled_key(const QString& name) { return QStringLiteral("plugins/disabled/") + name; }
QString crashed_key(const QString& file) { return QStringLiteral("plugins/crashed/") + QString(file).replace(u'/', u'|'); }

QString text(const QJsonObject& object, const char16_t* key) { return object.value(QStringView(key)).toString(); }

QString value_text(const QJsonValue& value) {
  if (value.isBool()) return value.toBool() ? QStringLiteral("true") : QStringLiteral("false");
  if (value.isDouble()) return QString::number(value.toDouble(), 'g', 12);
  return value.isNull() || value.isUndefined() ? format::missing : value.toVariant().toString();
}

QString range_text(const QJsonObject& option) {
  const QJsonValue least = option.value(QStringLiteral("least")), most = option.value(QStringLiteral("most"));
  if (least.isNull() && most.isNull()) {
    QStringList choices;
    for (const QJsonValue& choice : option.value(QStringLiteral("choices")).toArray()) choices << choice.toString();
    return choices.join(QStringLiteral(", "));
  }
  return QStringLiteral("%1 … %2").arg(least.isNull() ? QStringLiteral("−∞") : value_text(least),
                                       most.isNull() ? QStringLiteral("∞") : value_text(most));
}

void describe(const QJsonObject& description, Plugin& plugin) {
  plugin.title = text(description, u"title");
  plugin.summary = text(description, u"summary");
  plugin.version = text(description, u"version");
  plugin.abi = text(description, u"abi");
  plugin.hash = text(description, u"file_hash");
  plugin.license = text(description, u"license");
  plugin.paper = text(description, u"paper");
  plugin.options.clear();
  for (const QJsonValue& value : description.value(QStringLiteral("parameters")).toArray()) {
    const QJsonObject option = value.toObject();
    plugin.options.push_back({text(option, u"key"), text(option, u"symbol"), text(option, u"kind"),
                              value_text(option.value(QStringLiteral("default"))), range_text(option), text(option, u"help")});
  }
}

// The child that looked into the file was ended by a signal, in the words of the engine's own sentence.
bool is_crash(const QString& problem) { return problem.contains(QStringLiteral("crashed with signal")); }

QString stamp_of(const QString& file) {
  const QFileInfo info(file);
  return QStringLiteral("%1 %2").arg(info.lastModified().toMSecsSinceEpoch()).arg(info.size());
}

}  // namespace

PluginAnswer read_plugins(const EngineProgram::Answer& answer) {
  PluginAnswer result;
  const QJsonObject document = QJsonDocument::fromJson(answer.output).object();
  if (answer.exit_code != 0 || !document.contains(QStringLiteral("plugins"))) {
    result.problem = answer.exit_code != 0 ? answer.sentence() : PluginList::tr("the engine's list of plugins is not understood");
    return result;
  }
  for (const QJsonValue& folder : document.value(QStringLiteral("folders")).toArray()) result.folders << folder.toString();
  const QJsonArray built_in = document.value(QStringLiteral("optimizers")).toArray();
  if (!built_in.isEmpty()) result.abi = text(built_in.first().toObject(), u"abi");
  for (const QJsonValue& value : document.value(QStringLiteral("plugins")).toArray()) {
    const QJsonObject object = value.toObject();
    Plugin plugin;
    plugin.name = text(object, u"name");
    plugin.file = text(object, u"file");
    plugin.problem = text(object, u"problem");
    if (object.value(QStringLiteral("description")).isObject()) {
      plugin.state = Plugin::loaded;
      describe(object.value(QStringLiteral("description")).toObject(), plugin);
    } else {
      plugin.state = is_crash(plugin.problem) ? Plugin::crashed : Plugin::refused;
    }
    result.plugins.push_back(std::move(plugin));
  }
  return result;
}

std::vector<RuleDescription> described_plugins(const EngineProgram::Answer& answer, Settings& settings) {
  std::vector<RuleDescription> rules;
  // Not Qt's reader: it does not tell 1 from 1.0, and the description's kinds do.
  const auto document = nlohmann::json::parse(answer.output.toStdString(), nullptr, false);
  if (answer.exit_code != 0 || !document.is_object() || !document.contains("plugins") || !document["plugins"].is_array()) return rules;
  for (const auto& plugin : document["plugins"]) {
    if (!plugin.is_object() || !plugin.contains("description") || !plugin["description"].is_object()) continue;
    std::optional<RuleDescription> rule = parse_description(plugin["description"].dump());
    if (!rule || !rule->name.starts_with("plugin:")) continue;
    if (!PluginList::isDisabled(settings, QString::fromStdString(rule->name.substr(7)))) rules.push_back(*std::move(rule));
  }
  return rules;
}

void read_check(const EngineProgram::Answer& answer, Plugin& plugin) {
  const QJsonObject document = QJsonDocument::fromJson(answer.output).object();
  plugin.checked = true;
  plugin.passed = document.value(QStringLiteral("passed")).toBool();
  plugin.checks.clear();
  if (!document.contains(QStringLiteral("passed"))) {
    plugin.problem = answer.exit_code != 0 ? answer.sentence() : PluginList::tr("the engine's answer is not understood");
    return;
  }
  plugin.problem = text(document, u"problem");
  if (document.value(QStringLiteral("description")).isObject()) describe(document.value(QStringLiteral("description")).toObject(), plugin);
  for (const QJsonValue& value : document.value(QStringLiteral("items")).toArray()) {
    const QJsonObject item = value.toObject();
    plugin.checks.push_back({text(item, u"name"), text(item, u"text"), text(item, u"reason"), item.value(QStringLiteral("ok")).toBool()});
    if (is_crash(plugin.checks.back().reason)) plugin.state = Plugin::crashed;
  }
  if (!plugin.problem.isEmpty()) plugin.state = is_crash(plugin.problem) ? Plugin::crashed : Plugin::refused;
}

PluginList::PluginList(EngineProgram& engine, Settings& settings, QObject* parent)
    : QAbstractTableModel(parent), engine_(engine), settings_(settings) {
  connect(&engine_, &EngineProgram::changed, this, &PluginList::refresh);
}

bool PluginList::isDisabled(Settings& settings, const QString& name) { return settings.value(disabled_key(name), false).toBool(); }

QString PluginList::stateText(Plugin::State state) {
  switch (state) {
    case Plugin::loaded:
      return tr("loaded");
    case Plugin::refused:
      return tr("refused");
    case Plugin::crashed:
      return tr("crashed when checked");
    case Plugin::disabled:
      return tr("disabled");
  }
  return {};
}

void PluginList::refresh() {
  if (asking_) return;
  asking_ = true;
  engine_.run(this, {QStringLiteral("plugins"), QStringLiteral("--json")}, [this](const EngineProgram::Answer& answer) {
    asking_ = false;
    loaded_ = true;
    PluginAnswer read = read_plugins(answer);
    beginResetModel();
    const std::vector<Plugin> before = std::exchange(plugins_, std::move(read.plugins));
    folders_ = read.folders;
    problem_ = read.problem;
    abi_ = read.abi;
    for (Plugin& plugin : plugins_) {
      for (const Plugin& old : before) {
        if (old.file != plugin.file || !old.checked) continue;
        plugin.checks = old.checks;
        plugin.checked = old.checked;
        plugin.passed = old.passed;
      }
      if (plugin.state == Plugin::loaded && settings_.value(crashed_key(plugin.file)).toString() == stamp_of(plugin.file)) {
        plugin.state = Plugin::crashed;
        plugin.problem = tr("it crashed when it was checked, and its file has not changed since");
      }
      if (plugin.state == Plugin::loaded && isDisabled(settings_, plugin.name)) plugin.state = Plugin::disabled;
    }
    endResetModel();
    Q_EMIT refreshed();
  });
}

bool PluginList::checking(int row) const { return row >= 0 && row < rowCount() && !checking_.isEmpty() && checking_ == plugin(row).file; }

void PluginList::check(int row) {
  if (row < 0 || row >= rowCount() || !checking_.isEmpty()) return;
  checking_ = plugin(row).file;
  Q_EMIT pluginChanged(row);
  engine_.run(this, {QStringLiteral("plugins"), QStringLiteral("--check"), checking_, QStringLiteral("--json")},
              [this](const EngineProgram::Answer& answer) {
                const QString file = std::exchange(checking_, QString());
                for (int i = 0; i < rowCount(); ++i) {
                  Plugin& one = plugins_[static_cast<std::size_t>(i)];
                  if (one.file != file) continue;
                  if (one.state == Plugin::crashed) one.state = Plugin::loaded;
                  read_check(answer, one);
                  if (one.state == Plugin::crashed)
                    settings_.set(crashed_key(file), stamp_of(file));
                  else
                    settings_.remove(crashed_key(file));
                  if (one.state == Plugin::loaded && isDisabled(settings_, one.name)) one.state = Plugin::disabled;
                  Q_EMIT dataChanged(index(i, 0), index(i, column_count - 1));
                  Q_EMIT pluginChanged(i);
                }
              });
}

void PluginList::setDisabled(int row, bool disabled) {
  if (row < 0 || row >= rowCount()) return;
  Plugin& one = plugins_[static_cast<std::size_t>(row)];
  if (disabled)
    settings_.set(disabled_key(one.name), true);
  else
    settings_.remove(disabled_key(one.name));
  if (one.state == Plugin::loaded && disabled) one.state = Plugin::disabled;
  if (one.state == Plugin::disabled && !disabled) one.state = Plugin::loaded;
  Q_EMIT dataChanged(index(row, 0), index(row, column_count - 1));
  Q_EMIT pluginChanged(row);
}

int PluginList::rowCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : static_cast<int>(plugins_.size()); }
int PluginList::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : column_count; }

QVariant PluginList::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || index.row() >= rowCount()) return {};
  const Plugin& one = plugin(index.row());
  if (role == Qt::ToolTipRole) return one.problem.isEmpty() ? one.file : one.problem;
  if (role != Qt::DisplayRole) return {};
  static const char16_t* const marks[] = {u"✓", u"✕", u"✕", u"○"};
  if (index.column() == name_column) return QStringLiteral("%1  %2").arg(QString::fromUtf16(marks[one.state]), one.name);
  return stateText(one.state);
}

QVariant PluginList::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
  return section == name_column ? tr("Plugin") : tr("State");
}

}  // namespace syncline::ui
