// SPDX-License-Identifier: Apache-2.0
// A virtual world whose ranks have a communicator, for tests.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "engine/sim/sim_communicator.h"

namespace syncline::test {

struct SimRank {
  RankContext& context;
  SimCommunicator& comm;
};

struct SimRun {
  double makespan_s = 0;
  std::vector<HappenedEvent> events;
  std::int64_t messages = 0;
};

inline SimRun on_sim_ranks(int size, const SimCommOptions& options, const std::function<void(SimRank)>& body,
                           const VirtualWorldOptions& world_options = {}) {
  VirtualWorld world(world_options);
  SimNetworkWorld network(world, size, options);
  for (int rank = 0; rank < size; ++rank) {
    world.add(rank, [&](RankContext& context) {
      const auto comm = network.connect(context);
      body({context, *comm});
    });
  }
  world.run();
  return {world.makespan_s(), world.events().list(), network.network().messages()};
}

}  // namespace syncline::test
