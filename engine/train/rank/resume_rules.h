// SPDX-License-Identifier: Apache-2.0
// Whether one experiment may go on from a checkpoint of another (README, "Resuming").
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/experiment/experiment.h"

namespace syncline {

struct ResumeVerdict {
  enum Kind { same_run, new_run, refused } kind = same_run;
  std::vector<Difference> differences;  // those that decided: of the trajectory when refused, the others when it is a new run
  std::string sentence;                 // set when refused: names every key with both values
};
// same_run: nothing differs but length, target, name or [checkpoint]: a further attempt of the same run.
// refused: another model, data, seed, optimizer or strategy. What only steers sending (plan, allreduce, orchestration, overlap) does not
// count as another strategy: a checkpoint does not depend on it. new_run: anything else, for instance [cluster] or [fault].
ResumeVerdict judge_resume(std::string_view complete_before, std::string_view complete_now);

}  // namespace syncline
