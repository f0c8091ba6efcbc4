// SPDX-License-Identifier: Apache-2.0
// One queue and one thread per rank. The thread alone drives the transport; everybody else hands it operations and gets a Work.
// Collectives of one communicator (a lane) run one at a time, in the order asked or by Reduce::order; lanes and single messages interleave.
//
// The thread's loop (measured on few cores): look at what is open; nothing moved for 30 us: sleep 50 us, after 400 us doubling to what the
// transport allows (500 us for MPI, no limit where the peer rings); nothing open: sleep until rung. A spinning thread would take the
// compute thread's core, so spinning is an option for ranks that own a spare one.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "engine/comm/transport.h"
#include "engine/comm/work_state.h"

namespace syncline {

class Lane;

// One thing under way: a state machine that the communication thread steps. All virtual functions run on that thread.
class Operation : public WorkState {
 public:
  enum class Progress : std::uint8_t { idle, moved, finished };
  virtual void start(Transport&) = 0;
  virtual Progress progress(Transport&) = 0;              // after a poll(); may throw UsageError, TrainingError
  virtual void abandon(Transport&) = 0;                   // gives its handles back, whatever state they are in
  virtual bool cancelled(Transport&) { return false; }    // cancel() was asked for: true when the operation ended by it
  virtual std::string waiting_for() const { return {}; }  // "ranks 1 and 3"; empty: nobody in particular
  virtual bool endless() const { return false; }          // no limit, and nobody waits for its end (a mailbox)
  virtual void queue_stops() {}                           // nobody will ask for anything more
  virtual double due_s() const { return forever_s; }      // when it wants to go on by the clock alone

  std::shared_ptr<Lane> lane;  // set: one at a time with the others of this lane
  int order = -1;
  bool negotiated = false;  // starts when the lane's gate says so
  View reads, writes;       // what it touches, for the check against touching it twice
  double moved_s = 0;       // last time anything happened; the limit counts from here
  bool warned = false;
};

// Decides which operation of a lane starts next, where the order is agreed on while the job runs. All calls on the communication thread.
class ReleaseGate {
 public:
  virtual ~ReleaseGate() = default;
  virtual void arrived(const std::shared_ptr<Operation>&) = 0;
  // Takes it out of `pending`, except what it merges into the one it returns; null: none may start yet.
  virtual std::shared_ptr<Operation> next(std::vector<std::shared_ptr<Operation>>& pending) = 0;
  virtual std::string missing() const = 0;  // what a bucket waits for, as far as is known
};

// The collectives of one communicator, in the order in which they may start.
class Lane {
 public:
  void push(std::shared_ptr<Operation> operation) {
    if (gate_) gate_->arrived(operation);
    pending_.push_back(std::move(operation));
  }
  void set_gate(std::shared_ptr<ReleaseGate> gate) { gate_ = std::move(gate); }  // nothing is pending or in flight
  const ReleaseGate* gate() const { return gate_.get(); }
  std::shared_ptr<Operation> next();  // null: one is in flight, none is there, or the order says to wait
  void ended() { busy_ = false; }
  bool busy() const { return busy_; }
  std::vector<std::shared_ptr<Operation>>& pending() { return pending_; }

 private:
  std::vector<std::shared_ptr<Operation>> pending_;
  std::shared_ptr<ReleaseGate> gate_;
  bool busy_ = false;
  int next_order_ = 0;
};

struct QueueOptions {
  double limit_s = 60;             // a silent peer (fault.limit_s)
  double start_limit_s = 120;      // connecting
  bool spin = false;               // never sleep while something is open: only with a spare core
  std::string name = "comm";       // of the thread, at most 15 characters
  std::vector<int> cores;          // where the thread may run; empty: where the process may (process_cores())
  std::function<void()> on_start;  // first thing on the thread, e.g. the floating-point modes of the compute threads
};

// The cores this process was allowed at the first call. Call it first in main: OpenMP may pin the main thread to one core later, and a
// thread started after that would inherit that core.
const std::vector<int>& process_cores();

class CommQueue {
 public:
  using MakeTransport = std::function<std::unique_ptr<Transport>()>;
  // Starts the thread, which makes the transport. Throws what that throws, or TimeLimit after start_limit_s.
  CommQueue(QueueOptions, MakeTransport);
  ~CommQueue();  // close(), then joins
  CommQueue(const CommQueue&) = delete;
  CommQueue& operator=(const CommQueue&) = delete;

  // Any thread. The operation's state must be open (WorkState::reopen). Throws UsageError when its views touch those of an open one.
  void submit(const std::shared_ptr<Operation>&);
  // Asks the thread to end when everything open has ended (by success, limit or failure). The destructor does it too; a world of threads
  // asks all its queues before it joins the first, since the last operations of one rank need the others.
  void request_stop();
  void abandon();  // never joined, never closed: the process is about to _exit
  // Fails everything open and everything to come with this error.
  void poison(Failure);

  int rank() const { return rank_; }
  int size() const { return size_; }
  const QueueOptions& options() const { return options_; }
  double thread_cpu_s() const;  // CPU time of the communication thread so far
  std::int64_t step() const { return step_.load(std::memory_order_relaxed); }
  void set_step(std::int64_t step) { step_.store(step, std::memory_order_relaxed); }
  // Prepares a state for use: clock, limit, bell. Called by whoever fills an operation, before submit().
  void open(Operation&);
  std::string last_operation() const;  // for a watchdog: what this rank is at

 private:
  struct Inbox {
    std::mutex mutex;
    std::vector<std::shared_ptr<Operation>> arrived;
    std::vector<std::shared_ptr<Operation>> open;  // submitted and not seen finished, for the overlap check
    std::optional<Failure> poison;
    bool stop = false;
  };
  void run(const MakeTransport&);
  bool start_transport(const MakeTransport&);
  void set_up_thread();
  void loop();
  bool take_arrivals();      // true when something arrived
  bool advance(double now);  // polls, starts, steps; true when anything moved
  bool start_ready();
  void begin(std::shared_ptr<Operation>);
  bool step_active();
  bool step_one(Operation&);  // true: ended
  void end(Operation&);
  void check_limit(Operation&, double now, const ReleaseGate* gate = nullptr);
  void check_limits(double now);
  void fail_all(const Failure&);
  void sleep(std::uint32_t ticket, double pause_s, double now);
  bool nothing_left() const { return active_.empty() && waiting_.empty(); }

  QueueOptions options_;
  int rank_ = 0, size_ = 1;
  std::unique_ptr<Transport> transport_;
  Doorbell* bell_ = nullptr;  // the transport's
  Inbox inbox_;
  std::atomic<bool> stopping_{false};
  std::atomic<std::int64_t> step_{0};
  std::shared_ptr<Heartbeat> heartbeat_ = std::make_shared<Heartbeat>();

  // The communication thread's own.
  std::vector<std::shared_ptr<Operation>> active_, incoming_;
  std::vector<std::shared_ptr<Lane>> waiting_;  // lanes with something pending
  std::optional<Failure> failed_;
  double next_check_s_ = 0;

  Doorbell ready_bell_;
  std::atomic<bool> ready_{false};
  std::exception_ptr start_error_;
  std::atomic<clockid_t> cpu_clock_{0};
  mutable std::mutex last_mutex_;
  std::string last_;
  std::thread thread_;
};

}  // namespace syncline
