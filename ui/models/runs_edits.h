// SPDX-License-Identifier: GPL-3.0-or-later
// What a person writes about runs: every edit goes to all attempts of a run, in the background and in the order given.
#pragma once

#include <QObject>
#include <QStringList>
#include <functional>
#include <vector>

#include "ui/models/runs_rows.h"
#include "ui/models/store_service.h"

namespace syncline::ui {

class RunsEdits {
 public:
  using Done = std::function<void()>;
  using Failed = std::function<void(const QString& sentence)>;
  RunsEdits(StoreService& store, QObject* context, Failed failed = {}) : store_(store), context_(context), failed_(std::move(failed)) {}

  // Where a Failed is taken it is told besides the one of all edits.
  void rename(const RunRowPtr&, const QString& name, Done = {}, Failed = {});  // empty: the experiment's name again
  void setNote(const std::vector<RunRowPtr>&, const QString& text, Done = {}, Failed = {});
  void changeTags(const std::vector<RunRowPtr>&, const QStringList& add, const QStringList& remove, Done = {}, Failed = {});
  void setTags(const RunRowPtr&, const QStringList& tags, Done = {}, Failed = {});
  void setStarred(const std::vector<RunRowPtr>&, bool, Done = {});
  void setLocked(const std::vector<RunRowPtr>&, bool, Done = {});
  void setTrashed(const std::vector<RunRowPtr>&, bool, Done = {});
  // Removes runs from the workspace with their files. failed: the engine's sentence for the first that cannot be removed.
  void removeForGood(const std::vector<RunRowPtr>&, Done, Failed);
  // The exit record that a run without one gets by a person's word: who, when, and what was known of it. Runs whose processes are there, or
  // that have one, are refused.
  void markStopped(const std::vector<RunRowPtr>&, const QString& who, Done, Failed);
  // kind as in Request; only the newest attempt can be going on.
  void ask(const std::vector<RunRowPtr>&, const std::string& kind, Done = {});

 private:
  void annotate(const std::vector<RunRowPtr>&, std::function<void(Annotations&, const std::string& run_id)>, Done, Failed = {});
  StoreService& store_;
  QObject* context_;
  Failed failed_;
};

// "ada on gpu07": who is at this computer.
QString person_here();
ExitRecord stopped_by_hand(const RunInfo&, const std::string& who, double now_utc_s);
// "fig 3, baseline": tags by commas, blanks around them removed, none twice.
QStringList tags_of(const QString& text);

}  // namespace syncline::ui
