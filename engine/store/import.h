// SPDX-License-Identifier: Apache-2.0
// Merging another workspace by run id and sequence number: what is already there stays, what is new is appended, annotations that exist are
// never touched. Importing twice, or an older copy after a newer one, changes nothing.
#pragma once

#include <cstdint>
#include <filesystem>

#include "engine/store/workspace.h"

namespace syncline {

struct ImportResult {
  int runs_added = 0, runs_extended = 0, runs_unchanged = 0;
  std::int64_t records = 0;
};

// Reads `source` without writing to it. WorkspaceError with one sentence when it is no workspace, damaged, or made by a newer version; then
// `into` is as before. Files of the run folders beside `source` are copied when absent.
ImportResult import_workspace(const std::filesystem::path& source, const Workspace& into);

}  // namespace syncline
