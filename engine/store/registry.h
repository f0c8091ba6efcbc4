// SPDX-License-Identifier: Apache-2.0
// Writing the rows that belong to the owner of a run (supervisor, or rank 0 where there is none), to whoever asks something of a run, and
// to the user's annotations. Short immediate transactions; every call may throw WorkspaceError.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/store/database.h"
#include "engine/store/records.h"
#include "engine/store/workspace.h"

namespace syncline {

class RunRegistry {  // one thread; opens its own connection
 public:
  explicit RunRegistry(const Workspace&);

  // Writes the row (host, boot id and process identities included), assigns the palette index and the number of the attempt, makes the run
  // folder with experiment.toml. Returns the id.
  std::string create(const NewRun&);
  // started: first call sets the start time. Neither changes a run that has an exit record.
  void set_running(std::string_view run_id);
  void set_supervisor(std::string_view run_id, const ProcessIdentity&);
  void set_rank0(std::string_view run_id, const ProcessIdentity&);
  // What only the ranks know when they have started: resolved threads, device, backend.
  void set_resolved(std::string_view run_id, std::string_view device, std::string_view backend, int threads_per_worker);
  void heartbeat(std::string_view run_id);  // the supervisor's; rank 0's RunWriter has its own
  // The exit record; the first one stays, except that `overwrite` replaces it (the supervisor knows more than rank 0). Unfinished requests
  // of the run end as done. False: there was one already.
  bool finish(std::string_view run_id, const ExitRecord&, bool overwrite = false);
  void set_launch_command(std::string_view run_id, const std::vector<std::string>& argv);  // also launch/command in the run folder

  // Removes rows and, unless keep_files, the run's folder, this one first where a full disk leaves no other way. ConfigError when the run
  // is active (state queued, running, stopping) or locked.
  void remove(std::string_view run_id, bool keep_files);

 private:
  bool remove_rows(std::string_view run_id);  // false: the disk is full, and nothing has changed
  Workspace workspace_;
  Database database_;
};

class Requests {
 public:
  explicit Requests(const Workspace&);
  std::int64_t ask(std::string_view run_id, std::string_view kind, std::string_view by, std::string_view note = {});  // the request's id
  std::vector<Request> of(std::string_view run_id, bool unfinished_only = false);
  std::optional<Request> get(std::int64_t id);
  void acknowledge(std::int64_t id, std::string_view stage);

 private:
  Database database_;
};

class Annotations {  // keyed by the run's id; survive import and pull
 public:
  explicit Annotations(const Workspace&);
  void rename(std::string_view run_id, std::string_view name);  // empty: back to the experiment's name
  void set_notes(std::string_view run_id, std::string_view text);
  void add_tag(std::string_view run_id, std::string_view tag);
  void remove_tag(std::string_view run_id, std::string_view tag);
  void set_starred(std::string_view run_id, bool);
  void set_locked(std::string_view run_id, bool);
  void set_trashed(std::string_view run_id, bool);
  void set_colour(std::string_view run_id, std::string_view colour);  // "#rrggbb"; empty: the palette's

 private:
  Database database_;
};

}  // namespace syncline
