// SPDX-License-Identifier: GPL-3.0-or-later
// The rows of the Runs table as immutable values: one per run, its attempts folded into it. Made on the reader thread.
#pragma once

#include <QString>
#include <QStringList>
#include <memory>
#include <string>
#include <vector>

#include "engine/store/reader.h"

namespace syncline::ui {

struct RunRow {
  RunInfo info;                       // of the newest attempt, without texts; starred, tags, note: of all attempts together
  std::vector<std::string> attempts;  // ids, oldest first; the last one is info.id
  double created = 0;                 // of the first attempt
  QString first_id, newest_id;        // the same ids as the window's texts, made once

  const QString& id() const { return first_id; }  // stays the same when an attempt is added
  const QString& newest() const { return newest_id; }
  QStringList attemptIds() const;
  bool archived() const;
  bool operator==(const RunRow&) const = default;
};
using RunRowPtr = std::shared_ptr<const RunRow>;

inline const std::string archived_tag = "archived";  // what the archive is: a tag, so that the command line can filter by it, too

struct RunsSnapshot {
  std::vector<RunRowPtr> rows;     // newest first, those in the trash left out
  std::vector<RunRowPtr> trashed;  // likewise
  double read_s = 0;               // how long the reading took
};
using RunsSnapshotPtr = std::shared_ptr<const RunsSnapshot>;

// Rows that are as before keep their pointer, so that what changed is found by comparing pointers.
RunsSnapshotPtr fold_attempts(std::vector<RunInfo> runs, const RunsSnapshot* before);
RunsSnapshotPtr read_runs(Reader&, const RunsSnapshotPtr& before);

// Why a run must stay ("it is running: stop it first"); empty: it may go to the trash.
QString reason_to_keep(const RunRow&);

// How a state looks: a sign that differs in outline, a word, and which of the status colours.
struct StateLook {
  QString sign, word;
  int status = 0;  // palette::Status
  int order = 0;   // for sorting: what needs a person first
};
StateLook state_look(const std::string& state);
int state_order(const std::string& state);
bool is_active(const std::string& state);              // queued, running, stopping
bool needs_attention(const std::string& state);        // failed, lost, unknown
bool may_be_marked_stopped(const std::string& state);  // lost, unknown: no exit record, and no process that could still write one is known
// "Failed: out of memory on rank 3": the state in one sentence.
QString state_sentence(const RunInfo&);

}  // namespace syncline::ui
