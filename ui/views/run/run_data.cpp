// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/run/run_data.h"

#include <filesystem>

#include "engine/store/workspace.h"

namespace syncline::ui {

namespace {

constexpr int least_interval_ms = 100, evidence_ms = 1000, summary_ms = 1000;
constexpr double summary_share = 20;  // a summary that takes t is not read again within 20 t

}  // namespace

RunData::RunData(StoreService& store, QString run_id, QObject* parent) : QObject(parent), store_(store), id_(std::move(run_id)) {
  soon_.setSingleShot(true);
  soon_.setInterval(least_interval_ms);
  connect(&soon_, &QTimer::timeout, this, &RunData::read);
  evidence_.setInterval(evidence_ms);
  connect(&evidence_, &QTimer::timeout, this, [this] {
    if (active()) readSoon();
  });
  connect(&store_, &StoreService::changed, this, &RunData::readSoon);
}

QString RunData::folder() const {
  const std::filesystem::path database = store_.path().toStdString();
  std::filesystem::path runs = database;
  runs.replace_extension(".runs");
  return QString::fromStdString((runs / id_.toStdString()).string());
}

QString RunData::logPath() const { return folder() + QStringLiteral("/log.txt"); }

const Summary& RunData::summary() const {
  static const Summary none;
  return summary_ ? summary_->summary : none;
}

std::optional<int> RunData::slowestRank() const { return summary_ ? summary_->summary.slowest_rank : std::nullopt; }

void RunData::setWatching(bool watching) {
  if (watching == watching_) return;
  watching_ = watching;
  if (watching_) {
    evidence_.start();
    read();
  } else {
    evidence_.stop();
    soon_.stop();
  }
}

void RunData::readNow() { read(); }

void RunData::readSoon() {
  if (watching_ && !soon_.isActive()) soon_.start();
}

void RunData::read() {
  if (reading_) {
    again_ = true;
    return;
  }
  reading_ = true;
  store_.read<RunSnapshot>(
      this, QStringLiteral("run"),
      [id = id_.toStdString(), folder = folder().toStdString(), slowest = slowestRank()](Reader& reader) {
        return read_run(reader, id, folder, slowest);
      },
      [this](const RunSnapshot& snapshot) {
        reading_ = false;
        const QString before = snapshot_ ? QString::fromStdString(snapshot_->run.state) : QString();
        const bool grew = !snapshot_ || snapshot.run.last_sequence != snapshot_->run.last_sequence;
        snapshot_ = std::make_shared<const RunSnapshot>(snapshot);
        const QString now = QString::fromStdString(snapshot.run.state);
        Q_EMIT changed();
        if (now != before) Q_EMIT stateChanged(before, now);
        if (grew) Q_EMIT seriesGrew();
        readSummary();
        if (std::exchange(again_, false)) readSoon();
      },
      [this](const QString& message) {
        reading_ = false;
        again_ = false;
        Q_EMIT failed(message);
      });
}

void RunData::readSummary() {
  if (reading_summary_ || !snapshot_) return;
  const bool expected = compute_only_expected_ && computeOnlyRun().isEmpty();
  const bool current = summary_ && summary_sequence_ == snapshot_->run.last_sequence && !snapshot_->active() && !expected;
  const bool recent =
      summary_ && static_cast<double>(summary_age_.elapsed()) < std::max<double>(summary_ms, 1000 * summary_share * summary_->took_s);
  if (current || (recent && (snapshot_->active() || expected))) return;
  reading_summary_ = true;
  store_.read<RunSummary>(
      this, QStringLiteral("summary"), [id = id_.toStdString()](Reader& reader) { return read_summary(reader, id); },
      [this, sequence = snapshot_->run.last_sequence](const RunSummary& summary) {
        reading_summary_ = false;
        summary_age_.start();
        summary_sequence_ = sequence;
        const std::optional<int> before = slowestRank();
        summary_ = std::make_shared<const RunSummary>(summary);
        Q_EMIT summaryChanged();
        if (before != slowestRank()) readSoon();
      },
      [this](const QString&) {  // told as a problem by the service; the page shows what else there is
        reading_summary_ = false;
        summary_age_.start();
        if (!summary_) summary_ = std::make_shared<const RunSummary>();
        Q_EMIT summaryChanged();
      });
}

}  // namespace syncline::ui
