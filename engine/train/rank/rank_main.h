// SPDX-License-Identifier: Apache-2.0
// One rank of a job as a process: `syncline-engine train` when a launcher or the supervisor has started it.
#pragma once

#include <filesystem>
#include <string>

#include "engine/experiment/experiment.h"
#include "engine/launch/new_run.h"

namespace syncline {

struct RankOptions {
  Experiment experiment;
  std::filesystem::path workspace;  // database file
  // Used when there is no supervisor (a foreign launcher, or one worker by hand): rank 0 then makes the run's row and its exit record.
  RunOrigin origin;
  // Folder of the run whose newest checkpoint is the start; empty: SYNCLINE_RESUME_FOLDER, else from the beginning.
  std::filesystem::path resume_folder;
  std::filesystem::path init_from_folder;  // parameters only
  bool dry_run = false, quiet = false;
  bool json = false;  // the dry run's report as one line of JSON
  std::string version;
};

// This process is one of several that a launcher started, or was started by the supervisor. Otherwise `train` supervises.
bool is_rank();

// Trains. Returns the exit code: 0 after an agreed end where others look at it (a supervisor or several ranks), else the contract's.
// After a failure it does not return: one sentence, the outcome for the supervisor, _exit.
int run_rank(const RankOptions&);

}  // namespace syncline
