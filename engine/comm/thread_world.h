// SPDX-License-Identifier: Apache-2.0
// Ranks as threads of one process: the same queue, schedules and limits as under MPI, without a launcher. With size 1 it is the world of a
// rank that is alone.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/comm/memory_transport.h"
#include "engine/comm/shaped.h"
#include "engine/comm/world.h"

namespace syncline {

struct ThreadWorldOptions : WorldOptions {
  Delays delays;
  std::optional<LinkModel> links;  // set: every message takes the time of these links
  bool receivers_read = false;     // over links: the bytes move as they do between processes (offers.h)
};

class ThreadWorld {
 public:
  explicit ThreadWorld(int size, ThreadWorldOptions options = {});
  ~ThreadWorld();  // drains: what is open ends by success, limit or failure
  ThreadWorld(const ThreadWorld&) = delete;
  ThreadWorld& operator=(const ThreadWorld&) = delete;
  int size() const { return static_cast<int>(ranks_.size()); }
  World& rank(int rank);  // each used by one thread
  QueueCommunicator& communicator(int rank);
  void abort(int rank, const std::string& reason);  // as if this rank had died: the others' operations end with PeerLost

 private:
  class Rank;
  std::shared_ptr<MemoryHub> hub_;
  std::shared_ptr<LinkBoard> board_;
  std::vector<std::unique_ptr<Rank>> ranks_;
};

// Runs `body(rank)` on one thread per rank and joins them. The first exception aborts the world, so that nobody waits for a rank that is
// gone, and is thrown again here; PeerLost only where no rank threw anything else.
void run_ranks(ThreadWorld&, const std::function<void(World&)>& body);

}  // namespace syncline
