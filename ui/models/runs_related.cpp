// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/runs_related.h"

#include <QCoreApplication>

#include "ui/models/lineage.h"

namespace syncline::ui {

namespace {

// The name that a person gave, else the experiment's.
constexpr char select_run[] =
    "SELECT run.id, coalesce(nullif(annotation.name, ''), run.name) FROM run LEFT JOIN annotation ON annotation.run_id = run.id ";

}  // namespace

std::vector<RelatedRun> read_related(Reader& reader, const RunRow& row, int most) {
  std::vector<RelatedRun> related;
  const std::string& first = row.attempts.front();
  const auto take = [&](RelatedRun::Kind kind, const std::string& condition, const auto&... values) {
    Statement select = reader.database().prepare(std::string(select_run) + condition);
    select.bind_all(values...);
    while (select.step()) {
      const std::string id = select.text(0);
      if (std::find(row.attempts.begin(), row.attempts.end(), id) != row.attempts.end()) continue;
      related.push_back({kind, QString::fromStdString(id), QString::fromStdString(select.text(1))});
    }
  };
  // Of the first attempt: later ones go on with the run itself.
  take(RelatedRun::resumed_from, "WHERE run.id = (SELECT resumed_from FROM run WHERE id = ?1)", first);
  for (const std::string& attempt : row.attempts)
    take(RelatedRun::resumed_by, "WHERE run.resumed_from = ?1 AND run.attempt_of IS NULL ORDER BY run.created_at", attempt);
  if (const auto origin = origin_of(reader.database(), first)) take(RelatedRun::cloned_from, "WHERE run.id = ?1", *origin);
  for (const std::string& attempt : row.attempts) {
    take(RelatedRun::cloned_by, "JOIN saved ON saved.name = run.id WHERE saved.kind = ?1 AND saved.content = ?2 ORDER BY run.created_at",
         std::string(run_origin_kind), attempt);
  }
  const RunInfo& run = row.info;
  if (!run.baseline_key.empty() && run.strategy != "none")
    take(RelatedRun::compute_only,
         "WHERE run.baseline_key = ?1 AND run.strategy = 'none' AND run.kind = ?2 ORDER BY run.created_at DESC LIMIT 1", run.baseline_key,
         run.kind);
  take(RelatedRun::same_experiment,
       "WHERE run.group_key = ?1 AND run.kind = ?2 AND run.attempt_of IS NULL AND run.id <> ?3 ORDER BY run.created_at DESC LIMIT ?4",
       run.group_key, run.kind, first, static_cast<std::int64_t>(most));
  return related;
}

QString text_of(RelatedRun::Kind kind) {
  const auto say = [](const char* text) { return QCoreApplication::translate("Runs", text); };
  switch (kind) {
    case RelatedRun::resumed_from:
      return say("resumed from");
    case RelatedRun::resumed_by:
      return say("resumed by");
    case RelatedRun::cloned_from:
      return say("cloned from");
    case RelatedRun::cloned_by:
      return say("cloned by");
    case RelatedRun::compute_only:
      return say("compute only");
    case RelatedRun::same_experiment:
      break;
  }
  return say("same experiment");
}

}  // namespace syncline::ui
