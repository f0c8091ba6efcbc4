// SPDX-License-Identifier: GPL-3.0-or-later
// The table of runs: two views of one model side by side, so that star, name and state stay in sight while the rest scrolls sideways. They
// share selection, expansion and vertical position.
#pragma once

#include <QTreeView>
#include <QWidget>

#include "ui/models/runs_model.h"

namespace syncline::ui {

class Settings;

class RunsTable : public QWidget {
  Q_OBJECT

 public:
  RunsTable(RunsModel&, Settings&, QWidget* parent = nullptr);

  QModelIndexList selectedRows() const;
  std::vector<RunRowPtr> selectedRuns() const;
  QModelIndex current() const;
  void select(const QStringList& row_ids);  // by id_role
  void edit(const QString& column);         // of the current row, in place
  void setSort(const QString& column, bool descending);
  QString sortColumn() const { return sort_column_; }
  bool sortDescending() const { return sort_descending_; }
  QTreeView* frozenView() const { return left_; }
  QTreeView* scrollingView() const { return right_; }

 Q_SIGNALS:
  void opened(const QModelIndex&);
  void selectionChanged();
  void sortChanged();
  void editing(bool);  // a cell is being edited: Enter belongs to it

 protected:
  void changeEvent(QEvent*) override;
  void showEvent(QShowEvent*) override;

 private:
  void splitColumns();
  void restoreWidths();
  void storeWidths();
  void fitFrozen();
  RunsModel& model_;
  Settings& settings_;
  QTreeView *left_ = nullptr, *right_ = nullptr;
  QWidget* under_left_ = nullptr;  // as high as the right view's horizontal scroll bar
  QTimer store_later_;
  QString sort_column_;
  bool sort_descending_ = true, restoring_ = false;
};

}  // namespace syncline::ui
