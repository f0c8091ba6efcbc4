// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/runs_rows.h"

#include <QCoreApplication>
#include <QHash>
#include <algorithm>
#include <array>
#include <chrono>
#include <unordered_map>

#include "ui/models/palette.h"

namespace syncline::ui {

namespace {

QString tr(const char* text) { return QCoreApplication::translate("Runs", text); }

void merge_annotations(RunRow& row, const RunInfo& attempt) {
  row.info.starred = row.info.starred || attempt.starred;
  row.info.locked = row.info.locked || attempt.locked;
  if (row.info.notes.empty()) row.info.notes = attempt.notes;
  if (row.info.colour.empty()) row.info.colour = attempt.colour;
  row.info.tags.insert(row.info.tags.end(), attempt.tags.begin(), attempt.tags.end());
  std::sort(row.info.tags.begin(), row.info.tags.end());
  row.info.tags.erase(std::unique(row.info.tags.begin(), row.info.tags.end()), row.info.tags.end());
}

std::vector<RunRowPtr> rows_of(std::vector<RunInfo> runs, const std::vector<RunRowPtr>* before) {
  std::unordered_map<std::string, std::vector<RunInfo>> by_first;
  std::vector<std::string> order;
  for (RunInfo& run : runs) {
    const std::string first = run.attempt_of.empty() ? run.id : run.attempt_of;
    auto& attempts = by_first[first];
    if (attempts.empty()) order.push_back(first);
    attempts.push_back(std::move(run));
  }
  std::unordered_map<std::string_view, const RunRowPtr*> known;
  if (before != nullptr) {
    for (const RunRowPtr& row : *before) known.emplace(row->attempts.front(), &row);
  }
  std::vector<RunRowPtr> rows;
  rows.reserve(order.size());
  for (auto first = order.rbegin(); first != order.rend(); ++first) {
    std::vector<RunInfo>& attempts = by_first[*first];
    std::stable_sort(attempts.begin(), attempts.end(), [](const RunInfo& a, const RunInfo& b) { return a.attempt < b.attempt; });
    RunRow row;
    row.created = attempts.front().created;
    for (const RunInfo& attempt : attempts) row.attempts.push_back(attempt.id);
    row.first_id = QString::fromStdString(row.attempts.front());
    row.newest_id = QString::fromStdString(row.attempts.back());
    row.info = std::move(attempts.back());
    attempts.pop_back();
    for (const RunInfo& attempt : attempts) merge_annotations(row, attempt);
    const auto same = known.find(row.attempts.front());
    const bool unchanged = same != known.end() && **same->second == row;
    rows.push_back(unchanged ? *same->second : std::make_shared<const RunRow>(std::move(row)));
  }
  return rows;
}

}  // namespace

QStringList RunRow::attemptIds() const {
  QStringList ids;
  for (const std::string& id : attempts) ids << QString::fromStdString(id);
  return ids;
}

bool RunRow::archived() const { return std::find(info.tags.begin(), info.tags.end(), archived_tag) != info.tags.end(); }

RunsSnapshotPtr fold_attempts(std::vector<RunInfo> runs, const RunsSnapshot* before) {
  std::vector<RunInfo> kept, trashed;
  kept.reserve(runs.size());
  for (RunInfo& run : runs) (run.trashed ? trashed : kept).push_back(std::move(run));
  auto snapshot = std::make_shared<RunsSnapshot>();
  snapshot->rows = rows_of(std::move(kept), before != nullptr ? &before->rows : nullptr);
  snapshot->trashed = rows_of(std::move(trashed), before != nullptr ? &before->trashed : nullptr);
  return snapshot;
}

RunsSnapshotPtr read_runs(Reader& reader, const RunsSnapshotPtr& before) {
  const auto start = std::chrono::steady_clock::now();
  auto snapshot = std::make_shared<RunsSnapshot>(*fold_attempts(reader.run_headers(), before.get()));
  snapshot->read_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return snapshot;
}

bool is_active(const std::string& state) { return state == "queued" || state == "running" || state == "stopping"; }
bool needs_attention(const std::string& state) { return state == "failed" || state == "lost" || state == "unknown"; }
bool may_be_marked_stopped(const std::string& state) { return state == "lost" || state == "unknown"; }

QString reason_to_keep(const RunRow& row) {
  if (is_active(row.info.state)) return tr("it is %1: stop it first").arg(state_look(row.info.state).word.toLower());
  if (row.info.locked) return tr("it is locked: unlock it first");
  return {};
}

namespace {

struct KnownState {
  const char *state, *sign, *word;
  palette::Status status;
};
// What needs a person first.
constexpr std::array<KnownState, 9> known_states = {{
    {"lost", "\u26a0", QT_TRANSLATE_NOOP("Runs", "Lost"), palette::Status::bad},
    {"failed", "\u2715", QT_TRANSLATE_NOOP("Runs", "Failed"), palette::Status::bad},
    {"unknown", "?", QT_TRANSLATE_NOOP("Runs", "Unreachable"), palette::Status::attention},
    {"stopping", "\u25d2", QT_TRANSLATE_NOOP("Runs", "Stopping"), palette::Status::attention},
    {"running", "\u25b6", QT_TRANSLATE_NOOP("Runs", "Running"), palette::Status::good},
    {"queued", "\u25f7", QT_TRANSLATE_NOOP("Runs", "Queued"), palette::Status::muted},
    {"stopped", "\u25a0", QT_TRANSLATE_NOOP("Runs", "Stopped"), palette::Status::muted},
    {"finished", "\u2713", QT_TRANSLATE_NOOP("Runs", "Finished"), palette::Status::good},
    {"damaged", "\u26a0", QT_TRANSLATE_NOOP("Runs", "Damaged"), palette::Status::bad},
}};

}  // namespace

int state_order(const std::string& state) {
  const auto found = std::find_if(known_states.begin(), known_states.end(), [&state](const KnownState& one) { return state == one.state; });
  return static_cast<int>(found - known_states.begin());
}

StateLook state_look(const std::string& state) {
  const int order = state_order(state);
  if (order == static_cast<int>(known_states.size())) {
    return {QStringLiteral("?"), QString::fromStdString(state), static_cast<int>(palette::Status::muted), order};
  }
  const KnownState& known = known_states[static_cast<std::size_t>(order)];
  return {QString::fromUtf8(known.sign), tr(known.word), static_cast<int>(known.status), order};
}

QString state_sentence(const RunInfo& run) {
  const QString word = state_look(run.state).word;
  if (!run.reason.empty()) return tr("%1: %2").arg(word, QString::fromStdString(run.reason));
  if (run.state == "finished") return tr("%1: what the experiment asked for has been reached").arg(word);
  if (run.state == "running") return tr("%1: its process is there").arg(word);
  if (run.state == "queued") return tr("%1: no process has reported yet").arg(word);
  if (run.state == "stopping") return tr("%1: asked to stop, and its process is still there").arg(word);
  return word;
}

}  // namespace syncline::ui
