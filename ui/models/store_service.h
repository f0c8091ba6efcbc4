// SPDX-License-Identifier: GPL-3.0-or-later
// The window's only way to the workspace. One reader thread and one writer thread with their own connections; views ask for values and get
// them on the GUI thread, never the other way round, so that the GUI thread never waits for a disk or a lock.
#pragma once

#include <QObject>
#include <QPointer>
#include <QString>
#include <functional>
#include <memory>

#include "engine/store/reader.h"
#include "engine/store/registry.h"

namespace syncline::ui {

// What a failed request says, once per cause.
struct StoreProblem {
  QString cause;    // short and stable: "reading the workspace"
  QString message;  // the engine's sentence
};

class StoreService : public QObject {
  Q_OBJECT

 public:
  // Opens in the background; opened() or openFailed() follow. A workspace that does not exist is made.
  explicit StoreService(QString database_path, QObject* parent = nullptr);
  ~StoreService() override;

  QString path() const { return path_; }
  bool readOnly() const { return read_only_; }  // known after opened(): read-only media, or made by a newer version
  bool newer() const { return newer_; }

  // Runs `read` on the reader thread and `done` with its answer here, unless `context` is gone by then. Of several requests of one context
  // with the same non-empty key only the latest is run (waiting ones are dropped, an answer that is no longer the latest is not delivered).
  // An exception becomes problem() and, where given, `failed`.
  template <typename T>
  void read(QObject* context, const QString& key, std::function<T(Reader&)> read, std::function<void(const T&)> done,
            std::function<void(const QString&)> failed = {});

  // What the user writes (names, notes, requests, drafts), in the order given, on the writer thread with retries while the store is busy.
  // Until `done` the edit is pending: pending() counts.
  struct Writer {
    const Workspace& workspace;  // for RunRegistry, Requests, Annotations, SavedTexts, each made where it is used
  };
  void write(QObject* context, std::function<void(Writer&)> write, std::function<void()> done = {},
             std::function<void(const QString&)> failed = {});
  int pending() const { return pending_; }
  // For a window that only makes a picture: from now on nothing is written, and every write is answered as done.
  void keepNothing() { keeps_nothing_ = true; }
  bool keepsNothing() const { return keeps_nothing_; }

 Q_SIGNALS:
  void opened();
  void openFailed(const QString& message);
  // Something in the workspace changed (looked at every 100 ms by its data version, which costs no read of tables).
  void changed();
  void problem(const syncline::ui::StoreProblem&);
  void pendingChanged(int count);

 private:
  struct Job {
    QPointer<QObject> context;
    QString key;
    std::uint64_t generation = 0;
    std::function<std::function<void()>(Reader&)> run;  // returns what to do on the GUI thread
    std::function<void(const QString&)> failed;
  };
  void ask(Job job);
  class Threads;
  friend class Threads;

  QString path_;
  bool read_only_ = false, newer_ = false, keeps_nothing_ = false;
  int pending_ = 0;
  std::unique_ptr<Threads> threads_;
};

template <typename T>
void StoreService::read(QObject* context, const QString& key, std::function<T(Reader&)> read, std::function<void(const T&)> done,
                        std::function<void(const QString&)> failed) {
  ask({context, key, 0,
       [read = std::move(read), done = std::move(done)](Reader& reader) -> std::function<void()> {
         return [value = std::make_shared<const T>(read(reader)), done] { done(*value); };
       },
       std::move(failed)});
}

}  // namespace syncline::ui

Q_DECLARE_METATYPE(syncline::ui::StoreProblem)
