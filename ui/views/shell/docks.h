// SPDX-License-Identifier: GPL-3.0-or-later
// The two docks at the bottom, closed until something is in them that a person wants to see.
#pragma once

#include <QDockWidget>

class QTableView;

namespace syncline::ui {

class BackgroundJobs;
class Problems;

class ProblemsDock : public QDockWidget {
  Q_OBJECT

 public:
  explicit ProblemsDock(Problems&, QWidget* parent = nullptr);
  QTableView* table() const { return table_; }

 private:
  QTableView* table_;
};

class JobsDock : public QDockWidget {
  Q_OBJECT

 public:
  explicit JobsDock(BackgroundJobs&, QWidget* parent = nullptr);
  QTableView* table() const { return table_; }

 private:
  QTableView* table_;
};

}  // namespace syncline::ui
