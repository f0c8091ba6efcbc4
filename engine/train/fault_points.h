// SPDX-License-Identifier: Apache-2.0
// Test hooks: a fault in a chosen place, so that the tests can show that nothing hangs. Set in the environment of the ranks,
//
//     SYNCLINE_FAULT=RANK:STEP:PHASE:ACTION
//
// PHASE: start | data | forward | backward | collective | evaluation | checkpoint | shutdown. `collective` is after the backward pass,
// where the strategy waits for its exchanges. STEP counts from 0; in evaluation, checkpoint and shutdown the first one at or after it.
// ACTION: throw (an error of ours), exit (exit(1) without a word), abort, kill (SIGKILL), stop (SIGSTOP), sleep (for ever, doing nothing),
// sleep=SECONDS (then go on), until=FILE (go on as soon as there is such a file), nan (the loss of that step becomes not a number).
//
//     SYNCLINE_ABORT_AT=POINT[@RANK]
//
// kills the rank (all ranks without @RANK) at a named point of writing a checkpoint: before-write | mid-write | before-fsync |
// before-manifest | before-rename | after-rename | before-delete.
//
//     SYNCLINE_ACKNOWLEDGED=FILE
//
// rank 0 appends each sequence number that the store has acknowledged, 8 bytes in the order of this machine, right after the commit.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "engine/train/activity.h"

namespace syncline {

struct FaultPlan {
  int rank = -1;
  std::int64_t step = 0;
  TrainPhase phase = TrainPhase::start;
  enum Action { fail, exit, abort, kill, stop, sleep, until, nan } action = fail;
  double seconds = -1;    // of sleep; -1: for ever
  std::string file = {};  // of until
};
std::optional<FaultPlan> parse_fault(std::string_view text);  // ConfigError for a text of another form; nullopt: empty

class FaultPoints {
 public:
  FaultPoints() = default;
  FaultPoints(std::optional<FaultPlan> plan, int rank);
  static FaultPoints from_environment(int rank);
  // Acts when this is the place. Returns true for `nan`: the caller spoils its loss.
  bool reach(TrainPhase, std::int64_t step);

 private:
  std::optional<FaultPlan> plan_;  // empty on every other rank and once acted
};

void abort_point(std::string_view name, int rank);     // SYNCLINE_ABORT_AT, see above
std::function<void(std::int64_t)> acknowledged_log();  // SYNCLINE_ACKNOWLEDGED, see above; empty where it is not set

}  // namespace syncline
