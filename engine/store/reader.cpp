// SPDX-License-Identifier: Apache-2.0
#include "engine/store/reader.h"

#include <fmt/core.h>

#include <ctime>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "engine/store/run_rows.h"

namespace syncline {
namespace {

constexpr std::string_view run_columns =
    "key, id, coalesce(annotation.name, run.name), run.name, kind, state, reason, attempt_of, resumed_from, group_key, baseline_key, "
    "version, "
    "model, dataset, strategy, plan, device, backend, tracing, host, emulated, target_accuracy, seed, workers, servers, "
    "threads_per_worker, attempt, palette, created_at, started_at, ended_at, exit_code, boot_id, supervisor_pid, supervisor_start_ticks, "
    "rank0_host, rank0_boot_id, rank0_pid, rank0_start_ticks, "
    "nullif(max(coalesce(supervisor_at, 0), coalesce(rank0_at, 0)), 0), coalesce(sequence, 0), coalesce(notes, ''), coalesce(colour, ''), "
    "coalesce(starred, 0), trashed_at IS NOT NULL, coalesce(locked, 0), "
    "EXISTS (SELECT 1 FROM request WHERE request.run = run.key AND request.kind LIKE 'stop-%' AND stage NOT IN ('done', 'refused'))";
constexpr std::string_view text_columns = "experiment_as_typed, experiment, command";  // long, and wanted of one run at a time
constexpr std::string_view run_tables =
    "run LEFT JOIN annotation ON annotation.run_id = run.id LEFT JOIN heartbeat ON heartbeat.run = run.key LEFT JOIN progress ON "
    "progress.run = run.key";

std::vector<std::string> words(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> result;
  for (std::string word; stream >> word;) result.push_back(word);
  return result;
}

std::vector<std::string> strings_of(const std::string& json) {
  const auto parsed = nlohmann::json::parse(json, nullptr, false);
  std::vector<std::string> result;
  if (!parsed.is_array()) return result;
  for (const auto& entry : parsed) {
    if (entry.is_string()) result.push_back(entry.get<std::string>());
  }
  return result;
}

RunInfo read_run(const Statement& row, bool with_texts) {
  RunInfo run;
  int column = 0;
  const auto text = [&](std::string& to) { to = row.text(column++); };
  const auto number = [&](int& to) { to = static_cast<int>(row.integer(column++)); };
  run.key = row.integer(column++);
  for (std::string* to : {&run.id, &run.name, &run.given_name, &run.kind, &run.stored_state, &run.reason, &run.attempt_of,
                          &run.resumed_from, &run.group_key, &run.baseline_key, &run.version, &run.model, &run.dataset, &run.strategy,
                          &run.plan, &run.device, &run.backend, &run.tracing, &run.host}) {
    text(*to);
  }
  run.emulated = words(row.text(column++));
  run.target_accuracy = row.optional_real(column++);
  run.seed = static_cast<std::uint64_t>(row.integer(column++));
  number(run.workers), number(run.servers), number(run.threads_per_worker), number(run.attempt), number(run.palette);
  run.created = row.real(column++);
  run.started = row.optional_real(column++);
  run.ended = row.optional_real(column++);
  if (const auto code = row.optional_integer(column++)) run.exit_code = static_cast<int>(*code);
  run.supervisor = {run.host, row.text(column), row.integer(column + 1), row.integer(column + 2)};
  column += 3;
  run.rank0 = {row.text(column), row.text(column + 1), row.integer(column + 2), row.integer(column + 3)};
  column += 4;
  run.heartbeat = row.optional_real(column++);
  run.last_sequence = row.integer(column++);
  text(run.notes), text(run.colour);
  run.starred = row.integer(column++) != 0;
  run.trashed = row.integer(column++) != 0;
  run.locked = row.integer(column++) != 0;
  const Conclusion conclusion = conclude_state(run, row.integer(column++) != 0);
  run.state = conclusion.state;
  run.reason = conclusion.reason;
  if (!with_texts) return run;
  text(run.experiment_as_typed), text(run.experiment);
  run.command = strings_of(row.text(column++));
  return run;
}

std::string utc_text(double when) {
  const auto seconds = static_cast<std::time_t>(when);
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S UTC", &parts);
  return text;
}

bool final_state(std::string_view state) { return state == "finished" || state == "stopped" || state == "failed"; }

}  // namespace

Conclusion conclude_state(const RunInfo& run, bool unfinished_stop_request,
                          const std::function<std::optional<bool>(const ProcessIdentity&)>& exists) {
  if (final_state(run.stored_state)) return {run.stored_state, run.reason};
  const std::string going = unfinished_stop_request ? "stopping" : run.stored_state;
  bool any_known = false, all_known = true;
  for (const ProcessIdentity* process : {&run.supervisor, &run.rank0}) {
    if (!process->known()) continue;
    any_known = true;
    const std::optional<bool> answer = exists(*process);
    if (answer == true) return {going, run.reason};
    if (!answer) all_known = false;
  }
  // No process has said who it is yet: a scheduler may still be keeping the job.
  if (!any_known && run.stored_state == "queued") return {going, run.reason};
  if (any_known && all_known) {
    return {"lost", fmt::format("its processes on {} are gone and left no exit record; last heartbeat {}", run.host,
                                run.heartbeat ? utc_text(*run.heartbeat) : "never")};
  }
  return {"unknown", run.heartbeat ? "unknown since " + utc_text(*run.heartbeat) : "unknown: no heartbeat was ever recorded"};
}

Reader::Reader(const Workspace& workspace) : workspace_(workspace), database_(workspace.connect_read_only()) {}

std::vector<RunInfo> Reader::runs() { return all_runs(true); }
std::vector<RunInfo> Reader::run_headers() { return all_runs(false); }

std::vector<RunInfo> Reader::all_runs(bool with_texts) {
  const Transaction snapshot(database_, Transaction::Kind::snapshot);
  Statement select = database_.prepare(fmt::format("SELECT {}{}{} FROM {} ORDER BY run.created_at, run.key", run_columns,
                                                   with_texts ? ", " : "", with_texts ? text_columns : "", run_tables));
  std::vector<RunInfo> runs;
  std::map<std::string, std::size_t, std::less<>> places;
  while (select.step()) {
    runs.push_back(read_run(select, with_texts));
    places.emplace(runs.back().id, runs.size() - 1);
  }
  Statement tags = database_.prepare("SELECT run_id, tag FROM tag ORDER BY run_id, tag");
  while (tags.step()) {
    if (const auto place = places.find(tags.text(0)); place != places.end()) runs[place->second].tags.push_back(tags.text(1));
  }
  return runs;
}

bool Reader::has_run(std::string_view run_id) {
  Statement select = database_.prepare("SELECT 1 FROM run WHERE id = ?");
  select.bind_all(run_id);
  return select.step();
}

RunInfo Reader::run(std::string_view run_id) {
  const Transaction snapshot(database_, Transaction::Kind::snapshot);
  Statement select = database_.prepare(fmt::format("SELECT {}, {} FROM {} WHERE run.id = ?", run_columns, text_columns, run_tables));
  select.bind_all(run_id);
  if (!select.step()) throw WorkspaceError(fmt::format("{}: there is no run {}", workspace_.path().string(), run_id));
  RunInfo run = read_run(select, true);
  Statement tags = database_.prepare("SELECT tag FROM tag WHERE run_id = ? ORDER BY tag");
  tags.bind_all(run_id);
  while (tags.step()) run.tags.push_back(tags.text(0));
  Statement environment = database_.prepare("SELECT name, value FROM environment WHERE run = ?");
  environment.bind_all(run.key);
  while (environment.step()) run.environment.emplace(environment.text(0), environment.text(1));
  return run;
}

RunInfo Reader::resolve(std::string_view what) {
  struct Candidate {
    std::string id, name;
  };
  std::vector<Candidate> newest_first;
  {
    Statement select = database_.prepare(
        "SELECT id, coalesce(annotation.name, run.name) FROM run LEFT JOIN annotation ON annotation.run_id = run.id "
        "WHERE kind = 'measured' OR ?1 <> 'last' ORDER BY created_at DESC, key DESC");
    select.bind_all(what);
    while (select.step()) newest_first.push_back({select.text(0), select.text(1)});
  }
  if (newest_first.empty()) {
    throw ConfigError(
        fmt::format("there is no run yet in {}; train one first, or name another workspace with --workspace", database_.path()));
  }
  for (const Candidate& one : newest_first) {
    if (one.id == what) return run(one.id);
  }
  for (const Candidate& one : newest_first) {
    if (one.name == what) return run(one.id);
  }
  if (what == "last") return run(newest_first.front().id);
  std::vector<const Candidate*> matching;
  for (const Candidate& one : newest_first) {
    if (!what.empty() && (one.id.starts_with(what) || one.name.starts_with(what))) matching.push_back(&one);
  }
  if (matching.size() == 1) return run(matching.front()->id);
  if (matching.empty()) throw ConfigError(fmt::format("there is no run \"{}\"; list them with: syncline-engine runs", what));
  std::string list;
  constexpr std::size_t shown = 5;
  for (std::size_t i = 0; i < std::min(shown, matching.size()); ++i) list += fmt::format("\n  {}  {}", matching[i]->id, matching[i]->name);
  if (matching.size() > shown) list += fmt::format("\n  and {} more", matching.size() - shown);
  throw ConfigError(fmt::format("\"{}\" is the beginning of {} runs; name one of them in full:{}", what, matching.size(), list));
}

std::vector<int> Reader::ranks(std::string_view run_id) {
  Statement select =
      database_.prepare("SELECT rank FROM step_lane WHERE run = (SELECT key FROM run WHERE id = ?) AND count > 0 ORDER BY rank");
  select.bind_all(run_id);
  std::vector<int> ranks;
  while (select.step()) ranks.push_back(static_cast<int>(select.integer(0)));
  return ranks;
}

std::vector<Reader::TraceInfo> Reader::traces(std::string_view run_id) {
  Statement select =
      database_.prepare("SELECT step, rank, start_s, end_s FROM trace WHERE run = (SELECT key FROM run WHERE id = ?) ORDER BY step, rank");
  select.bind_all(run_id);
  std::vector<TraceInfo> traces;
  while (select.step()) traces.push_back({select.integer(0), static_cast<int>(select.integer(1)), select.real(2), select.real(3)});
  return traces;
}

std::optional<StepTrace> Reader::trace(std::string_view run_id, std::int64_t step, int rank) {
  Statement select = database_.prepare(
      "SELECT data FROM trace JOIN trace_data ON trace_data.trace = trace.key "
      "WHERE run = (SELECT key FROM run WHERE id = ?) AND step = ? AND rank = ?");
  select.bind_all(run_id, step, rank);
  if (!select.step()) return std::nullopt;
  return decode_trace(select.blob(0));
}

std::vector<EventRecord> Reader::events(std::string_view run_id) {
  Statement select = database_.prepare(
      "SELECT sequence, wall_s, active_s, step, rank, kind, text FROM event WHERE run = (SELECT key FROM run WHERE id = ?) ORDER BY "
      "sequence");
  select.bind_all(run_id);
  std::vector<EventRecord> events;
  while (select.step()) {
    events.push_back({select.integer(0), select.real(1), select.real(2), select.integer(3), static_cast<int>(select.integer(4)),
                      select.text(5), select.text(6)});
  }
  return events;
}

std::vector<CheckpointRecord> Reader::checkpoints(std::string_view run_id) {
  Statement select = database_.prepare(
      "SELECT sequence, step, wall_s, path, bytes, verified FROM checkpoint WHERE run = (SELECT key FROM run WHERE id = ?) ORDER BY "
      "sequence");
  select.bind_all(run_id);
  std::vector<CheckpointRecord> checkpoints;
  while (select.step()) {
    checkpoints.push_back(
        {select.integer(0), select.integer(1), select.real(2), select.text(3), select.integer(4), select.integer(5) != 0});
  }
  return checkpoints;
}

std::vector<ClockRecord> Reader::clocks(std::string_view run_id) {
  Statement select = database_.prepare(
      "SELECT sequence, rank, offset_s, bound_s, at_s FROM clock WHERE run = (SELECT key FROM run WHERE id = ?) ORDER BY sequence");
  select.bind_all(run_id);
  std::vector<ClockRecord> clocks;
  while (select.step()) {
    clocks.push_back({select.integer(0), static_cast<int>(select.integer(1)), {select.real(2), select.real(3), select.real(4)}});
  }
  return clocks;
}

std::vector<Request> Reader::requests(std::string_view run_id) {
  Statement select = database_.prepare(
      "SELECT id, kind, asked_by, stage, note, asked_at, acknowledged_at FROM request WHERE run = (SELECT key FROM run WHERE id = ?) "
      "ORDER BY id");
  select.bind_all(run_id);
  std::vector<Request> requests;
  while (select.step()) {
    requests.push_back({select.integer(0), std::string(run_id), select.text(1), select.text(2), select.text(3), select.text(4),
                        select.real(5), select.optional_real(6)});
  }
  return requests;
}

std::optional<std::string> Reader::document(std::string_view run_id, std::string_view name) {
  Statement select = database_.prepare("SELECT text FROM document WHERE run = (SELECT key FROM run WHERE id = ?) AND name = ?");
  select.bind_all(run_id, name);
  return select.step() ? std::optional(select.text(0)) : std::nullopt;
}

}  // namespace syncline
