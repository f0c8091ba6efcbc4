// SPDX-License-Identifier: GPL-3.0-or-later
// What the Runs table shows, in which order: filter, groups and sorting as a pure function over the rows.
#pragma once

#include <memory>
#include <vector>

#include "engine/store/filter.h"
#include "ui/models/runs_columns.h"

namespace syncline::ui {

enum class RunsGrouping { experiment, strategy, tag, none, target };  // target: where it runs
enum class RunsChip { all, running, attention, starred, archived };

struct RunsArrangement {
  std::shared_ptr<const RunFilter> filter;  // null: every run
  RunsChip chip = RunsChip::all;
  RunsGrouping grouping = RunsGrouping::experiment, second = RunsGrouping::none;  // second: inside the groups of the first
  RunsColumn sort;                                                                // empty id: newest first
  bool descending = true;                                                         // missing values come last in either direction
};

// A group, or a run. `id` says which, whatever the order.
struct RunsEntry {
  QString id, title;            // title: of a group
  std::vector<RunRowPtr> runs;  // of a group its members, sorted; of a run itself
  bool group = false;
  std::vector<RunsEntry> children;  // of a group that has groups inside it: these
};
// Of a group: the groups inside it, else its runs as entries; made when they are needed, since thousands are compared and few change.
std::vector<RunsEntry> children_of(RunsEntry&);  // takes the groups out of it

bool chip_lets_through(RunsChip, const RunRow&);
bool passes(const RunsArrangement&, const RunRow&, const RunDetails*);
std::vector<RunsEntry> arrange(const RunsArrangement&, const std::vector<RunRowPtr>& rows, const RunsDetails&, double now_utc_s);
// Whether two neighbours are in the right order.
bool in_order(const RunsArrangement&, const RunsEntry& first, const RunsEntry& second, const RunsDetails&, double now_utc_s);

}  // namespace syncline::ui
