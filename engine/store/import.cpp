// SPDX-License-Identifier: Apache-2.0
#include "engine/store/import.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <string>
#include <system_error>

#include "engine/store/run_rows.h"
#include "engine/store/schema.h"

namespace syncline {
namespace {

// Name and definition of every table and index: what the program makes itself, and what a foreign file holds.
std::map<std::string, std::string> definitions(Database& database) {
  Statement select = database.prepare("SELECT type || ' ' || name, coalesce(sql, '') FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%'");
  std::map<std::string, std::string> all;
  while (select.step()) all.emplace(select.text(0), select.text(1));
  return all;
}

// Nothing of a foreign file is used before it is known to be what we write: views, triggers or other columns could make it answer anything.
void check_source(Database& source, const std::filesystem::path& path) {
  if (source.integer("PRAGMA application_id") != workspace_application_id) {
    throw WorkspaceError(
        fmt::format("{}: this file is not a Syncline workspace; import takes a workspace.db or a <run id>.db", path.string()));
  }
  const std::int64_t version = source.integer("PRAGMA user_version");
  if (version > schema_version) {
    throw WorkspaceError(
        fmt::format("{}: this workspace was made by a newer version of Syncline (format {}, this one reads {}); update to import it",
                    path.string(), version, schema_version));
  }
  if (const std::string damage = damage_of(path); !damage.empty()) {
    throw WorkspaceError(fmt::format("{}: this workspace is damaged ({}); import an intact copy", path.string(), damage));
  }
  Database fresh(":memory:", Database::Mode::write);
  migrate(fresh);
  if (definitions(source) != definitions(fresh)) {
    throw WorkspaceError(
        fmt::format("{}: the tables of this workspace are not those of format {}; import an intact copy", path.string(), version));
  }
}

constexpr std::string_view copied_columns =
    "id, name, kind, attempt_of, attempt, resumed_from, group_key, baseline_key, experiment_as_typed, experiment, state, reason, "
    "created_at, "
    "started_at, ended_at, exit_code, host, boot_id, supervisor_pid, supervisor_start_ticks, rank0_host, rank0_boot_id, rank0_pid, "
    "rank0_start_ticks, version, seed, workers, servers, threads_per_worker, device, backend, model, dataset, strategy, plan, emulated, "
    "tracing, target_accuracy, command, launch_command";

void copy_columns(const Statement& from, int count, Statement& to) {
  for (int column = 0; column < count; ++column) {
    const int parameter = column + 1;
    switch (from.type(column)) {
      case Statement::Type::null:
        to.bind(parameter, nullptr);
        break;
      case Statement::Type::integer:
        to.bind(parameter, from.integer(column));
        break;
      case Statement::Type::real:
        to.bind(parameter, from.real(column));
        break;
      case Statement::Type::text:
        to.bind(parameter, from.text(column));
        break;
      case Statement::Type::blob:
        throw WorkspaceError("a row of the imported workspace holds what it cannot hold; import an intact copy");
    }
  }
}

class RunImport {
 public:
  RunImport(Database& source, Database& target, std::int64_t source_key, std::string id)
      : source_(source), target_(target), source_key_(source_key), id_(std::move(id)) {}

  // Adds what is missing; the number of records, or -1 when there was nothing to do.
  std::int64_t merge(bool& added) {
    const std::int64_t source_sequence = number("SELECT sequence FROM progress WHERE run = ?");
    added = !find_target();
    if (added) insert_run();
    RunRows rows(target_, target_key_);
    const std::int64_t have = rows.stored_sequence();
    if (source_sequence < have) return -1;  // an older copy of what is here
    const bool refreshed = added || update_run();
    if (source_sequence == have) return refreshed ? 0 : -1;
    std::int64_t records = series(rows, have) + steps(rows, have) + traces(rows, have) + others(rows, have);
    rows.finish_batch(source_sequence, number("SELECT dropped FROM progress WHERE run = ?"));
    copy_small_tables();
    return records;
  }

