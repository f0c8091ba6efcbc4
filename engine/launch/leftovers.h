// SPDX-License-Identifier: Apache-2.0
// What a job has outside the workspace's database while it runs, and what a kill of everybody at once leaves of it: a folder in shared
// memory, and the ranks' status files.
#pragma once

#include <filesystem>
#include <string>

#include "engine/store/workspace.h"

namespace syncline {

inline constexpr char shared_memory_folder[] = "/dev/shm";

// A folder in memory for the files that Open MPI makes for a job and does not remove when it is killed. Named after the process that made
// it (pid and start time), and locked by everybody who uses it: the kernel releases a lock whatever happens to its holder.
class JobScratch {
 public:
  explicit JobScratch(bool wanted, const std::filesystem::path& parent = shared_memory_folder);
  ~JobScratch();  // removes it
  JobScratch(const JobScratch&) = delete;
  JobScratch& operator=(const JobScratch&) = delete;
  const std::string& path() const { return path_; }  // empty: Open MPI chooses

 private:
  std::string path_;
  int lock_ = -1;
};

// The rank's part of the lock, held until the process ends. No folder, no lock.
void hold_scratch(const std::string& path);

// Removes folders of jobs whose maker and ranks are all gone, and in the workspace's run folders the status files of ranks that are gone.
// Only what this user and this host made; what cannot be removed stays. Never throws.
void sweep_leftovers(const Workspace&, const std::filesystem::path& shared = shared_memory_folder) noexcept;

}  // namespace syncline
