// SPDX-License-Identifier: GPL-3.0-or-later
// What a person may do with the run of a page: stop, checkpoint, resume, duplicate, look again, mark. Each is an action of the registry.
#pragma once

#include <QAction>
#include <QMenu>
#include <QObject>

#include "ui/models/runs_edits.h"
#include "ui/views/run/run_tab.h"

namespace syncline::ui {

class RunActions : public QObject {
  Q_OBJECT

 public:
  RunActions(RunContext, QWidget* page);

  QAction *stop, *stop_after_step, *stop_after_checkpoint, *stop_now, *stop_force;
  QAction *checkpoint, *resume, *duplicate, *check_state, *star, *compare, *compare_with, *mark_stopped, *trace, *compute_only, *tags,
      *note, *open_folder;
  QMenu* stopMenu() const { return stop_menu_; }
  void setStopAnchor(QWidget* button) { stop_anchor_ = button; }
  void update();                                                      // from the data: which are possible, and why not
  QString reasonNotToResume(std::optional<std::int64_t> step) const;  // empty: it is possible
  void resumeFrom(std::optional<std::int64_t> step);                  // of a checkpoint; none: the newest

 Q_SIGNALS:
  void problem(const QString& cause, const QString& text);  // an action that the person asked for did not work

 private:
  void ask(const std::string& kind, const QString& what);
  void popUpStopMenu();
  void launch(const QStringList& arguments, const QString& what);
  void launchComputeOnly();
  void checkState();
  void compareWith();
  void editTags();
  void editNote();
  void markStopped();
  RunRowPtr row() const;  // with all attempts; only when the run is known
  RunContext context_;
  QWidget* page_;
  RunsEdits edits_;
  QMenu* stop_menu_;
  QPointer<QWidget> stop_anchor_;
  bool launching_ = false;
};

}  // namespace syncline::ui
