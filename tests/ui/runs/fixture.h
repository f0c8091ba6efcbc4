// SPDX-License-Identifier: GPL-3.0-or-later
// A workbench without a window: real store, actions and settings; what pages ask of the window is written down.
#pragma once

#include <gtest/gtest.h>

#include "tests/ui/runs/stored_runs.h"
#include "ui/models/background_jobs.h"
#include "ui/models/engine_program.h"
#include "ui/models/problems.h"
#include "ui/widgets/actions.h"
#include "ui/widgets/workbench.h"

namespace syncline::ui {

class RecordingWorkbench : public Workbench {
 public:
  explicit RecordingWorkbench(const QString& database) : store_(database), engine_(settings_, database) {}
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
  void newDraft(const QString& name, const QString& text) override { drafts.push_back({name, text}); }
  void notice(const QString& text, const QString&, std::function<void()> act, int) override {
    notices << text;
    undo = std::move(act);
  }

  std::vector<Place> places;
  QStringList opened_runs, opened_drafts, notices;
  std::vector<QStringList> comparisons;
  std::vector<std::pair<QString, QString>> drafts;
  std::function<void()> undo;

 private:
  Settings settings_;
  StoreService store_;
  ActionRegistry actions_;
  Problems problems_;
  BackgroundJobs jobs_;
  EngineProgram engine_;
};

class PageTest : public StoredRunsTest {};

}  // namespace syncline::ui
