// SPDX-License-Identifier: GPL-3.0-or-later
// The rows behind a chart, as read for its visible range.
#pragma once

#include <QAbstractTableModel>
#include <memory>
#include <vector>

#include "ui/models/chart/chart_table.h"
#include "ui/models/format.h"

namespace syncline::ui {

struct ChartRows {
  chart::TableQuery query;
  std::vector<chart::TableRow> rows;
  bool complete = true;  // false: there are more than a table is good for; the export has them all
};

class ChartTableModel : public QAbstractTableModel {
  Q_OBJECT

 public:
  static constexpr std::size_t most_rows = 100000;
  using QAbstractTableModel::QAbstractTableModel;
  // Events come first: among many samples nobody would find them.
  void setRows(std::shared_ptr<const ChartRows>, std::vector<chart::EventMark> events = {});
  const ChartRows* rows() const { return rows_.get(); }
  bool tells(int column) const;  // false: nothing in it, or the same run, series and attempt in every row
  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex&, int role) const override;
  QVariant headerData(int section, Qt::Orientation, int role) const override;

 private:
  static QVariant alignment(int column);
  QString eventCell(const chart::EventMark&, int column) const;
  std::shared_ptr<const ChartRows> rows_;
  std::vector<chart::EventMark> events_;
  QStringList columns_;
};

ChartRows read_rows(Reader&, const chart::TableQuery&);

}  // namespace syncline::ui
