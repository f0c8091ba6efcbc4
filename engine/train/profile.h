// SPDX-License-Identifier: Apache-2.0
// Measures what planners and some strategies need before the first step: backward times by slice, and what an allreduce costs here. Nothing
// that training depends on is changed; the result is bitwise the same on all ranks.
#pragma once

#include "engine/comm/communicator.h"
#include "engine/metrics/clock.h"
#include "engine/plan/plan.h"
#include "engine/train/task.h"
#include "kernels/backend.h"

namespace syncline {

struct ProfileRequest {
  Task& task;
  Task::Bound bound;
  Loader& loader;
  Communicator& data;
  Communicator& control;
  Backend& backend;
  Clock& clock;
  int steps = 7;  // the first two are not counted; the median of the rest is taken
};
Profile measure_profile(const ProfileRequest&);

}  // namespace syncline
