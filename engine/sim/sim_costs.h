// SPDX-License-Identifier: Apache-2.0
// What collectives take as one event: closed forms over equal cards, each direction for itself.
#pragma once

#include "engine/sim/sim_group.h"

namespace syncline {

// Every kind but allreduce, whose schedules have forms of their own.
double closed_form_s(const SimCollective&, const Wire&);

// What a closed form misses where ranks share links: the same allreduce by its moves, among so few ranks that these can be run, over what
// the form says; for a vector of one element a rank, and for what each further byte costs.
struct Contention {
  double latency = 1, bytes = 1;
  int ranks = 0;  // among which it was taken
};

}  // namespace syncline
