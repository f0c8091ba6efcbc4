// SPDX-License-Identifier: GPL-3.0-or-later
// Which run a draft was duplicated from, and so which run another one was cloned from. Kept beside the drafts in the workspace.
#pragma once

#include <optional>
#include <string>

#include "engine/store/database.h"
#include "engine/store/workspace.h"

namespace syncline::ui {

inline constexpr char origin_suffix[] = "/origin";   // of the id under which an origin is kept
inline constexpr char run_origin_kind[] = "origin";  // of runs; a draft's is "draft-origin"

void keep_draft_origin(const Workspace&, const std::string& draft_id, const std::string& run_id);
// A run was launched from the draft: it has the same origin. Nothing happens where the draft has none.
void carry_origin(const Workspace&, const std::string& draft_id, const std::string& run_id);
std::optional<std::string> origin_of(Database&, const std::string& draft_or_run_id);

}  // namespace syncline::ui
