// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include "engine/experiment/experiment.h"
#include "engine/metrics/clock.h"
#include "engine/store/registry.h"
#include "engine/store/run_rows.h"

namespace syncline {
namespace {

// One column of a run's annotation row, which is made when it is not there yet.
template <typename Value>
void set_annotation(Database& database, std::string_view run_id, std::string_view column, const Value& value) {
  Transaction transaction(database);
  run_key_of(database, run_id);
  Statement insert = database.prepare("INSERT OR IGNORE INTO annotation (run_id) VALUES (?)");
  insert.bind_all(run_id).run();
  Statement update = database.prepare(fmt::format("UPDATE annotation SET {} = ?2 WHERE run_id = ?1", column));
  update.bind_all(run_id, value).run();
  transaction.commit();
}

}  // namespace

Annotations::Annotations(const Workspace& workspace) : database_(workspace.connect()) {}

void Annotations::rename(std::string_view run_id, std::string_view name) {
  if (const std::string problem = problem_with_name(name); !name.empty() && !problem.empty())
    throw ConfigError("the name of a run " + problem);
  set_annotation(database_, run_id, "name", name.empty() ? std::nullopt : std::optional(name));
}
void Annotations::set_notes(std::string_view run_id, std::string_view text) { set_annotation(database_, run_id, "notes", text); }
void Annotations::set_colour(std::string_view run_id, std::string_view colour) { set_annotation(database_, run_id, "colour", colour); }
void Annotations::set_starred(std::string_view run_id, bool starred) { set_annotation(database_, run_id, "starred", starred ? 1 : 0); }
void Annotations::set_locked(std::string_view run_id, bool locked) { set_annotation(database_, run_id, "locked", locked ? 1 : 0); }
void Annotations::set_trashed(std::string_view run_id, bool trashed) {
  set_annotation(database_, run_id, "trashed_at", trashed ? std::optional(utc_s()) : std::nullopt);
}

void Annotations::add_tag(std::string_view run_id, std::string_view tag) {
  if (const std::string problem = problem_with_name(tag); tag != "last" && !problem.empty()) throw ConfigError("a tag " + problem);
  Transaction transaction(database_);
  run_key_of(database_, run_id);
  Statement insert = database_.prepare("INSERT OR IGNORE INTO tag (run_id, tag) VALUES (?, ?)");
  insert.bind_all(run_id, tag).run();
  transaction.commit();
}

void Annotations::remove_tag(std::string_view run_id, std::string_view tag) {
  Statement remove = database_.prepare("DELETE FROM tag WHERE run_id = ? AND tag = ?");
  remove.bind_all(run_id, tag).run();
}

}  // namespace syncline
