// SPDX-License-Identifier: Apache-2.0
#include "engine/store/schema.h"

#include <fmt/core.h>

#include <array>

#include "engine/store/workspace.h"

namespace syncline {
namespace {

// Owners: run, exit data, environment: the supervisor (rank 0 without one). heartbeat: one column each. series ... document: rank 0's
// writer. request: whoever asks; its stage and acknowledgement: rank 0's writer. annotation, tag, saved: the user. No column has two
// owners. Values that may not be finite carry a kind (0 finite, 1 NaN, 2 +Inf, 3 -Inf), since SQLite turns a NaN into NULL.
constexpr std::string_view version_1 = R"sql(
CREATE TABLE run (
  key INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE CHECK (length(id) = 36),
  name TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('measured', 'prediction')),
  attempt_of TEXT, attempt INTEGER NOT NULL DEFAULT 1, resumed_from TEXT,
  group_key TEXT NOT NULL, baseline_key TEXT NOT NULL,
  experiment_as_typed TEXT NOT NULL, experiment TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('queued', 'running', 'finished', 'stopped', 'failed')),
  reason TEXT NOT NULL DEFAULT '',
  created_at REAL NOT NULL, started_at REAL, ended_at REAL, exit_code INTEGER,
  host TEXT NOT NULL DEFAULT '', boot_id TEXT NOT NULL DEFAULT '',
  supervisor_pid INTEGER, supervisor_start_ticks INTEGER,
  rank0_host TEXT NOT NULL DEFAULT '', rank0_boot_id TEXT NOT NULL DEFAULT '', rank0_pid INTEGER, rank0_start_ticks INTEGER,
  version TEXT NOT NULL DEFAULT '', seed INTEGER NOT NULL, workers INTEGER NOT NULL, servers INTEGER NOT NULL,
  threads_per_worker INTEGER NOT NULL, device TEXT NOT NULL DEFAULT '', backend TEXT NOT NULL DEFAULT '',
  model TEXT NOT NULL DEFAULT '', dataset TEXT NOT NULL DEFAULT '', strategy TEXT NOT NULL DEFAULT '', plan TEXT NOT NULL DEFAULT '',
  emulated TEXT NOT NULL DEFAULT '', tracing TEXT NOT NULL DEFAULT '', target_accuracy REAL,
  command TEXT NOT NULL DEFAULT '[]', launch_command TEXT NOT NULL DEFAULT '[]',
  palette INTEGER NOT NULL,
  CHECK ((state IN ('finished', 'stopped', 'failed')) = (ended_at IS NOT NULL))
) STRICT;
CREATE INDEX run_name ON run (name);
CREATE INDEX run_group ON run (group_key);
CREATE INDEX run_baseline ON run (baseline_key, strategy);
CREATE INDEX run_attempt ON run (attempt_of);

