// SPDX-License-Identifier: Apache-2.0
#include "engine/comm/memory_transport.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <thread>

#include "engine/base/error.h"
#include "engine/metrics/clock.h"

namespace syncline {

MemoryHub::MemoryHub(int size, Delays delays) : ends_(static_cast<std::size_t>(size)), delays_(delays) {}

void MemoryHub::abort(int rank, const std::string& reason) {
  {
    const std::scoped_lock lock(mutex_);
    if (!abort_text_) abort_text_ = fmt::format("rank {} ended: {}", rank, reason);
  }
  aborted_.store(true, std::memory_order_release);
  for (End& end : ends_) end.bell.ring();
}

int MemoryHub::context_of(const std::string& key) {
  const std::scoped_lock lock(mutex_);
  return contexts_.emplace(key, static_cast<int>(contexts_.size()) + 1).first->second;
}

MemoryTransport::MemoryTransport(std::shared_ptr<MemoryHub> hub, int rank)
    : hub_(std::move(hub)), rank_(rank), delay_(hub_->delays_.seed, "delay", static_cast<std::uint64_t>(rank)) {
  Context world;
  world.world.resize(static_cast<std::size_t>(hub_->size()));
  std::iota(world.world.begin(), world.world.end(), 0);
  world.rank = rank;
  contexts_.emplace(world_context, std::move(world));
}

int MemoryTransport::make_context(int parent, std::span<const int> members, std::string_view key) {
  const Context& from = contexts_.at(parent);
  Context made;
  for (const int member : members) made.world.push_back(from.world[static_cast<std::size_t>(member)]);
  made.rank = static_cast<int>(std::find(made.world.begin(), made.world.end(), rank_) - made.world.begin());
  const int context = hub_->context_of(std::string(key));
  contexts_[context] = std::move(made);
  return context;
}

Transport::Handle MemoryTransport::allot(Request*& request) {
  if (free_.empty()) {
    free_.push_back(static_cast<Handle>(requests_.size()));
    requests_.emplace_back();
  }
  const Handle handle = free_.back();
  free_.pop_back();
  request = &requests_[static_cast<std::size_t>(handle)];
  request->completion = {};
  request->visible_s = 0;
  request->rank = rank_;
  request->open = true;
  request->done.store(false, std::memory_order_relaxed);
  return handle;
}

bool MemoryTransport::matches(const Request& send, const Request& receive) {
  return send.context == receive.context && (receive.peer == any_source || receive.peer == send.peer) &&
         (receive.tag == any_tag || receive.tag == send.tag);
}

// Both sides are out of their lists, so nobody else touches them until they are marked done.
void MemoryTransport::deliver(Request& send, Request& receive) {
  receive.completion.source = send.peer;
  receive.completion.tag = send.tag;
  receive.completion.bytes = std::min(send.bytes, receive.bytes);
  receive.completion.truncated = send.bytes > receive.bytes;
  if (receive.completion.bytes > 0) std::memcpy(receive.data, send.data, static_cast<std::size_t>(receive.completion.bytes));
  if (hub_->delays_.most_s > 0) {
    const double now = monotonic_s();
    receive.visible_s = now + delay_.uniform() * hub_->delays_.most_s;
    send.visible_s = now + delay_.uniform() * hub_->delays_.most_s;
  }
  const int other = send.rank == rank_ ? receive.rank : send.rank;
  send.done.store(true, std::memory_order_release);
  receive.done.store(true, std::memory_order_release);
  hub_->bell(other).ring();
  if (other != rank_) hub_->bell(rank_).ring();
}

Transport::Handle MemoryTransport::send(const void* data, std::int64_t bytes, int context, int peer, int tag) {
  Request* mine = nullptr;
  const Handle handle = allot(mine);
  const Context& group = contexts_.at(context);
  mine->data = const_cast<void*>(data);  // read only: deliver() copies out of a send's memory
  mine->bytes = bytes;
  mine->context = context;
  mine->peer = group.rank;
  mine->tag = tag;
  MemoryHub::End& end = hub_->ends_[static_cast<std::size_t>(group.world[static_cast<std::size_t>(peer)])];
  Request* match = nullptr;
  {
    const std::scoped_lock lock(end.mutex);
    const auto found = std::find_if(end.posted.begin(), end.posted.end(), [&](const Request* receive) { return matches(*mine, *receive); });
    if (found == end.posted.end()) {
      end.arrived.push_back(mine);
    } else {
      match = *found;
      end.posted.erase(found);
    }
  }
  if (match != nullptr) deliver(*mine, *match);
  return handle;
}

Transport::Handle MemoryTransport::receive(void* data, std::int64_t capacity, int context, int peer, int tag) {
  Request* mine = nullptr;
  const Handle handle = allot(mine);
  mine->data = data;
  mine->bytes = capacity;
  mine->context = context;
  mine->peer = peer;
  mine->tag = tag;
  MemoryHub::End& end = hub_->ends_[static_cast<std::size_t>(rank_)];
  Request* match = nullptr;
  {
    const std::scoped_lock lock(end.mutex);
    const auto found = std::find_if(end.arrived.begin(), end.arrived.end(), [&](const Request* send) { return matches(*send, *mine); });
    if (found == end.arrived.end()) {
      end.posted.push_back(mine);
    } else {
      match = *found;
      end.arrived.erase(found);
    }
  }
  if (match != nullptr) deliver(*match, *mine);
  return handle;
}

bool MemoryTransport::take(Handle handle, Completion& completion) {
  Request& request = requests_[static_cast<std::size_t>(handle)];
  if (!request.done.load(std::memory_order_acquire)) return false;
  if (request.visible_s > 0 && monotonic_s() < request.visible_s) return false;
  completion = request.completion;
  release(handle);
  return true;
}

bool MemoryTransport::cancel(Handle handle) {
  Request& request = requests_[static_cast<std::size_t>(handle)];
  // A request waits in exactly one list: a receive in mine, a send in its receiver's.
  for (MemoryHub::End& end : hub_->ends_) {
    const std::scoped_lock lock(end.mutex);
    for (auto* list : {&end.posted, &end.arrived}) {
      const auto found = std::find(list->begin(), list->end(), &request);
      if (found == list->end()) continue;
      list->erase(found);
      release(handle);
      return true;
    }
  }
  // Matched: the peer's copy is under way or done. What calls this on failure gives the memory up, so wait the moment that it takes.
  while (!request.done.load(std::memory_order_acquire)) std::this_thread::yield();
  return false;
}

bool MemoryTransport::poll() {
  if (hub_->aborted_.load(std::memory_order_acquire)) {
    const std::scoped_lock lock(hub_->mutex_);
    throw PeerLost(*hub_->abort_text_);
  }
  const std::uint32_t now = doorbell().ticket();
  const bool rung = now != heard_;
  heard_ = now;
  return rung;
}

double MemoryTransport::due_s() const {
  if (hub_->delays_.most_s <= 0) return forever_s;
  double due = forever_s;
  for (const Request& request : requests_) {
    if (request.open && request.done.load(std::memory_order_acquire)) due = std::min(due, request.visible_s);
  }
  return due;
}

}  // namespace syncline
