// SPDX-License-Identifier: Apache-2.0
#include "engine/store/registry.h"

#include <fmt/core.h>
#include <sqlite3.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <system_error>

#include "engine/experiment/experiment.h"
#include "engine/metrics/clock.h"
#include "engine/store/private_files.h"
#include "engine/store/reader.h"
#include "engine/store/run_rows.h"
#include "engine/store/summary.h"

namespace syncline {
namespace {

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

// Runs of one group have one colour: the group's, or the next free index.
std::int64_t palette_index(Database& database, std::string_view group_key) {
  Statement same = database.prepare("SELECT palette FROM run WHERE group_key = ? ORDER BY key LIMIT 1");
  same.bind_all(group_key);
  if (same.step()) return same.integer(0);
  return database.integer("SELECT coalesce(max(palette) + 1, 0) FROM run");
}

std::int64_t attempt_number(Database& database, const std::string& first) {
  if (first.empty()) return 1;
  Statement count = database.prepare("SELECT 2 + count(*) FROM run WHERE attempt_of = ?");
  count.bind_all(first);
  count.step();
  return count.integer(0);
}

std::optional<std::string> or_null(const std::string& text) { return text.empty() ? std::nullopt : std::optional(text); }

void bind_process(Statement& statement, int parameter, const ProcessIdentity& process) {
  if (process.known()) {
    statement.bind(parameter, process.pid).bind(parameter + 1, process.start_ticks);
  } else {
    statement.bind(parameter, nullptr).bind(parameter + 1, nullptr);
  }
}

}  // namespace

RunRegistry::RunRegistry(const Workspace& workspace) : workspace_(workspace), database_(workspace.connect()) {}

std::string RunRegistry::create(const NewRun& run) {
  const std::string id = run.id.empty() ? make_run_id() : run.id;
  const std::string baseline = baseline_key(run.experiment);
  // The folder first: a run row without a folder would promise files that are not there.
  const std::filesystem::path folder = workspace_.make_run_folder(id);
  write_private_file(folder / "experiment.toml", run.experiment_as_typed);
  Transaction transaction(database_);
  Statement insert = database_.prepare(
      "INSERT INTO run (id, name, kind, attempt_of, attempt, resumed_from, group_key, baseline_key, experiment_as_typed, experiment, "
      "state, "
      "created_at, started_at, host, boot_id, version, seed, workers, servers, threads_per_worker, device, backend, model, dataset, "
      "strategy, "
      "plan, emulated, tracing, target_accuracy, command, palette, supervisor_pid, supervisor_start_ticks, rank0_host, rank0_boot_id, "
      "rank0_pid, rank0_start_ticks) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)");
  const double now = utc_s();
  std::optional<double> started;
  if (run.state == "running") started = now;
  const ProcessIdentity& owner = run.supervisor.known() ? run.supervisor : run.rank0;
  insert.bind_all(id, run.name, run.kind, or_null(run.attempt_of), attempt_number(database_, run.attempt_of), or_null(run.resumed_from),
                  run.group_key, baseline, run.experiment_as_typed, run.experiment, run.state, now, started,
                  owner.known() ? owner.host : host_name(), owner.known() ? owner.boot_id : boot_id(), run.version,
                  static_cast<std::int64_t>(run.seed), run.workers, run.servers, run.threads_per_worker, run.device, run.backend, run.model,
                  run.dataset, run.strategy, run.plan, joined(run.emulated), run.tracing, run.target_accuracy,
                  nlohmann::json(run.command).dump(), palette_index(database_, run.group_key));
  bind_process(insert, 32, run.supervisor);
  insert.bind(34, run.rank0.host).bind(35, run.rank0.boot_id);
  bind_process(insert, 36, run.rank0);
  insert.run();
  const std::int64_t key = database_.last_row_id();
  Statement beat = database_.prepare("INSERT INTO heartbeat (run, supervisor_at) VALUES (?, ?)");
  beat.bind_all(key, now).run();
  Statement variable = database_.prepare("INSERT INTO environment (run, name, value) VALUES (?, ?, ?)");
  for (const auto& [name, value] : run.environment) variable.bind_all(key, name, value).run();
  Statement tag = database_.prepare("INSERT OR IGNORE INTO tag (run_id, tag) VALUES (?, ?)");
  for (const std::string& each : run.tags) tag.bind_all(id, each).run();
  transaction.commit();
  return id;
}

void RunRegistry::set_running(std::string_view run_id) {
  Transaction transaction(database_);
  Statement update = database_.prepare(
      "UPDATE run SET state = 'running', started_at = coalesce(started_at, ?2) WHERE id = ?1 AND state IN ('queued', 'running')");
  update.bind_all(run_id, utc_s()).run();
  transaction.commit();
}

void RunRegistry::set_supervisor(std::string_view run_id, const ProcessIdentity& process) {
  Statement update =
      database_.prepare("UPDATE run SET host = ?2, boot_id = ?3, supervisor_pid = ?4, supervisor_start_ticks = ?5 WHERE id = ?1");
  update.bind_all(run_id, process.host, process.boot_id, process.pid, process.start_ticks).run();
}

void RunRegistry::set_rank0(std::string_view run_id, const ProcessIdentity& process) {
  Statement update =
      database_.prepare("UPDATE run SET rank0_host = ?2, rank0_boot_id = ?3, rank0_pid = ?4, rank0_start_ticks = ?5 WHERE id = ?1");
  update.bind_all(run_id, process.host, process.boot_id, process.pid, process.start_ticks).run();
}

void RunRegistry::set_resolved(std::string_view run_id, std::string_view device, std::string_view backend, int threads_per_worker) {
  Statement update = database_.prepare("UPDATE run SET device = ?2, backend = ?3, threads_per_worker = ?4 WHERE id = ?1");
  update.bind_all(run_id, device, backend, threads_per_worker).run();
}

void RunRegistry::heartbeat(std::string_view run_id) {
  Statement update = database_.prepare("UPDATE heartbeat SET supervisor_at = ?2 WHERE run = (SELECT key FROM run WHERE id = ?1)");
  update.bind_all(run_id, utc_s()).run();
}

bool RunRegistry::finish(std::string_view run_id, const ExitRecord& record, bool overwrite) {
  const double ended = record.ended > 0 ? record.ended : utc_s();
  Transaction transaction(database_);
  Statement update = database_.prepare(
      "UPDATE run SET state = ?2, reason = ?3, exit_code = ?4, ended_at = ?5 WHERE id = ?1 AND (?6 OR state IN ('queued', 'running'))");
  update.bind_all(run_id, record.state, record.reason, record.exit_code, ended, overwrite ? 1 : 0).run();
  const bool written = database_.changes() > 0;
  if (written) {
    Statement requests = database_.prepare(
        "UPDATE request SET stage = 'done', acknowledged_at = coalesce(acknowledged_at, ?2) "
        "WHERE run = (SELECT key FROM run WHERE id = ?1) AND stage NOT IN ('done', 'refused')");
    requests.bind_all(run_id, ended).run();
  }
  transaction.commit();
  return written;
}

void RunRegistry::set_launch_command(std::string_view run_id, const std::vector<std::string>& argv) {
  Statement update = database_.prepare("UPDATE run SET launch_command = ?2 WHERE id = ?1");
  update.bind_all(run_id, nlohmann::json(argv).dump()).run();
  write_private_file(workspace_.make_run_folder(run_id) / "launch" / "command", joined(argv) + "\n");
}

bool RunRegistry::remove_rows(std::string_view run_id) {
  Transaction transaction(database_);
  try {
    for (const char* sql :
         {"DELETE FROM run WHERE id = ?", "DELETE FROM annotation WHERE run_id = ?", "DELETE FROM tag WHERE run_id = ?"}) {
      database_.prepare(sql).bind(1, run_id).run();
    }
    transaction.commit();
  } catch (const WorkspaceError&) {
    if ((sqlite3_errcode(database_.handle()) & 0xff) == SQLITE_FULL) return false;
    throw;
  }
  return true;
}

void RunRegistry::remove(std::string_view run_id, bool keep_files) {
  {
    Reader reader(workspace_);
    const RunInfo run = reader.run(run_id);
    if (run.state == "queued" || run.state == "running" || run.state == "stopping") {
      throw ConfigError(fmt::format("{} is {}: stop it before deleting it", run.name, run.state));
    }
    if (run.locked) throw ConfigError(fmt::format("{} is locked: unlock it before deleting it", run.name));
  }
  std::error_code failed;
  const auto remove_files = [&] { std::filesystem::remove_all(workspace_.run_folder(run_id), failed); };
  // Deleting a row takes room in the log. Where the disk has none, the run's files make it.
  if (!remove_rows(run_id)) {
    if (!keep_files) remove_files();
    if (keep_files || !remove_rows(run_id)) {
      throw WorkspaceError(fmt::format("{}: no space left even to delete {}{}; free some, and delete it again", workspace_.path().string(),
                                       run_id, keep_files ? " and keep its files" : ""));
    }
  }
  if (keep_files) return;
  remove_files();
  if (failed) {
    throw WorkspaceError(fmt::format("{}: the run is deleted, but its files cannot be removed ({})", workspace_.run_folder(run_id).string(),
                                     failed.message()));
  }
}

Requests::Requests(const Workspace& workspace) : database_(workspace.connect()) {}

std::int64_t Requests::ask(std::string_view run_id, std::string_view kind, std::string_view by, std::string_view note) {
  Transaction transaction(database_);
  const std::int64_t key = run_key_of(database_, run_id);
  Statement insert = database_.prepare("INSERT INTO request (run, kind, asked_at, asked_by, note) VALUES (?, ?, ?, ?, ?)");
  insert.bind_all(key, kind, utc_s(), by, note).run();
  const std::int64_t id = database_.last_row_id();
  transaction.commit();
  return id;
}

namespace {

constexpr std::string_view request_columns = "request.id, run.id, request.kind, asked_by, stage, note, asked_at, acknowledged_at";

Request read_request(const Statement& row) {
  return {row.integer(0), row.text(1), row.text(2), row.text(3), row.text(4), row.text(5), row.real(6), row.optional_real(7)};
}

}  // namespace

std::vector<Request> Requests::of(std::string_view run_id, bool unfinished_only) {
  Statement select = database_.prepare(fmt::format(
      "SELECT {} FROM request JOIN run ON run.key = request.run WHERE run.id = ?1 AND (?2 = 0 OR stage NOT IN ('done', 'refused')) "
      "ORDER BY request.id",
      request_columns));
  select.bind_all(run_id, unfinished_only ? 1 : 0);
  std::vector<Request> requests;
  while (select.step()) requests.push_back(read_request(select));
  return requests;
}

std::optional<Request> Requests::get(std::int64_t id) {
  Statement select =
      database_.prepare(fmt::format("SELECT {} FROM request JOIN run ON run.key = request.run WHERE request.id = ?", request_columns));
  select.bind_all(id);
  return select.step() ? std::optional(read_request(select)) : std::nullopt;
}

void Requests::acknowledge(std::int64_t id, std::string_view stage) {
  Statement update = database_.prepare("UPDATE request SET stage = ?2, acknowledged_at = ?3 WHERE id = ?1");
  update.bind_all(id, stage, utc_s()).run();
}

}  // namespace syncline
