// SPDX-License-Identifier: GPL-3.0-or-later
// The numbers behind a split chart.
#pragma once

#include <QAbstractTableModel>

#include "ui/models/chart/chart_table.h"
#include "ui/widgets/split_scene.h"

namespace syncline::ui {

class SplitTable : public QAbstractTableModel {
  Q_OBJECT

 public:
  SplitTable(const SplitState&, QObject* parent);
  void refresh();
  QByteArray asText(chart::TableFormat) const;  // seconds, C locale, exact
  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex&, int role) const override;
  QVariant headerData(int section, Qt::Orientation, int role) const override;

 private:
  const SplitState& state_;
};

}  // namespace syncline::ui
