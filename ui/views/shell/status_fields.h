// SPDX-License-Identifier: GPL-3.0-or-later
// The status bar: workspace, counts by state, age of the newest data, time zone, problems. Each field is a button that opens the thing it
// describes.
#pragma once

#include <QObject>
#include <QStatusBar>
#include <optional>

#include "ui/models/workspace_pulse.h"

class QToolButton;

namespace syncline::ui {

class StatusFields : public QObject {
  Q_OBJECT

 public:
  explicit StatusFields(QStatusBar&, QObject* parent = nullptr);
  void setWorkspace(const QString& path, const QString& note);  // note: "read-only"; may be empty
  void setPulse(const WorkspacePulse&);
  void setClosed();                     // the workspace could not be opened
  void setZone(const QString& choice);  // local | utc
  void setProblems(int unresolved);
  void setJobs(int running);
  void updateAge();
  QToolButton* first() const { return workspace_; }

 Q_SIGNALS:
  void workspaceClicked();
  void activityClicked();
  void ageClicked();
  void zoneClicked();
  void problemsClicked();
  void jobsClicked();

 private:
  QToolButton* field(QStatusBar&, const QString& name, const QString& help, bool right, void (StatusFields::*clicked)());
  QToolButton *workspace_, *activity_, *age_, *jobs_, *zone_, *problems_;
  WorkspacePulse pulse_;
};

// "data 0.4 s old", "last data 2 d ago", "no data yet".
QString age_text(const WorkspacePulse&, double now_utc_s);
QString zone_text(const QString& choice);

}  // namespace syncline::ui
