// SPDX-License-Identifier: GPL-3.0-or-later
// Causes of trouble in the background, each once with a counter. Shown in the Problems dock; kept for the session.
#pragma once

#include <QAbstractTableModel>
#include <QDateTime>
#include <functional>
#include <vector>

namespace syncline::ui {

class Problems : public QAbstractTableModel {
  Q_OBJECT

 public:
  enum Column { time_column, times_column, source_column, text_column, column_count };
  using QAbstractTableModel::QAbstractTableModel;

  // `cause` identifies: a repetition raises the counter. `show`: goes to the place; may be empty.
  void report(const QString& cause, const QString& source, const QString& text, std::function<void()> show = {});
  void resolve(const QString& cause);  // no longer true: the row stays, greyed
  int unresolved() const;
  QString asText() const;
  void showPlace(int row) const;

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex&, int role) const override;
  QVariant headerData(int section, Qt::Orientation, int role) const override;

 Q_SIGNALS:
  void countChanged(int unresolved);

 private:
  struct Row {
    QString cause, source, text;
    QDateTime latest;
    int times = 1;
    bool resolved = false;
    std::function<void()> show;
  };
  std::vector<Row> rows_;
};

}  // namespace syncline::ui
