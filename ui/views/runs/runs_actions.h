// SPDX-License-Identifier: GPL-3.0-or-later
// What can be done with the selected runs, as actions with ids. Where one cannot be done its tooltip says why.
#pragma once

#include <QAction>
#include <QObject>
#include <QPointer>

#include "ui/dialogs/annotation_dialogs.h"
#include "ui/models/runs_edits.h"
#include "ui/models/runs_model.h"
#include "ui/views/runs/runs_dialogs.h"
#include "ui/views/runs/runs_table.h"
#include "ui/widgets/workbench.h"

namespace syncline::ui {

class RunsActions : public QObject {
  Q_OBJECT

 public:
  RunsActions(Workbench&, RunsModel&, RunsTable&, QWidget* page);
  void fillMenu(QMenu&) const;
  void update();
  void openCurrent();
  void checkState();
  void star(const std::vector<RunRowPtr>&, bool);
  void launch(const QStringList& arguments, const QString& what);

 private:
  using Rows = std::vector<RunRowPtr>;
  QAction* add(QWidget* owner, const char* id, const QString& text, const QString& help, const QList<QKeySequence>& keys,
               const QString& icon, void (RunsActions::*act)(const Rows&));
  void addRunActions(QWidget* page);
  void addTableActions(RunsTable&);
  void open(const Rows&);
  void addToComparison(const Rows&);
  void newComparison(const Rows&);
  void duplicate(const Rows&);
  void toggleStar(const Rows&);
  void tag(const Rows&);
  void note(const Rows&);
  void rename(const Rows&);
  void trash(const Rows&);
  void archive(const Rows&);
  void lock(const Rows&);
  void stop(const Rows&);
  void checkpoint(const Rows&);
  void resume(const Rows&);
  void markStopped(const Rows&);
  void check(const Rows&);
  void showTrash(const Rows&);
  void copyTable(const Rows&);
  void showFiles(const Rows&);
  void tryAgain(const Rows&);
  void setTrashed(const Rows&, bool);
  RunsEdits::Done reread();
  QStringList namesOf(const Rows&) const;

  Workbench& workbench_;
  RunsModel& model_;
  RunsTable& table_;
  QWidget* page_;
  RunsEdits edits_;
  QMap<QString, QAction*> actions_;
  QList<QAction*> menu_;  // null: a separator
  QStringList tray_;      // runs chosen for a comparison that has only one yet
  QPointer<TrashDialog> trash_;
};

}  // namespace syncline::ui
