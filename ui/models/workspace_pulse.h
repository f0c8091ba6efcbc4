// SPDX-License-Identifier: GPL-3.0-or-later
// What the frame of the window shows of a workspace: how many runs in which state, how old the newest data is, and which runs have just
// ended. Cheap: rows of runs that ended long ago are only counted.
#pragma once

#include <QMap>
#include <QString>
#include <QStringList>
#include <optional>
#include <vector>

#include "engine/store/reader.h"

namespace syncline::ui {

struct RunBeat {
  QString id, name, state, reason;  // state: concluded from evidence
};

struct WorkspacePulse {
  QMap<QString, int> states;       // of runs that are not in the trash; measured ones
  int runs = 0, drafts = 0;        // what the Runs page shows: attempts are one run; the trash and the archive do not count
  std::vector<RunBeat> active;     // stored as queued or running, whatever was concluded
  std::vector<RunBeat> ended;      // of the ids asked for: those that have an exit record now
  std::optional<double> newest_s;  // UTC seconds: newest sign of life of any run
};

WorkspacePulse pulse_of(Reader&, const QStringList& formerly_active);

// "2 running, 1 queued"; "no run is active" where there is none.
QString activity_text(const WorkspacePulse&);

}  // namespace syncline::ui