 private:
  std::int64_t number(std::string_view sql) {
    Statement select = source_.prepare(sql);
    select.bind_all(source_key_);
    return select.step() ? select.integer(0) : 0;
  }

  bool find_target() {
    Statement select = target_.prepare("SELECT key FROM run WHERE id = ?");
    select.bind_all(id_);
    if (!select.step()) return false;
    target_key_ = select.integer(0);
    return true;
  }

  int column_count() const { return static_cast<int>(1 + std::count(copied_columns.begin(), copied_columns.end(), ',')); }

  void insert_run() {
    Statement select = source_.prepare(fmt::format("SELECT {} FROM run WHERE key = ?", copied_columns));
    select.bind_all(source_key_);
    select.step();
    std::string marks;
    for (int i = 0; i < column_count(); ++i) marks += "?, ";
    Statement insert = target_.prepare(fmt::format("INSERT INTO run ({}, palette) VALUES ({}?)", copied_columns, marks));
    copy_columns(select, column_count(), insert);
    // Colours are given out per workspace: the group's, or the next one here.
    Statement palette = target_.prepare(
        "SELECT coalesce((SELECT palette FROM run WHERE group_key = ? ORDER BY key LIMIT 1), (SELECT max(palette) + 1 FROM run), 0)");
    palette.bind_all(select.text(6));
    palette.step();
    insert.bind(column_count() + 1, palette.integer(0));
    insert.run();
    target_key_ = target_.last_row_id();
  }

  // The owner's columns follow the source unless this side knows the end already. True when something changed.
  bool update_run() {
    Statement select = source_.prepare("SELECT state, reason, started_at, ended_at, exit_code, device, backend FROM run WHERE key = ?");
    select.bind_all(source_key_);
    select.step();
    Statement update = target_.prepare(
        "UPDATE run SET state = ?1, reason = ?2, started_at = ?3, ended_at = ?4, exit_code = ?5, device = ?6, backend = ?7 "
        "WHERE key = ?8 AND state IN ('queued', 'running') AND (state, reason, started_at, device, backend) IS NOT (?1, ?2, ?3, ?6, ?7)");
    copy_columns(select, 7, update);
    update.bind(8, target_key_);
    update.run();
    return target_.changes() > 0;
  }

  std::int64_t series(RunRows& rows, std::int64_t after) {
    struct Source {
      std::int64_t key;
      std::string name, unit;
      int rank;
    };
    std::vector<Source> all;
    Statement list = source_.prepare("SELECT key, name, unit, rank FROM series WHERE run = ? ORDER BY key");
    list.bind_all(source_key_);
    while (list.step()) all.push_back({list.integer(0), list.text(1), list.text(2), static_cast<int>(list.integer(3))});
    std::int64_t records = 0;
    Statement chunks = source_.prepare("SELECT data, count FROM chunk WHERE series = ? AND last_sequence > ? ORDER BY first_n");
    Statement points = source_.prepare(fmt::format("SELECT {} FROM point WHERE series = ? AND sequence > ? ORDER BY n", point_columns));
    for (const Source& one : all) {
      rows.series().set_unit(one.name, one.unit);
      chunks.bind_all(one.key, after);
      while (chunks.step()) {
        for (const Point& point : decode_points(chunks.blob(0), chunks.integer(1))) {
          if (point.sequence <= after) continue;
          rows.series().append(one.name, one.rank, point);
          ++records;
        }
      }
      chunks.reset();
      points.bind_all(one.key, after);
      for (; points.step(); ++records) rows.series().append(one.name, one.rank, read_point(points, 0));
      points.reset();
    }
    return records;
  }

