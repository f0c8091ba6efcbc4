// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/chart_table_model.h"

#include <algorithm>

#include "ui/widgets/chart_scene.h"

namespace syncline::ui {

void ChartTableModel::setRows(std::shared_ptr<const ChartRows> rows, std::vector<chart::EventMark> events) {
  beginResetModel();
  events_ = std::move(events);
  rows_ = std::move(rows);
  columns_ = rows_ ? chart::table_columns(rows_->query) : QStringList();
  endResetModel();
}

bool ChartTableModel::tells(int column) const {
  constexpr int about_the_run = 6;  // curve, series, run, attempt, rank, superseded
  if (column == 0 && !events_.empty()) return true;
  if (!rows_ || column >= about_the_run || rows_->rows.empty()) return true;
  const chart::TableRow& first = rows_->rows.front();
  return std::any_of(rows_->rows.begin(), rows_->rows.end(), [&](const chart::TableRow& row) {
    return row.curve != first.curve || row.run_id != first.run_id || row.attempt != first.attempt || row.rank != first.rank ||
                   row.superseded != first.superseded
               ? chart::table_cells(row, rows_->query).value(column) != chart::table_cells(first, rows_->query).value(column)
               : false;
  });
}

int ChartTableModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() || !rows_ ? 0 : static_cast<int>(events_.size() + rows_->rows.size());
}

int ChartTableModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : static_cast<int>(columns_.size()); }

// Numbers stand at the right, under and with their headings.
QVariant ChartTableModel::alignment(int column) {
  constexpr int last_text = 2;  // curve, series, run
  return QVariant::fromValue(Qt::Alignment(Qt::AlignVCenter | (column > last_text ? Qt::AlignRight : Qt::AlignLeft)));
}

QVariant ChartTableModel::data(const QModelIndex& index, int role) const {
  if (!rows_ || !index.isValid()) return {};
  if (role == Qt::DisplayRole) {
    const auto row = static_cast<std::size_t>(index.row());
    const QString cell = row < events_.size() ? eventCell(events_[row], index.column())
                                              : chart::table_cells(rows_->rows[row - events_.size()], rows_->query).value(index.column());
    return cell.isEmpty() ? format::missing : cell;
  }
  if (role == Qt::TextAlignmentRole) return alignment(index.column());
  return {};
}

QVariant ChartTableModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (role == Qt::TextAlignmentRole && orientation == Qt::Horizontal) return alignment(section);
  if (role != Qt::DisplayRole) return {};
  return orientation == Qt::Horizontal ? QVariant(columns_.value(section)) : QVariant(section + 1);
}

QString ChartTableModel::eventCell(const chart::EventMark& event, int column) const {
  const QString name = columns_.value(column);
  if (name == QStringLiteral("curve")) return QString(ChartMarks::symbolOf(event.kind) % u' ' % event.text);
  if (name == QStringLiteral("series")) return event.kind;
  if (name == QStringLiteral("run")) return event.run_id;
  const QString axis = chart::axis_stored_name(rows_->query.chart.axis);
  if (name == (rows_->query.chart.align_starts ? QString(axis % QStringLiteral("_since_start")) : axis)) return format::exact(event.x);
  if (name == QStringLiteral("step")) return QString::number(event.step);
  if (name == QStringLiteral("wall_s")) return QString::number(event.wall_s, 'f', 6);
  return {};
}

ChartRows read_rows(Reader& reader, const chart::TableQuery& query) {
  ChartRows result;
  result.query = query;
  chart::each_row(reader, query, [&](const chart::TableRow& row) {
    if (result.rows.size() >= ChartTableModel::most_rows) result.complete = false;
    if (result.complete) result.rows.push_back(row);
    return result.complete;
  });
  return result;
}

}  // namespace syncline::ui
