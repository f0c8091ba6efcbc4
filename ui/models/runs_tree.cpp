// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/runs_tree.h"

#include <QCollator>
#include <QCoreApplication>
#include <QHash>
#include <algorithm>
#include <cmath>

namespace syncline::ui {

namespace {

QString tr(const char* text) { return QCoreApplication::translate("Runs", text); }

// Numbers as numbers, texts by the rules of the language with digits as numbers; empty: missing.
struct SortKey {
  std::optional<double> number;
  std::optional<QCollatorSortKey> text;
};

class Sorter {
 public:
  Sorter(const RunsArrangement& arrangement, const RunsDetails& details, double now_utc_s)
      : arrangement_(arrangement), details_(details), now_(now_utc_s) {
    collator_.setNumericMode(true);
    collator_.setCaseSensitivity(Qt::CaseInsensitive);
  }
  bool sorts() const { return !arrangement_.sort.id.isEmpty(); }

  SortKey key_of(const RunsCell& cell) const {
    SortKey key;
    if (cell.pending) return key;
    if (cell.number) {
      if (std::isfinite(*cell.number)) key.number = cell.number;
    } else if (!arrangement_.sort.number && !cell.text.isEmpty()) {
      key.text.emplace(collator_.sortKey(cell.text));
    }
    return key;
  }
  // A look-up for each of thousands of rows is worth avoiding where the column does without.
  const RunDetails* needed(const RunRow& row) const {
    const bool asks = arrangement_.sort.details || arrangement_.sort.id == u"state";
    return asks ? details_.find(row.info.id) : nullptr;
  }
  static SortKey key_of(std::optional<double> number) { return {number && std::isfinite(*number) ? number : std::nullopt, std::nullopt}; }
  SortKey key_of(const RunRow& row) const {
    if (sorts_by_number(arrangement_.sort)) return key_of(number_of(arrangement_.sort, row, needed(row)));
    return key_of(cell_of(arrangement_.sort, row, details_.find(row.info.id), now_));
  }
  SortKey key_of(const RunsEntry& entry) const {
    if (!entry.group) return key_of(*entry.runs.front());
    if (sorts_by_number(arrangement_.sort)) return key_of(number_of_group(arrangement_.sort, entry.runs, details_));
    if (arrangement_.sort.id == u"name") return key_of(RunsCell{entry.title, {}, std::nullopt, false});
    return key_of(cell_of_group(arrangement_.sort, entry.runs, details_, now_));
  }

  // Numbers before texts before missing ones, in both directions.
  bool before(const SortKey& a, const SortKey& b) const {
    const auto kind = [](const SortKey& key) { return key.number ? 0 : key.text ? 1 : 2; };
    if (kind(a) != kind(b)) return kind(a) < kind(b);
    if (a.number) return arrangement_.descending ? *a.number > *b.number : *a.number < *b.number;
    if (a.text) return arrangement_.descending ? b.text->compare(*a.text) < 0 : a.text->compare(*b.text) < 0;
    return false;
  }

  template <typename Item, typename KeyOf>
  void sort(std::vector<Item>& items, KeyOf key) const {
    if (!sorts() || items.size() < 2) return;
    std::vector<std::pair<SortKey, std::size_t>> keys;
    keys.reserve(items.size());
    for (std::size_t i = 0; i < items.size(); ++i) keys.emplace_back(key(items[i]), i);
    std::stable_sort(keys.begin(), keys.end(), [this](const auto& a, const auto& b) { return before(a.first, b.first); });
    std::vector<Item> sorted;
    sorted.reserve(items.size());
    for (const auto& [unused, place] : keys) sorted.push_back(std::move(items[place]));
    items = std::move(sorted);
  }

