// SPDX-License-Identifier: Apache-2.0
// Records the exchanges of a communicator while this object lives: bytes, messages, sequence and times of every finished operation that
// carried something, handed to the recorder on the communication thread. The step is the one the world was in when the operation was
// asked for (World::set_step).
#pragma once

#include "engine/comm/queue_communicator.h"

namespace syncline {

class Traced {
 public:
  Traced(QueueCommunicator& communicator, Recorder& recorder) : communicator_(communicator) { communicator_.trace(&recorder); }
  // Operations still open may be recorded until they end: wait for them before the recorder goes.
  ~Traced() { communicator_.trace(nullptr); }
  Traced(const Traced&) = delete;
  Traced& operator=(const Traced&) = delete;

 private:
  QueueCommunicator& communicator_;
};

}  // namespace syncline
