// SPDX-License-Identifier: GPL-3.0-or-later
// The dialogs of the Runs page. Each gives back what was chosen; writing it is the page's affair.
#pragma once

#include <QDialog>
#include <QLineEdit>
#include <QListWidget>
#include <QTreeWidget>

#include "ui/models/runs_model.h"

namespace syncline::ui {

// Which columns are shown and in which order. Settings are found by typing; only chosen ones become columns.
class ColumnsDialog : public QDialog {
  Q_OBJECT

 public:
  ColumnsDialog(const QStringList& shown, QWidget* parent);
  void setSettingKeys(const QStringList& keys);  // once they have been read
  QStringList columns() const;

 private:
  void fill();
  void move(int by);
  QLineEdit* search_ = nullptr;
  QListWidget *offered_ = nullptr, *chosen_ = nullptr;
  QStringList keys_;
};

// What is in the trash. Restoring and emptying go through the signals, so that the dialog shows what the workspace says.
class TrashDialog : public QDialog {
  Q_OBJECT

 public:
  explicit TrashDialog(QWidget* parent);
  void setRuns(const std::vector<RunRowPtr>&);

 Q_SIGNALS:
  void restore(const std::vector<RunRowPtr>&);
  void removeForGood(const std::vector<RunRowPtr>&);

 private:
  std::vector<RunRowPtr> chosen() const;
  std::vector<RunRowPtr> rows_;
  QTreeWidget* list_ = nullptr;
  QPushButton *restore_ = nullptr, *remove_ = nullptr, *empty_ = nullptr;
};

// How to stop: the kind of a Request, or empty: keep running.
QString ask_how_to_stop(const QStringList& names, QWidget* parent);

}  // namespace syncline::ui
