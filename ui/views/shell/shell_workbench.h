// SPDX-License-Identifier: GPL-3.0-or-later
// The window as the pages see it: the services of one workspace, and the way to other pages.
#pragma once

#include "ui/models/background_jobs.h"
#include "ui/models/engine_program.h"
#include "ui/models/problems.h"
#include "ui/widgets/actions.h"
#include "ui/widgets/workbench.h"

namespace syncline::ui {

class PageArea;
class Strips;

class ShellWorkbench : public Workbench {
  Q_OBJECT

 public:
  ShellWorkbench(Settings&, const QString& workspace);
  void attach(PageArea&, Strips&);

  StoreService& store() override { return store_; }
  ActionRegistry& actions() override { return actions_; }
  Problems& problems() override { return problems_; }
  BackgroundJobs& jobs() override { return jobs_; }
  Settings& settings() override { return settings_; }
  EngineProgram& engine() override { return engine_; }

  void show(Place) override;
  void openRun(const QString& run_id, const QString& tab) override;
  void openComparison(const QStringList& run_ids, const QString& saved_id) override;
  void openDraft(const QString& saved_id) override;
  void newDraft(const QString& name, const QString& experiment_text, const QString& from_run = {}) override;
  void notice(const QString& text, const QString& action, std::function<void()> act, int seconds) override;

  // What the newest notice with an Undo offers stays undoable on the page that gave it, also when the notice has gone.
  bool canUndo() const;
  QString undoText() const { return undo_text_; }  // what has been done, as the notice said it
  bool undo();                                     // false: there is nothing to take back on the page that is shown

 Q_SIGNALS:
  void undoChanged();

 private:
  Settings& settings_;
  ActionRegistry actions_;
  Problems problems_;
  StoreService store_;
  BackgroundJobs jobs_;
  EngineProgram engine_;
  PageArea* area_ = nullptr;
  Strips* strips_ = nullptr;
  std::function<void()> undo_;
  QString undo_text_;
  QPointer<QWidget> undo_page_;
};

}  // namespace syncline::ui
