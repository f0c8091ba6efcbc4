// SPDX-License-Identifier: Apache-2.0
// Attempts of one run: where each began, and whose checkpoints and evaluations it goes on from.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/store/reader.h"

namespace syncline {

// The first step that the run has recorded of its training; of a resumed one that is the step of the checkpoint it began with. nullopt: it
// ended before.
std::optional<std::int64_t> first_step(Reader&, std::string_view run_id);

// A run whose checkpoints another can go on from: those up to `last_step`.
struct ResumeSource {
  RunInfo run;
  std::int64_t last_step = std::numeric_limits<std::int64_t>::max();
};
// The run itself, then what it was resumed from with the step at which it began, and so on. A run that has been deleted ends the list.
std::vector<ResumeSource> resume_sources(Reader&, const RunInfo&);

}  // namespace syncline
