// SPDX-License-Identifier: GPL-3.0-or-later
// Find Action: type part of any action's name, Enter runs it. Lists shortcuts; what cannot be done now stands there with the reason.
#pragma once

#include <QAbstractListModel>
#include <QDialog>
#include <QPointer>
#include <vector>

class QAction;
class QLineEdit;
class QListView;

namespace syncline::ui {

class ActionRegistry;
class PageActions;

// Every action once, those that can be done first; filtered by words that may stand anywhere in its name or help.
class FoundActions : public QAbstractListModel {
  Q_OBJECT

 public:
  enum Role { shortcut_role = Qt::UserRole, reason_role };
  FoundActions(ActionRegistry&, PageActions&, QObject* parent = nullptr);
  void find(const QString& words);
  QAction* at(int row) const;
  int rowCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex&, int role) const override;
  Qt::ItemFlags flags(const QModelIndex&) const override;

 private:
  struct Entry {
    QPointer<QAction> action;
    QString name, help, shortcut;
    bool enabled = false;
  };
  std::vector<Entry> all_;
  std::vector<std::size_t> found_;
};

class FindAction : public QDialog {
  Q_OBJECT

 public:
  FindAction(ActionRegistry&, PageActions&, QWidget* parent = nullptr);

 protected:
  bool eventFilter(QObject*, QEvent*) override;

 private:
  void run(const QModelIndex&);
  FoundActions* model_;
  QLineEdit* words_;
  QListView* list_;
};

}  // namespace syncline::ui
