// SPDX-License-Identifier: Apache-2.0
// One rank's door to the others: the queue with its thread, and the communicator of all ranks.
#pragma once

#include <memory>
#include <string>

#include "engine/comm/queue_communicator.h"

namespace syncline {

struct WorldOptions {
  QueueOptions queue;
  GroupOptions group;
};

class World {
 public:
  virtual ~World() = default;
  virtual QueueCommunicator& communicator() = 0;  // of all ranks, purpose "data"; duplicate() it for other purposes
  virtual CommQueue& queue() = 0;
  // This rank cannot go on: the others learn of it where the world can tell them. Afterwards nothing of this world may be used but its
  // destructor, or _exit.
  virtual void abandon(const std::string& reason) = 0;
  int rank() { return queue().rank(); }
  int size() { return queue().size(); }
  void set_step(std::int64_t step) { queue().set_step(step); }  // for spans and the text of a time-out
};

}  // namespace syncline
