// SPDX-License-Identifier: GPL-3.0-or-later
// Recipes that ship, and what came out of them in this workspace. Nothing about a paper is in code: all texts are the files'.
#pragma once

#include <QString>
#include <optional>
#include <vector>

#include "engine/experiment/recipe.h"
#include "engine/launch/recipe_record.h"
#include "ui/models/palette.h"

namespace syncline::ui {

struct ShippedRecipe {
  QString file, name, title, problem;  // problem: why it cannot be used; empty: it can
  std::optional<Recipe> recipe;
  QString facts() const;  // "2019 · IEEE INFOCOM 2019 · 26 claims"
  QString needs() const;  // "up to 8 ranks on 2 cores · about 15 min"
};

// Of every *.toml of a folder, by file name. Looks at disks.
std::vector<ShippedRecipe> read_recipes(const QString& folder);

// How a recipe stands: of its sizes the one that was begun last.
struct RecipeStanding {
  enum State { not_run, running, stopped, reproduced, differs, too_little } state = not_run;
  QString sentence;  // "✓ reproduced here (quick): 12 of 12 tested claims held"
  palette::Status status = palette::Status::muted;
  std::vector<ClaimResult> claims;  // of the last time that it came to its end; before that untested ones, each with its reason
};
RecipeStanding standing_of(const Recipe&, const std::vector<RecipeRecord>&);

// For the table of claims.
QString verdict_text(const ClaimResult&);   // "✓ held", "✕ does not hold", "– not at this size"
QString measured_text(const ClaimResult&);  // "1.31", "yes", "–"
palette::Status verdict_status(const ClaimResult&);

}  // namespace syncline::ui
