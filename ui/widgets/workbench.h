// SPDX-License-Identifier: GPL-3.0-or-later
// What a page may use of the window, and the page itself. A page never knows another page: it asks the workbench to open one.
#pragma once

#include <QPointer>
#include <QString>
#include <QStringList>
#include <QWidget>
#include <functional>

#include "ui/models/store_service.h"

namespace syncline::ui {

class ActionRegistry;
class BackgroundJobs;  // ui/models/background_jobs.h
class Problems;        // ui/models/problems.h
class Settings;        // ui/models/settings.h
class EngineProgram;   // ui/models/engine_program.h: finds and runs syncline-engine

// The places of the navigation, by the names that `--page` takes.
enum class Place { runs, drafts, recipes, plugins };

class Workbench : public QObject {
  Q_OBJECT

 public:
  using QObject::QObject;
  virtual StoreService& store() = 0;
  virtual ActionRegistry& actions() = 0;
  virtual Problems& problems() = 0;
  virtual BackgroundJobs& jobs() = 0;
  virtual Settings& settings() = 0;
  virtual EngineProgram& engine() = 0;

  virtual void show(Place) = 0;
  virtual void openRun(const QString& run_id, const QString& tab = {}) = 0;
  virtual void openComparison(const QStringList& run_ids, const QString& saved_id = {}) = 0;
  // A draft: a saved one by id, or a new one from a text. Returns nothing: the page opens when it can.
  virtual void openDraft(const QString& saved_id) = 0;
  // `from_run`: the run that it is a copy of; empty: none.
  virtual void newDraft(const QString& name, const QString& experiment_text, const QString& from_run = {}) = 0;
  // A strip at the top of the current page for `seconds` with an optional action ("Moved 3 runs to trash — Undo").
  virtual void notice(const QString& text, const QString& action = {}, std::function<void()> act = {}, int seconds = 20) = 0;
};

// One entry of "Open", or a place. The window owns it.
class Page : public QWidget {
  Q_OBJECT

 public:
  Page(Workbench& workbench, QWidget* parent = nullptr) : QWidget(parent), workbench_(workbench) {}
  virtual QString title() const = 0;
  virtual QString iconName() const { return {}; }
  virtual bool unsaved() const { return false; }
  // All data of what is visible has been shown once: `--screenshot` waits for it.
  virtual bool loaded() const = 0;
  // Before it closes; false keeps it open (the person chose so in a dialog of the page).
  virtual bool mayClose() { return true; }
  // The tab of a page with tabs ("communication"); ignored by others.
  virtual void showTab(const QString&) {}
  // What restores it at the next start ("run:ID:timeline"); empty: not restored.
  virtual QString restoreKey() const { return {}; }

 Q_SIGNALS:
  void titleChanged();
  void loadedChanged();

 protected:
  Workbench& workbench() const { return workbench_; }

 private:
  Workbench& workbench_;
};

// Made by the views, called by the window.
Page* make_runs_page(Workbench&);
Page* make_drafts_page(Workbench&);
Page* make_recipes_page(Workbench&);
Page* make_plugins_page(Workbench&);
Page* make_run_page(Workbench&, const QString& run_id, const QString& tab);
Page* make_compare_page(Workbench&, const QStringList& run_ids, const QString& saved_id);
Page* make_editor_page(Workbench&, const QString& saved_id, const QString& name, const QString& experiment_text, const QString& from_run);

}  // namespace syncline::ui
