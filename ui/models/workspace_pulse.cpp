// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/workspace_pulse.h"

#include <QCoreApplication>
#include <algorithm>

#include "ui/models/format.h"
#include "ui/models/runs_rows.h"

namespace syncline::ui {

namespace {

struct Texts {
  Q_DECLARE_TR_FUNCTIONS(WorkspacePulse)
};

// A run is in the state of its newest attempt: one that was lost and went on is not lost any more.
constexpr std::string_view newest_attempts =
    "WITH newest AS (SELECT run.id AS id, run.key AS key, state, max(attempt) FROM run LEFT JOIN annotation ON annotation.run_id = run.id "
    "WHERE trashed_at IS NULL GROUP BY coalesce(attempt_of, run.id)) ";

RunBeat beat_of(const RunInfo& run) {
  return {QString::fromStdString(run.id), QString::fromStdString(run.name), QString::fromStdString(run.state),
          QString::fromStdString(run.reason)};
}

}  // namespace

WorkspacePulse pulse_of(Reader& reader, const QStringList& formerly_active) {
  WorkspacePulse pulse;
  Database& database = reader.database();
  {
    Statement counts = database.prepare(std::string(newest_attempts) +
                                        "SELECT state, count(*) FROM newest WHERE state NOT IN ('queued', 'running') GROUP BY state");
    while (counts.step()) {
      pulse.states[QString::fromStdString(counts.text(0))] = static_cast<int>(counts.integer(1));
    }
  }
  {
    // As the Runs page counts them: attempts are one run, and one that is archived is put away.
    Statement count = database.prepare(
        "WITH kept AS (SELECT run.id AS id, coalesce(attempt_of, run.id) AS first FROM run LEFT JOIN annotation ON annotation.run_id = "
        "run.id "
        "WHERE trashed_at IS NULL) SELECT count(DISTINCT first) FROM kept WHERE first NOT IN "
        "(SELECT first FROM kept JOIN tag ON tag.run_id = kept.id WHERE tag.tag = ?)");
    count.bind_all(archived_tag);
    if (count.step()) pulse.runs = static_cast<int>(count.integer(0));
  }
  std::vector<std::string> going;
  {
    Statement select =
        database.prepare(std::string(newest_attempts) + "SELECT id FROM newest WHERE state IN ('queued', 'running') ORDER BY key");
    while (select.step()) going.push_back(select.text(0));
  }
  for (const std::string& id : going) {
    const RunBeat beat = beat_of(reader.run(id));
    ++pulse.states[beat.state];
    pulse.active.push_back(beat);
  }
  for (const QString& id : formerly_active) {
    const std::string text = id.toStdString();
    if (std::find(going.begin(), going.end(), text) != going.end()) continue;
    try {
      pulse.ended.push_back(beat_of(reader.run(text)));
    } catch (const WorkspaceError&) {  // deleted meanwhile
    }
  }
  pulse.drafts = static_cast<int>(database.integer("SELECT count(*) FROM saved WHERE kind = 'draft'"));
  Statement newest = database.prepare("SELECT max(max(coalesce(supervisor_at, 0), coalesce(rank0_at, 0))) FROM heartbeat");
  if (newest.step()) {
    const std::optional<double> at = newest.optional_real(0);
    if (at && *at > 0) pulse.newest_s = at;
  }
  return pulse;
}

QString activity_text(const WorkspacePulse& pulse) {
  // In the order in which a person wants to know; states that ask for nothing are left out.
  const std::pair<const char*, QString> shown[] = {{"running", Texts::tr("%1 running")},
                                                   {"stopping", Texts::tr("%1 stopping")},
                                                   {"queued", Texts::tr("%1 queued")},
                                                   {"unknown", Texts::tr("%1 unknown")},
                                                   {"lost", Texts::tr("%1 lost")}};
  QStringList parts;
  for (const auto& [state, text] : shown) {
    if (const int count = pulse.states.value(QString::fromLatin1(state)); count > 0) parts << text.arg(format::count(count));
  }
  return parts.isEmpty() ? Texts::tr("no run is active") : parts.join(QStringLiteral(", "));
}

}  // namespace syncline::ui
