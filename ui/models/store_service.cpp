// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/store_service.h"

#include <QCoreApplication>
#include <QMetaObject>
#include <QTimer>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

#include "engine/base/error.h"

namespace syncline::ui {

namespace {

constexpr auto look_every = std::chrono::milliseconds(100);  // at the data version
constexpr int write_tries = 6;                               // each waits the connection's own busy time-out (5 s)

}  // namespace

class StoreService::Threads {
 public:
  Threads(StoreService& owner, std::string path) : owner_(owner), path_(std::move(path)) {
    reader_ = std::thread([this] { run_reader(); });
    writer_ = std::thread([this] { run_writer(); });
  }

  ~Threads() {
    {
      const std::scoped_lock lock(mutex_);
      stopping_ = true;
      reads_.clear();
    }
    wake_.notify_all();
    reader_.join();
    writer_.join();  // what the user wrote goes in first
  }

  void ask(Job job) {
    {
      const std::scoped_lock lock(mutex_);
      job.generation = ++generation_;
      if (!job.key.isEmpty()) {
        latest_[{job.context.data(), job.key}] = job.generation;
        std::erase_if(reads_, [&job](const Job& other) { return other.context == job.context && other.key == job.key; });
      }
      reads_.push_back(std::move(job));
    }
    wake_.notify_all();
  }

  struct Write {
    QPointer<QObject> context;
    std::function<void(Writer&)> write;
    std::function<void()> done;
    std::function<void(const QString&)> failed;
  };
  void ask(Write write) {
    {
      const std::scoped_lock lock(mutex_);
      writes_.push_back(std::move(write));
    }
    wake_.notify_all();
  }

 private:
  // Queued to the owner's thread: after the owner is gone nothing of it runs.
  void on_gui(std::function<void()> action) { QMetaObject::invokeMethod(&owner_, std::move(action), Qt::QueuedConnection); }

  void run_reader() {
    std::unique_ptr<Workspace> workspace;
    try {
      try {
        workspace = std::make_unique<Workspace>(Workspace::open(path_));
      } catch (const WorkspaceError&) {
        try {
          workspace = std::make_unique<Workspace>(Workspace::open_read_only(path_));
        } catch (const WorkspaceError&) {  // the first error says more: why it cannot be made, not that there is none
        }
        if (!workspace) throw;
      }
      reads_from_ = std::make_unique<Reader>(*workspace);
    } catch (const std::exception& error) {
      on_gui([this, text = QString::fromUtf8(error.what())] { Q_EMIT owner_.openFailed(text); });
    }
    if (reads_from_) {
      on_gui([this, writable = workspace->writable(), newer = workspace->newer()] {
        owner_.read_only_ = !writable;
        owner_.newer_ = newer;
        Q_EMIT owner_.opened();
      });
    }
    {
      const std::scoped_lock lock(mutex_);
      workspace_ = std::move(workspace);
      opened_ = true;
    }
    wake_.notify_all();
    std::unique_lock lock(mutex_);
    while (!stopping_) {
      if (reads_.empty()) {
        wake_.wait_for(lock, look_every, [this] { return stopping_ || !reads_.empty(); });
      }
      if (stopping_) return;
      if (reads_.empty()) {
        lock.unlock();
        look_for_changes();
        lock.lock();
        continue;
      }
      const Job job = std::move(reads_.front());
      reads_.pop_front();
      lock.unlock();
      run(job);
      lock.lock();
    }
  }

  void run(const Job& job) {
    try {
      if (!reads_from_) throw WorkspaceError("the workspace is not open");
      std::function<void()> deliver = job.run(*reads_from_);
      on_gui([this, job, deliver = std::move(deliver)] {
        if (job.context && is_latest(job)) deliver();
      });
    } catch (const std::exception& error) {
      on_gui([this, job, text = QString::fromUtf8(error.what())] {
        if (!job.context || !is_latest(job)) return;
        if (job.failed) job.failed(text);
        Q_EMIT owner_.problem({QStringLiteral("reading the workspace"), text});
      });
    }
  }

  bool is_latest(const Job& job) {
    if (job.key.isEmpty()) return true;
    const std::scoped_lock lock(mutex_);
    const auto found = latest_.find({job.context.data(), job.key});
    return found != latest_.end() && found->second == job.generation;
  }

  void look_for_changes() {
    if (!reads_from_) return;
    try {
      const std::int64_t version = reads_from_->database().data_version();
      if (version == seen_version_) return;
      seen_version_ = version;
      on_gui([this] { Q_EMIT owner_.changed(); });
    } catch (const std::exception& error) {
      on_gui([this, text = QString::fromUtf8(error.what())] { Q_EMIT owner_.problem({QStringLiteral("reading the workspace"), text}); });
    }
  }

  void run_writer() {
    std::unique_lock lock(mutex_);
    wake_.wait(lock, [this] { return opened_ || stopping_; });
    for (;;) {
      wake_.wait(lock, [this] { return stopping_ || !writes_.empty(); });
      if (writes_.empty()) return;
      const Write write = std::move(writes_.front());
      writes_.pop_front();
      lock.unlock();
      run(write);
      lock.lock();
    }
  }

  void run(const Write& write) {
    QString failure;
    for (int attempt = 0; attempt < write_tries; ++attempt) {
      failure.clear();
      try {
        if (!workspace_) throw WorkspaceError("the workspace is not open");
        Writer writer{*workspace_};
        write.write(writer);
        break;
      } catch (const std::exception& error) {
        failure = QString::fromUtf8(error.what());
        const std::scoped_lock lock(mutex_);
        if (stopping_ || !failure.contains(QStringLiteral("locked"))) break;
      }
    }
    on_gui([this, write, failure] {
      Q_EMIT owner_.pendingChanged(--owner_.pending_);
      if (!failure.isEmpty()) {
        if (write.context && write.failed) write.failed(failure);
        Q_EMIT owner_.problem({QStringLiteral("writing to the workspace"), failure});
      } else if (write.context && write.done) {
        write.done();
      }
    });
  }

  StoreService& owner_;
  std::string path_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<Job> reads_;
  std::deque<Write> writes_;
  std::map<std::pair<const QObject*, QString>, std::uint64_t> latest_;
  std::uint64_t generation_ = 0;
  bool stopping_ = false, opened_ = false;
  std::unique_ptr<Workspace> workspace_;
  std::unique_ptr<Reader> reads_from_;  // the reader thread's alone
  std::int64_t seen_version_ = -1;
  std::thread reader_, writer_;
};

StoreService::StoreService(QString database_path, QObject* parent) : QObject(parent), path_(std::move(database_path)) {
  qRegisterMetaType<StoreProblem>();
  threads_ = std::make_unique<Threads>(*this, path_.toStdString());
}

StoreService::~StoreService() = default;

void StoreService::ask(Job job) { threads_->ask(std::move(job)); }

void StoreService::write(QObject* context, std::function<void(Writer&)> write, std::function<void()> done,
                         std::function<void(const QString&)> failed) {
  if (keeps_nothing_) {
    if (done) QTimer::singleShot(0, context != nullptr ? context : this, std::move(done));
    return;
  }
  Q_EMIT pendingChanged(++pending_);
  threads_->ask(Threads::Write{context, std::move(write), std::move(done), std::move(failed)});
}

}  // namespace syncline::ui
