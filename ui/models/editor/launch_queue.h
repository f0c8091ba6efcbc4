// SPDX-License-Identifier: GPL-3.0-or-later
// Several runs of one experiment that differ in their seed, one after the other.
#pragma once

#include <QLockFile>
#include <QObject>
#include <QString>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "engine/store/saved.h"
#include "ui/models/engine_program.h"
#include "ui/models/store_service.h"

namespace syncline::ui {

// Starts runs one after the other, each when the one before has ended, so that they do not share the cores. It belongs to the engine's
// object and outlives the page that made it. What still waits is kept in the workspace, with the text as it was launched: a window that
// starts after this one has closed or crashed goes on with it, and editing the draft meanwhile changes nothing. The id of the run that is
// about to start is kept before it starts, so that each seed starts once whenever the window ends.
class LaunchQueue : public QObject {
  Q_OBJECT

 public:
  // Ends itself when the last run has been started.
  static LaunchQueue* create(EngineProgram&, StoreService&);
  // What other windows have left in this workspace and no living one holds; `made` gets each before it goes on.
  static void adopt(EngineProgram&, StoreService&, std::function<void(LaunchQueue*)> made);

  // `seeds` empty: once, with the experiment's own. `name` is what the queue is called in messages. The runs get the origin of the draft.
  void start(const QString& name, const std::string& text, const std::vector<std::uint64_t>& seeds, const QString& draft_id);
  QString name() const { return name_; }
  int waiting() const { return static_cast<int>(seeds_.size()); }
  bool starting() const { return starting_; }

 Q_SIGNALS:
  void started(const QString& run_id, int number, int of);
  void failed(const QString& sentence);

 private:
  LaunchQueue(EngineProgram&, StoreService&, QString id);
  void go_on(const SavedText&);
  void write_file(std::function<void()> then);
  void next();
  void launch();
  void look();
  void keep(std::function<void()> then);
  void fail(const QString& sentence);
  void end();
  QString file() const;

  EngineProgram& engine_;
  StoreService& store_;
  const QString id_;
  std::unique_ptr<QLockFile> lock_;
  QString name_, current_;  // the run that the next one waits for
  QString draft_;           // its id
  QString launching_;       // the id of the run that is being started, or was when its window ended
  std::string text_;
  std::vector<std::optional<std::uint64_t>> seeds_;
  int number_ = 0, total_ = 0;
  bool starting_ = false, kept_ = false;
};

}  // namespace syncline::ui
