// SPDX-License-Identifier: GPL-3.0-or-later
// What the cells of the Runs table say, and what of them can be edited in place.
#include <QColor>

#include "engine/metrics/clock.h"
#include "ui/models/format.h"
#include "ui/models/palette.h"
#include "ui/models/runs_model_node.h"

namespace syncline::ui {

namespace {

bool editable(const QString& column) { return column == u"name" || column == u"tags" || column == u"note"; }

// "easgd   3 seeds", "easgd   3 seeds, 5 runs", "easgd   4 runs of one seed"
QString title_of_seeds(const RunsEntry& entry) {
  std::vector<const RunInfo*> infos;
  for (const RunRowPtr& row : entry.runs) infos.push_back(&row->info);
  return format::isolated(entry.title) + QStringLiteral("   ") + seeds_text(infos);
}

// The names of the runs, where a group has several.
QString names_of(const RunsEntry& entry) {
  QStringList names;
  for (const RunRowPtr& row : entry.runs) {
    if (const QString name = QString::fromStdString(row->info.name); !names.contains(name)) names << name;
    if (names.size() == 20) break;
  }
  return names.size() > 1 ? names.join(u'\n') : QString();
}

QColor swatch(const RunInfo& run, bool dark) {
  const QColor own(QString::fromStdString(run.colour));
  return own.isValid() ? own : palette::curve(run.palette, dark).colour;
}

}  // namespace

const RunsCell& RunsModel::cellOf(Node& node, int column) const {
  if (node.cells.empty()) node.cells.resize(columns_.size());
  std::optional<RunsCell>& cell = node.cells[static_cast<std::size_t>(column)];
  const RunsColumn& what = columns_[static_cast<std::size_t>(column)];
  if (!cell) {
    cell = node.entry.group ? cell_of_group(what, node.entry.runs, details_, utc_s())
                            : cell_of(what, node.first(), details_.find(node.first().info.id), utc_s());
    if (node.entry.group && what.id == u"name") {
      const bool seeds = arrangement_.grouping == RunsGrouping::experiment;
      const auto n = static_cast<int>(node.entry.runs.size());
      cell->text = seeds ? title_of_seeds(node.entry) : tr("%1   %n run(s)", nullptr, n).arg(format::isolated(node.entry.title));
      cell->tip = seeds ? names_of(node.entry) : QString();
    }
  }
  if (what.details && (cell->pending || !node.entry.group)) {
    auto& details = const_cast<RunsDetails&>(details_);  // asking is no change of what is shown
    for (const RunRowPtr& run : node.entry.runs) details.want(run);
  }
  return *cell;
}

QVariant RunsModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) return {};
  Node& node = *nodeOf(index);
  const RunsColumn& column = columns_[static_cast<std::size_t>(index.column())];
  const RunInfo& run = node.first().info;
  const QString waiting = node.entry.group ? QString() : pending_.value(node.first().id()).value(column.id, QString());
  switch (role) {
    case Qt::DisplayRole:
      return waiting.isNull() ? cellOf(node, index.column()).text : waiting;
    case Qt::EditRole:
      if (column.id == u"note") return QString::fromStdString(run.notes);
      return waiting.isNull() ? cellOf(node, index.column()).text : waiting;
    case Qt::ToolTipRole: {
      if (!waiting.isNull()) return tr("being saved");
      const RunsCell& cell = cellOf(node, index.column());
      return cell.tip.isEmpty() ? cell.text : cell.tip;
    }
    case Qt::AccessibleTextRole: {
      const QString& text = cellOf(node, index.column()).text;
      if (column.id == u"state" && !node.entry.group) return tr("State: %1").arg(text.section(u' ', 1));
      if (column.id == u"star") return run.starred ? tr("starred") : tr("not starred");
      return tr("%1: %2").arg(column.title, text);
    }
    case Qt::TextAlignmentRole:
      if (column.id == u"star") return QVariant(Qt::AlignCenter);
      return QVariant(column.number ? Qt::AlignRight | Qt::AlignVCenter : Qt::AlignLeft | Qt::AlignVCenter);
    case Qt::DecorationRole:
      if (column.id != u"name" || (node.entry.group && arrangement_.grouping != RunsGrouping::experiment)) return {};
      return swatch(run, dark_);
    case Qt::ForegroundRole: {
      if (column.id != u"state" || node.entry.group) return {};
      const RunDetails* details = details_.find(run.id);
      const StateLook look = state_look(details != nullptr && !details->damage.isEmpty() ? "damaged" : run.state);
      return palette::status(static_cast<palette::Status>(look.status), dark_);
    }
    case ids_role: {
      QStringList ids;
      for (const RunRowPtr& member : node.entry.runs) ids << member->newest();
      return ids;
    }
    case id_role:
      return node.id;
    case pending_role:
      return !waiting.isNull();
    default:
      return {};
  }
}

