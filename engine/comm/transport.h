// SPDX-License-Identifier: Apache-2.0
// Bytes from rank to rank: what a world has to provide. Everything above (order, collectives, limits, tracing) is written once, over this.
// All calls come from one communication thread per rank, except doorbell().ring().
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "engine/comm/communicator.h"
#include "engine/comm/doorbell.h"

namespace syncline {

class Transport {
 public:
  using Handle = std::int32_t;  // of one message under way
  struct Completion {
    int source = -1, tag = -1;  // of a receive: the sender's rank in the context
    std::int64_t bytes = 0;
    bool truncated = false;  // the message was longer than the receive's buffer
    bool cancelled = false;
  };
  static constexpr int world_context = 0;  // all ranks; contexts keep messages of different groups and purposes apart

  virtual ~Transport() = default;
  virtual int rank() const = 0;
  virtual int size() const = 0;
  // Collective over the members, which are ranks of `parent`, listed by their new rank. `key` is the same on all members and unique.
  virtual int make_context(int parent, std::span<const int> members, std::string_view key) = 0;

  // `peer` counts in the context. The memory stays untouched by the caller until take() says that the handle is finished.
  virtual Handle send(const void* data, std::int64_t bytes, int context, int peer, int tag) = 0;
  virtual Handle receive(void* data, std::int64_t capacity, int context, int peer, int tag) = 0;  // any_source, any_tag allowed
  virtual bool take(Handle, Completion&) = 0;  // true: finished, and the handle is free again
  virtual bool cancel(Handle) = 0;             // true: it will never move bytes, and the handle is free; false: it is under way

  virtual bool poll() = 0;                            // moves things on; true when something may have finished. Throws PeerLost
  virtual Doorbell& doorbell() = 0;                   // the communication thread sleeps on it
  virtual double due_s() const { return forever_s; }  // when the next thing finishes by the clock alone (shaped links)
  virtual double longest_sleep_s() const = 0;         // how long the thread may sleep without poll() while messages are open

  // Blocking sum, maximum or bit-and by the library under the transport; false where it has none.
  virtual bool library_allreduce(const void* /*in*/, void* /*out*/, std::int64_t /*count*/, Op, int /*context*/) { return false; }
  virtual void close() {}  // the orderly end, collective; not called after a failure
};

}  // namespace syncline
