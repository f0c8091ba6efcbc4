// SPDX-License-Identifier: GPL-3.0-or-later
// How the tree becomes another one: removals, insertions and a reordering for each parent, so that selection, expansion and the current
// row stay with what they belong to.
#include <algorithm>
#include <numeric>

#include "ui/models/runs_model_node.h"

namespace syncline::ui {

namespace {

bool has_groups(const RunsEntry& entry) {
  return std::any_of(entry.children.begin(), entry.children.end(), [](const RunsEntry& child) { return child.group; });
}

}  // namespace

RunsModel::Node* RunsModel::nodeOf(const QModelIndex& index) const {
  return index.isValid() ? static_cast<Node*>(index.internalPointer()) : root_.get();
}

QModelIndex RunsModel::indexOf(const Node* node, int column) const {
  return node == root_.get() ? QModelIndex() : createIndex(node->row, column, const_cast<Node*>(node));
}

QModelIndex RunsModel::indexOf(const QString& id) const {
  const Node* node = nodes_.value(id);
  return node == nullptr ? QModelIndex() : indexOf(node);
}

QModelIndex RunsModel::index(int row, int column, const QModelIndex& parent) const {
  const Node* node = nodeOf(parent);
  if (row < 0 || column < 0 || column >= columnCount() || row >= static_cast<int>(node->children.size())) return {};
  if (parent.isValid() && parent.column() != 0) return {};
  return createIndex(row, column, node->children[static_cast<std::size_t>(row)].get());
}

QModelIndex RunsModel::parent(const QModelIndex& index) const {
  if (!index.isValid()) return {};
  return indexOf(nodeOf(index)->parent);
}

int RunsModel::rowCount(const QModelIndex& parent) const {
  if (parent.isValid() && parent.column() != 0) return 0;
  return static_cast<int>(nodeOf(parent)->children.size());
}

int RunsModel::columnCount(const QModelIndex&) const { return static_cast<int>(columns_.size()); }

std::unique_ptr<RunsModel::Node> RunsModel::made(Node& parent, Item item) {
  auto node = std::make_unique<Node>();
  node->id = std::move(item.id);
  node->entry = std::move(item.entry);
  node->parent = &parent;
  nodes_.insert(node->id, node.get());
  if (!node->entry.group) {
    nodes_of_run_.insert(node->first().id(), node.get());
    return node;
  }
  for (RunsEntry& child : children_of(node->entry)) {
    QString id = child.id;
    node->children.push_back(made(*node, {std::move(id), std::move(child)}));
    node->children.back()->row = static_cast<int>(node->children.size()) - 1;
  }
  return node;
}

void RunsModel::forget(Node& node) {
  for (const auto& child : node.children) forget(*child);
  nodes_.remove(node.id);
  dirty_.remove(&node);
  if (!node.entry.group) nodes_of_run_.remove(node.first().id(), &node);
}

void RunsModel::reorder(Node& parent, const std::vector<std::size_t>& order) {
  Q_EMIT layoutAboutToBeChanged({QPersistentModelIndex(indexOf(&parent))}, VerticalSortHint);
  // Only now: who hears the signal still asks for the old order.
  std::vector<std::unique_ptr<Node>> children;
  children.reserve(order.size());
  for (const std::size_t place : order) children.push_back(std::move(parent.children[place]));
  parent.children = std::move(children);
  for (std::size_t i = 0; i < parent.children.size(); ++i) parent.children[i]->row = static_cast<int>(i);
  QModelIndexList from, to;
  for (const QModelIndex& index : persistentIndexList()) {
    const Node* node = nodeOf(index);
    if (node->parent != &parent || node->row == index.row()) continue;
    from << index;
    to << indexOf(node, index.column());
  }
  changePersistentIndexList(from, to);
  Q_EMIT layoutChanged({QPersistentModelIndex(indexOf(&parent))}, VerticalSortHint);
}

void RunsModel::removeNodes(Node& parent, const std::vector<bool>& gone) {
  const auto count = static_cast<std::size_t>(std::count(gone.begin(), gone.end(), true));
  if (count == 0) return;
  const std::size_t kept = parent.children.size() - count;
  // One range at the end can be removed at once; hundreds of small ones would each cost the views a pass over everything.
  if (std::find(gone.begin(), gone.end(), true) != gone.begin() + static_cast<std::ptrdiff_t>(kept)) {
    std::vector<std::size_t> order(gone.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_partition(order.begin(), order.end(), [&gone](std::size_t place) { return !gone[place]; });
    reorder(parent, order);
  }
  beginRemoveRows(indexOf(&parent), static_cast<int>(kept), static_cast<int>(parent.children.size()) - 1);
  for (std::size_t i = kept; i < parent.children.size(); ++i) forget(*parent.children[i]);
  parent.children.resize(kept);
  endRemoveRows();
}

void RunsModel::applyItems(Node& parent, std::vector<Item> items) {
  const int arrangement = ++arrangements_;
  std::vector<Node*> have(items.size());
  for (std::size_t i = 0; i < items.size(); ++i) {
    have[i] = nodes_.value(items[i].id);
    if (have[i] == nullptr) continue;
    have[i]->target = i;
    have[i]->wanted = arrangement;
  }
  std::vector<bool> gone;
  gone.reserve(parent.children.size());
  for (const auto& child : parent.children) gone.push_back(child->wanted != arrangement);
  removeNodes(parent, gone);

  std::vector<std::unique_ptr<Node>> fresh;
  for (std::size_t i = 0; i < items.size(); ++i) {
    Item& item = items[i];
    if (have[i] == nullptr) {
      fresh.push_back(made(parent, std::move(item)));
      fresh.back()->target = i;
      continue;
    }
    Node& node = *have[i];
    const bool same_runs = node.entry.runs == item.entry.runs;
    // Groups inside a group may be others, or in another order, although their runs are the same.
    const bool nested = node.entry.group && (has_groups(item.entry) || std::any_of(node.children.begin(), node.children.end(),
                                                                                   [](const auto& child) { return child->entry.group; }));
    if (node.entry.group && (!same_runs || nested)) {
      std::vector<Item> members;
      for (RunsEntry& child : children_of(item.entry)) {
        QString id = child.id;
        members.push_back({std::move(id), std::move(child)});
      }
      applyItems(node, std::move(members));
    }
    if (!same_runs || node.entry.title != item.entry.title) {
      node.entry.runs = std::move(item.entry.runs);
      node.entry.title = item.entry.title;
      markDirty(node, false);
    }
  }
  if (!fresh.empty()) {
    const auto first = static_cast<int>(parent.children.size());
    beginInsertRows(indexOf(&parent), first, first + static_cast<int>(fresh.size()) - 1);
    for (auto& node : fresh) {
      node->row = static_cast<int>(parent.children.size());
      parent.children.push_back(std::move(node));
    }
    endInsertRows();
  }
  const auto before = [](const auto& a, const auto& b) { return a->target < b->target; };
  if (std::is_sorted(parent.children.begin(), parent.children.end(), before)) return;
  std::vector<std::size_t> order(parent.children.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[parent.children[i]->target] = i;
  reorder(parent, order);
}

}  // namespace syncline::ui
