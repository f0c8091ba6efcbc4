// SPDX-License-Identifier: Apache-2.0
// The tables of a workspace, as one migration per version.
#pragma once

#include "engine/store/database.h"

namespace syncline {

// Brings an opened workspace to schema_version, each migration in one transaction. WorkspaceError when it was made by a newer version, or
// when the database holds something else.
void migrate(Database&);

// 0x53594e43, "SYNC": PRAGMA application_id, tells a workspace from any other SQLite file.
inline constexpr int workspace_application_id = 0x53594e43;

}  // namespace syncline
