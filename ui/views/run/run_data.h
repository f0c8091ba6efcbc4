// SPDX-License-Identifier: GPL-3.0-or-later
// The run that a page shows: read when the workspace changes, at most ten times a second, and once a second while the run is active, since
// a process may go without a word. All tabs take from it.
#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <QTimer>
#include <memory>

#include "ui/models/run_page_communication.h"
#include "ui/models/run_page_read.h"
#include "ui/models/store_service.h"

namespace syncline::ui {

class RunData : public QObject {
  Q_OBJECT

 public:
  RunData(StoreService&, QString run_id, QObject* parent = nullptr);

  StoreService& store() const { return store_; }
  const QString& id() const { return id_; }
  QString folder() const;  // of the run
  QString logPath() const;
  bool known() const { return snapshot_ != nullptr; }
  const RunSnapshot& snapshot() const { return *snapshot_; }  // only when known()
  bool summaryKnown() const { return summary_ != nullptr; }
  const Summary& summary() const;  // empty while it is not known
  QString computeOnlyRun() const { return summary_ ? QString::fromStdString(summary_->compute_only) : QString(); }
  std::optional<int> slowestRank() const;
  bool active() const { return known() && snapshot_->active(); }

  void setWatching(bool);  // false: the page is not visible, nothing is read
  void readNow();
  void expectComputeOnly() { compute_only_expected_ = true; }  // it was launched: its figures will come

 Q_SIGNALS:
  void changed();  // the snapshot
  void summaryChanged();
  void failed(const QString& message);
  void stateChanged(const QString& before, const QString& now);
  void seriesGrew();  // what charts show has more points: at most ten times a second

 private:
  void readSoon();
  void read();
  void readSummary();
  StoreService& store_;
  QString id_;
  std::shared_ptr<const RunSnapshot> snapshot_;
  std::shared_ptr<const RunSummary> summary_;
  QTimer soon_, evidence_;
  QElapsedTimer summary_age_;
  std::int64_t summary_sequence_ = -1;
  bool watching_ = false, reading_ = false, again_ = false, reading_summary_ = false, compute_only_expected_ = false;
};

}  // namespace syncline::ui
