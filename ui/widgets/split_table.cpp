// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/split_table.h"

#include "ui/models/chart/plain_table.h"
#include "ui/models/format.h"

namespace syncline::ui {

namespace {

enum Column {
  place_column,
  first_part_column,
  step_column = first_part_column + step_part_count,
  sum_column,
  least_column,
  most_column,
  column_count
};
constexpr std::array<const char*, step_part_count> stored = {"compute_s", "hidden_s",   "exposed_s", "waiting_s",
                                                             "input_s",   "boundary_s", "idle_s"};

double value_of(const SplitState& state, const SplitBar& bar, int column) {
  switch (column) {
    case step_column:
      return bar.step_s;
    case sum_column:
      return state.total(bar);
    case least_column:
      return bar.least_exposed_s;
    case most_column:
      return bar.most_exposed_s;
    default:
      return bar.parts_s[static_cast<std::size_t>(column - first_part_column)];
  }
}

QString stored_name(int column) {
  if (column >= first_part_column && column < step_column)
    return QString::fromLatin1(stored[static_cast<std::size_t>(column - first_part_column)]);
  constexpr std::array<const char*, 4> rest = {"step_s", "sum_s", "least_exposed_s", "most_exposed_s"};
  return QString::fromLatin1(rest[static_cast<std::size_t>(column - step_column)]);
}

}  // namespace

SplitTable::SplitTable(const SplitState& state, QObject* parent) : QAbstractTableModel(parent), state_(state) {}

void SplitTable::refresh() {
  beginResetModel();
  endResetModel();
}

int SplitTable::rowCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : static_cast<int>(state_.bars.size()); }
int SplitTable::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : column_count; }

QVariant SplitTable::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || index.row() >= rowCount()) return {};
  const SplitBar& bar = state_.bars[static_cast<std::size_t>(index.row())];
  if (role == Qt::TextAlignmentRole) return QVariant::fromValue(Qt::Alignment(Qt::AlignVCenter | Qt::AlignRight));
  if (role != Qt::DisplayRole) return {};
  if (index.column() == place_column) return bar.label.isEmpty() ? format::metric(bar.x) : bar.label;
  return format::duration(value_of(state_, bar, index.column()));
}

QVariant SplitTable::headerData(int section, Qt::Orientation orientation, int role) const {
  if (role != Qt::DisplayRole || orientation != Qt::Horizontal) return {};
  switch (section) {
    case place_column:
      return state_.named ? tr("run") : tr("x");
    case step_column:
      return tr("step, as measured");
    case sum_column:
      return tr("sum of the parts");
    case least_column:
      return tr("least exposed");
    case most_column:
      return tr("most exposed");
    default:
      return part_name(static_cast<StepPart>(section - first_part_column));
  }
}

QByteArray SplitTable::asText(chart::TableFormat kind) const {
  QStringList columns = {state_.named ? QStringLiteral("run") : QStringLiteral("x")};
  for (int column = first_part_column; column < column_count; ++column) columns.append(stored_name(column));
  std::vector<QStringList> rows;
  for (const SplitBar& bar : state_.bars) {
    QStringList& cells = rows.emplace_back(QStringList{state_.named ? bar.label : format::exact(bar.x)});
    for (int column = first_part_column; column < column_count; ++column) cells.append(format::exact(value_of(state_, bar, column)));
  }
  return chart::plain_table(columns, rows, kind, state_.named ? 1 : 0);
}

}  // namespace syncline::ui
