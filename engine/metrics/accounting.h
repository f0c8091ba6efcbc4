// SPDX-License-Identifier: Apache-2.0
// From the spans and exchanges of one rank to the sums of its steps: T = K + E + O and the split into seven parts (README, "How overlap is
// measured"). account_step is pure; StepAccountant feeds it from a SpanRing.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "engine/metrics/recorder.h"
#include "engine/metrics/span_ring.h"
#include "engine/metrics/step_sums.h"

namespace syncline {

// One step of one rank in full. Exchanges that live across a border of the step are in the traces of both steps, whole; account_step cuts.
struct StepTrace {
  std::int32_t rank = 0;
  std::int64_t step = 0;
  double start_s = 0, end_s = 0;  // this rank's clock; end = start of the next step
  std::vector<Span> spans;
  std::vector<ExchangeRecord> exchanges;
};

// When the last peer issued the collective of this sequence number, on THIS rank's clock (see ClockOffset for other hosts).
using LastIssues = std::map<std::uint64_t, double>;

// Sums of one step; the caller fills axes, loss_sum, correct, samples, gradients, updates and further flags. An exchange missing in
// `peers` counts wholly as transfer; step_peer_wait_known is set when `peers` is given and knows every exchange of the step.
StepSums account_step(const StepTrace&, const LastIssues* peers = nullptr);

// Where clocks are less certain than the waits: the part of each exchange beyond the shortest duration of the same collective on any
// rank counts as waiting for peers. `traces`: the same step of all ranks; returns what account_step(traces[rank]) wants, and the caller
// sets step_peer_wait_estimated.
LastIssues estimate_last_issues(std::span<const StepTrace> traces, std::int32_t rank);
// On one clock (offsets already applied): the latest issue over the traces of all ranks, per collective.
LastIssues last_issues(std::span<const StepTrace> traces);

// Exposed time charged to the bucket (exchange id) that the training thread waited for; exposed time outside any wait goes to the oldest
// exchange in flight. The values sum up to exposed_s.
std::map<std::uint16_t, double> exposed_by_bucket(const StepTrace&);

// Collects what a rank records and cuts it into steps. Training thread only.
class StepAccountant {
 public:
  // hold_steps: a step is accounted when so many later ones have been closed, so that exchanges still in flight at its end are known. 1 is
  // right for strategies whose exchanges end with the step; those that let exchanges live for n steps use n + 1.
  StepAccountant(SpanRing& ring, std::int32_t rank, int hold_steps = 1);

  // The step that began at start_s is over; `known` carries axes (axes.step = the step), loss_sum, counts, flags. Times must not go back.
  void close_step(double start_s, double end_s, const StepSums& known);
  // The oldest step whose sums are final, if any. `trace`, when given, receives the step in full; `peers` as in account_step.
  std::optional<StepSums> next(StepTrace* trace = nullptr, const LastIssues* peers = nullptr);
  const StepTrace* ready();             // the step that next() would give, with its exchanges so far; nullptr: none
  void finish() { finishing_ = true; }  // no further step comes: everything held may be taken

 private:
  void drain();
  struct Held {
    StepTrace trace;
    StepSums known;
  };
  SpanRing& ring_;
  std::int32_t rank_;
  std::size_t hold_;
  bool finishing_ = false;
  std::deque<Held> held_;
  std::vector<StepTrace> spare_;           // traces whose memory is used again: no allocation in the steady state
  std::vector<Span> early_spans_;          // begin after the end of every closed step
  std::vector<ExchangeRecord> exchanges_;  // not yet known to be over for every held step
  double first_start_s_ = -1, accounted_until_s_ = -1;
  StepSums late_;  // what arrived for steps that are out already
  std::uint64_t dropped_ = 0;
};

}  // namespace syncline
