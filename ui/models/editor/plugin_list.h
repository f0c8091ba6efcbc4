// SPDX-License-Identifier: GPL-3.0-or-later
// Optimizer plugins as the engine sees them. Each is examined in a process of its own; one that crashed while it was examined is left alone
// until its file changes. Plugins that were disabled are not offered.
#pragma once

#include <QAbstractTableModel>
#include <QPointer>
#include <QStringList>
#include <vector>

#include "engine/sim/plugins.h"
#include "ui/models/engine_program.h"

namespace syncline::ui {

class Settings;

struct PluginOption {
  QString key, symbol, kind, initial, range, help;
};
struct PluginCheck {
  QString name, text, reason;
  bool ok = false;
};
struct Plugin {
  enum State { loaded, refused, crashed, disabled } state = refused;
  QString name, file, problem;  // problem: the loader's reason in full
  QString title, summary, version, abi, hash, license, paper;
  std::vector<PluginOption> options;
  std::vector<PluginCheck> checks;  // of the last check since the start
  bool checked = false, passed = false;
};

// Of `plugins --json`. `folders`: where was looked. Empty answer and a problem when it is not understood.
struct PluginAnswer {
  std::vector<Plugin> plugins;
  QStringList folders;
  QString problem, abi;  // abi: of this engine, from its built-in rules
};
PluginAnswer read_plugins(const EngineProgram::Answer&);
// The same as the catalogue takes them: those that could be described and are not disabled.
std::vector<RuleDescription> described_plugins(const EngineProgram::Answer&, Settings&);
// Of `plugins --check FILE --json`, into the plugin.
void read_check(const EngineProgram::Answer&, Plugin&);

class PluginList : public QAbstractTableModel {
  Q_OBJECT

 public:
  enum Column { name_column, state_column, column_count };
  PluginList(EngineProgram&, Settings&, QObject* parent = nullptr);

  void refresh();
  void check(int row);
  void setDisabled(int row, bool);
  bool loaded() const { return loaded_; }  // an answer has come, good or bad
  bool checking(int row) const;
  QString problem() const { return problem_; }
  QStringList folders() const { return folders_; }
  QString engineAbi() const { return abi_; }
  const Plugin& plugin(int row) const { return plugins_[static_cast<std::size_t>(row)]; }
  static QString stateText(Plugin::State);
  static bool isDisabled(Settings&, const QString& name);

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex&, int role) const override;
  QVariant headerData(int section, Qt::Orientation, int role) const override;

 Q_SIGNALS:
  void refreshed();
  void pluginChanged(int row);

 private:
  EngineProgram& engine_;
  Settings& settings_;
  std::vector<Plugin> plugins_;
  QStringList folders_;
  QString problem_, abi_, checking_;
  bool loaded_ = false, asking_ = false;
};

}  // namespace syncline::ui
