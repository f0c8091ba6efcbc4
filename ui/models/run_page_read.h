// SPDX-License-Identifier: GPL-3.0-or-later
// What the run page shows of one run, read in one go on the reader thread. Numbers come from the engine's functions; nothing is computed
// anew here.
#pragma once

#include <QString>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/store/reader.h"
#include "engine/store/summary.h"

namespace syncline::ui {

// How far a run was at a moment of its training clock.
struct ProgressPoint {
  double active_s = 0;
  std::int64_t step = 0;
};

struct LatestValues {
  std::optional<double> train_loss, train_accuracy, test_accuracy, samples_per_s;
  std::optional<StepSums> step;  // of the slowest worker, else the first rank that has one
};

struct RunSnapshot {
  RunInfo run;
  std::vector<RunInfo> attempts;  // all of this run, oldest first, this one included
  std::vector<Request> requests;
  std::vector<CheckpointRecord> checkpoints;
  std::optional<CheckpointRecord> inherited;  // without one of its own: the one that the run itself was resumed from
  std::vector<EventRecord> events;
  std::vector<SeriesInfo> series;
  bool test_loss = false, test_accuracy = false;  // recorded by this attempt or an earlier one: charts show what counts of all of them
  std::vector<int> ranks;                         // that have step sums
  std::vector<ProgressPoint> progress;            // of the last five minutes of active time
  std::optional<Axes> position;                   // of the newest recorded step
  std::optional<std::int64_t> total_steps;
  double typical_step_s = 0;  // over `progress`; 0: not known
  int ranks_reporting = 0;    // that have written their status file (while the run is active)
  QString phase;              // what rank 0 does now ("evaluation"); empty: not known
  double grace_s = 30;        // how long a stop may go unanswered before force is offered
  LatestValues latest;
  double read_utc_s = 0;
  QString damage;  // why what was recorded cannot be read in full; empty: it can

  bool active() const { return run.state == "queued" || run.state == "running" || run.state == "stopping" || run.state == "unknown"; }
};

// Throws WorkspaceError when there is no such run. `folder`: of the run; `slowest`: the summary's slowest rank, when it is known.
RunSnapshot read_run(Reader&, const std::string& run_id, const std::string& folder, std::optional<int> slowest);

struct RunSummary {
  Summary summary;
  double took_s = 0;         // a long run's summary is not asked for with every step
  std::string compute_only;  // id of the run that compute_inflation comes from; empty: there is none
};
RunSummary read_summary(Reader&, const std::string& run_id);

// A value of a complete experiment by its dotted key, as text; empty when it has none.
std::string setting_of(const std::string& complete, const std::string& dotted_key);

}  // namespace syncline::ui
