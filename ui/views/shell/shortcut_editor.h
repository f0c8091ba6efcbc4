// SPDX-License-Identifier: GPL-3.0-or-later
// Every action with its keys; a key that another action has already is refused with that action's name, or taken from it on request.
#pragma once

#include <QAbstractTableModel>
#include <QKeySequence>
#include <QWidget>
#include <vector>

class QKeySequenceEdit;
class QLabel;
class QLineEdit;
class QPushButton;
class QTreeView;
class QSortFilterProxyModel;

namespace syncline::ui {

class ActionRegistry;
class Settings;

// What the user chose lies under "shortcuts/keys/<id>" as texts; read once at the start.
void load_shortcuts(Settings&, ActionRegistry&);

class ShortcutsModel : public QAbstractTableModel {
  Q_OBJECT

 public:
  enum Column { action_column, keys_column, column_count };
  ShortcutsModel(ActionRegistry&, Settings&, QObject* parent = nullptr);
  QString idAt(int row) const { return entries_[static_cast<std::size_t>(row)].id; }
  QList<QKeySequence> keysOf(const QString& id) const;
  bool changedByUser(const QString& id) const;
  // Names of the actions that have this key now, those of pages not open included.
  QStringList conflicts(const QString& id, const QKeySequence&) const;
  void set(const QString& id, const QList<QKeySequence>&);
  void takeFromOthers(const QString& id, const QKeySequence&);
  void restoreDefault(const QString& id);
  void restoreAll();

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex&, int role) const override;
  QVariant headerData(int section, Qt::Orientation, int role) const override;

 private:
  struct Entry {
    QString id, name, help;
    QList<QKeySequence> defaults;  // of a page's action that is not there now
  };
  std::vector<QString> others_with(const QString& id, const QKeySequence&) const;
  void refresh();
  ActionRegistry& registry_;
  Settings& settings_;
  std::vector<Entry> entries_;
};

class ShortcutEditor : public QWidget {
  Q_OBJECT

 public:
  ShortcutEditor(ActionRegistry&, Settings&, QWidget* parent = nullptr);
  void restoreDefaults();

 private:
  QString selected() const;
  void show_selected();
  void try_keys();
  ShortcutsModel* model_;
  QSortFilterProxyModel* shown_;
  QTreeView* table_;
  QKeySequenceEdit* keys_;
  QLabel* conflict_;
  QPushButton *assign_, *take_, *none_, *default_;
};

}  // namespace syncline::ui
