// SPDX-License-Identifier: GPL-3.0-or-later
// Summaries and chosen settings of runs, read in the background in batches: what is visible first, then what a sort or a filter needs, then
// the rest where it costs next to nothing.
#pragma once

#include <QObject>
#include <QSet>
#include <QStringList>
#include <QTimer>
#include <deque>
#include <unordered_map>
#include <unordered_set>

#include "engine/store/summary.h"
#include "ui/models/runs_rows.h"
#include "ui/models/store_service.h"

namespace syncline::ui {

struct RunDetails {
  std::string run;
  std::int64_t sequence = -1;               // of the run when it was read
  bool final = false;                       // the run had an exit record then
  std::shared_ptr<const Summary> summary;   // null: not read, or damaged
  QString damage;                           // why it cannot be read; empty: it can
  std::map<std::string, QString> settings;  // of the keys asked for; a key the experiment lacks is an empty text
};

class RunsDetails : public QObject {
  Q_OBJECT

 public:
  explicit RunsDetails(StoreService&, QObject* parent = nullptr);

  // What is known, perhaps of an earlier moment; null: nothing yet.
  const RunDetails* find(const std::string& run_id) const;
  bool complete(const RunInfo&) const;  // read, and nothing has happened since (or the run is going on: then a recent reading counts)
  void want(const RunRowPtr&);          // visible now
  void wantAll(const std::vector<RunRowPtr>&);   // a sort or a filter needs every one
  void prefetch(const std::vector<RunRowPtr>&);  // stored summaries only
  void setSettingKeys(const QStringList&);       // forgets what was read of others
  void forgetCounterparts(const std::string& baseline_key, const std::vector<RunRowPtr>&);
  void tryAgain(const std::vector<RunRowPtr>&);  // runs whose data could not be read
  bool idle() const { return !reading_ && urgent_.empty() && needed_.empty(); }

 Q_SIGNALS:
  void arrived(const QStringList& run_ids);
  void becameIdle();

 private:
  bool worthReading(const RunInfo&) const;
  void schedule();
  void readNext();
  StoreService& store_;
  QStringList setting_keys_;
  std::unordered_map<std::string, RunDetails> known_;
  std::deque<RunRowPtr> urgent_, needed_, later_;
  std::unordered_set<std::string> queued_;           // in urgent_ or needed_
  std::unordered_map<std::string, double> read_at_;  // of runs that go on: not more often than that pays
  QTimer soon_;
  bool reading_ = false;
  int generation_ = 0;
};

}  // namespace syncline::ui
