// SPDX-License-Identifier: GPL-3.0-or-later
// A workbench without a window: real store, engine, actions and settings; what pages ask of the window is written down.
#pragma once

#include "ui/models/background_jobs.h"
#include "ui/models/engine_program.h"
#include "ui/models/problems.h"
#include "ui/models/settings.h"
#include "ui/models/store_service.h"
#include "ui/widgets/actions.h"
#include "ui/widgets/workbench.h"

namespace syncline::ui {

class RecordingWorkbench : public Workbench {
 public:
  // engine: the program to start; empty: the one that is found.
  explicit RecordingWorkbench(const QString& database, const QString& engine = {}) : store_(database), engine_(settings_, database) {
    if (!engine.isEmpty()) settings_.set(engine_key(), engine);
  }
  ~RecordingWorkbench() override { settings_.remove(engine_key()); }
  static QString builtEngine() { return QStringLiteral(SYNCLINE_BINARY_DIR "/app/syncline-engine"); }

  StoreService& store() override { return store_; }
  ActionRegistry& actions() override { return actions_; }
  Problems& problems() override { return problems_; }
  BackgroundJobs& jobs() override { return jobs_; }
  Settings& settings() override { return settings_; }
  EngineProgram& engine() override { return engine_; }
  void show(Place place) override { places.push_back(place); }
  void openRun(const QString& run_id, const QString&) override { opened_runs << run_id; }
  void openComparison(const QStringList& run_ids, const QString&) override { comparisons.push_back(run_ids); }
  void openDraft(const QString& saved_id) override { opened_drafts << saved_id; }
  void newDraft(const QString& name, const QString& text, const QString& from_run = {}) override {
    drafts.emplace_back(name, text);
    draft_origins << from_run;
  }
  void notice(const QString& text, const QString&, std::function<void()> act, int) override {
    notices << text;
    undo = std::move(act);
  }

  std::vector<Place> places;
  QStringList opened_runs, opened_drafts, draft_origins, notices;
  std::vector<QStringList> comparisons;
  std::vector<std::pair<QString, QString>> drafts;  // name, text
  std::function<void()> undo;                       // what the newest notice offers

 private:
  static QString engine_key() { return QString::fromUtf16(EngineProgram::path_setting); }
  Settings settings_;
  StoreService store_;
  ActionRegistry actions_;
  Problems problems_;
  BackgroundJobs jobs_;
  EngineProgram engine_;
};

}  // namespace syncline::ui
