// SPDX-License-Identifier: GPL-3.0-or-later
// The dialogs of the Runs page. Each gives back what was chosen; writing it is the page's affair.
#pragma once

#include <QDialog>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QTreeWidget>
#include <map>

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
  // Since when each run, by its id, has been there, and after how many days it goes by itself (0: never).
  void setTimes(const std::map<QString, double>&, int days);

 Q_SIGNALS:
  void restore(const std::vector<RunRowPtr>&);
  void removeForGood(const std::vector<RunRowPtr>&);

 private:
  std::vector<RunRowPtr> chosen() const;
  void showTimes();
  std::vector<RunRowPtr> rows_;
  std::map<QString, double> times_;
  QTreeWidget* list_ = nullptr;
  QLabel* stay_ = nullptr;
  QPushButton *restore_ = nullptr, *remove_ = nullptr, *empty_ = nullptr;
};

// How to stop: the kind of a Request, or empty: keep running.
QString ask_how_to_stop(const QStringList& names, QWidget* parent);

}  // namespace syncline::ui
