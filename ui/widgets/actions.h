// SPDX-License-Identifier: GPL-3.0-or-later
// Every action of the window, once: menus, toolbar, Find Action, the keyboard overview, the shortcut editor and the tests take them from
// here by id.
#pragma once

#include <QAction>
#include <QHash>
#include <QKeySequence>
#include <QObject>
#include <QPointer>
#include <functional>
#include <vector>

namespace syncline::ui {

struct ActionText {
  QString id;                     // "run.stop"; stable: shortcuts are stored under it
  QString text;                   // "&Stop…", title case
  QString help;                   // one sentence; tooltip and What's This
  QList<QKeySequence> shortcuts;  // defaults; empty: none
  QString icon;                   // freedesktop name; may be empty
};

class ActionRegistry : public QObject {
  Q_OBJECT

 public:
  explicit ActionRegistry(QObject* parent = nullptr);

  // An action of the whole window: acts wherever the focus is. Owned by the registry.
  QAction* add(const ActionText&, const std::function<void()>& triggered);
  // An action of one page or widget: added to `owner` (Qt::WidgetWithChildrenShortcut) and gone with it. Several owners may have the same
  // id (two open run pages); find() gives the one whose owner has the focus, else a visible one.
  QAction* add(QWidget* owner, const ActionText&, const std::function<void()>& triggered);

  QAction* find(const QString& id) const;
  std::vector<QAction*> all() const;  // visible ones first by menu order of adding; for Find Action
  static QString idOf(const QAction*);

  // Disabled with the reason in the tooltip ("Stop: select a running run"); an empty reason enables it.
  static void setReason(QAction*, const QString& reason);

  void setShortcuts(const QString& id, const QList<QKeySequence>&);  // for actions to come as well; the window keeps them in the settings
  // Those in force: the user's, else the defaults of its action, else `otherwise` (an id that no widget offers yet).
  QList<QKeySequence> shortcutsOf(const QString& id, const QList<QKeySequence>& otherwise = {}) const;
  void restoreDefaults(const QString& id);
  QStringList conflictsOf(const QString& id, const QKeySequence&) const;  // texts of other actions that it would fight with
  // Single letters (S, T, N ...) can be switched off as a whole (they hinder speech input).
  void setSingleLettersEnabled(bool);

 Q_SIGNALS:
  void changed();

 private:
  struct Entry {
    ActionText text;
    QPointer<QAction> action;
    QPointer<QWidget> owner;
  };
  QAction* put(QWidget* owner, const ActionText&, const std::function<void()>&);
  void apply(Entry&);
  std::vector<Entry> entries_;
  QHash<QString, QList<QKeySequence>> custom_;
  bool single_letters_ = true;
};

}  // namespace syncline::ui