bool RunsModel::setData(const QModelIndex& index, const QVariant& value, int role) {
  if (!index.isValid() || role != Qt::EditRole || store_.readOnly()) return false;
  Node& node = *nodeOf(index);
  const QString column = columns_[static_cast<std::size_t>(index.column())].id;
  if (node.entry.group || !editable(column)) return false;
  const RunRowPtr row = node.entry.runs.front();
  const QString text = value.toString(), id = row->id();
  if (text == data(index, Qt::EditRole).toString()) return false;
  pending_[id][column] = column == u"tags" ? tags_of(text).join(QStringLiteral(", ")) : text.section(u'\n', 0, 0);
  const auto written = [this, id, column] {
    pending_[id].remove(column);
    refresh();
  };
  // Refused or not written, which the workspace's problems say: the table shows what is so.
  const auto refused = [this, id, column](const QString&) {
    pending_[id].remove(column);
    const int at = columnOf(column);
    const QList<Node*> shown = at < 0 ? QList<Node*>() : nodes_of_run_.values(id);
    for (const Node* one : shown) Q_EMIT dataChanged(indexOf(one, at), indexOf(one, at));
  };
  if (column == u"name") {
    edits_.rename(row, text, written, refused);
  } else if (column == u"note") {
    edits_.setNote({row}, text, written, refused);
  } else {
    edits_.setTags(row, tags_of(text), written, refused);
  }
  Q_EMIT dataChanged(index, index);
  return true;
}

QVariant RunsModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || section < 0 || section >= columnCount()) return {};
  const RunsColumn& column = columns_[static_cast<std::size_t>(section)];
  switch (role) {
    case Qt::DisplayRole:
      return column.title;
    case Qt::ToolTipRole:
      return column.help.isEmpty() ? column.title : column.help;
    case Qt::AccessibleTextRole:
      return column.id == u"star" ? tr("Starred") : column.title;
    case Qt::TextAlignmentRole:
      if (column.id == u"star") return QVariant(Qt::AlignCenter);
      return QVariant(column.number ? Qt::AlignRight | Qt::AlignVCenter : Qt::AlignLeft | Qt::AlignVCenter);
    default:
      return {};
  }
}

Qt::ItemFlags RunsModel::flags(const QModelIndex& index) const {
  if (!index.isValid()) return {};
  Qt::ItemFlags flags = Qt::ItemIsEnabled | Qt::ItemIsSelectable;
  const Node& node = *nodeOf(index);
  if (!node.entry.group) flags |= Qt::ItemNeverHasChildren;
  if (!node.entry.group && !store_.readOnly() && editable(columns_[static_cast<std::size_t>(index.column())].id)) {
    flags |= Qt::ItemIsEditable;
  }
  return flags;
}

QString RunsModel::groupTitle(const QModelIndex& index) const {
  const Node& node = *nodeOf(index);
  return index.isValid() && node.entry.group ? node.entry.title : QString();
}

void RunsModel::setDark(bool dark) {
  if (std::exchange(dark_, dark) == dark || rowCount() == 0) return;
  Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1), {Qt::ForegroundRole, Qt::DecorationRole});
}

}  // namespace syncline::ui
