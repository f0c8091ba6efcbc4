// SPDX-License-Identifier: Apache-2.0
// From what was seen of a job's end to its exit record: a pure function.
#pragma once

#include <optional>
#include <string>

#include "engine/launch/process.h"
#include "engine/launch/protocol.h"
#include "engine/launch/rank_status.h"
#include "engine/store/records.h"

namespace syncline {

struct JobEnd {
  ProcessExit launcher;  // mpirun's, or the single rank's own
  bool through_mpirun = false;
  std::optional<Outcome> outcome;          // what the ranks wrote
  std::optional<RankSnapshot> first_lost;  // the first rank that went without a word
  int ranks = 1, ranks_seen = 0;
  std::int64_t newest_step = 0;
  bool ended_at_once = false;    // a person asked twice
  bool launcher_killed = false;  // by the supervisor: its own end says nothing
  bool hung_after_end = false;   // ranks had finished, the launcher had not
  std::string last_line;         // of the job's output
};

struct Conclusion : ExitRecord {
  bool lost = false;  // a process died or fell silent; anything else would only happen again
};
Conclusion conclude(const JobEnd&);

}  // namespace syncline
