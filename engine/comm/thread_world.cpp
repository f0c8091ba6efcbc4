// SPDX-License-Identifier: Apache-2.0
#include "engine/comm/thread_world.h"

#include <exception>
#include <functional>
#include <mutex>
#include <thread>

#include "engine/base/error.h"

namespace syncline {

class ThreadWorld::Rank final : public World {
 public:
  Rank(ThreadWorld& world, int rank, const ThreadWorldOptions& options) : world_(world), rank_(rank) {
    QueueOptions queue = options.queue;
    queue.name = "comm " + std::to_string(rank);
    queue_ = std::make_unique<CommQueue>(queue, [&world, rank]() -> std::unique_ptr<Transport> {
      auto transport = std::make_unique<MemoryTransport>(world.hub_, rank);
      if (!world.board_) return transport;
      return std::make_unique<ShapedTransport>(std::move(transport), world.board_);
    });
  }
  ~Rank() override {
    communicator_.reset();
    queue_.reset();
  }
  // Collective in general; threads agree on contexts by name, so one rank after the other is as good.
  void connect(const GroupOptions& options) { communicator_ = QueueCommunicator::world(*queue_, options, "data"); }
  QueueCommunicator& communicator() override { return *communicator_; }
  CommQueue& queue() override { return *queue_; }
  void abandon(const std::string& reason) override { world_.abort(rank_, reason); }

 private:
  ThreadWorld& world_;
  int rank_;
  std::unique_ptr<CommQueue> queue_;
  std::unique_ptr<QueueCommunicator> communicator_;
};

ThreadWorld::ThreadWorld(int size, ThreadWorldOptions options) : hub_(std::make_shared<MemoryHub>(size, options.delays)) {
  if (size < 1) throw UsageError("internal error: a world needs at least one rank");
  options.group = with_environment(options.group);
  check_links(options.links.has_value(), options.group);
  if (size > 1 && options.group.allreduce == "library")
    throw ConfigError("allreduce = \"library\" needs ranks under MPI", {.file = "", .key = "strategy.allreduce"});
  if (options.links) board_ = LinkBoard::in_process(*options.links, size, [hub = hub_](int rank) { return &hub->bell(rank); });
  if (board_ && options.receivers_read) {
    for (int rank = 0; rank < size; ++rank) board_->all_offers().publish(rank);
    board_->let_receivers_read();
  }
  for (int rank = 0; rank < size; ++rank) ranks_.push_back(std::make_unique<Rank>(*this, rank, options));
  for (auto& rank : ranks_) rank->connect(options.group);
}

ThreadWorld::~ThreadWorld() {
  for (auto& rank : ranks_) rank->queue().request_stop();  // all of them first: the last operations of one need the others
  ranks_.clear();
}

World& ThreadWorld::rank(int rank) { return *ranks_.at(static_cast<std::size_t>(rank)); }
QueueCommunicator& ThreadWorld::communicator(int rank) { return ranks_.at(static_cast<std::size_t>(rank))->communicator(); }
void ThreadWorld::abort(int rank, const std::string& reason) { hub_->abort(rank, reason); }

void run_ranks(ThreadWorld& world, const std::function<void(World&)>& body) {
  std::mutex mutex;
  std::exception_ptr first, lost;  // that a peer is gone is no reason where that one gives its own
  std::vector<std::thread> threads;
  for (int rank = 0; rank < world.size(); ++rank) {
    threads.emplace_back([&, rank] {
      try {
        body(world.rank(rank));
      } catch (const std::exception& error) {
        {
          const std::scoped_lock lock(mutex);
          std::exception_ptr& of_its_kind = dynamic_cast<const PeerLost*>(&error) != nullptr ? lost : first;
          if (!of_its_kind) of_its_kind = std::current_exception();
        }
        world.abort(rank, error.what());
      }
    });
  }
  for (auto& thread : threads) thread.join();
  if (first || lost) std::rethrow_exception(first ? first : lost);
}

}  // namespace syncline
