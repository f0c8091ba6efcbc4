// SPDX-License-Identifier: GPL-3.0-or-later
// Tells once that runs have ended or were lost: to a screen reader, to the desktop where the user wants it, and failures to the Problems
// dock. Many at once become one message.
#pragma once

#include <QMap>
#include <QObject>
#include <QStringList>

#include "ui/models/workspace_pulse.h"

class QSystemTrayIcon;

namespace syncline::ui {

class Workbench;

class Announcements : public QObject {
  Q_OBJECT

 public:
  Announcements(Workbench&, QWidget& window);
  ~Announcements() override;
  // Ids to ask the next pulse for.
  QStringList watched() const { return QStringList(states_.keys()); }
  void take(const WorkspacePulse&);

 Q_SIGNALS:
  void announced(const QString& text);  // also what a test sees

 private:
  void tell(const QString& text, bool to_desktop);
  Workbench& workbench_;
  QWidget& window_;
  QMap<QString, QString> states_;  // of the runs that were going at the last pulse
  bool first_ = true;              // what had ended before this window opened is no news
  QSystemTrayIcon* tray_ = nullptr;
};

}  // namespace syncline::ui
