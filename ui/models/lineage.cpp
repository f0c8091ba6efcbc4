// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/lineage.h"

#include "engine/store/saved.h"

namespace syncline::ui {

namespace {

void keep(const Workspace& workspace, const char* kind, const std::string& id, const std::string& origin) {
  SavedTexts(workspace).put({.id = id + origin_suffix, .kind = kind, .name = id, .content = origin});
}

}  // namespace

void keep_draft_origin(const Workspace& workspace, const std::string& draft_id, const std::string& run_id) {
  keep(workspace, "draft-origin", draft_id, run_id);
}

void carry_origin(const Workspace& workspace, const std::string& draft_id, const std::string& run_id) {
  Database database = workspace.connect();
  if (const auto origin = origin_of(database, draft_id)) keep(workspace, run_origin_kind, run_id, *origin);
}

std::optional<std::string> origin_of(Database& database, const std::string& id) {
  const auto saved = saved_text(database, id + origin_suffix);
  return saved ? std::optional(saved->content) : std::nullopt;
}

}  // namespace syncline::ui
