// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/runs_model.h"

#include <algorithm>

#include "engine/metrics/clock.h"
#include "engine/sim/schema.h"
#include "ui/models/runs_model_node.h"

namespace syncline::ui {

namespace {

constexpr int flush_ms = 250;              // at most four updates a second
constexpr int look_again_ms = 2000;        // whether processes of active runs are still there: nothing in the workspace tells
constexpr int age_ms = 1000;               // "13 s ago" grows old
constexpr std::size_t checked_most = 300;  // rows of one update whose place is checked; beyond, the order is taken to have changed

}  // namespace

RunsModel::RunsModel(StoreService& store, QObject* parent)
    : QAbstractItemModel(parent), store_(store), details_(store, this), edits_(store, this), root_(std::make_unique<Node>()) {
  setColumns(default_run_columns());
  flush_.setSingleShot(true);
  flush_.setInterval(flush_ms);
  connect(&flush_, &QTimer::timeout, this, &RunsModel::flushDirty);
  read_soon_.setSingleShot(true);
  connect(&read_soon_, &QTimer::timeout, this, &RunsModel::refresh);
  look_again_.setInterval(look_again_ms);
  connect(&look_again_, &QTimer::timeout, this, [this] {
    if (countOf(RunsChip::running) > 0) changed();
  });
  look_again_.start();
  age_.setInterval(age_ms);
  connect(&age_, &QTimer::timeout, this, &RunsModel::growOlder);
  age_.start();
  connect(&store_, &StoreService::changed, this, &RunsModel::changed);
  connect(&details_, &RunsDetails::arrived, this, [this](const QStringList& ids) {
    for (const QString& newest : ids) {
      const QList<Node*> nodes = nodes_of_run_.values(row_of_newest_.value(newest));
      for (Node* node : nodes) markDirty(*node, true);
    }
  });
  connect(&details_, &RunsDetails::becameIdle, this, [this] {
    if (!awaiting_details_) return;
    awaiting_details_ = false;
    rearrange();  // a person asked for this order or filter and has been waiting for it
  });
}

RunsModel::~RunsModel() = default;

void RunsModel::changed() {
  if (reading_) {
    read_again_ = true;
    return;
  }
  if (read_soon_.isActive()) return;
  // A large workspace takes longer to read: then it is read less often, so that others get their turn.
  const double took_s = snapshot_ ? snapshot_->read_s : 0;
  read_soon_.start(std::max(flush_ms, static_cast<int>(5000 * took_s)));
}

void RunsModel::refresh() {
  read_soon_.stop();
  if (reading_) {
    read_again_ = true;
    return;
  }
  reading_ = true;
  const bool then_rearrange = std::exchange(rearrange_wanted_, false);
  store_.read<RunsSnapshotPtr>(
      this, {}, [before = snapshot_](Reader& reader) { return read_runs(reader, before); },
      [this, then_rearrange](const RunsSnapshotPtr& snapshot) {
        reading_ = false;
        setSnapshot(snapshot);
        if (then_rearrange) rearrange();
        if (std::exchange(read_again_, false)) changed();
      },
      [this](const QString&) { reading_ = false; });
}

void RunsModel::refreshAndRearrange() {
  rearrange_wanted_ = true;
  refresh();
}

void RunsModel::setSnapshot(RunsSnapshotPtr snapshot) {
  const RunsSnapshotPtr before = std::exchange(snapshot_, std::move(snapshot));
  std::unordered_map<std::string, RunRowPtr> rows;
  rows.reserve(snapshot_->rows.size());
  std::vector<RunRowPtr> changed_rows;
  bool any_new = false, came_back = false;  // back from the trash: not new, and not waited for
  for (const RunRowPtr& row : snapshot_->rows) {
    rows.emplace(row->attempts.front(), row);
    const auto old = rows_.find(row->attempts.front());
    if (old == rows_.end()) {
      any_new = true;
      came_back = came_back || admitted_.contains(row->id());
      continue;
    }
    if (old->second == row) continue;
    changed_rows.push_back(row);
    // A compute-only run that has just finished is what others' inflation is measured against.
    if (row->info.strategy == "none" && row->info.state == "finished" && old->second->info.state != "finished") {
      details_.forgetCounterparts(row->info.baseline_key, snapshot_->rows);
    }
  }
  std::map<Node*, std::vector<bool>> gone;
  for (const auto& [id, row] : rows_) {
    if (rows.contains(id)) continue;
    for (Node* node : nodes_of_run_.values(QString::fromStdString(id))) {
      auto& marks = gone.try_emplace(node->parent, node->parent->children.size(), false).first->second;
      marks[static_cast<std::size_t>(node->row)] = true;
    }
  }
  rows_ = std::move(rows);
  const bool any_gone = !gone.empty();
  removeGone(std::move(gone));
  takeChanged(changed_rows);
  const bool first = !std::exchange(loaded_, true);
  if (first || !watched_ || came_back || root_->children.empty()) rearrange();
  if (any_new || any_gone || !changed_rows.empty() || first) Q_EMIT countsChanged();
  if (any_new) Q_EMIT waitingChanged();
  if (first) QTimer::singleShot(1000, this, [this] { details_.prefetch(snapshot_->rows); });
  if (any_new && !first) details_.prefetch(snapshot_->rows);
  Q_EMIT snapshotChanged();
}

// Children that are to go, by parent. A group that has lost all of its runs goes with them, so the deepest come first.
void RunsModel::removeGone(std::map<Node*, std::vector<bool>> gone) {
  const auto depth_of = [](const Node* node) {
    int depth = 0;
    for (; node->parent != nullptr; node = node->parent) ++depth;
    return depth;
  };
  while (!gone.empty()) {
    const auto deepest =
        std::max_element(gone.begin(), gone.end(), [&](const auto& a, const auto& b) { return depth_of(a.first) < depth_of(b.first); });
    auto [parent, marks] = *deepest;
    gone.erase(deepest);
    if (parent != root_.get() && std::all_of(marks.begin(), marks.end(), [](bool mark) { return mark; })) {
      auto& above = gone.try_emplace(parent->parent, parent->parent->children.size(), false).first->second;
      above[static_cast<std::size_t>(parent->row)] = true;
      continue;
    }
    for (Node* group = parent; group != root_.get(); group = group->parent)
      std::erase_if(group->entry.runs, [&](const RunRowPtr& row) { return !rows_.contains(row->attempts.front()); });
    removeNodes(*parent, marks);
    if (parent != root_.get()) markDirty(*parent, false);
  }
}

void RunsModel::takeChanged(const std::vector<RunRowPtr>& rows) {
  bool out_of_place = rows.size() > checked_most;
  for (const RunRowPtr& row : rows) {
    row_of_newest_.insert(row->newest(), row->id());
    const QList<Node*> nodes = nodes_of_run_.values(row->id());
    for (Node* node : nodes) {
      node->entry.runs.front() = row;
      markDirty(*node, false);
      for (Node* group = node->parent; group != root_.get(); group = group->parent) {
        for (RunRowPtr& member : group->entry.runs) {
          if (member->attempts.front() == row->attempts.front()) member = row;
        }
      }
      // What is on the screen is read again; the rest when it is scrolled there.
      if (const RunDetails* have = details_.find(row->info.id); have != nullptr && watched_) details_.want(row);
    }
    if (out_of_place || !admitted_.contains(row->id())) continue;
    const bool passing = passes(arrangement_, *row, details_.find(row->info.id));
    out_of_place = passing != !nodes.isEmpty() || std::any_of(nodes.begin(), nodes.end(), [this](Node* node) { return outOfPlace(*node); });
  }
  if (out_of_place && !std::exchange(order_changed_, true)) Q_EMIT waitingChanged();
}

bool RunsModel::outOfPlace(const Node& node) const {
  const auto& siblings = node.parent->children;
  const auto at = static_cast<std::size_t>(node.row);
  const double now = utc_s();
  const auto wrong = [&](const Node& a, const Node& b) { return !in_order(arrangement_, a.entry, b.entry, details_, now); };
  if (at > 0 && wrong(*siblings[at - 1], node)) return true;
  if (at + 1 < siblings.size() && wrong(node, *siblings[at + 1])) return true;
  return node.parent != root_.get() && outOfPlace(*node.parent);
}

std::vector<RunRowPtr> RunsModel::admittedRows() const {
  std::vector<RunRowPtr> rows;
  if (!snapshot_) return rows;
  rows.reserve(snapshot_->rows.size());
  for (const RunRowPtr& row : snapshot_->rows) {
    if (admitted_.contains(row->id())) rows.push_back(row);
  }
  return rows;
}

void RunsModel::rearrange() {
  if (!snapshot_) return;
  if (std::exchange(admitted_snapshot_, snapshot_) != snapshot_) {
    for (const RunRowPtr& row : snapshot_->rows) {
      admitted_.insert(row->id());
      row_of_newest_.insert(row->newest(), row->id());
    }
  }
  needDetails();
  std::vector<Item> items;
  for (RunsEntry& entry : arrange(arrangement_, snapshot_->rows, details_, utc_s())) {
    QString id = entry.id;
    items.push_back({std::move(id), std::move(entry)});
  }
  applyItems(*root_, std::move(items));
  order_changed_ = false;
  Q_EMIT waitingChanged();
  Q_EMIT rearranged();
}

void RunsModel::needDetails() {
  const bool needed = arrangement_.sort.details || (arrangement_.filter && arrangement_.filter->needs_summary());
  if (!needed || !snapshot_) return;
  details_.wantAll(snapshot_->rows);
  awaiting_details_ = !details_.idle();
}

std::optional<RunsFilterError> RunsModel::setFilter(const QString& expression) {
  const QByteArray bytes = expression.trimmed().isEmpty() ? QByteArray() : expression.toUtf8();
  static const std::vector<FilterKey> experiment_keys = experiment_filter_keys(catalogue());
  try {
    auto filter =
        std::make_shared<const RunFilter>(std::string_view(bytes.constData(), static_cast<std::size_t>(bytes.size())), experiment_keys);
    arrangement_.filter = bytes.isEmpty() ? nullptr : std::move(filter);
  } catch (const FilterError& error) {
    // The parser counts bytes, the line edit characters.
    const auto characters = [&bytes](std::size_t from, std::size_t length) {
      return static_cast<int>(QString::fromUtf8(bytes.mid(static_cast<qsizetype>(from), static_cast<qsizetype>(length))).size());
    };
    QString message = QString::fromUtf8(error.what());
    const auto said = message.indexOf(QStringLiteral("): "));
    if (said >= 0) message = message.mid(said + 3);
    return RunsFilterError{characters(0, error.position()), std::max(1, characters(error.position(), error.length())), message};
  }
  filter_text_ = expression.trimmed();
  rearrange();
  return std::nullopt;
}

void RunsModel::setChip(RunsChip chip) {
  arrangement_.chip = chip;
  rearrange();
}

void RunsModel::setGrouping(RunsGrouping grouping, RunsGrouping second) {
  arrangement_.grouping = grouping;
  arrangement_.second = second;
  rearrange();
}

void RunsModel::sort(int column, Qt::SortOrder order) {
  const bool shown = column >= 0 && column < columnCount();
  arrangement_.sort = shown ? columns_[static_cast<std::size_t>(column)] : RunsColumn{};
  arrangement_.descending = order == Qt::DescendingOrder;
  rearrange();
}

void RunsModel::setWatched(bool watched) {
  watched_ = watched;
  if (!watched && (order_changed_ || newRuns() > 0)) rearrange();
}

int RunsModel::newRuns() const {
  if (!snapshot_) return 0;
  return static_cast<int>(std::count_if(snapshot_->rows.begin(), snapshot_->rows.end(), [this](const RunRowPtr& row) {
    return !admitted_.contains(row->id()) && passes(arrangement_, *row, details_.find(row->info.id));
  }));
}

int RunsModel::shownRuns() const { return static_cast<int>(nodes_of_run_.uniqueKeys().size()); }

int RunsModel::countOf(RunsChip chip) const {
  if (!snapshot_) return 0;
  return static_cast<int>(std::count_if(snapshot_->rows.begin(), snapshot_->rows.end(),
                                        [chip](const RunRowPtr& row) { return chip_lets_through(chip, *row); }));
}

std::vector<RunRowPtr> RunsModel::runsAt(const QModelIndexList& indexes) const {
  std::vector<RunRowPtr> runs;
  QSet<QString> have;
  for (const QModelIndex& index : indexes) {
    for (const RunRowPtr& row : nodeOf(index)->entry.runs) {
      if (have.contains(row->id())) continue;
      have.insert(row->id());
      runs.push_back(row);
    }
  }
  return runs;
}

void RunsModel::setColumns(const QStringList& ids) {
  QStringList settings;
  beginResetModel();
  columns_.clear();
  for (const QString& id : frozen_run_columns() + ids) {
    RunsColumn column = runs_column(id);
    if (column.id.isEmpty() || columnOf(id) >= 0) continue;
    if (id.startsWith(QStringLiteral("setting:"))) settings << id.mid(8);
    columns_.push_back(std::move(column));
  }
  clearCells();
  details_.setSettingKeys(settings);
  endResetModel();
}

int RunsModel::columnOf(const QString& id) const {
  const auto found = std::find_if(columns_.begin(), columns_.end(), [&id](const RunsColumn& column) { return column.id == id; });
  return found == columns_.end() ? -1 : static_cast<int>(found - columns_.begin());
}

void RunsModel::markDirty(Node& node, bool details_only) {
  for (Node* one = &node; one != nullptr && one != root_.get(); one = one->parent) {
    one->cells.clear();
    dirty_.insert(one);
  }
  dirty_whole_ = dirty_whole_ || !details_only;
  if (!flush_.isActive()) flush_.start();
}

void RunsModel::flushDirty() {
  int from = 0;
  if (!dirty_whole_) {
    const auto first = std::find_if(columns_.begin(), columns_.end(), [](const RunsColumn& column) { return column.details; });
    from = static_cast<int>(first - columns_.begin());
  }
  dirty_whole_ = false;
  const QSet<Node*> dirty = std::exchange(dirty_, {});
  const int last = columnCount() - 1;
  if (from > last) return;
  std::map<Node*, std::vector<int>> rows;
  for (const Node* node : dirty) rows[node->parent].push_back(node->row);
  for (auto& [parent, places] : rows) {
    std::sort(places.begin(), places.end());
    for (std::size_t begin = 0; begin < places.size();) {
      std::size_t end = begin + 1;
      while (end < places.size() && places[end] == places[end - 1] + 1) ++end;
      Q_EMIT dataChanged(indexOf(parent->children[static_cast<std::size_t>(places[begin])].get(), from),
                         indexOf(parent->children[static_cast<std::size_t>(places[end - 1])].get(), last));
      begin = end;
    }
  }
}

// Ages of what has been painted; a table that nobody sees waits until somebody does.
void RunsModel::growOlder() {
  const int column = columnOf(QStringLiteral("created"));
  if (column < 0 || !watched_) return;
  const auto at = static_cast<std::size_t>(column);
  for (Node* node : std::as_const(nodes_)) {
    if (node->cells.size() <= at || !node->cells[at]) continue;
    const QString before = node->cells[at]->text;
    node->cells[at].reset();
    if (cellOf(*node, column).text != before) Q_EMIT dataChanged(indexOf(node, column), indexOf(node, column), {Qt::DisplayRole});
  }
}

void RunsModel::clearCells() {
  for (Node* node : std::as_const(nodes_)) node->cells.clear();
}

}  // namespace syncline::ui
