// SPDX-License-Identifier: GPL-3.0-or-later
// The Runs table. Rows keep their place while somebody looks at them: what is new or out of order is announced and shown on request.
// No reset on update; what changes is told with exact ranges, at most four times a second; reordering keeps persistent indexes.
#pragma once

#include <QAbstractItemModel>
#include <QHash>
#include <QSet>
#include <QTimer>
#include <map>
#include <memory>
#include <optional>
#include <unordered_map>

#include "ui/models/runs_details.h"
#include "ui/models/runs_edits.h"
#include "ui/models/runs_tree.h"

namespace syncline::ui {

struct RunsFilterError {
  int position = 0, length = 0;  // of the wrong word, in characters
  QString message;               // what was expected
};

class RunsModel : public QAbstractItemModel {
  Q_OBJECT

 public:
  enum Role {
    ids_role = Qt::UserRole + 1,  // QStringList: newest attempt of each run under the index
    id_role,                      // QString: which row this is, whatever the order
    pending_role,                 // bool: an edit is on its way
  };
  explicit RunsModel(StoreService&, QObject* parent = nullptr);
  ~RunsModel() override;

  // Reads the workspace again; called by itself when it has changed. The last reading's rows are kept until then.
  void refresh();
  void refreshAndRearrange();  // after an edit that moves rows where the person expects it
  void setSnapshot(RunsSnapshotPtr);
  RunsSnapshotPtr snapshot() const { return snapshot_; }
  bool loaded() const { return loaded_; }
  RunsDetails& details() { return details_; }
  bool detailsIdle() const { return details_.idle(); }

  void setColumns(const QStringList& ids);
  const std::vector<RunsColumn>& columns() const { return columns_; }
  int columnOf(const QString& id) const;  // -1: not shown

  // The expression of RunFilter. With a mistake in it the last good one stays in force.
  std::optional<RunsFilterError> setFilter(const QString& expression);
  QString filter() const { return filter_text_; }  // the one in force
  void setChip(RunsChip);
  RunsChip chip() const { return arrangement_.chip; }
  void setGrouping(RunsGrouping, RunsGrouping second = RunsGrouping::none);
  RunsGrouping grouping() const { return arrangement_.grouping; }
  void sort(int column, Qt::SortOrder) override;

  // Watched: rows must not move. Not watched (the page is hidden): every change is shown at once.
  void setWatched(bool);
  int newRuns() const;  // that wait to be shown
  bool orderChanged() const { return order_changed_; }
  void rearrange();  // shows them, in order

  int shownRuns() const;
  int countOf(RunsChip) const;
  std::vector<RunRowPtr> runsAt(const QModelIndexList&) const;  // each once; of a group its members
  QModelIndex indexOf(const QString& id) const;                 // by id_role
  QString groupTitle(const QModelIndex&) const;                 // empty: a run
  void setDark(bool dark);

  QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
  QModelIndex parent(const QModelIndex&) const override;
  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex&, int role) const override;
  bool setData(const QModelIndex&, const QVariant&, int role) override;
  QVariant headerData(int section, Qt::Orientation, int role) const override;
  Qt::ItemFlags flags(const QModelIndex&) const override;

 Q_SIGNALS:
  void countsChanged();   // of runs, by chip
  void waitingChanged();  // newRuns, orderChanged
  void rearranged();
  void snapshotChanged();

 private:
  struct Node;
  struct Item;  // what a node is to become
  Node* nodeOf(const QModelIndex&) const;
  QModelIndex indexOf(const Node*, int column = 0) const;
  void applyItems(Node& parent, std::vector<Item> items);
  void removeGone(std::map<Node*, std::vector<bool>> gone);
  void removeNodes(Node& parent, const std::vector<bool>& gone);
  void reorder(Node& parent, const std::vector<std::size_t>& order);  // order: the places that its children had
  std::unique_ptr<Node> made(Node& parent, Item item);
  void forget(Node&);
  std::vector<RunRowPtr> admittedRows() const;
  const RunsCell& cellOf(Node&, int column) const;
  void takeChanged(const std::vector<RunRowPtr>& changed);
  bool outOfPlace(const Node&) const;
  void markDirty(Node&, bool details_only);
  void flushDirty();
  void clearCells();
  void growOlder();
  void needDetails();
  void changed();  // of the workspace: reads soon

  StoreService& store_;
  RunsDetails details_;
  RunsEdits edits_;
  RunsSnapshotPtr snapshot_;
  std::unordered_map<std::string, RunRowPtr> rows_;  // by id of the first attempt
  QSet<QString> admitted_;                           // row ids that may be shown
  RunsSnapshotPtr admitted_snapshot_;                // whose rows are all admitted
  int arrangements_ = 0;
  RunsArrangement arrangement_;
  QString filter_text_;
  std::vector<RunsColumn> columns_;
  std::unique_ptr<Node> root_;
  QMultiHash<QString, Node*> nodes_of_run_;  // row id: its nodes (several when grouped by tag)
  QHash<QString, QString> row_of_newest_;    // id of the newest attempt: row id
  QHash<QString, Node*> nodes_;              // by id_role
  QSet<Node*> dirty_;
  bool dirty_whole_ = false;                         // not only what the details brought
  QHash<QString, QHash<QString, QString>> pending_;  // row id, column: text on its way to the store
  QTimer flush_, read_soon_, look_again_, age_;
  bool loaded_ = false, watched_ = false, order_changed_ = false, awaiting_details_ = false, dark_ = false;
  bool reading_ = false, read_again_ = false, rearrange_wanted_ = false;
};

}  // namespace syncline::ui
