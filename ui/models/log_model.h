// SPDX-License-Identifier: GPL-3.0-or-later
// A run's log as a table that reads only the lines on the screen. The index and the filter are worked out on a thread of its own; until the
// first pass is done the last 200 lines are shown.
#pragma once

#include <QAbstractTableModel>
#include <QCache>
#include <QFile>
#include <QThread>
#include <memory>

#include "ui/models/log_index.h"

namespace syncline::ui {

class LogModel : public QAbstractTableModel {
  Q_OBJECT

 public:
  enum Column { time_column, rank_column, level_column, text_column, column_count };
  enum Role { level_role = Qt::UserRole, full_text_role, line_role };
  explicit LogModel(QString path, QObject* parent = nullptr);
  ~LogModel() override;

  void setFilter(const LogFilter&);
  const LogFilter& filter() const { return filter_; }
  // Looks for what was added, now and every quarter of a second while `following`.
  void setFollowing(bool);
  void poll();

  bool indexed() const { return indexed_; }  // the whole file as it was
  bool missing() const;                      // there is no such file
  double progress() const;                   // 0..1 of the pass that is going on
  std::int64_t lines() const { return index_.lines; }
  bool rowsFull() const { return rows_full_; }
  QString plainText(int row) const;  // the whole line as it is read

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex&, int role) const override;
  QVariant headerData(int section, Qt::Orientation, int role) const override;

 Q_SIGNALS:
  void stateChanged();  // indexed, progress, counts

 private:
  void restart();
  void take(std::uint64_t generation, const LogPiece&);
  bool by_line() const { return filter_.lets_all_through() && !filter_.fold; }
  const LogLine* line_at(std::int64_t line) const;
  const LogLine* shown(int row) const;

  class Worker;
  QString path_;
  LogFilter filter_;
  QThread thread_;
  Worker* worker_ = nullptr;
  QTimer* timer_ = nullptr;
  std::uint64_t generation_ = 0;
  bool busy_ = false, indexed_ = false, rows_full_ = false, first_pass_ = true;
  std::int64_t file_bytes_ = 0;
  LogIndex index_;
  std::vector<LogRow> rows_;
  std::vector<LogLine> tail_;  // shown until the first pass is done
  int shown_rows_ = 0;
  mutable QFile file_;
  mutable QCache<std::int64_t, std::vector<LogLine>> blocks_{256};
};

}  // namespace syncline::ui