  std::int64_t steps(RunRows& rows, std::int64_t after) {
    std::vector<std::pair<std::int64_t, int>> lanes;
    Statement list = source_.prepare("SELECT key, rank FROM step_lane WHERE run = ? ORDER BY rank");
    list.bind_all(source_key_);
    while (list.step()) lanes.emplace_back(list.integer(0), static_cast<int>(list.integer(1)));
    std::int64_t records = 0;
    Statement chunks = source_.prepare("SELECT data, count FROM step_chunk WHERE lane = ? AND last_sequence > ? ORDER BY first_n");
    Statement single = source_.prepare("SELECT data FROM step WHERE lane = ? AND sequence > ? ORDER BY n");
    for (const auto& [key, rank] : lanes) {
      chunks.bind_all(key, after);
      while (chunks.step()) {
        for (const StepRow& row : decode_steps(chunks.blob(0), chunks.integer(1), rank)) {
          if (row.sequence <= after) continue;
          rows.steps().append(row);
          ++records;
        }
      }
      chunks.reset();
      single.bind_all(key, after);
      for (; single.step(); ++records) rows.steps().append(decode_step(single.blob(0), rank));
      single.reset();
    }
    return records;
  }

  std::int64_t traces(RunRows& rows, std::int64_t after) {
    Statement select = source_.prepare(
        "SELECT sequence, data FROM trace JOIN trace_data ON trace_data.trace = trace.key WHERE run = ? AND sequence > ? ORDER BY "
        "sequence");
    select.bind_all(source_key_, after);
    std::int64_t records = 0;
    for (; select.step(); ++records) rows.trace(select.integer(0), decode_trace(select.blob(1)));
    return records;
  }

  std::int64_t others(RunRows& rows, std::int64_t after) {
    std::int64_t records = 0;
    Statement events = source_.prepare(
        "SELECT sequence, wall_s, active_s, step, rank, kind, text FROM event WHERE run = ? AND sequence > ? ORDER BY sequence");
    events.bind_all(source_key_, after);
    for (; events.step(); ++records) {
      rows.event({events.integer(0), events.real(1), events.real(2), events.integer(3), static_cast<int>(events.integer(4)), events.text(5),
                  events.text(6)});
    }
    Statement checkpoints = source_.prepare(
        "SELECT sequence, step, wall_s, path, bytes, verified FROM checkpoint WHERE run = ? AND sequence > ? ORDER BY sequence");
    checkpoints.bind_all(source_key_, after);
    for (; checkpoints.step(); ++records) {
      rows.checkpoint({checkpoints.integer(0), checkpoints.integer(1), checkpoints.real(2), checkpoints.text(3), checkpoints.integer(4),
                       checkpoints.integer(5) != 0});
    }
    Statement clocks =
        source_.prepare("SELECT sequence, rank, offset_s, bound_s, at_s FROM clock WHERE run = ? AND sequence > ? ORDER BY sequence");
    clocks.bind_all(source_key_, after);
    for (; clocks.step(); ++records) {
      rows.clock({clocks.integer(0), static_cast<int>(clocks.integer(1)), {clocks.real(2), clocks.real(3), clocks.real(4)}});
    }
    Statement documents = source_.prepare("SELECT sequence, name, text FROM document WHERE run = ? AND sequence > ? ORDER BY sequence");
    documents.bind_all(source_key_, after);
    for (; documents.step(); ++records) rows.document(documents.integer(0), documents.text(1), documents.text(2));
    return records;
  }

  void copy_small_tables() {
    Statement variables = source_.prepare("SELECT name, value FROM environment WHERE run = ?");
    variables.bind_all(source_key_);
    Statement insert = target_.prepare("INSERT OR IGNORE INTO environment (run, name, value) VALUES (?, ?, ?)");
    while (variables.step()) insert.bind_all(target_key_, variables.text(0), variables.text(1)).run();
    Statement beat = source_.prepare("SELECT supervisor_at, rank0_at, beats, step FROM heartbeat WHERE run = ?");
    beat.bind_all(source_key_);
    if (!beat.step()) return;
    Statement update =
        target_.prepare("INSERT OR REPLACE INTO heartbeat (supervisor_at, rank0_at, beats, step, run) VALUES (?, ?, ?, ?, ?)");
    copy_columns(beat, 4, update);
    update.bind(5, target_key_);
    update.run();
  }

