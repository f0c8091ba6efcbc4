// SPDX-License-Identifier: GPL-3.0-or-later
// What the page says of a run: its state in a word, with an icon and what is known about it, the time that is left, and the banners above
// the tabs. Pure functions of a snapshot and the time.
#pragma once

#include <QString>
#include <optional>
#include <span>
#include <vector>

#include "ui/models/run_page_read.h"

namespace syncline::ui {

enum class Tone { good, attention, bad, muted, plain };

struct ShownState {
  QString icon, word;  // "▶", "Running"; the word stands beside the icon, colour is never the only sign
  QString detail;      // "5 of 8 ranks", "2 min", the reason; may be empty
  Tone tone = Tone::plain;
  QString text() const { return detail.isEmpty() ? word : QString(word + QStringLiteral(", ") + detail); }
};
ShownState shown_state(const RunSnapshot&, double now_utc_s);

// Seconds of active time until `total` steps, rounded to what the estimate is worth; nullopt while nothing can be said: too few points, or
// the pace of its parts differs by more than half.
std::optional<double> remaining_time(std::span<const ProgressPoint>, std::int64_t total_steps);

// The newest request to stop that has not ended; its stage in words ("accepted, 12 s").
const Request* open_stop(const RunSnapshot&);
QString stage_text(const Request&, double now_utc_s);
// Of the newest other request, while it is open and for some seconds after: "checkpoint: announced for step 120, 1 s".
QString request_text(const RunSnapshot&, double now_utc_s);
// A stop was asked for longer ago than the run's grace time and the run has not ended.
bool force_offered(const RunSnapshot&, double now_utc_s);

struct Banner {
  enum Kind { information, warning, error };
  QString cause;  // stable: a closed banner stays closed
  Kind kind = information;
  QString text;
  bool with_log = false, with_resume = false;  // the last lines of the log below it; "Resume from step n"
};
std::vector<Banner> banners_of(const RunSnapshot&);

// "step 1 204 of 58 500 · 31 %"
QString progress_text(const RunSnapshot&);
// "8 ranks · this computer · attempt 2 (resumed at step 12 000)"
QString placement_text(const RunSnapshot&, const QString& this_host);
// "loss 0.340 · accuracy 88.0 % · 12.3 k samples/s · ..."
QString latest_text(const RunSnapshot&);
// What a resume goes on from: the newest one of the run, else the one that it began with itself.
std::optional<CheckpointRecord> newest_checkpoint(const RunSnapshot&);
// Why an action is not possible now; empty: it is.
QString reason_not_to_stop(const RunSnapshot&);
QString reason_not_to_resume(const RunSnapshot&, std::optional<std::int64_t> from_step = {});  // none: the newest checkpoint

}  // namespace syncline::ui
