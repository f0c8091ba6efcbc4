// SPDX-License-Identifier: Apache-2.0
// One job from its start to its exit record: starts the ranks in a process group of their own, turns signals into stop requests, watches
// the ranks, and writes what it found. The job does not depend on whoever started it.
#pragma once

#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "engine/base/error.h"
#include "engine/experiment/experiment.h"
#include "engine/store/records.h"
#include "engine/store/workspace.h"

namespace syncline {

struct SupervisorOptions {
  std::string engine;                       // absolute path of syncline-engine
  std::vector<std::string> rank_arguments;  // "train", FILE, ...
  Experiment experiment;
  NewRun run;                           // without id: created here
  std::string existing_run;             // id of a row made by `launch --detach`; empty: none
  std::filesystem::path resume_folder;  // run folder whose newest checkpoint is the start, or one checkpoint; empty: from the beginning
  std::filesystem::path workspace;      // database file
  FILE* shown = stdout;                 // where output and progress go; null: only into the log
  bool terminal = false;
};

struct SupervisedRun {
  std::string id;
  ExitRecord record;
};

// Throws WorkspaceError when the run cannot be recorded; every later failure is in the record. Signals SIGINT, SIGTERM and SIGHUP are
// taken over until it returns: the first asks the run to save a checkpoint and stop, the second ends it at once (SIGUSR1 too).
SupervisedRun supervise(const SupervisorOptions&);

// The dry run: all ranks, one step, nothing recorded. Returns the ranks' exit code; `last_line`: of their output, progress aside.
int supervise_unrecorded(const SupervisorOptions&, std::string* last_line = nullptr);

}  // namespace syncline
