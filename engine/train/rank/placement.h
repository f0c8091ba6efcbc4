// SPDX-License-Identifier: Apache-2.0
// Which cores a rank may use, how many threads it gets, and what to say when that does not fit.
#pragma once

#include <string>
#include <vector>

#include "engine/comm/communicator.h"

namespace syncline {

struct Placement {
  std::string host, boot_id;
  int threads = 1;         // of compute
  std::vector<int> cores;  // allowed to this rank
};

// experiment (cluster.threads_per_worker) when not 0, else OMP_NUM_THREADS, else an equal share of the cores over the ranks of this host.
int threads_of(std::int64_t asked, const char* omp_num_threads, int ranks_here, int cores);
std::string core_list(const std::vector<int>& cores);  // "0-3,8"

std::vector<Placement> gather_placements(Communicator& control, const Placement& mine);
// One line a host: "2 ranks on host a, 1 thread each, cores 0-1".
std::vector<std::string> placement_lines(const std::vector<Placement>&);
// One sentence a host where the ranks' threads outnumber the cores that they may use together; empty: all is well.
std::vector<std::string> placement_warnings(const std::vector<Placement>&);

// No rank before this one is on its host.
bool first_of_host(const std::vector<Placement>&, int rank);

}  // namespace syncline