CREATE TABLE environment (
  run INTEGER NOT NULL REFERENCES run (key) ON DELETE CASCADE, name TEXT NOT NULL, value TEXT NOT NULL,
  PRIMARY KEY (run, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE heartbeat (
  run INTEGER PRIMARY KEY REFERENCES run (key) ON DELETE CASCADE, supervisor_at REAL, rank0_at REAL, beats INTEGER NOT NULL DEFAULT 0,
  step INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE TABLE request (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  run INTEGER NOT NULL REFERENCES run (key) ON DELETE CASCADE,
  kind TEXT NOT NULL CHECK (kind IN ('stop-after-step', 'stop-after-checkpoint', 'stop-now', 'checkpoint', 'trace')),
  asked_at REAL NOT NULL, asked_by TEXT NOT NULL, note TEXT NOT NULL DEFAULT '',
  stage TEXT NOT NULL DEFAULT 'asked', acknowledged_at REAL
) STRICT;
CREATE INDEX request_run ON request (run, stage);

CREATE TABLE annotation (
  run_id TEXT PRIMARY KEY, name TEXT, notes TEXT NOT NULL DEFAULT '', colour TEXT NOT NULL DEFAULT '',
  starred INTEGER NOT NULL DEFAULT 0 CHECK (starred IN (0, 1)), locked INTEGER NOT NULL DEFAULT 0 CHECK (locked IN (0, 1)), trashed_at REAL
) STRICT, WITHOUT ROWID;
CREATE TABLE tag (run_id TEXT NOT NULL, tag TEXT NOT NULL, PRIMARY KEY (run_id, tag)) STRICT, WITHOUT ROWID;
CREATE TABLE saved (
  id TEXT PRIMARY KEY, kind TEXT NOT NULL, name TEXT NOT NULL, content TEXT NOT NULL, updated_at REAL NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX saved_kind ON saved (kind);

CREATE TABLE series (
  key INTEGER PRIMARY KEY,
  run INTEGER NOT NULL REFERENCES run (key) ON DELETE CASCADE,
  name TEXT NOT NULL, rank INTEGER NOT NULL CHECK (rank >= -1), unit TEXT NOT NULL DEFAULT '',
  count INTEGER NOT NULL DEFAULT 0, chunked INTEGER NOT NULL DEFAULT 0,
  UNIQUE (run, name, rank)
) STRICT;
CREATE TABLE point (
  series INTEGER NOT NULL REFERENCES series (key) ON DELETE CASCADE, n INTEGER NOT NULL, sequence INTEGER NOT NULL,
  step INTEGER NOT NULL, samples INTEGER NOT NULL, epoch REAL NOT NULL, gradients INTEGER NOT NULL, rounds INTEGER NOT NULL,
  bytes INTEGER NOT NULL, active_s REAL NOT NULL, elapsed_s REAL NOT NULL, wall_s REAL NOT NULL,
  value REAL, kind INTEGER NOT NULL CHECK (kind BETWEEN 0 AND 3),
  PRIMARY KEY (series, n), CHECK ((kind = 0) = (value IS NOT NULL))
) STRICT, WITHOUT ROWID;
CREATE TABLE chunk (
  key INTEGER PRIMARY KEY, series INTEGER NOT NULL REFERENCES series (key) ON DELETE CASCADE,
  first_n INTEGER NOT NULL, count INTEGER NOT NULL, first_sequence INTEGER NOT NULL, last_sequence INTEGER NOT NULL, data BLOB NOT NULL
) STRICT;
CREATE UNIQUE INDEX chunk_series ON chunk (series, first_n);
CREATE TABLE bucket (
  series INTEGER NOT NULL REFERENCES series (key) ON DELETE CASCADE, level INTEGER NOT NULL, n INTEGER NOT NULL,
  count INTEGER NOT NULL, nonfinite INTEGER NOT NULL, min REAL, max REAL, mean REAL,
  first REAL, first_kind INTEGER NOT NULL, last REAL, last_kind INTEGER NOT NULL,
  first_step INTEGER NOT NULL, last_step INTEGER NOT NULL, first_samples INTEGER NOT NULL, last_samples INTEGER NOT NULL,
  first_epoch REAL NOT NULL, last_epoch REAL NOT NULL, first_gradients INTEGER NOT NULL, last_gradients INTEGER NOT NULL,
  first_rounds INTEGER NOT NULL, last_rounds INTEGER NOT NULL, first_bytes INTEGER NOT NULL, last_bytes INTEGER NOT NULL,
  first_active_s REAL NOT NULL, last_active_s REAL NOT NULL, first_elapsed_s REAL NOT NULL, last_elapsed_s REAL NOT NULL,
  first_wall_s REAL NOT NULL, last_wall_s REAL NOT NULL,
  PRIMARY KEY (series, level, n), CHECK ((count > nonfinite) = (mean IS NOT NULL))
) STRICT, WITHOUT ROWID;

CREATE TABLE step_lane (
  key INTEGER PRIMARY KEY, run INTEGER NOT NULL REFERENCES run (key) ON DELETE CASCADE, rank INTEGER NOT NULL CHECK (rank >= 0),
  count INTEGER NOT NULL DEFAULT 0, chunked INTEGER NOT NULL DEFAULT 0, UNIQUE (run, rank)
) STRICT;
CREATE TABLE step (
  lane INTEGER NOT NULL REFERENCES step_lane (key) ON DELETE CASCADE, n INTEGER NOT NULL, sequence INTEGER NOT NULL,
  step INTEGER NOT NULL, step_s REAL NOT NULL, compute_s REAL NOT NULL, comm_s REAL NOT NULL, exposed_s REAL NOT NULL, data BLOB NOT NULL,
  PRIMARY KEY (lane, n)
) STRICT, WITHOUT ROWID;
CREATE TABLE step_chunk (
  key INTEGER PRIMARY KEY, lane INTEGER NOT NULL REFERENCES step_lane (key) ON DELETE CASCADE,
  first_n INTEGER NOT NULL, count INTEGER NOT NULL, first_step INTEGER NOT NULL, last_step INTEGER NOT NULL,
  first_sequence INTEGER NOT NULL, last_sequence INTEGER NOT NULL, data BLOB NOT NULL
) STRICT;
CREATE UNIQUE INDEX step_chunk_lane ON step_chunk (lane, first_n);
CREATE TABLE step_bucket (
  key INTEGER PRIMARY KEY, lane INTEGER NOT NULL REFERENCES step_lane (key) ON DELETE CASCADE, level INTEGER NOT NULL, n INTEGER NOT NULL,
  first_step INTEGER NOT NULL, last_step INTEGER NOT NULL, data BLOB NOT NULL
) STRICT;
CREATE UNIQUE INDEX step_bucket_lane ON step_bucket (lane, level, n);

CREATE TABLE trace (
  key INTEGER PRIMARY KEY, run INTEGER NOT NULL REFERENCES run (key) ON DELETE CASCADE, sequence INTEGER NOT NULL,
  step INTEGER NOT NULL, rank INTEGER NOT NULL, start_s REAL NOT NULL, end_s REAL NOT NULL, spans INTEGER NOT NULL, exchanges INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX trace_run ON trace (run, step, rank);
CREATE TABLE trace_data (trace INTEGER PRIMARY KEY REFERENCES trace (key) ON DELETE CASCADE, data BLOB NOT NULL) STRICT;

CREATE TABLE event (
  run INTEGER NOT NULL REFERENCES run (key) ON DELETE CASCADE, sequence INTEGER NOT NULL, wall_s REAL NOT NULL, active_s REAL NOT NULL,
  step INTEGER NOT NULL, rank INTEGER NOT NULL, kind TEXT NOT NULL, text TEXT NOT NULL, PRIMARY KEY (run, sequence)
) STRICT, WITHOUT ROWID;
CREATE TABLE checkpoint (
  run INTEGER NOT NULL REFERENCES run (key) ON DELETE CASCADE, sequence INTEGER NOT NULL, step INTEGER NOT NULL, wall_s REAL NOT NULL,
  path TEXT NOT NULL, bytes INTEGER NOT NULL, verified INTEGER NOT NULL CHECK (verified IN (0, 1)), PRIMARY KEY (run, sequence)
) STRICT, WITHOUT ROWID;
CREATE TABLE clock (
  run INTEGER NOT NULL REFERENCES run (key) ON DELETE CASCADE, sequence INTEGER NOT NULL, rank INTEGER NOT NULL,
  at_s REAL NOT NULL, offset_s REAL NOT NULL, bound_s REAL NOT NULL, PRIMARY KEY (run, sequence)
) STRICT, WITHOUT ROWID;
CREATE TABLE document (
  key INTEGER PRIMARY KEY, run INTEGER NOT NULL REFERENCES run (key) ON DELETE CASCADE, sequence INTEGER NOT NULL,
  name TEXT NOT NULL, text TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX document_run ON document (run, name);
CREATE TABLE progress (
  run INTEGER PRIMARY KEY REFERENCES run (key) ON DELETE CASCADE, sequence INTEGER NOT NULL, dropped INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE TABLE summary (
  run INTEGER PRIMARY KEY REFERENCES run (key) ON DELETE CASCADE, sequence INTEGER NOT NULL, version TEXT NOT NULL, json TEXT NOT NULL
) STRICT;
)sql";

constexpr std::array<std::string_view, schema_version> migrations = {version_1};

}  // namespace

void migrate(Database& database) {
  const std::int64_t found = database.integer("PRAGMA user_version");
  if (found == schema_version && database.integer("PRAGMA application_id") == workspace_application_id) return;
  // Looked at again inside the transaction: two programs may open a new workspace at the same time.
  for (std::int64_t version = found;;) {
    Transaction transaction(database);
    version = database.integer("PRAGMA user_version");
    const bool ours = database.integer("PRAGMA application_id") == workspace_application_id;
    if (version > schema_version && ours) {
      throw WorkspaceError(
          fmt::format("{}: this workspace was made by a newer version of Syncline (format {}, this one writes {}); update to write to it",
                      database.path(), version, schema_version));
    }
    if (!ours && (version != 0 || database.integer("SELECT count(*) FROM sqlite_schema") != 0)) {
      throw WorkspaceError(fmt::format("{}: this database is not a Syncline workspace", database.path()));
    }
    if (version >= schema_version) return;
    database.execute(migrations[static_cast<std::size_t>(version)]);
    database.execute(fmt::format("PRAGMA application_id={}; PRAGMA user_version={}", workspace_application_id, version + 1));
    transaction.commit();
  }
}

}  // namespace syncline
