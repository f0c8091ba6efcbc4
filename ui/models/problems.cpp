// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/problems.h"

#include <algorithm>

namespace syncline::ui {

void Problems::report(const QString& cause, const QString& source, const QString& text, std::function<void()> show) {
  const auto found = std::find_if(rows_.begin(), rows_.end(), [&](const Row& row) { return row.cause == cause; });
  if (found == rows_.end()) {
    beginInsertRows({}, static_cast<int>(rows_.size()), static_cast<int>(rows_.size()));
    rows_.push_back({cause, source, text, QDateTime::currentDateTimeUtc(), 1, false, std::move(show)});
    endInsertRows();
  } else {
    found->text = text;
    found->latest = QDateTime::currentDateTimeUtc();
    ++found->times;
    found->resolved = false;
    found->show = std::move(show);
    const int row = static_cast<int>(found - rows_.begin());
    Q_EMIT dataChanged(index(row, 0), index(row, column_count - 1));
  }
  Q_EMIT countChanged(unresolved());
}

void Problems::resolve(const QString& cause) {
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    if (rows_[i].cause != cause || rows_[i].resolved) continue;
    rows_[i].resolved = true;
    Q_EMIT dataChanged(index(static_cast<int>(i), 0), index(static_cast<int>(i), column_count - 1));
    Q_EMIT countChanged(unresolved());
  }
}

int Problems::unresolved() const {
  return static_cast<int>(std::count_if(rows_.begin(), rows_.end(), [](const Row& row) { return !row.resolved; }));
}

QString Problems::asText() const {
  QString text;
  for (const Row& row : rows_) {
    text += row.latest.toString(Qt::ISODate) % u'\t' % QString::number(row.times) % u'\t' % row.source % u'\t' % row.text % u'\n';
  }
  return text;
}

void Problems::showPlace(int row) const {
  const Row& at = rows_.at(static_cast<std::size_t>(row));
  if (at.show) at.show();
}

int Problems::rowCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : static_cast<int>(rows_.size()); }
int Problems::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : column_count; }

QVariant Problems::data(const QModelIndex& at, int role) const {
  if (!at.isValid()) return {};
  const Row& row = rows_[static_cast<std::size_t>(at.row())];
  if (role == Qt::DisplayRole || role == Qt::ToolTipRole) {
    switch (at.column()) {
      case time_column:
        return row.latest.toLocalTime().toString(QStringLiteral("HH:mm:ss"));
      case times_column:
        return row.times;
      case source_column:
        return row.source;
      default:
        return row.resolved ? QVariant(tr("%1 (over)").arg(row.text)) : QVariant(row.text);
    }
  }
  return {};
}

QVariant Problems::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
  switch (section) {
    case time_column:
      return tr("Latest");
    case times_column:
      return tr("Times");
    case source_column:
      return tr("Where");
    default:
      return tr("What");
  }
}

}  // namespace syncline::ui
