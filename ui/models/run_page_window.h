// SPDX-License-Identifier: GPL-3.0-or-later
// A part of a run that is to be looked at: which steps it has, and where they lie on an axis.
#pragma once

#include <optional>

#include "engine/store/reader.h"

namespace syncline::ui {

struct StepWindow {
  std::int64_t first_step = 0, last_step = 0;
  double from_x = 0, to_x = 0;  // of these two steps
};
// The newest `seconds` of active time; nothing while nothing is recorded.
std::optional<StepWindow> window_of_last(Reader&, const std::string& run_id, XAxis, double seconds);
// What is recorded from one step to another; nothing when there is no step between them.
std::optional<StepWindow> window_of_steps(Reader&, const std::string& run_id, XAxis, std::int64_t from_step, std::int64_t to_step);

}  // namespace syncline::ui
