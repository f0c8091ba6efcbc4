// SPDX-License-Identifier: Apache-2.0
// The clocks of emulated links in POSIX shared memory.
#pragma once

#include <memory>

#include "engine/comm/mpi/mpi_transport.h"
#include "engine/comm/shaped.h"

namespace syncline {

// Collective, on the communication thread. Rank 0 makes the memory under a unique name and removes the name as soon as all have opened it,
// so nothing is left behind by a kill. ConfigError on every rank when one of them cannot open it: it runs on another machine.
std::shared_ptr<LinkBoard> open_shared_board(MpiTransport&, const LinkModel&);

}  // namespace syncline
