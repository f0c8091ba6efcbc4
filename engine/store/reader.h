// SPDX-License-Identifier: Apache-2.0
// Everything that the command line, the window and the exports read. Short read transactions; nothing stays open between calls.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/metrics/accounting.h"
#include "engine/store/database.h"
#include "engine/store/records.h"
#include "engine/store/workspace.h"

namespace syncline {

// A stretch of a series: either raw points or level-of-detail buckets, oldest first.
struct SeriesBucket {
  std::int64_t count = 0, nonfinite = 0;  // count: all points, non-finite ones included
  double min = 0, max = 0, mean = 0;      // of the finite ones; NaN when there is none
  double first = 0, last = 0;             // values as they are, non-finite ones included
  Axes first_axes, last_axes;
};
struct SeriesView {
  int level = 0;  // 0: `points` holds every point; else buckets of 2^level points
  std::vector<Point> points;
  std::vector<SeriesBucket> buckets;
};

// Per-step sums of one rank over a range, for bars: one entry per step (level 0) or bucket means over 2^level steps.
struct StepBucket {
  std::int64_t count = 0;  // steps in it
  StepSums mean;           // every field the mean over the bucket's steps (counts rounded); axes: of the last step; flags: or
  std::int64_t first_step = 0;
  double min_exposed_s = 0, max_exposed_s = 0, min_step_s = 0, max_step_s = 0;
};

class Reader {
 public:
  explicit Reader(const Workspace&);

  // Runs, oldest first; predictions and trashed ones included.
  std::vector<RunInfo> runs();
  // The same without what only one run at a time is asked for: experiment texts, command. Thousands of runs fit into memory and time.
  std::vector<RunInfo> run_headers();
  bool has_run(std::string_view run_id);  // exact id
  RunInfo run(std::string_view run_id);   // exact id; WorkspaceError when there is none
  // RUN of the command line: an exact id, an exact name (newest wins), a unique prefix of either, or "last". ConfigError listing the
  // candidates when ambiguous, or saying that there is none.
  RunInfo resolve(std::string_view what);

  std::vector<SeriesInfo> series(std::string_view run_id);
  std::optional<SeriesInfo> find_series(std::string_view run_id, std::string_view name, int rank = -1);
  // The points with from <= x <= to, plus one neighbour on each side (lines leave the picture correctly). Raw when there are at most 8
  // points per pixel, else the finest level with at most 4 buckets per pixel. pixels <= 0: always raw.
  SeriesView read(std::int64_t series_key, XAxis, double from, double to, int pixels);
  void each_point(std::int64_t series_key, const std::function<void(const Point&)>&);
  std::vector<Point> points(std::int64_t series_key, std::int64_t first = 0);  // from the point of that number on, counted from 0

  std::vector<int> ranks(std::string_view run_id);  // that have step sums
  std::vector<StepSums> steps(std::string_view run_id, int rank, std::int64_t from_step = 0, std::int64_t to_step = INT64_MAX);
  std::vector<StepBucket> step_buckets(std::string_view run_id, int rank, std::int64_t from_step, std::int64_t to_step, int max_buckets);
  struct TraceInfo {
    std::int64_t step = 0;
    int rank = 0;
    double start_s = 0, end_s = 0;
  };
  std::vector<TraceInfo> traces(std::string_view run_id);
  std::optional<StepTrace> trace(std::string_view run_id, std::int64_t step, int rank);

  std::vector<EventRecord> events(std::string_view run_id);
  std::vector<CheckpointRecord> checkpoints(std::string_view run_id);
  std::vector<ClockRecord> clocks(std::string_view run_id);
  std::vector<Request> requests(std::string_view run_id);
  std::optional<std::string> document(std::string_view run_id, std::string_view name);

  Database& database() { return database_; }

 private:
  std::vector<RunInfo> all_runs(bool with_texts);
  Workspace workspace_;
  Database database_;
};

// The state that the evidence allows, with its reason. `exists` answers for a process of this host and boot (process_exists in production).
struct Conclusion {
  std::string state, reason;
};
Conclusion conclude_state(const RunInfo&, bool unfinished_stop_request,
                          const std::function<std::optional<bool>(const ProcessIdentity&)>& exists = process_exists);

}  // namespace syncline
