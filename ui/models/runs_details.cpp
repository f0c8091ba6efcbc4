// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/runs_details.h"

#include <chrono>

#include "engine/experiment/experiment.h"

namespace syncline::ui {

namespace {

constexpr int batch_runs = 250;
constexpr double batch_s = 0.1;        // then others get their turn on the reader thread
constexpr double live_interval_s = 2;  // between two readings of a run that goes on

double now_s() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

struct Batch {
  std::vector<RunDetails> read;
  std::vector<RunRowPtr> left;  // no time for these
};

RunDetails read_one(Reader& reader, StoredSummaries& stored, const RunInfo& run, const std::vector<std::string>& keys, bool may_compute) {
  RunDetails details;
  details.run = run.id;
  details.sequence = run.last_sequence;
  details.final = !is_active(run.state);
  try {
    std::optional<Summary> summary = stored.of(run);
    if (!summary && may_compute) summary = summarise(reader, run);
    if (summary) details.summary = std::make_shared<const Summary>(*summary);
    if (!keys.empty()) {
      const auto settings = settings_of(reader.run(run.id).experiment);
      for (const std::string& key : keys) {
        const auto found = std::find_if(settings.begin(), settings.end(), [&key](const auto& one) { return one.first == key; });
        details.settings[key] = found == settings.end() ? QString() : QString::fromStdString(found->second);
      }
    }
  } catch (const std::exception& error) {  // one damaged run must not keep the others from being shown
    details.damage = QString::fromUtf8(error.what());
  }
  return details;
}

Batch read_batch(Reader& reader, const std::vector<RunRowPtr>& rows, const std::vector<std::string>& keys, bool may_compute) {
  StoredSummaries stored(reader);
  Batch batch;
  const double start = now_s();
  for (const RunRowPtr& row : rows) {
    if (now_s() - start > batch_s) {
      batch.left.push_back(row);
    } else {
      batch.read.push_back(read_one(reader, stored, row->info, keys, may_compute));
    }
  }
  return batch;
}

}  // namespace

RunsDetails::RunsDetails(StoreService& store, QObject* parent) : QObject(parent), store_(store) {
  soon_.setSingleShot(true);
  soon_.setInterval(0);
  connect(&soon_, &QTimer::timeout, this, &RunsDetails::readNext);
}

const RunDetails* RunsDetails::find(const std::string& run_id) const {
  const auto found = known_.find(run_id);
  return found == known_.end() ? nullptr : &found->second;
}

bool RunsDetails::complete(const RunInfo& run) const {
  const RunDetails* details = find(run.id);
  if (details == nullptr || (!details->summary && details->damage.isEmpty())) return false;
  if (!details->damage.isEmpty()) return true;
  for (const QString& key : setting_keys_) {
    if (!details->settings.contains(key.toStdString())) return false;
  }
  if (is_active(run.state)) return true;
  return details->final && details->sequence == run.last_sequence;
}

bool RunsDetails::worthReading(const RunInfo& run) const {
  if (!complete(run)) return true;
  if (!is_active(run.state)) return false;
  const RunDetails* details = find(run.id);
  const auto last = read_at_.find(run.id);
  return details->sequence != run.last_sequence && (last == read_at_.end() || now_s() - last->second > live_interval_s);
}

void RunsDetails::want(const RunRowPtr& row) {
  if (queued_.contains(row->info.id) || !worthReading(row->info)) return;
  queued_.insert(row->info.id);
  urgent_.push_back(row);
  schedule();
}

void RunsDetails::wantAll(const std::vector<RunRowPtr>& rows) {
  for (const RunRowPtr& row : rows) {
    if (queued_.contains(row->info.id) || !worthReading(row->info)) continue;
    queued_.insert(row->info.id);
    needed_.push_back(row);
  }
  schedule();
}

void RunsDetails::prefetch(const std::vector<RunRowPtr>& rows) {
  later_.assign(rows.begin(), rows.end());
  schedule();
}

void RunsDetails::setSettingKeys(const QStringList& keys) {
  setting_keys_ = keys;
  ++generation_;
  queued_.clear();
  urgent_.clear();
  needed_.clear();
}

void RunsDetails::forgetCounterparts(const std::string& baseline_key, const std::vector<RunRowPtr>& rows) {
  if (baseline_key.empty()) return;
  for (const RunRowPtr& row : rows) {
    if (row->info.baseline_key != baseline_key) continue;
    if (const auto found = known_.find(row->info.id); found != known_.end()) found->second.sequence = -1;
  }
}

void RunsDetails::tryAgain(const std::vector<RunRowPtr>& rows) {
  for (const RunRowPtr& row : rows) known_.erase(row->info.id);
  for (const RunRowPtr& row : rows) want(row);
}

void RunsDetails::schedule() {
  if (!reading_ && !(urgent_.empty() && needed_.empty() && later_.empty())) soon_.start();
}

void RunsDetails::readNext() {
  if (reading_) return;
  std::vector<RunRowPtr> rows;
  bool may_compute = true;
  for (auto* queue : {&urgent_, &needed_}) {
    while (!queue->empty() && rows.size() < batch_runs) {
      queued_.erase(queue->front()->info.id);
      rows.push_back(std::move(queue->front()));
      queue->pop_front();
    }
    if (!rows.empty()) break;
  }
  if (rows.empty()) {
    may_compute = false;
    while (!later_.empty() && rows.size() < batch_runs) {
      if (worthReading(later_.front()->info)) rows.push_back(later_.front());
      later_.pop_front();
    }
  }
  if (rows.empty()) return;
  std::vector<std::string> keys;
  if (may_compute) {
    for (const QString& key : setting_keys_) keys.push_back(key.toStdString());
  }
  reading_ = true;
  const int generation = generation_;
  store_.read<Batch>(
      this, {}, [rows, keys, may_compute](Reader& reader) { return read_batch(reader, rows, keys, may_compute); },
      [this, may_compute, generation](const Batch& batch) {
        reading_ = false;
        QStringList ids;
        for (const RunDetails& details : batch.read) {
          if (!details.summary && details.damage.isEmpty()) continue;  // would have to be computed, and nobody asked for it
          RunDetails& have = known_[details.run];
          auto settings = generation == generation_ && !details.settings.empty() ? details.settings : std::move(have.settings);
          have = details;
          have.settings = std::move(settings);
          if (!details.final) read_at_[details.run] = now_s();
          ids << QString::fromStdString(details.run);
        }
        for (auto row = batch.left.rbegin(); row != batch.left.rend(); ++row) {
          if (!may_compute) {
            later_.push_front(*row);
          } else if (queued_.insert((*row)->info.id).second) {
            urgent_.push_front(*row);
          }
        }
        if (!ids.isEmpty()) Q_EMIT arrived(ids);
        schedule();
        if (idle()) Q_EMIT becameIdle();
      },
      [this](const QString&) {
        reading_ = false;  // the service reports it; what is still wanted is asked for again when it is painted
      });
}

}  // namespace syncline::ui
