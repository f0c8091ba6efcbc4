// SPDX-License-Identifier: GPL-3.0-or-later
// The editor's tables: layers, messages of a step, and the topology, which is the diagram's model too.
#pragma once

#include <QAbstractTableModel>
#include <memory>
#include <vector>

#include "ui/models/editor/examination.h"
#include "ui/models/editor/form_fields.h"

namespace syncline::ui {

class LayerTable : public QAbstractTableModel {
  Q_OBJECT

 public:
  enum Column {
    number_column,
    name_column,
    type_column,
    in_column,
    out_column,
    parameters_column,
    flop_column,
    activations_column,
    column_count
  };
  // A share of the column's sum, 0 to 1, for the bar behind the number; invalid where there is none.
  static constexpr int share_role = Qt::UserRole + 1;
  static constexpr int problem_role = Qt::UserRole + 2;

  using QAbstractTableModel::QAbstractTableModel;
  void setRows(const std::vector<LayerRow>&);
  const std::vector<LayerRow>& rows() const { return rows_; }

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex&, int role) const override;
  QVariant headerData(int section, Qt::Orientation, int role) const override;

 private:
  std::optional<double> number(const LayerRow&, int column) const;
  std::vector<LayerRow> rows_;
  double sums_[column_count] = {};
};

class BucketTable : public QAbstractTableModel {
  Q_OBJECT

 public:
  enum Column { number_column, layers_column, bytes_column, ready_column, start_column, end_column, column_count };
  using QAbstractTableModel::QAbstractTableModel;
  void setRows(const std::vector<BucketRow>&);

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex&, int role) const override;
  QVariant headerData(int section, Qt::Orientation, int role) const override;

 private:
  std::vector<BucketRow> rows_;
};

// What the diagram draws: ranks and the link between every pair of them. The table has a row for each property and edits the document.
class TopologyModel : public QAbstractTableModel {
  Q_OBJECT

 public:
  enum Column { item_column, property_column, value_column, help_column, column_count };
  explicit TopologyModel(ExperimentDocument&, QObject* parent = nullptr);

  struct Shape {
    std::int64_t workers = 1, threads = 0;  // threads 0: the cores are shared
    double bandwidth_bytes_per_s = 0, latency_s = 0;
    bool emulate = false;
    bool operator==(const Shape&) const = default;
  };
  const Shape& shape() const { return shape_; }
  QString linkText() const;  // "1 Gbit/s · 100 µs, emulated"
  int rowOf(const QString& key) const;
  QString keyOf(int row) const;

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex&, int role) const override;
  bool setData(const QModelIndex&, const QVariant&, int role) override;
  Qt::ItemFlags flags(const QModelIndex&) const override;
  QVariant headerData(int section, Qt::Orientation, int role) const override;

 Q_SIGNALS:
  void shapeChanged();

 private:
  void refresh();
  ExperimentDocument& document_;
  std::vector<Field> fields_;
  Shape shape_;
};

}  // namespace syncline::ui
