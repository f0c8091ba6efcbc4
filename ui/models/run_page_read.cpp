// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/run_page_read.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <variant>

#include "engine/experiment/document.h"
#include "engine/experiment/text_edit.h"
#include "engine/launch/rank_status.h"
#include "engine/metrics/clock.h"
#include "engine/store/attempts.h"
#include "ui/models/chart/series_cache.h"

namespace syncline::ui {

namespace {

constexpr double progress_window_s = 300;
constexpr int progress_points = 64;
constexpr double everything = std::numeric_limits<double>::infinity();

std::optional<Point> last_point(Reader& reader, const std::vector<SeriesInfo>& series, std::string_view name) {
  const auto found =
      std::find_if(series.begin(), series.end(), [&](const SeriesInfo& info) { return info.name == name && info.rank == -1; });
  if (found == series.end() || found->count == 0) return std::nullopt;
  const SeriesView view = reader.read(found->key, XAxis::step, everything, everything, 0);
  return view.points.empty() ? std::nullopt : std::optional(view.points.back());
}

std::optional<double> value_of(const std::optional<Point>& point) { return point ? std::optional(point->value) : std::nullopt; }

// The newest sample that counts, over the attempts of the run, as the charts draw them.
std::optional<Point> last_point_of_attempts(Reader& reader, const std::string& run_id, std::string_view name) {
  chart::FirstPoints firsts;
  const std::vector<chart::Attempt> attempts = chart::attempts_of(reader, firsts, run_id, std::string(name), -1, XAxis::step);
  for (auto attempt = attempts.rbegin(); attempt != attempts.rend(); ++attempt) {
    if (!attempt->series || attempt->series->count == 0 || attempt->cutoff_x == -everything) continue;
    const SeriesView view = reader.read(attempt->series->key, XAxis::step, attempt->cutoff_x, attempt->cutoff_x, 0);
    for (auto point = view.points.rbegin(); point != view.points.rend(); ++point) {
      if (static_cast<double>(point->axes.step) <= attempt->cutoff_x) return *point;
    }
  }
  return std::nullopt;
}

// A run that ended before its first checkpoint can go on from where it began.
std::optional<CheckpointRecord> inherited_checkpoint(Reader& reader, const RunInfo& run) {
  for (const ResumeSource& source : resume_sources(reader, run)) {
    std::optional<CheckpointRecord> newest;
    for (const CheckpointRecord& record : reader.checkpoints(source.run.id)) {
      if (record.step <= source.last_step && (!newest || record.step >= newest->step)) newest = record;
    }
    if (newest) return newest;
  }
  return std::nullopt;
}

std::vector<ProgressPoint> recent_progress(Reader& reader, const std::vector<SeriesInfo>& series, double now_active_s) {
  std::vector<ProgressPoint> progress;
  const auto found = std::find_if(series.begin(), series.end(),
                                  [](const SeriesInfo& info) { return info.name == series::learning_rate && info.rank == -1; });
  if (found == series.end()) return progress;
  const SeriesView view =
      reader.read(found->key, XAxis::active_s, std::max(0.0, now_active_s - progress_window_s), everything, progress_points);
  for (const Point& point : view.points) progress.push_back({point.axes.active_s, point.axes.step});
  for (const SeriesBucket& bucket : view.buckets) progress.push_back({bucket.last_axes.active_s, bucket.last_axes.step});
  return progress;
}

// Attempts of one run are linked by attempt_of, the id of the first one.
std::vector<RunInfo> attempts_of(Reader& reader, const RunInfo& run) {
  const std::string first = run.attempt_of.empty() ? run.id : run.attempt_of;
  std::vector<RunInfo> attempts;
  Statement select = reader.database().prepare("SELECT id FROM run WHERE id = ? OR attempt_of = ? ORDER BY created_at, key");
  select.bind_all(first, first);
  std::vector<std::string> ids;
  while (select.step()) ids.push_back(select.text(0));
  if (ids.size() < 2) return {run};
  attempts.reserve(ids.size());
  for (const std::string& id : ids) attempts.push_back(reader.run(id));
  return attempts;
}

std::optional<std::int64_t> total_steps_of(Reader& reader, const RunInfo& run, const std::optional<Axes>& at) {
  if (const auto stored = reader.document(run.id, "total_steps")) {
    try {
      return std::stoll(*stored);
    } catch (const std::exception&) {
      // Of another version: reckoned below.
    }
  }
  try {
    if (const std::string steps = setting_of(run.experiment, "train.steps"); !steps.empty()) return std::stoll(steps);
    const std::string epochs = setting_of(run.experiment, "train.epochs");
    if (!epochs.empty() && at && at->epoch > 0 && at->step > 0)
      return std::llround(std::stod(epochs) * static_cast<double>(at->step + 1) / at->epoch);
  } catch (const std::exception&) {
    // No number: the length stays unknown.
  }
  return std::nullopt;
}

void read_ranks(RunSnapshot& snapshot, const std::string& folder) {
  for (int rank = 0; rank < snapshot.run.workers + snapshot.run.servers; ++rank) {
    const std::optional<RankSnapshot> status = read_rank_status(folder, rank);
    if (!status) continue;
    ++snapshot.ranks_reporting;
    if (rank == 0) snapshot.phase = QString::fromStdString(std::string(phase_name(status->phase)));
  }
}

// What was recorded of the run; throws where it is damaged, with what could be read before in place.
void read_records(Reader& reader, RunSnapshot& snapshot, std::optional<int> slowest) {
  const RunInfo& run = snapshot.run;
  snapshot.requests = reader.requests(run.id);
  snapshot.checkpoints = reader.checkpoints(run.id);
  if (snapshot.checkpoints.empty() && !run.resumed_from.empty()) snapshot.inherited = inherited_checkpoint(reader, run);
  snapshot.events = reader.events(run.id);
  snapshot.series = reader.series(run.id);
  snapshot.ranks = reader.ranks(run.id);
  const std::optional<Point> loss = last_point(reader, snapshot.series, series::train_loss);
  std::optional<Point> newest = last_point(reader, snapshot.series, series::learning_rate);
  if (!newest) newest = loss;
  if (newest) {
    snapshot.position = newest->axes;
    snapshot.progress = recent_progress(reader, snapshot.series, newest->axes.active_s);
  }
  snapshot.total_steps = total_steps_of(reader, snapshot.run, snapshot.position);
  snapshot.latest.train_loss = value_of(loss);
  snapshot.latest.train_accuracy = value_of(last_point(reader, snapshot.series, series::train_accuracy));
  const std::optional<Point> accuracy = last_point_of_attempts(reader, run.id, series::test_accuracy);
  snapshot.latest.test_accuracy = value_of(accuracy);
  snapshot.test_accuracy = accuracy.has_value();
  snapshot.test_loss = last_point_of_attempts(reader, run.id, series::test_loss).has_value();
  snapshot.latest.samples_per_s = value_of(last_point(reader, snapshot.series, "samples_per_s"));
  if (!snapshot.ranks.empty() && snapshot.position) {
    const int rank = slowest.value_or(snapshot.ranks.front());
    const std::vector<StepSums> steps = reader.steps(run.id, rank, std::max<std::int64_t>(0, snapshot.position->step - 8));
    if (!steps.empty()) snapshot.latest.step = steps.back();
  }
  if (snapshot.progress.size() > 1) {
    const ProgressPoint &first = snapshot.progress.front(), &last = snapshot.progress.back();
    if (last.step > first.step) snapshot.typical_step_s = (last.active_s - first.active_s) / static_cast<double>(last.step - first.step);
  }
}

}  // namespace

std::string setting_of(const std::string& complete, const std::string& dotted_key) {
  const auto parsed = document::parse(complete);
  const auto path = parse_key_path(dotted_key);
  const auto* node = std::get_if<document::Node>(&parsed);
  if (!path) return {};
  for (const std::string& part : *path) {
    if (node == nullptr) return {};
    node = node->find(part);
  }
  if (node == nullptr) return {};
  if (const auto* text = std::get_if<std::string>(&node->value)) return *text;
  return document::print(*node);
}

RunSnapshot read_run(Reader& reader, const std::string& run_id, const std::string& folder, std::optional<int> slowest) {
  RunSnapshot snapshot;
  snapshot.run = reader.run(run_id);
  snapshot.read_utc_s = utc_s();
  snapshot.attempts = attempts_of(reader, snapshot.run);
  try {
    read_records(reader, snapshot, slowest);
  } catch (const std::exception& error) {  // the run's row is there: the page shows it, and what else could be read
    snapshot.damage = QString::fromUtf8(error.what());
  }
  if (const std::string grace = setting_of(snapshot.run.experiment, "fault.grace_s"); !grace.empty()) {
    try {
      snapshot.grace_s = std::stod(grace);
    } catch (const std::exception&) {
      // The default stays.
    }
  }
  if (snapshot.active()) read_ranks(snapshot, folder);
  return snapshot;
}

RunSummary read_summary(Reader& reader, const std::string& run_id) {
  const auto begin = std::chrono::steady_clock::now();
  RunSummary result;
  const RunInfo run = reader.run(run_id);
  result.summary = summarise(reader, run);
  if (!run.baseline_key.empty() && run.strategy != "none") {
    Statement select = reader.database().prepare(
        "SELECT id FROM run WHERE baseline_key = ? AND strategy = 'none' AND state = 'finished' AND kind = ? ORDER BY created_at DESC, key "
        "DESC LIMIT 1");
    select.bind_all(run.baseline_key, run.kind);
    if (select.step()) result.compute_only = select.text(0);
  }
  result.took_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return result;
}

}  // namespace syncline::ui
