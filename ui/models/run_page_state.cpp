// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/run_page_state.h"

#include <QCoreApplication>
#include <algorithm>
#include <cmath>

#include "engine/store/emulation.h"
#include "ui/models/format.h"

namespace syncline::ui {

namespace {

QString say(const char* text) { return QCoreApplication::translate("RunState", text); }

constexpr double no_progress_least_s = 60, no_progress_steps = 10;
constexpr double heartbeat_old_s = 3;  // three of the supervisor's intervals

QString reason_of(const RunInfo& run) { return QString::fromStdString(run.reason); }

ShownState running_state(const RunSnapshot& snapshot, double now_utc_s) {
  const int ranks = snapshot.run.workers + snapshot.run.servers;
  if (!snapshot.position) {
    return {QStringLiteral("◔"), say("Starting"), say("%1 of %2 ranks").arg(snapshot.ranks_reporting).arg(ranks), Tone::attention};
  }
  const double silent_s = now_utc_s - snapshot.position->wall_s;
  const double patience_s = std::max(no_progress_least_s, no_progress_steps * snapshot.typical_step_s);
  if (silent_s > patience_s) return {QStringLiteral("⏸ !"), say("No progress"), format::duration(std::floor(silent_s)), Tone::attention};
  const double heartbeat_age_s = now_utc_s - snapshot.run.heartbeat.value_or(0);
  const QString evaluating = snapshot.phase == QStringLiteral("evaluation")   ? say("evaluating")
                             : snapshot.phase == QStringLiteral("checkpoint") ? say("saving a checkpoint")
                                                                              : QString();
  if (snapshot.run.heartbeat && heartbeat_age_s > 10 * heartbeat_old_s && silent_s > heartbeat_old_s)
    return {QStringLiteral("▶"), say("Running"), say("last heartbeat %1 ago").arg(format::duration(std::floor(heartbeat_age_s))),
            Tone::attention};
  return {QStringLiteral("▶"), say("Running"), evaluating, Tone::good};
}

bool is_stop(const Request& request) { return request.kind.starts_with("stop"); }

double relative_spread(const std::vector<double>& values) {
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  double sum = 0;
  for (const double value : values) sum += value;
  return sum > 0 ? (*most - *least) * static_cast<double>(values.size()) / sum : 0;
}

// As many digits as an estimate deserves: seconds to 5, minutes whole, hours to 10 minutes.
double rounded(double seconds) {
  const double unit = seconds < 60 ? 5 : seconds < 3600 ? 60 : seconds < 36000 ? 600 : 3600;
  return std::max(unit, std::round(seconds / unit) * unit);
}

}  // namespace

ShownState shown_state(const RunSnapshot& snapshot, double now_utc_s) {
  const RunInfo& run = snapshot.run;
  if (run.kind == "prediction") return {QStringLiteral("▣"), say("Prediction"), {}, Tone::muted};
  if (!snapshot.damage.isEmpty() && !snapshot.active()) return {QStringLiteral("⚠"), say("Damaged"), snapshot.damage, Tone::bad};
  if (run.state == "queued") {
    if (run.supervisor.known()) return running_state(snapshot, now_utc_s);
    return {QStringLiteral("⧗"), say("Queued"), reason_of(run), Tone::muted};
  }
  if (run.state == "running") return running_state(snapshot, now_utc_s);
  if (run.state == "stopping") {
    const Request* stop = open_stop(snapshot);
    return {QStringLiteral("◒"), say("Stopping"), stop != nullptr ? stage_text(*stop, now_utc_s) : QString(), Tone::attention};
  }
  if (run.state == "finished") return {QStringLiteral("✓"), say("Finished"), {}, Tone::good};
  if (run.state == "stopped") return {QStringLiteral("■"), say("Stopped"), reason_of(run), Tone::plain};
  if (run.state == "failed") return {QStringLiteral("✕"), say("Failed"), reason_of(run), Tone::bad};
  if (run.state == "lost") return {QStringLiteral("⚠ ✕"), say("Lost"), reason_of(run), Tone::bad};
  const double since = run.heartbeat.value_or(run.created);
  return {QStringLiteral("⚠"), say("Unreachable"), format::duration(std::floor(std::max(0.0, now_utc_s - since))), Tone::attention};
}

std::optional<double> remaining_time(std::span<const ProgressPoint> progress, std::int64_t total_steps) {
  constexpr std::size_t parts = 5;
  if (progress.size() < 2 * parts) return std::nullopt;
  const ProgressPoint &first = progress.front(), &last = progress.back();
  const double steps = static_cast<double>(last.step - first.step), seconds = last.active_s - first.active_s;
  if (steps <= 0 || seconds <= 0 || total_steps <= 0) return std::nullopt;
  std::vector<double> pace;  // seconds per step of each fifth
  for (std::size_t part = 0; part < parts; ++part) {
    const ProgressPoint& from = progress[part * (progress.size() - 1) / parts];
    const ProgressPoint& to = progress[(part + 1) * (progress.size() - 1) / parts];
    if (to.step > from.step) pace.push_back((to.active_s - from.active_s) / static_cast<double>(to.step - from.step));
  }
  if (pace.size() < parts || relative_spread(pace) > 0.5) return std::nullopt;
  const double left = static_cast<double>(total_steps - last.step - 1) * seconds / steps;
  return left <= 0 ? std::optional(0.0) : std::optional(rounded(left));
}

const Request* open_stop(const RunSnapshot& snapshot) {
  const Request* found = nullptr;
  for (const Request& request : snapshot.requests) {
    if (is_stop(request) && !request.finished()) found = &request;
  }
  return found;
}

QString stage_text(const Request& request, double now_utc_s) {
  const QString age = format::duration(std::floor(std::max(0.0, now_utc_s - request.asked_at)));
  const QString stage = request.stage == "asked" ? say("not answered yet") : QString::fromStdString(request.stage);
  return stage + QStringLiteral(", ") + age;
}

QString request_text(const RunSnapshot& snapshot, double now_utc_s) {
  constexpr double shown_s = 10;
  const auto newest =
      std::find_if(snapshot.requests.rbegin(), snapshot.requests.rend(), [](const Request& request) { return !is_stop(request); });
  if (newest == snapshot.requests.rend()) return {};
  const bool over = newest->finished() || newest->stage.starts_with("refused");  // which may give its reason
  // A run that has ended answers nothing any more.
  if (over ? now_utc_s - newest->acknowledged_at.value_or(newest->asked_at) > shown_s : !snapshot.active()) return {};
  const QString what = newest->kind == "trace" ? say("trace") : say("checkpoint");
  return what + QStringLiteral(": ") + (over ? QString::fromStdString(newest->stage) : stage_text(*newest, now_utc_s));
}

bool force_offered(const RunSnapshot& snapshot, double now_utc_s) {
  const Request* stop = open_stop(snapshot);
  return stop != nullptr && snapshot.active() && now_utc_s - stop->asked_at > snapshot.grace_s;
}

std::optional<CheckpointRecord> newest_checkpoint(const RunSnapshot& snapshot) {
  std::optional<CheckpointRecord> newest;
  for (const CheckpointRecord& record : snapshot.checkpoints) {
    if (!newest || record.step >= newest->step) newest = record;
  }
  return newest ? newest : snapshot.inherited;
}

std::vector<Banner> banners_of(const RunSnapshot& snapshot) {
  const RunInfo& run = snapshot.run;
  const bool resumable = reason_not_to_resume(snapshot).isEmpty();
  std::vector<Banner> banners;
  const bool rank_died = run.reason.find("rank ") != std::string::npos;
  if (run.state == "failed" && !snapshot.position) {
    banners.push_back({QStringLiteral("failed-start"), Banner::error, say("The start failed: %1").arg(reason_of(run)), true, false});
  } else if (run.state == "failed" && run.exit_code == 6) {
    banners.push_back({QStringLiteral("workspace"), Banner::error,
                       say("The workspace could not be written and the run ended: %1").arg(reason_of(run)), false, resumable});
  } else if (run.state == "failed") {
    banners.push_back({rank_died ? QStringLiteral("rank-died") : QStringLiteral("failed"), Banner::error,
                       say("The run failed: %1").arg(reason_of(run)), true, resumable});
  } else if (run.state == "lost") {
    banners.push_back({QStringLiteral("lost"), Banner::error, say("The run is lost: %1").arg(reason_of(run)), true, resumable});
  } else if (run.state == "unknown") {
    banners.push_back(
        {QStringLiteral("unreachable"), Banner::warning,
         say("Whether this run still goes on cannot be asked from here (%1); nothing is known against it").arg(reason_of(run)), false,
         false});
  }
  if (!snapshot.damage.isEmpty()) {
    banners.push_back({QStringLiteral("damaged"), Banner::error,
                       say("Part of what was recorded of this run cannot be read: %1. Verify Workspace writes a report; other runs are not "
                           "affected")
                           .arg(snapshot.damage),
                       false, false});
  }
  const QString what_next = QString::fromStdString(setting_of(run.experiment, "train.on_divergence"));
  std::int64_t dropped = 0;
  for (const EventRecord& event : snapshot.events) {
    const QString text = QString::fromStdString(event.text);
    if (event.kind == "divergence") {
      banners.push_back({QStringLiteral("divergence"), Banner::warning,
                         say("Step %1: %2; on_divergence is %3").arg(format::count(event.step), text, what_next), false, false});
    } else if (event.kind == "checkpoint-failed") {
      std::erase_if(banners, [](const Banner& banner) { return banner.cause == QStringLiteral("checkpoint-failed"); });
      banners.push_back({QStringLiteral("checkpoint-failed"), Banner::warning, text, false, false});
    } else if (event.kind == "checkpoint-damaged") {
      banners.push_back({QStringLiteral("checkpoint-damaged"), Banner::warning, text, false, false});
    } else if (event.kind == "dropped") {
      ++dropped;
      std::erase_if(banners, [](const Banner& banner) { return banner.cause == QStringLiteral("dropped"); });
      const QString more = dropped > 1 ? say(" (and %1 more such events)").arg(dropped - 1) : QString();
      banners.push_back(
          {QStringLiteral("dropped"), Banner::warning, say("Not everything was recorded: %1%2").arg(text, more), false, false});
    }
  }
  return banners;
}

QString progress_text(const RunSnapshot& snapshot) {
  if (!snapshot.position) return say("no step yet");
  const std::int64_t done = snapshot.position->step + 1;
  if (!snapshot.total_steps || *snapshot.total_steps <= 0) return say("step %1").arg(format::count(done));
  const double share = std::min(1.0, static_cast<double>(done) / static_cast<double>(*snapshot.total_steps));
  return say("step %1 of %2 · %3").arg(format::count(done), format::count(*snapshot.total_steps), format::share(share));
}

QString placement_text(const RunSnapshot& snapshot, const QString& this_host) {
  const RunInfo& run = snapshot.run;
  QStringList parts;
  const int ranks = run.workers + run.servers;
  parts << (ranks == 1 ? say("1 rank") : say("%1 ranks").arg(ranks));
  if (run.servers > 0) parts << say("%1 of them servers").arg(run.servers);
  if (!run.host.empty()) {
    const QString host = QString::fromStdString(run.host);
    parts << (host == this_host ? say("this computer") : host);
  }
  parts << (run.threads_per_worker == 1 ? say("1 thread each") : say("%1 threads each").arg(run.threads_per_worker));
  if (!run.emulated.empty()) parts << QString::fromStdString(emulation_text(run));
  if (snapshot.attempts.size() > 1 || run.attempt > 1) {
    QString attempt = say("attempt %1").arg(run.attempt);
    if (!run.resumed_from.empty()) {
      for (const EventRecord& event : snapshot.events) {
        if (event.kind != "attempt") continue;
        attempt += say(" (resumed at step %1)").arg(format::count(event.step));
        break;
      }
    }
    parts << attempt;
  } else if (!run.resumed_from.empty()) {
    parts << say("resumed from another run");
  }
  return parts.join(QStringLiteral(" · "));
}

QString latest_text(const RunSnapshot& snapshot) {
  const LatestValues& latest = snapshot.latest;
  QStringList parts;
  if (latest.train_loss) parts << say("loss %1").arg(format::metric(*latest.train_loss));
  if (latest.test_accuracy) parts << say("test accuracy %1").arg(format::percent(*latest.test_accuracy));
  if (latest.samples_per_s) parts << format::rate(*latest.samples_per_s, say("samples"));
  if (latest.step) {
    parts << say("step %1").arg(format::duration(latest.step->step_s));
    if (latest.step->comm_s > 0 && latest.step->step_s > 0)
      parts << say("exposed %1").arg(format::share(latest.step->exposed_s / latest.step->step_s));
  }
  if (!snapshot.ranks.empty()) parts << say("ranks %1 of %2").arg(snapshot.ranks.size()).arg(snapshot.run.workers + snapshot.run.servers);
  return parts.isEmpty() ? say("Nothing has been measured yet") : parts.join(QStringLiteral(" · "));
}

QString reason_not_to_stop(const RunSnapshot& snapshot) {
  return snapshot.active() ? QString() : say("The run has ended: there is nothing to stop");
}

QString reason_not_to_resume(const RunSnapshot& snapshot, std::optional<std::int64_t> from_step) {
  if (snapshot.active()) return say("The run is still going on");
  if (snapshot.run.kind == "prediction") return say("A prediction cannot be resumed");
  if (!newest_checkpoint(snapshot)) return say("The run has no checkpoint");
  const std::int64_t start = from_step.value_or(snapshot.position ? snapshot.position->step + 1 : 0);
  if (snapshot.run.state == "finished" && snapshot.total_steps && snapshot.position && start >= *snapshot.total_steps)
    return say("The run has done all its steps; a longer one is a new draft");
  return {};
}

}  // namespace syncline::ui
