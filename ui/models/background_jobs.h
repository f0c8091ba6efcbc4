// SPDX-License-Identifier: GPL-3.0-or-later
// Work that takes a while: exporting, importing, indexing. Runs on a thread of its own with progress and a way to cancel; shown in the
// Background jobs dock once it takes more than half a second.
#pragma once

#include <QAbstractTableModel>
#include <QPointer>
#include <atomic>
#include <functional>
#include <memory>
#include <vector>

namespace syncline::ui {

// Used by the worker. May be called from its thread.
class JobControl {
 public:
  bool cancelled() const { return cancelled_.load(std::memory_order_relaxed); }
  void progress(double share, const QString& stage);  // 0..1; negative: unknown

 private:
  friend class BackgroundJobs;
  std::atomic<bool> cancelled_{false};
  std::function<void(double, QString)> report_;
};

class BackgroundJobs : public QAbstractTableModel {
  Q_OBJECT

 public:
  enum Column { name_column, stage_column, progress_column, elapsed_column, column_count };
  explicit BackgroundJobs(QObject* parent = nullptr);
  ~BackgroundJobs() override;  // cancels what reads, waits at most 2 s

  // `work` runs on another thread; `done` here with the error's sentence (empty: it went well; "cancelled": it was).
  int start(QObject* context, const QString& title, std::function<void(JobControl&)> work, std::function<void(const QString& error)> done);
  void cancel(int id);
  void cancelRow(int row);
  int running() const;

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex&, int role) const override;
  QVariant headerData(int section, Qt::Orientation, int role) const override;

 Q_SIGNALS:
  void countChanged(int running);

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace syncline::ui
