// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/background_jobs.h"

#include <QElapsedTimer>
#include <QMetaObject>
#include <QTimer>
#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "ui/models/format.h"

namespace syncline::ui {

namespace {

constexpr int shown_after_ms = 500;      // shorter ones would only flicker
constexpr int tick_ms = 100;             // how often the table looks at progress
constexpr int silent_after_ms = 10'000;  // then the row says that nothing moves
constexpr int quit_wait_ms = 2000;

}  // namespace

void JobControl::progress(double share, const QString& stage) {
  if (report_) report_(share, stage);
}

// What a worker and the table share. The worker may outlive the table (quitting waits at most two seconds): then `owner` is null.
struct BoundToTable {
  std::mutex mutex;
  QObject* owner = nullptr;
};

class BackgroundJobs::Implementation {
 public:
  struct Shared {  // written by the worker, read here at each tick
    std::mutex mutex;
    std::condition_variable ended_signal;
    JobControl control;
    double share = -1;
    QString stage;
    std::uint64_t reports = 0;
    bool ended = false;
  };
  struct Job {
    int id = 0;
    QString title, stage;
    double share = -1;
    std::uint64_t reports = 0;
    QElapsedTimer started, last_report;
    bool shown = false;
    std::shared_ptr<Shared> shared;
    QPointer<QObject> context;
    std::function<void(const QString&)> done;
  };

  std::vector<std::unique_ptr<Job>> jobs;  // those shown come first, in the order of their start
  std::shared_ptr<BoundToTable> bound = std::make_shared<BoundToTable>();
  QTimer tick;
  int next_id = 1;

  int shown() const {
    return static_cast<int>(std::count_if(jobs.begin(), jobs.end(), [](const auto& job) { return job->shown; }));
  }
};

BackgroundJobs::BackgroundJobs(QObject* parent) : QAbstractTableModel(parent), implementation_(std::make_unique<Implementation>()) {
  implementation_->bound->owner = this;
  implementation_->tick.setInterval(tick_ms);
  connect(&implementation_->tick, &QTimer::timeout, this, [this] {
    auto& jobs = implementation_->jobs;
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      Implementation::Job& job = *jobs[i];
      {
        const std::scoped_lock lock(job.shared->mutex);
        if (job.reports != job.shared->reports) job.last_report.restart();
        job.reports = job.shared->reports;
        job.share = job.shared->share;
        job.stage = job.shared->stage;
      }
      if (!job.shown && job.started.elapsed() >= shown_after_ms) {
        const int row = implementation_->shown();
        beginInsertRows({}, row, row);
        job.shown = true;
        std::stable_partition(jobs.begin(), jobs.end(), [](const auto& one) { return one->shown; });
        endInsertRows();
        Q_EMIT countChanged(running());
      }
    }
    if (const int rows = rowCount(); rows > 0) Q_EMIT dataChanged(index(0, stage_column), index(rows - 1, elapsed_column));
  });
}

BackgroundJobs::~BackgroundJobs() {
  {
    const std::scoped_lock lock(implementation_->bound->mutex);
    implementation_->bound->owner = nullptr;
  }
  for (const auto& job : implementation_->jobs) job->shared->control.cancelled_ = true;
  const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(quit_wait_ms);
  for (const auto& job : implementation_->jobs) {
    std::unique_lock lock(job->shared->mutex);
    job->shared->ended_signal.wait_until(lock, until, [&job] { return job->shared->ended; });
  }
}

int BackgroundJobs::start(QObject* context, const QString& title, std::function<void(JobControl&)> work,
                          std::function<void(const QString& error)> done) {
  auto job = std::make_unique<Implementation::Job>();
  const int id = job->id = implementation_->next_id++;
  job->title = title;
  job->context = context;
  job->done = std::move(done);
  job->started.start();
  job->last_report.start();
  auto shared = job->shared = std::make_shared<Implementation::Shared>();
  shared->control.report_ = [state = shared.get()](double share, const QString& stage) {
    const std::scoped_lock lock(state->mutex);
    state->share = share;
    state->stage = stage;
    ++state->reports;
  };
  implementation_->jobs.push_back(std::move(job));
  implementation_->tick.start();

  const auto finish = [this, id](const QString& error) {
    auto& jobs = implementation_->jobs;
    const auto found = std::find_if(jobs.begin(), jobs.end(), [id](const auto& one) { return one->id == id; });
    if (found == jobs.end()) return;
    const int row = static_cast<int>(found - jobs.begin());
    const bool was_shown = (*found)->shown;
    if (was_shown) beginRemoveRows({}, row, row);  // views still read the row during this call
    const std::unique_ptr<Implementation::Job> ended = std::move(*found);
    jobs.erase(found);
    if (was_shown) endRemoveRows();
    if (jobs.empty()) implementation_->tick.stop();
    Q_EMIT countChanged(running());
    if (ended->context && ended->done) ended->done(error);
  };
  std::thread([shared, finish, work = std::move(work), bound = implementation_->bound] {
    QString error;
    try {
      work(shared->control);
    } catch (const std::exception& thrown) {
      error = QString::fromUtf8(thrown.what());
    }
    if (shared->control.cancelled()) error = QStringLiteral("cancelled");
    {
      const std::scoped_lock lock(bound->mutex);
      if (bound->owner != nullptr)
        QMetaObject::invokeMethod(
            bound->owner, [finish, error] { finish(error); }, Qt::QueuedConnection);
    }
    const std::scoped_lock lock(shared->mutex);
    shared->ended = true;
    shared->ended_signal.notify_all();
  }).detach();
  Q_EMIT countChanged(running());
  return id;
}

void BackgroundJobs::cancel(int id) {
  for (const auto& job : implementation_->jobs) {
    if (job->id == id) job->shared->control.cancelled_ = true;
  }
}

void BackgroundJobs::cancelRow(int row) {
  if (row >= 0 && row < rowCount()) implementation_->jobs[static_cast<std::size_t>(row)]->shared->control.cancelled_ = true;
}

int BackgroundJobs::running() const { return static_cast<int>(implementation_->jobs.size()); }

int BackgroundJobs::rowCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : implementation_->shown(); }
int BackgroundJobs::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : column_count; }

QVariant BackgroundJobs::data(const QModelIndex& at, int role) const {
  if (!at.isValid() || (role != Qt::DisplayRole && role != Qt::ToolTipRole)) return {};
  const Implementation::Job& job = *implementation_->jobs[static_cast<std::size_t>(at.row())];
  const double elapsed_s = static_cast<double>(job.started.elapsed()) / 1e3;
  switch (at.column()) {
    case name_column:
      return job.title;
    case stage_column: {
      if (job.shared->control.cancelled()) return tr("Cancelling");
      const qint64 silent = job.last_report.elapsed();
      if (silent < silent_after_ms) return job.stage;
      const QString still = format::duration(static_cast<double>(silent / 1000));
      return job.stage.isEmpty() ? tr("No progress for %1").arg(still) : tr("%1; no progress for %2").arg(job.stage, still);
    }
    case progress_column: {
      if (job.share < 0) return format::missing;
      const QString done = format::share(job.share);
      if (job.share < 0.05 || job.share >= 1) return done;
      return tr("%1, %2 left").arg(done, format::duration(std::round(elapsed_s * (1 - job.share) / job.share)));
    }
    default:
      return format::duration(std::floor(elapsed_s));
  }
}

QVariant BackgroundJobs::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
  switch (section) {
    case name_column:
      return tr("Job");
    case stage_column:
      return tr("Stage");
    case progress_column:
      return tr("Progress");
    default:
      return tr("Time");
  }
}

}  // namespace syncline::ui
