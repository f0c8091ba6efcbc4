// SPDX-License-Identifier: Apache-2.0
#include "engine/store/saved.h"

#include "engine/metrics/clock.h"
#include "engine/store/records.h"

namespace syncline {
namespace {

constexpr std::string_view columns = "SELECT id, kind, name, content, updated_at FROM saved ";

SavedText row_of(const Statement& row) { return {row.text(0), row.text(1), row.text(2), row.text(3), row.real(4)}; }

}  // namespace

std::vector<SavedText> saved_texts(Database& database, std::string_view kind) {
  Statement select = database.prepare(std::string(columns) + "WHERE kind = ? ORDER BY id");
  select.bind_all(kind);
  std::vector<SavedText> found;
  while (select.step()) found.push_back(row_of(select));
  return found;
}

std::optional<SavedText> saved_text(Database& database, std::string_view id) {
  Statement select = database.prepare(std::string(columns) + "WHERE id = ?");
  select.bind_all(id);
  if (!select.step()) return std::nullopt;
  return row_of(select);
}

SavedTexts::SavedTexts(const Workspace& workspace) : database_(workspace.connect()) {}

std::string SavedTexts::put(const SavedText& saved) {
  const std::string id = saved.id.empty() ? make_run_id() : saved.id;
  Transaction transaction(database_);
  Statement insert = database_.prepare(
      "INSERT INTO saved (id, kind, name, content, updated_at) VALUES (?1, ?2, ?3, ?4, ?5) "
      "ON CONFLICT (id) DO UPDATE SET kind = ?2, name = ?3, content = ?4, updated_at = ?5");
  insert.bind_all(id, saved.kind, saved.name, saved.content, utc_s()).run();
  transaction.commit();
  return id;
}

void SavedTexts::remove(std::string_view id) {
  Statement remove = database_.prepare("DELETE FROM saved WHERE id = ?");
  remove.bind_all(id).run();
}

}  // namespace syncline
