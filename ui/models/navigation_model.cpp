// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/navigation_model.h"

#include <QMimeData>
#include <algorithm>

#include "ui/models/format.h"

namespace syncline::ui {

namespace {

// A section's index carries 0, an entry's the number of its section plus one.
constexpr quintptr of_top = 0;
const QString mime_type = QStringLiteral("application/x-syncline-open-page");

}  // namespace

QString run_icon(const QString& state) {
  if (state == u"finished") return QStringLiteral("dialog-ok");
  if (state == u"failed" || state == u"lost") return QStringLiteral("dialog-error");
  if (state == u"stopped") return QStringLiteral("media-playback-stop");
  return QStringLiteral("media-playback-start");
}

void NavigationModel::addPlace(const QString& name, const QString& title, const QString& icon) {
  const int row = static_cast<int>(places_.size());
  beginInsertRows(index(places_section, 0), row, row);
  places_.push_back({name, title, icon, {}});
  endInsertRows();
}

void NavigationModel::setCount(const QString& place, std::optional<int> count) {
  for (PlaceEntry& entry : places_) {
    if (entry.name != place || entry.count == count) continue;
    entry.count = count;
    const QModelIndex at = indexOfPlace(place);
    Q_EMIT dataChanged(at, at, {count_role, Qt::AccessibleTextRole, Qt::ToolTipRole});
  }
}

int NavigationModel::addOpen(const QString& title, const QString& icon) {
  const int row = openCount();
  beginInsertRows(index(open_section, 0), row, row);
  open_.push_back({next_id_, title, icon, false});
  endInsertRows();
  return next_id_++;
}

QString NavigationModel::titleOf(int id) const {
  const int row = rowOfOpen(id);
  return row < 0 ? QString() : open_[static_cast<std::size_t>(row)].title;
}

QString NavigationModel::iconOf(int id) const {
  const int row = rowOfOpen(id);
  return row < 0 ? QString() : open_[static_cast<std::size_t>(row)].icon;
}

void NavigationModel::updateOpen(int id, const QString& title, const QString& icon, bool unsaved) {
  const int row = rowOfOpen(id);
  if (row < 0) return;
  OpenEntry& entry = open_[static_cast<std::size_t>(row)];
  if (entry.title == title && entry.icon == icon && entry.unsaved == unsaved) return;
  entry.title = title;
  entry.icon = icon;
  entry.unsaved = unsaved;
  Q_EMIT dataChanged(indexOfOpen(id), indexOfOpen(id));
}

void NavigationModel::removeOpen(int id) {
  const int row = rowOfOpen(id);
  if (row < 0) return;
  beginRemoveRows(index(open_section, 0), row, row);
  open_.erase(open_.begin() + row);
  endRemoveRows();
}

void NavigationModel::moveOpen(int from, int to) {
  if (from == to || from < 0 || to < 0 || from >= openCount() || to >= openCount()) return;
  const QModelIndex section = index(open_section, 0);
  beginMoveRows(section, from, from, section, to > from ? to + 1 : to);
  const auto first = open_.begin();
  if (from < to) {
    std::rotate(first + from, first + from + 1, first + to + 1);
  } else {
    std::rotate(first + to, first + from, first + from + 1);
  }
  endMoveRows();
}

int NavigationModel::openAt(int row) const { return row < 0 || row >= openCount() ? -1 : open_[static_cast<std::size_t>(row)].id; }

int NavigationModel::rowOfOpen(int id) const {
  const auto found = std::find_if(open_.begin(), open_.end(), [id](const OpenEntry& entry) { return entry.id == id; });
  return found == open_.end() ? -1 : static_cast<int>(found - open_.begin());
}

QModelIndex NavigationModel::indexOfPlace(const QString& name) const {
  const auto found = std::find_if(places_.begin(), places_.end(), [&](const PlaceEntry& entry) { return entry.name == name; });
  if (found == places_.end()) return {};
  return index(static_cast<int>(found - places_.begin()), 0, index(places_section, 0));
}

QModelIndex NavigationModel::indexOfOpen(int id) const {
  const int row = rowOfOpen(id);
  return row < 0 ? QModelIndex() : index(row, 0, index(open_section, 0));
}

QModelIndex NavigationModel::index(int row, int column, const QModelIndex& parent) const {
  if (!hasIndex(row, column, parent)) return {};
  return createIndex(row, column, parent.isValid() ? static_cast<quintptr>(parent.row() + 1) : of_top);
}

QModelIndex NavigationModel::parent(const QModelIndex& child) const {
  if (!child.isValid() || child.internalId() == of_top) return {};
  return createIndex(static_cast<int>(child.internalId()) - 1, 0, of_top);
}

int NavigationModel::rowCount(const QModelIndex& parent) const {
  if (!parent.isValid()) return section_count;
  if (parent.internalId() != of_top) return 0;
  return parent.row() == places_section ? static_cast<int>(places_.size()) : openCount();
}

int NavigationModel::columnCount(const QModelIndex&) const { return 1; }

QVariant NavigationModel::data(const QModelIndex& at, int role) const {
  if (!at.isValid()) return {};
  if (at.internalId() == of_top) {
    if (role == Qt::DisplayRole) return at.row() == places_section ? tr("Places") : tr("Open");
    if (role == heading_role) return true;
    if (role == id_role) return -1;
    return {};
  }
  if (role == heading_role) return false;
  if (at.internalId() == places_section + 1) {
    const PlaceEntry& entry = places_[static_cast<std::size_t>(at.row())];
    switch (role) {
      case Qt::DisplayRole:
        return entry.title;
      case Qt::ToolTipRole:
      case Qt::AccessibleTextRole:
        return entry.count ? tr("%1, %2").arg(entry.title, format::count(*entry.count)) : entry.title;
      case place_role:
        return entry.name;
      case icon_role:
        return entry.icon;
      case count_role:
        return entry.count ? QVariant(*entry.count) : QVariant();
      case id_role:
        return -1;
      default:
        return {};
    }
  }
  const OpenEntry& entry = open_[static_cast<std::size_t>(at.row())];
  switch (role) {
    case Qt::DisplayRole:
      return entry.unsaved ? tr("%1 *").arg(entry.title) : entry.title;
    case Qt::ToolTipRole:
      return entry.unsaved ? tr("%1 (not saved yet)").arg(entry.title) : entry.title;
    case Qt::AccessibleTextRole:
      return entry.unsaved ? tr("%1, not saved yet").arg(entry.title) : entry.title;
    case id_role:
      return entry.id;
    case icon_role:
      return entry.icon;
    case unsaved_role:
      return entry.unsaved;
    default:
      return {};
  }
}

Qt::ItemFlags NavigationModel::flags(const QModelIndex& at) const {
  if (!at.isValid()) return Qt::NoItemFlags;
  if (at.internalId() == of_top) return at.row() == open_section ? Qt::ItemIsEnabled | Qt::ItemIsDropEnabled : Qt::ItemIsEnabled;
  const Qt::ItemFlags entry = Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemNeverHasChildren;
  return at.internalId() == open_section + 1 ? entry | Qt::ItemIsDragEnabled : entry;
}

Qt::DropActions NavigationModel::supportedDropActions() const { return Qt::MoveAction; }
QStringList NavigationModel::mimeTypes() const { return {mime_type}; }

QMimeData* NavigationModel::mimeData(const QModelIndexList& indexes) const {
  if (indexes.isEmpty()) return nullptr;
  auto* data = new QMimeData;
  data->setData(mime_type, QByteArray::number(indexes.front().data(id_role).toInt()));
  return data;
}

bool NavigationModel::canDropMimeData(const QMimeData* data, Qt::DropAction action, int, int, const QModelIndex& parent) const {
  return action == Qt::MoveAction && data->hasFormat(mime_type) && parent == index(open_section, 0);
}

bool NavigationModel::dropMimeData(const QMimeData* data, Qt::DropAction action, int row, int column, const QModelIndex& parent) {
  if (!canDropMimeData(data, action, row, column, parent)) return false;
  const int from = rowOfOpen(data->data(mime_type).toInt());
  if (from < 0) return false;
  const int before = row < 0 ? openCount() : row;  // dropped in front of this row
  moveOpen(from, std::clamp(before > from ? before - 1 : before, 0, openCount() - 1));
  // The move is done: answering false keeps the view from removing the dragged row.
  return false;
}

}  // namespace syncline::ui
