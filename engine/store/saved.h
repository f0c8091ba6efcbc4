// SPDX-License-Identifier: Apache-2.0
// What a person keeps in a workspace besides runs: drafts of experiments, filters, comparisons. Texts under an id of their own; what they
// mean is their kind's affair.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/store/database.h"
#include "engine/store/workspace.h"

namespace syncline {

struct SavedText {
  std::string id;    // UUIDv7; empty: a new one is made when it is written
  std::string kind;  // draft | filter | comparison | layout | queue | recipe
  std::string name, content;
  double updated_at = 0;  // UTC seconds since 1970; set when written
};

std::vector<SavedText> saved_texts(Database&, std::string_view kind);  // in the order of their making
std::optional<SavedText> saved_text(Database&, std::string_view id);

class SavedTexts {  // short immediate transactions; every call may throw WorkspaceError
 public:
  explicit SavedTexts(const Workspace&);
  std::string put(const SavedText&);  // inserts or replaces; the id
  void remove(std::string_view id);

 private:
  Database database_;
};

}  // namespace syncline
