// SPDX-License-Identifier: Apache-2.0
// A communicator is a group of ranks for ONE purpose. Operations are non-blocking: a call enqueues and returns a Work; one communication
// thread per rank carries them out in the order asked. Worlds: Thread (ranks are threads of one process), MPI, later NCCL and Sim.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/view.h"

namespace syncline {

using ByteBuffer = std::vector<std::byte>;

class WorkState;  // one per operation; defined by the queue (engine/comm/queue.h)

class Work {  // move-only handle of one operation; default-constructed = done
 public:
  Work() = default;
  explicit Work(std::shared_ptr<WorkState>);
  Work(Work&&) noexcept;
  Work& operator=(Work&&);  // overwriting an unfinished Work: UsageError
  Work(const Work&) = delete;
  Work& operator=(const Work&) = delete;
  ~Work();  // dropping an unfinished Work is logged as our mistake and waited for

  bool done() const;  // never blocks; do not loop on it (the simulator reports a spin)
  void wait();        // returns when later operations of this rank context see the result. Idempotent. Throws PeerLost, TimeLimit
  bool wait_for(double limit_s);  // false on time-out; the operation goes on
  void cancel();                  // receives not yet matched, sends not yet issued; otherwise completes. Then done()
  int source() const;             // of a finished receive
  int tag() const;
  std::int64_t bytes() const;
  struct Times {
    double queued_s = 0, issued_s = 0, first_byte_s = 0, done_s = 0;
  };
  Times times() const;  // this rank's clock; valid when done

 private:
  std::shared_ptr<WorkState> state_;
};

enum class Op : std::uint8_t { sum, max, bit_and };  // bit_and: on the 32 bits of each element

struct Reduce {
  Op op = Op::sum;
  double scale_before = 1;      // applied to this rank's contribution while reading
  int order = -1;               // >= 0: position in this step's sequence; the queue issues k only after k-1
  int id = -1;                  // bucket number for spans; -1: none
  bool negotiated = false;      // starts when orchestrate()'s policy lets it, on all ranks in one order; `label` is its name there
  std::string_view label = {};  // appears in spans and in the text of a time-out
};

inline constexpr int any_source = -1, any_tag = -1;
struct Features {
  bool any_source = true, variable_size = true, cancel = true, device_memory = false, bitwise_reproducible = true;
};
struct Message {
  int source = -1, tag = -1;
  View data;
};  // data valid until the next call on the same mailbox

struct ReleaseOptions;  // engine/comm/orchestrations/policy.h
// What agreeing on an order has taken on this rank so far.
struct ReleaseCounters {
  std::int64_t cycles = 0;            // turns of the control plane
  std::int64_t control_bytes = 0;     // this rank's contributions to them: 8 W a cycle with bits, reports and replies besides
  std::int64_t control_messages = 0;  // sent and received by this rank
  std::int64_t slow_paths = 0;        // turns that went by rank 0
  std::int64_t extra_allreduces = 0;  // of the numbers of entries that had changed
  std::int64_t released = 0;          // buckets
  std::int64_t messages = 0;          // data allreduces that carried them
  double control_s = 0;               // time in turns
  std::uint64_t sequence_hash = 0;    // of all names in the order of their release: alike on all ranks
  std::uint64_t state_hash = 0;       // of what the policy keeps: alike on all ranks
};

class Mailbox {  // `depth` receives from anyone, posted ahead; order of delivery = order of arrival
 public:
  virtual ~Mailbox() = default;
  virtual std::optional<Message> poll() = 0;  // never blocks
  virtual Message wait(double limit_s) = 0;   // throws TimeLimit
};

// Calls enqueue and return; they throw only UsageError (a view out of range, in and out of different length, a peer outside the group).
// Collectives: every member calls them in one order. A view is read and written only until its Work is done; touching an `out` or
// in-place view meanwhile is an error. All views host memory unless features().device_memory.
class Communicator {
 public:
  virtual ~Communicator() = default;
  virtual int rank() const = 0;
  virtual int size() const = 0;
  virtual Features features() const = 0;

  virtual Work allreduce(View in, View out, Reduce = {}) = 0;         // in == out: in place; every rank ends with the same bits
  virtual Work reduce(View in, View out, int root, Reduce = {}) = 0;  // out untouched elsewhere
  virtual Work broadcast(View, int root) = 0;
  virtual Work reduce_scatter(View in, View out, Reduce = {}) = 0;  // part r = [r*c, min((r+1)*c, n)), c = ceil(n/size); out holds my part
  virtual Work allgather(View in, View out) = 0;                    // equal parts by the same rule; the last may be short
  virtual Work allgather_bytes(ByteBuffer mine, std::vector<ByteBuffer>& all) = 0;            // lengths differ and travel first
  virtual Work alltoall_bytes(std::vector<ByteBuffer> out, std::vector<ByteBuffer>& in) = 0;  // split below 2 GiB per pair inside
  virtual Work barrier() = 0;

  // Point to point: matched by (source, tag) in order of sending. Tags 0..32767. A longer message than the view: UsageError in wait().
  virtual Work send(View, int peer, int tag) = 0;
  virtual Work receive(View, int peer, int tag) = 0;  // any_source / any_tag where features() say so
  virtual std::unique_ptr<Mailbox> mailbox(int tag, std::int64_t count, int depth) = 0;

  // Groups: collective, at start only. `purpose` names spans and time-outs ("data", "control", "server", "pipe").
  virtual std::unique_ptr<Communicator> duplicate(std::string_view purpose) = 0;
  virtual std::unique_ptr<Communicator> split(int colour, int key, std::string_view purpose) = 0;
  // Collective, at start only: from now on allreduces with Reduce::negotiated may be asked for in any order on each rank. A step says
  // expect(n) on every rank before its n buckets; other collectives asked for meanwhile start behind them.
  virtual void orchestrate(const ReleaseOptions&);
  virtual void expect(int buckets);
  virtual void stop_releases() {}  // this rank gives up: every rank's unreleased buckets end with PeerLost, in the same turn
  virtual ReleaseCounters release_counters() const { return {}; }
  virtual std::unique_ptr<Communicator> shrink() { return nullptr; }  // nullptr: this world cannot lose members
};

}  // namespace syncline
