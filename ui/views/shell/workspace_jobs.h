// SPDX-License-Identifier: GPL-3.0-or-later
// What is done with a whole workspace: choosing another one, merging runs of another one into it, looking for damage.
#pragma once

#include <QObject>
#include <QStringList>

namespace syncline::ui {

class Settings;
class Strips;
class Workbench;

QStringList recent_workspaces(const Settings&);
void remember_workspace(Settings&, const QString& path);

class WorkspaceJobs : public QObject {
  Q_OBJECT

 public:
  WorkspaceJobs(Workbench&, Strips&, QWidget& window);
  void chooseAndImport();
  void importFrom(const QString& database);  // through `syncline-engine import`, as a background job
  void verify();                             // looks for damage on a thread of its own; the report opens when it ends
  // Starts an experiment on this computer, on its own, and opens its page (`--start`).
  void start(const QString& experiment_file);

 private:
  Workbench& workbench_;
  Strips& strips_;
  QWidget& window_;
};

}  // namespace syncline::ui
