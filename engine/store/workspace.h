// SPDX-License-Identifier: Apache-2.0
// Where runs are kept: one SQLite database and, beside it, one folder per run.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "engine/store/database.h"

namespace syncline {

inline constexpr int schema_version = 1;  // PRAGMA user_version of the workspaces this program writes

// `given` (--workspace), else $SYNCLINE_WORKSPACE, else $XDG_DATA_HOME/syncline/workspace.db, else ~/.local/share/syncline/workspace.db.
std::filesystem::path workspace_path(const std::string& given = {});

class Workspace {
 public:
  // Opens for writing: creates folders (0700) and database (0600), migrates an older schema. Throws WorkspaceError with one sentence: not a
  // database, damaged, made by a newer version, read-only, no space.
  static Workspace open(const std::filesystem::path&);
  // The same where a workspace is there already; WorkspaceError where there is none.
  static Workspace open_existing(const std::filesystem::path&);
  // Opens for reading; also read-only media and workspaces of a newer version (what this version knows of them). Waits a moment for one
  // that another program is just making. Throws WorkspaceError where there is none.
  static Workspace open_read_only(const std::filesystem::path&);

  const std::filesystem::path& path() const { return path_; }
  bool writable() const { return writable_; }
  bool newer() const { return newer_; }  // made by a newer version: reading only
  // workspace.runs/<run id>; made (0700) with its sub-folders checkpoints, traces, launch by make_run_folder.
  std::filesystem::path run_folder(std::string_view run_id) const;
  std::filesystem::path make_run_folder(std::string_view run_id) const;
  Database connect() const;  // a further connection, one per thread: for writing when writable()
  Database connect_read_only() const;

 private:
  std::filesystem::path path_;
  bool writable_ = false, newer_ = false;
};

// PRAGMA quick_check: empty, or what it found. Slow on large files.
std::string damage_of(const std::filesystem::path&);

// A network file system (NFS, SMB, 9p, Lustre, GPFS, BeeGFS, FUSE, ...) cannot carry a write-ahead log shared by processes. The path itself
// may not exist yet: its nearest existing parent is asked.
bool on_network_file_system(const std::filesystem::path&);

// Where to record: on a local file system `wanted` itself; else a database in $TMPDIR (or /tmp) of this host, of which consistent copies go
// to `copy_to`, `<run id>.db` beside the wanted path, every 30 s and at the end (RunWriterOptions::copy_to does that).
struct RecordingPlace {
  std::filesystem::path path;
  std::filesystem::path copy_to;  // empty: not needed
  std::string notice;             // one line for the user; empty when nothing is to be said
};
RecordingPlace recording_place(const std::filesystem::path& wanted, std::string_view run_id);
// The same with the answer of on_network_file_system given.
RecordingPlace recording_place(const std::filesystem::path& wanted, std::string_view run_id, bool network);

// A consistent copy of a database in use: written to a temporary file beside `target`, then renamed (0600).
void copy_database(const std::filesystem::path& source, const std::filesystem::path& target);

}  // namespace syncline
