// SPDX-License-Identifier: Apache-2.0
#include "app/commands/resume_point.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "engine/base/error.h"
#include "engine/store/attempts.h"
#include "engine/train/rank/checkpoint.h"

namespace syncline::app {

ResumePoint resume_point(const Workspace& workspace, Reader& reader, const RunInfo& run, std::optional<std::int64_t> step) {
  const std::vector<ResumeSource> sources = resume_sources(reader, run);
  std::vector<std::int64_t> steps;
  for (const ResumeSource& source : sources) {
    const std::filesystem::path folder = workspace.run_folder(source.run.id);
    for (const std::filesystem::path& checkpoint : committed_checkpoints(folder / "checkpoints")) {
      const std::int64_t saved_at = checkpoint_step(checkpoint);
      if (saved_at > source.last_step) continue;
      // Of its own checkpoints the newest that holds is taken when it starts; another run's is the one that this one began with.
      if (!step) return {source.run.id, source.run.id == run.id ? folder : checkpoint};
      if (saved_at == *step) return {source.run.id, checkpoint};
      if (std::find(steps.begin(), steps.end(), saved_at) == steps.end()) steps.push_back(saved_at);
    }
  }
  if (steps.empty()) {
    throw ConfigError(fmt::format("run {} has saved no checkpoint{}, so there is nothing to resume from", run.id,
                                  sources.size() > 1 ? " and none is left of what it was resumed from" : ""));
  }
  throw ConfigError(fmt::format("--from-step {}: run {} has no checkpoint of that step; it has those of {} {}", *step, run.id,
                                steps.size() == 1 ? "step" : "steps", fmt::join(steps, ", ")));
}

}  // namespace syncline::app