  Database& source_;
  Database& target_;
  std::int64_t source_key_, target_key_ = 0;
  std::string id_;
};

// Annotations travel only to runs that have none here: what the user wrote on this side is never touched.
void copy_annotations(Database& source, Database& target, const std::string& id) {
  Statement annotated =
      target.prepare("SELECT EXISTS (SELECT 1 FROM annotation WHERE run_id = ?1) OR EXISTS (SELECT 1 FROM tag WHERE run_id = ?1)");
  annotated.bind_all(id);
  if (annotated.step() && annotated.integer(0) != 0) return;
  Statement select = source.prepare("SELECT run_id, name, notes, colour, starred, locked, trashed_at FROM annotation WHERE run_id = ?");
  select.bind_all(id);
  if (select.step()) {
    Statement insert =
        target.prepare("INSERT INTO annotation (run_id, name, notes, colour, starred, locked, trashed_at) VALUES (?, ?, ?, ?, ?, ?, ?)");
    copy_columns(select, 7, insert);
    insert.run();
  }
  Statement tags = source.prepare("SELECT tag FROM tag WHERE run_id = ?");
  tags.bind_all(id);
  Statement insert_tag = target.prepare("INSERT INTO tag (run_id, tag) VALUES (?, ?)");
  while (tags.step()) insert_tag.bind_all(id, tags.text(0)).run();
}

bool is_run_id(const std::string& id) { return id.size() == 36 && id.find_first_not_of("0123456789abcdef-") == std::string::npos; }

// Best effort: rows without files are worth more than no import.
void copy_files(const std::filesystem::path& from, const std::filesystem::path& to) {
  std::error_code ignored;
  if (!std::filesystem::is_directory(from, ignored) || std::filesystem::equivalent(from, to, ignored)) return;
  std::filesystem::copy(from, to,
                        std::filesystem::copy_options::recursive | std::filesystem::copy_options::skip_existing |
                            std::filesystem::copy_options::skip_symlinks,
                        ignored);
}

}  // namespace

ImportResult import_workspace(const std::filesystem::path& path, const Workspace& into) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) {
    throw WorkspaceError(fmt::format("{}: there is no such file to import", path.string()));
  }
  if (std::filesystem::equivalent(path, into.path(), ignored)) {
    throw WorkspaceError(fmt::format("{}: a workspace cannot be imported into itself", path.string()));
  }
  Database source(path, Database::Mode::read);
  source.execute("PRAGMA trusted_schema=OFF; PRAGMA cell_size_check=ON; PRAGMA mmap_size=0");
  check_source(source, path);
  const Transaction snapshot(source, Transaction::Kind::snapshot);
  Database target = into.connect();
  Transaction transaction(target);
  ImportResult result;
  std::vector<std::string> ids;
  Statement runs = source.prepare("SELECT key, id FROM run ORDER BY created_at, key");
  while (runs.step()) {
    const std::string id = runs.text(1);
    if (!is_run_id(id)) throw WorkspaceError(fmt::format("{}: a run has an id that is none; import an intact copy", path.string()));
    bool added = false;
    const std::int64_t records = RunImport(source, target, runs.integer(0), id).merge(added);
    copy_annotations(source, target, id);
    (added ? result.runs_added : records >= 0 ? result.runs_extended : result.runs_unchanged) += 1;
    result.records += std::max<std::int64_t>(0, records);
    ids.push_back(id);
  }
  transaction.commit();
  const std::filesystem::path folders = path.parent_path() / (path.stem().string() + ".runs");
  for (const std::string& id : ids) copy_files(folders / id, into.make_run_folder(id));
  return result;
}

}  // namespace syncline
