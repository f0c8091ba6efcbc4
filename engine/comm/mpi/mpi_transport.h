// SPDX-License-Identifier: Apache-2.0
// Messages by MPI. Made, used and closed by one thread, the only one that calls MPI (MPI_THREAD_FUNNELED). Nothing runs on MPI_COMM_WORLD:
// every context is a duplicate.
#pragma once

#include <mpi.h>

#include <deque>
#include <vector>

#include "engine/comm/transport.h"

namespace syncline {

// The one place where MPI's answers are looked at: throws PeerLost with the call and the library's own words.
void check_mpi(int code, const char* call);

class MpiTransport final : public Transport {
 public:
  MpiTransport();  // initialises MPI
  int rank() const override { return rank_; }
  int size() const override { return size_; }
  int make_context(int parent, std::span<const int> members, std::string_view key) override;
  Handle send(const void* data, std::int64_t bytes, int context, int peer, int tag) override;
  Handle receive(void* data, std::int64_t capacity, int context, int peer, int tag) override;
  bool take(Handle, Completion&) override;
  bool cancel(Handle) override;
  bool poll() override;
  Doorbell& doorbell() override { return bell_; }
  double longest_sleep_s() const override { return 500e-6; }  // a shorter one costs the compute thread, a longer one the exchange
  bool library_allreduce(const void* in, void* out, std::int64_t count, Op, int context) override;
  void close() override;  // frees the duplicates, finalises MPI

  MPI_Comm communicator() const { return contexts_.front(); }  // for what a start needs beyond messages

 private:
  struct Request {
    bool open = false, done = false;
    Completion completion;
  };
  Handle start(MPI_Request request);
  int message_bytes(std::int64_t bytes) const;
  void release(Handle handle);
  void settle(std::size_t position, int code, const MPI_Status& status);

  int rank_ = 0, size_ = 1;
  Doorbell bell_;
  std::vector<MPI_Comm> contexts_;  // 0: all ranks
  std::deque<Request> requests_;
  std::vector<Handle> free_;
  std::vector<MPI_Request> active_;  // dense, as MPI_Testsome wants it
  std::vector<Handle> owners_;       // of active_
  std::vector<int> indices_, order_;
  std::vector<MPI_Status> statuses_;
};

}  // namespace syncline
