// SPDX-License-Identifier: Apache-2.0
// What a resumed run starts from.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "engine/store/reader.h"

namespace syncline::app {

struct ResumePoint {
  std::string run;               // whose checkpoint it is: the run asked for, or one that it was itself resumed from
  std::filesystem::path folder;  // the run's folder, for its newest checkpoint, or that of one checkpoint
};

// The newest checkpoint of the run, or that of the step asked for. A run that has saved none of its own goes on from where it had started
// itself. ConfigError when there is none, naming the steps that there are.
ResumePoint resume_point(const Workspace&, Reader&, const RunInfo&, std::optional<std::int64_t> step);

}  // namespace syncline::app
