// SPDX-License-Identifier: Apache-2.0
// Which buckets may start, agreed on while the job runs (Bitvector allreduce, "Per-rank background loop"). A policy is the protocol of one
// rank and nothing else: it exchanges nothing itself, knows no clock, and is stepped by whoever can exchange (the communication thread, or
// the simulator's events). One cycle is begin(), then next() after each round until the round is `over`; every rank runs every cycle.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/comm/communicator.h"
#include "engine/comm/orchestrations/control_cost.h"
#include "engine/experiment/parameter.h"

namespace syncline {

struct ReleaseRequest {    // one bucket that is ready on this rank
  std::string_view name;   // the same on every rank; outlives the policy
  std::int64_t count = 0;  // elements
  Op op = Op::sum;
  int handle = -1;  // this rank's own, handed back when it is released
  double asked_s = 0;
};

struct ReleaseSetup {  // from [strategy.orchestration_options]
  int rank = 0, ranks = 1;
  std::int64_t cache_capacity = 1024;
  double fusion_threshold_bytes = 128 * 1024 * 1024;
  bool separate_groups = true;
  double stall_warning_s = 60;
};

struct Released {
  int handle = -1;     // of the request
  bool begins = true;  // a message; the others travel in that of the one before
};

enum class Round : std::uint8_t {
  over,      // the cycle is done
  bits_and,  // `words` of all ranks, bitwise and
  bits_or,   // ... bitwise or
  to_root    // `report` of every rank to rank 0, which makes the answer(); every rank gets it in `reply`
};

class ReleasePolicy {
 public:
  explicit ReleasePolicy(const ReleaseSetup& setup) : setup_(setup) {}
  virtual ~ReleasePolicy() = default;
  ReleasePolicy(const ReleasePolicy&) = delete;
  ReleasePolicy& operator=(const ReleasePolicy&) = delete;

  void submit(const ReleaseRequest&);
  void ask_stop() { stop_asked_ = true; }    // told in the next cycle
  bool stopped() const { return stopped_; }  // a rank asked, and every rank has learned it in the same cycle
  virtual Round begin(double now_s) = 0;     // TrainingError where ranks differ in a bucket, alike on all of them
  virtual Round next(double now_s) = 0;      // the round's result is in words or reply
  virtual void answer(std::span<const ByteBuffer> reports, double now_s) = 0;  // rank 0, in a round to_root: fills reply
  virtual std::uint64_t state_hash() const { return 0; }                       // of what has to be alike on all ranks

  // What the rounds exchange; buffers are used again.
  std::vector<std::uint64_t> words;
  ByteBuffer report, reply;
  int requests_told = 0;  // in `report`

  // Appends what was released since the last call, in the order in which every rank starts it.
  void take_released(std::vector<Released>& into) {
    into.insert(into.end(), released_.begin(), released_.end());
    released_.clear();
  }
  // Sentences for the log, since the last call: stalls, a cache too small. Rank 0 speaks for all.
  std::vector<std::string> take_warnings() { return std::move(warnings_); }
  const std::string& stalled() const { return stalled_; }  // who keeps what waiting, as far as the ranks have told each other

  std::int64_t slow_paths() const { return slow_paths_; }
  std::int64_t erasures() const { return erasures_; }             // second all-reduces, of entries that had changed
  std::uint64_t sequence_hash() const { return sequence_hash_; }  // of all names released so far and where messages end
  const ReleaseSetup& setup() const { return setup_; }
  virtual std::int64_t known() const { return 0; }  // tensors that have an id

 protected:
  struct Pending {
    ReleaseRequest request;
    bool told = false;  // rank 0 has it in its table
  };
  // Releases these names in this order; each has to be pending here. Fuses neighbours of one op up to the threshold unless groups stay
  // apart.
  void release(std::span<const std::string_view> names);
  const Pending* pending(std::string_view name) const;
  void note_stall(const std::string& text);  // that a reply brought; empty: none

  ReleaseSetup setup_;
  std::vector<Pending> pending_;  // in the order of submit()
  bool stop_asked_ = false, stopped_ = false;
  std::int64_t slow_paths_ = 0, erasures_ = 0;
  std::vector<std::string> warnings_;
  std::string stalled_;

 private:
  std::vector<Released> released_;
  std::uint64_t sequence_hash_ = 0;
};

struct OrchestrationEntry {
  std::string_view name, title, paper, summary;
  std::span<const Parameter> parameters;
  std::unique_ptr<ReleasePolicy> (*make)(const ReleaseSetup&) = nullptr;  // null: the order is fixed beforehand, nothing is agreed on
  // One cycle in the steady state, with `tensors` known and `requests` newly ready on every rank. Null: none.
  double (*cycle_cost_s)(const ControlCost&, std::int64_t tensors, double requests) = nullptr;
};
std::span<const OrchestrationEntry> orchestrations();            // one line an entry in registry.cpp
const OrchestrationEntry& orchestration(std::string_view name);  // ConfigError for an unknown name

// Between two cycles at least: as short as the exchange itself, the thread that runs them would never sleep and take a core from the
// compute threads.
inline constexpr double shortest_rest_s = 100e-6;

// How a negotiated order is run: what Communicator::orchestrate takes.
struct ReleaseOptions {
  const OrchestrationEntry* entry = nullptr;
  ReleaseSetup setup;  // rank and ranks are filled in by the communicator
  double cycle_time_s = 1e-3, control_message_cost_s = 0;
};
ReleaseOptions release_options(const OrchestrationEntry&, const Params& options);

}  // namespace syncline
