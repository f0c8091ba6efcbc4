// SPDX-License-Identifier: Apache-2.0
// Messages between ranks that are threads of one process: one copy, made by whichever side comes second, and a ring of the peer's bell.
#pragma once

#include <atomic>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/random.h"
#include "engine/comm/transport.h"

namespace syncline {

struct Delays {  // for tests: each message becomes visible up to most_s later than it arrives
  std::uint64_t seed = 0;
  double most_s = 0;
};

class MemoryHub {  // shared by the transports of all ranks
 public:
  explicit MemoryHub(int size, Delays delays = {});
  int size() const { return static_cast<int>(ends_.size()); }
  Doorbell& bell(int rank) { return ends_[static_cast<std::size_t>(rank)].bell; }
  // Every rank's next poll throws PeerLost with a text that names `rank`. First call wins.
  void abort(int rank, const std::string& reason);

 private:
  friend class MemoryTransport;
  struct Request {
    void* data = nullptr;
    std::int64_t bytes = 0;              // of a send; capacity of a receive
    int context = 0, peer = 0, tag = 0;  // peer, tag: as asked for by a receive; my rank in the context and the tag of a send
    int rank = 0;                        // in the world, of whoever made it
    Transport::Completion completion;
    double visible_s = 0;
    std::atomic<bool> done{false};
    bool open = false;
  };
  struct End {
    std::mutex mutex;
    std::vector<Request*> posted, arrived;  // receives and sends that wait for the other side, in order
    Doorbell bell;
  };
  int context_of(const std::string& key);  // the same number for the same key

  std::deque<End> ends_;
  Delays delays_;
  std::mutex mutex_;
  std::map<std::string, int> contexts_;
  std::optional<std::string> abort_text_;
  std::atomic<bool> aborted_{false};
};

class MemoryTransport final : public Transport {
 public:
  MemoryTransport(std::shared_ptr<MemoryHub> hub, int rank);
  int rank() const override { return rank_; }
  int size() const override { return hub_->size(); }
  int make_context(int parent, std::span<const int> members, std::string_view key) override;
  Handle send(const void* data, std::int64_t bytes, int context, int peer, int tag) override;
  Handle receive(void* data, std::int64_t capacity, int context, int peer, int tag) override;
  bool take(Handle, Completion&) override;
  bool cancel(Handle) override;
  bool poll() override;
  Doorbell& doorbell() override { return hub_->bell(rank_); }
  double due_s() const override;
  double longest_sleep_s() const override { return forever_s; }

 private:
  using Request = MemoryHub::Request;
  struct Context {
    std::vector<int> world;
    int rank = 0;
  };  // members by rank; mine
  Handle allot(Request*&);
  void release(Handle handle) {
    requests_[static_cast<std::size_t>(handle)].open = false;
    free_.push_back(handle);
  }
  void deliver(Request& send, Request& receive);
  static bool matches(const Request& send, const Request& receive);

  std::shared_ptr<MemoryHub> hub_;
  int rank_;
  std::map<int, Context> contexts_;
  std::deque<Request> requests_;
  std::vector<Handle> free_;
  std::uint32_t heard_ = 0;
  RandomStream delay_;
};

}  // namespace syncline
