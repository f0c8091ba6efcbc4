// SPDX-License-Identifier: Apache-2.0
// The world of a process that a launcher started as one of several ranks. No mpi.h here: whoever includes this calls no MPI.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "engine/comm/shaped.h"
#include "engine/comm/world.h"

namespace syncline {

// What the launcher says about this process, read from its environment variables (mpirun, srun with PMIx); nullopt: started by hand.
struct LauncherPlace {
  int rank = 0, size = 1;
};
std::optional<LauncherPlace> launcher_place();

struct MpiWorldOptions : WorldOptions {
  std::optional<LinkModel> links;  // set: every message takes the time of these links; all ranks on one machine
};

// Collective. Several ranks: the communication thread initialises MPI, and finalises it when the world is destroyed in good order. One
// rank: MPI is not touched. Errors: TimeLimit when the ranks do not connect within start_limit_s, ConfigError for links that cannot be
// emulated (ranks on several machines, allreduce = "library"), PeerLost for what MPI reports. After an error the process should leave by
// _exit: destructors cannot wait for ranks that are gone.
std::unique_ptr<World> make_mpi_world(const MpiWorldOptions&);

}  // namespace syncline
