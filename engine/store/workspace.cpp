// SPDX-License-Identifier: Apache-2.0
#include "engine/store/workspace.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <system_error>
#include <thread>

#include "engine/store/private_files.h"
#include "engine/store/schema.h"

namespace syncline {
namespace {

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::filesystem::path full_path(const std::filesystem::path& path) { return std::filesystem::absolute(path).lexically_normal(); }

void check_there(const std::filesystem::path& path) {
  if (std::filesystem::exists(path)) return;
  throw WorkspaceError(
      fmt::format("{}: there is no workspace here; train something first, or name another one with --workspace", path.string()));
}

constexpr std::chrono::milliseconds making_limit{2000}, making_look{10};

// A new one is there as an empty database for a moment: its schema comes all at once, after the file.
bool is_workspace(Database& database) {
  for (const auto end = std::chrono::steady_clock::now() + making_limit;; std::this_thread::sleep_for(making_look)) {
    const bool empty = database.integer("SELECT count(*) FROM sqlite_schema") == 0;  // asked first: what comes meanwhile brings both
    if (database.integer("PRAGMA application_id") == workspace_application_id) return true;
    if (!empty || std::chrono::steady_clock::now() > end) return false;
  }
}

}  // namespace

std::filesystem::path workspace_path(const std::string& given) {
  if (!given.empty()) return full_path(given);
  if (const std::string named = environment("SYNCLINE_WORKSPACE"); !named.empty()) return full_path(named);
  // The XDG rule: a relative XDG_DATA_HOME is ignored.
  const std::filesystem::path data = environment("XDG_DATA_HOME");
  if (data.is_absolute()) return data / "syncline" / "workspace.db";
  const std::string home = environment("HOME");
  return full_path(std::filesystem::path(home.empty() ? "/root" : home) / ".local" / "share" / "syncline" / "workspace.db");
}

Workspace Workspace::open(const std::filesystem::path& path) {
  Workspace workspace;
  workspace.path_ = full_path(path);
  if (std::filesystem::is_directory(workspace.path_)) {
    throw WorkspaceError(fmt::format("{}: this is a folder; a workspace is a file, for instance {}", workspace.path_.string(),
                                     (workspace.path_ / "workspace.db").string()));
  }
  make_private_folders(workspace.path_.parent_path());
  Database database(workspace.path_, Database::Mode::create);
  migrate(database);
  workspace.writable_ = true;
  return workspace;
}

Workspace Workspace::open_existing(const std::filesystem::path& path) {
  check_there(full_path(path));
  return open(path);
}

Workspace Workspace::open_read_only(const std::filesystem::path& path) {
  Workspace workspace;
  workspace.path_ = full_path(path);
  check_there(workspace.path_);
  Database database(workspace.path_, Database::Mode::read);
  if (!is_workspace(database)) throw WorkspaceError(fmt::format("{}: this database is not a Syncline workspace", workspace.path_.string()));
  workspace.newer_ = database.integer("PRAGMA user_version") > schema_version;
  return workspace;
}

std::filesystem::path Workspace::run_folder(std::string_view run_id) const {
  return path_.parent_path() / (path_.stem().string() + ".runs") / std::string(run_id);
}

std::filesystem::path Workspace::make_run_folder(std::string_view run_id) const {
  const std::filesystem::path folder = run_folder(run_id);
  for (const char* part : {"checkpoints", "traces", "launch"}) make_private_folders(folder / part);
  return folder;
}

Database Workspace::connect() const {
  if (!writable_) throw WorkspaceError(fmt::format("{}: the workspace was opened for reading only", path_.string()));
  return {path_, Database::Mode::write};
}

Database Workspace::connect_read_only() const { return {path_, Database::Mode::read}; }

std::string damage_of(const std::filesystem::path& path) {
  try {
    Database database(path, Database::Mode::read);
    Statement check = database.prepare("PRAGMA quick_check(1)");
    const std::string answer = check.step() ? check.text(0) : "no answer";
    return answer == "ok" ? "" : answer;
  } catch (const WorkspaceError& error) {
    return error.what();
  }
}

bool on_network_file_system(const std::filesystem::path& path) {
  // linux/magic.h and the file systems' own sources: NFS, SMB 1 and 2, CIFS, 9p, Coda, AFS, Lustre, GPFS, BeeGFS, Ceph, OCFS2, GFS2, FUSE,
  // virtual-machine shares (VirtualBox, vmhgfs), OrangeFS.
  constexpr std::array<std::uint32_t, 18> remote = {0x6969,     0x517B,     0xFE534D42, 0xFF534D42, 0x01021997, 0x73757245,
                                                    0x5346414F, 0x6B414653, 0x0BD00BD0, 0x47504653, 0x19830326, 0x00C36400,
                                                    0x7461636F, 0x01161970, 0x65735546, 0x786F4256, 0xBACBACBC, 0x20030528};
  std::filesystem::path place = full_path(path);
  struct statfs information {};
  while (statfs(place.c_str(), &information) != 0) {
    if (!place.has_parent_path() || place == place.parent_path()) return false;
    place = place.parent_path();
  }
  return std::find(remote.begin(), remote.end(), static_cast<std::uint32_t>(information.f_type)) != remote.end();
}

RecordingPlace recording_place(const std::filesystem::path& wanted, std::string_view run_id) {
  return recording_place(wanted, run_id, on_network_file_system(wanted));
}

RecordingPlace recording_place(const std::filesystem::path& wanted, std::string_view run_id, bool network) {
  RecordingPlace place;
  place.path = full_path(wanted);
  if (!network) return place;
  const std::string temporary = environment("TMPDIR");
  place.copy_to = place.path.parent_path() / (std::string(run_id) + ".db");
  place.path =
      std::filesystem::path(temporary.empty() ? "/tmp" : temporary) / fmt::format("syncline-{}", getuid()) / fmt::format("{}.db", run_id);
  place.notice =
      fmt::format("{} lies on a network file system: recording into {}, copied to {} every 30 s; merge it with: syncline-engine import",
                  wanted.string(), place.path.string(), place.copy_to.string());
  return place;
}

void copy_database(const std::filesystem::path& source, const std::filesystem::path& target) {
  const std::filesystem::path temporary = target.string() + fmt::format(".{}.partial", getpid());
  std::error_code ignored;
  std::filesystem::remove(temporary, ignored);
  make_private_folders(target.parent_path());
  // VACUUM INTO takes an empty file as well as none: made here for the sake of its mode.
  const int file = ::open(temporary.c_str(), O_CREAT | O_EXCL | O_CLOEXEC | O_WRONLY, 0600);
  if (file >= 0) ::close(file);
  try {
    Database database(source, Database::Mode::read);
    database.execute("PRAGMA query_only=OFF");  // VACUUM INTO only reads this database, but counts as writing
    Statement vacuum = database.prepare("VACUUM INTO ?");
    vacuum.bind(1, temporary.string()).run();
  } catch (...) {
    std::filesystem::remove(temporary, ignored);
    throw;
  }
  std::error_code failed;
  std::filesystem::rename(temporary, target, failed);
  if (failed) {
    std::filesystem::remove(temporary, ignored);
    throw WorkspaceError(fmt::format("{}: the copy of the workspace cannot be put there ({})", target.string(), failed.message()));
  }
}

}  // namespace syncline