 private:
  const RunsArrangement& arrangement_;
  const RunsDetails& details_;
  double now_;
  QCollator collator_;
};

// Of the groups a run belongs to: id and title. Empty: it stands alone.
std::vector<std::pair<QString, QString>> groups_of(RunsGrouping grouping, const RunRow& row) {
  const RunInfo& run = row.info;
  switch (grouping) {
    case RunsGrouping::experiment:
      // Predictions are never averaged with what was measured.
      return {{QString::fromStdString(run.group_key + (run.kind == "measured" ? "" : " " + run.kind)), QString::fromStdString(run.name)}};
    case RunsGrouping::strategy:
      return {{QString::fromStdString(run.strategy), QString::fromStdString(run.strategy)}};
    case RunsGrouping::tag: {
      std::vector<std::pair<QString, QString>> groups;
      for (const std::string& tag : run.tags) groups.emplace_back(QString::fromStdString(tag), QString::fromStdString(tag));
      if (groups.empty()) groups.emplace_back(QString(), tr("no tag"));
      return groups;
    }
    case RunsGrouping::target: {
      const QString host = run.host.empty() ? tr("not known") : QString::fromStdString(run.host);
      return {{host, host}};
    }
    case RunsGrouping::none:
      break;
  }
  return {};
}

// Runs by what they have in common, in the order in which each group's first run comes. prefix: of the ids.
std::vector<RunsEntry> grouped(RunsGrouping grouping, const std::vector<RunRowPtr>& rows, const QString& prefix) {
  std::vector<RunsEntry> entries;
  QHash<QString, std::size_t> places;
  for (const RunRowPtr& row : rows) {
    for (const auto& [key, title] : groups_of(grouping, *row)) {
      const auto found = places.find(key);
      if (found != places.end()) {
        entries[*found].runs.push_back(row);
      } else {
        places.insert(key, entries.size());
        entries.push_back({prefix + u"g:" + key, title, {row}, true, {}});
      }
    }
  }
  // An experiment that ran once is a run, not a group of one.
  for (RunsEntry& entry : entries) {
    if (grouping == RunsGrouping::experiment && entry.runs.size() == 1) {
      const QString id = prefix.isEmpty() ? QString(u"r:" + entry.runs.front()->id()) : QString(prefix + entry.runs.front()->id());
      entry = {id, {}, std::move(entry.runs), false, {}};
    }
  }
  return entries;
}

}  // namespace

bool chip_lets_through(RunsChip chip, const RunRow& row) {
  if (chip == RunsChip::archived) return row.archived();
  if (row.archived()) return false;
  switch (chip) {
    case RunsChip::running:
      return is_active(row.info.state);
    case RunsChip::attention:
      return needs_attention(row.info.state);
    case RunsChip::starred:
      return row.info.starred;
    case RunsChip::all:
    case RunsChip::archived:
      break;
  }
  return true;
}

bool passes(const RunsArrangement& arrangement, const RunRow& row, const RunDetails* details) {
  if (!chip_lets_through(arrangement.chip, row)) return false;
  if (!arrangement.filter) return true;
  static const Summary nothing;
  const Summary& summary = details != nullptr && details->summary ? *details->summary : nothing;
  return arrangement.filter->matches(row.info, summary);
}

std::vector<RunsEntry> arrange(const RunsArrangement& arrangement, const std::vector<RunRowPtr>& rows, const RunsDetails& details,
                               double now_utc_s) {
  const Sorter sorter(arrangement, details, now_utc_s);
  const bool reads_summary = arrangement.filter && arrangement.filter->needs_summary();
  std::vector<RunRowPtr> passing;
  for (const RunRowPtr& row : rows) {
    if (passes(arrangement, *row, reads_summary ? details.find(row->info.id) : nullptr)) passing.push_back(row);
  }
  std::vector<RunsEntry> entries;
  if (arrangement.grouping == RunsGrouping::none) {
    entries.reserve(passing.size());
    for (const RunRowPtr& row : passing) entries.push_back({u"r:" + row->id(), {}, {row}, false, {}});
  } else {
    entries = grouped(arrangement.grouping, passing, {});
  }
  const auto of_run = [&](const RunRowPtr& row) { return sorter.key_of(*row); };
  const auto of_entry = [&](const RunsEntry& entry) { return sorter.key_of(entry); };
  const bool nested = arrangement.second != RunsGrouping::none && arrangement.second != arrangement.grouping;
  for (RunsEntry& entry : entries) {
    if (!entry.group) continue;
    sorter.sort(entry.runs, of_run);
    if (!nested) continue;
    entry.children = grouped(arrangement.second, entry.runs, entry.id + u'/');
    sorter.sort(entry.children, of_entry);
  }
  sorter.sort(entries, [&](const RunsEntry& entry) { return sorter.key_of(entry); });
  return entries;
}

std::vector<RunsEntry> children_of(RunsEntry& entry) {
  if (!entry.children.empty()) return std::move(entry.children);
  std::vector<RunsEntry> runs;
  runs.reserve(entry.runs.size());
  for (const RunRowPtr& row : entry.runs) runs.push_back({entry.id + u'/' + row->id(), {}, {row}, false, {}});
  return runs;
}

bool in_order(const RunsArrangement& arrangement, const RunsEntry& first, const RunsEntry& second, const RunsDetails& details,
              double now_utc_s) {
  const Sorter sorter(arrangement, details, now_utc_s);
  return !sorter.sorts() || !sorter.before(sorter.key_of(second), sorter.key_of(first));
}

}  // namespace syncline::ui
