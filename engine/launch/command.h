// SPDX-License-Identifier: Apache-2.0
// The command lines that start a job, as pure functions: shown before a launch, stored with the run, tested without starting anything.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace syncline {

struct JobShape {
  int ranks = 1;
  int threads_per_rank = 1;
  int cores = 1;             // that the job may use on this machine
  bool as_root = false;      // mpirun refuses root unless told
  bool copy_once = false;    // peer_memory_readable(): large messages are copied straight from the peer's memory
  std::string scratch = {};  // folder for Open MPI's own files, in memory; empty: its default places
};

struct LaunchCommand {
  std::vector<std::string> argv;
  std::vector<std::pair<std::string, std::string>> environment;
  std::string text() const;  // as one would type it in a shell, quoted
};

// How many threads each rank gets: the number asked for, or (0) an equal share of the cores, at least one.
int resolve_threads(int asked, int ranks, int cores);

// On this machine: the engine itself for one rank (MPI is not needed then), else mpirun.
// `engine`: absolute path; `arguments`: what follows it ("train", FILE, ...).
LaunchCommand local_command(const std::string& engine, const std::vector<std::string>& arguments, const JobShape&);

std::string shell_quote(const std::string&);

}  // namespace syncline
