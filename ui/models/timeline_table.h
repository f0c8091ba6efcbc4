// SPDX-License-Identifier: GPL-3.0-or-later
// The events of the visible part of a timeline as a table: the same for a screen reader, for sorting by duration, and for finding.
#pragma once

#include <QAbstractTableModel>
#include <memory>

#include "ui/models/timeline.h"

namespace syncline::ui {

class TimelineTable : public QAbstractTableModel {
  Q_OBJECT

 public:
  enum Column {
    start_column,
    rank_column,
    step_column,
    event_column,
    duration_column,
    bytes_column,
    rate_column,
    hidden_column,
    exposed_column,
    waiting_column,
    column_count
  };
  struct Place {
    int lane = -1, event = -1;
  };
  using QAbstractTableModel::QAbstractTableModel;
  // At most 5 000 events, the earliest ones; complete() says whether that was all.
  void show(std::shared_ptr<const Timeline>, double from_s, double to_s);
  bool complete() const { return complete_; }
  Place placeOf(int row) const;

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex&, int role) const override;
  QVariant headerData(int section, Qt::Orientation, int role) const override;

 private:
  std::shared_ptr<const Timeline> timeline_;
  std::vector<Place> rows_;
  bool complete_ = true;
};

}  // namespace syncline::ui
