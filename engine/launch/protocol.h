// SPDX-License-Identifier: Apache-2.0
// What the supervisor and the ranks it starts tell each other: environment variables one way, an outcome file the other. Descriptors are
// not inherited: mpirun closes them.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "engine/store/process.h"

namespace syncline {

// Set by the supervisor for every rank.
inline constexpr char run_variable[] = "SYNCLINE_RUN";                // the run's id: its row and folder exist already
inline constexpr char supervisor_variable[] = "SYNCLINE_SUPERVISOR";  // "PID:START_TICKS": when it is gone, rank 0 checkpoints and stops
inline constexpr char experiment_variable[] = "SYNCLINE_RUN_EXPERIMENT";  // the run folder's copy, read instead of FILE (which may change)
inline constexpr char resume_variable[] = "SYNCLINE_RESUME_FOLDER";  // run folder whose newest checkpoint is the start, or a checkpoint

inline constexpr char scratch_variable[] = "SYNCLINE_SCRATCH";  // the job's folder in memory; rank 0 removes it when the supervisor is gone

inline constexpr char recipe_variable[] = "SYNCLINE_RECIPE";  // set by a running recipe: its name, for the tags of the runs that it starts

// Progress lines begin with this character when a supervisor reads them: drawn in place on a terminal, and not logged.
inline constexpr char progress_mark = '\x1e';

// How the ranks saw the end: written once (the first writer wins) to outcome.json in the run's folder, atomically.
struct Outcome {
  std::string state;   // finished | stopped | failed
  std::string reason;  // one sentence; empty for finished
  int exit_code = 0;   // of the contract
  int rank = 0;        // who wrote it
  std::int64_t step = 0;
  bool lost = false;  // failed over a rank that is gone or silent, so that another try may go better
};
// False: there is one already (it stays). Throws TrainingError when it cannot be written.
bool write_outcome(const std::filesystem::path& run_folder, const Outcome&);
std::optional<Outcome> read_outcome(const std::filesystem::path& run_folder);
void remove_outcome(const std::filesystem::path& run_folder);

// The supervisor named by the environment; known() is false without one.
ProcessIdentity supervisor_from_environment();
std::string supervisor_text(const ProcessIdentity&);  // the variable's value

}  // namespace syncline
