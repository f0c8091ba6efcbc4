// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/editor/recipe_list.h"

#include <QCoreApplication>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <algorithm>

#include "engine/launch/recipe_claims.h"
#include "engine/sim/schema.h"
#include "engine/store/summary.h"
#include "ui/models/format.h"

namespace syncline::ui {

namespace {

QString say(const char* text) { return QCoreApplication::translate("Recipes", text); }
QString words(const std::string& text) { return QString::fromStdString(text); }

std::ptrdiff_t count_of(const std::vector<ClaimResult>& claims, std::optional<bool> held) {
  return std::count_if(claims.begin(), claims.end(), [&](const ClaimResult& claim) { return claim.held == held; });
}

}  // namespace

QString ShippedRecipe::facts() const {
  if (!recipe) return {};
  QStringList parts;
  if (recipe->paper.year > 0) parts << QString::number(recipe->paper.year);
  if (!recipe->paper.venue.empty()) parts << words(recipe->paper.venue);
  parts << say("%1 claims, %2 steps")
               .arg(format::count(static_cast<std::int64_t>(recipe->claims.size())),
                    format::count(static_cast<std::int64_t>(recipe->steps.size())));
  return parts.join(QStringLiteral(" · "));
}

QString ShippedRecipe::needs() const {
  if (!recipe) return {};
  QStringList parts = {say("sized for %1 cores").arg(format::count(recipe->cores))};
  if (recipe->minutes > 0) parts << say("about %1 min, quick under 1 min").arg(recipe->minutes);
  return parts.join(QStringLiteral(" · "));
}

std::vector<ShippedRecipe> read_recipes(const QString& folder) {
  std::vector<ShippedRecipe> recipes;
  if (folder.isEmpty()) return recipes;
  const Catalogue known = catalogue();
  const QDir directory(folder);
  for (const QString& name : directory.entryList({QStringLiteral("*.toml")}, QDir::Files, QDir::Name)) {
    ShippedRecipe shipped;
    QFile file(directory.filePath(name));
    shipped.file = file.fileName();
    shipped.name = shipped.title = QFileInfo(name).completeBaseName();
    if (!file.open(QIODevice::ReadOnly)) {
      shipped.problem = say("cannot be read: %1").arg(file.errorString());
    } else {
      ParsedRecipe parsed =
          parse_recipe(file.readAll().toStdString(), file.fileName().toStdString(), {.catalogue = known, .summary = summary_keys()});
      if (!parsed.problems.empty()) shipped.problem = words(to_string(parsed.problems.front()));
      shipped.recipe = std::move(parsed.recipe);
      if (shipped.recipe) shipped.title = words(shipped.recipe->title);
    }
    recipes.push_back(std::move(shipped));
  }
  return recipes;
}

RecipeStanding standing_of(const Recipe& recipe, const std::vector<RecipeRecord>& records) {
  RecipeStanding standing;
  const RecipeRecord* last = last_begun(records, recipe.name);
  standing.claims = last != nullptr && !last->claims.empty() ? last->claims : evaluate_claims(recipe, {}, nullptr, {});
  if (last == nullptr) {
    standing.sentence = say("– not run yet");
    return standing;
  }
  const QString size = last->quick ? say(" (quick)") : QString();
  const auto steps = [&](const QString& text) {
    return text.arg(size, format::count(static_cast<std::int64_t>(last->steps.size())),
                    format::count(static_cast<std::int64_t>(last->step_count)));
  };
  if (last->state_now() == "running") {
    standing.state = RecipeStanding::running;
    standing.status = palette::Status::attention;
    standing.sentence = steps(say("▶ running%1: %2 of %3 steps")) + (last->at.empty() ? QString() : say(", now %1").arg(words(last->at)));
    return standing;
  }
  if (last->state_now() == "stopped") {
    standing.state = RecipeStanding::stopped;
    standing.sentence = steps(say("■ stopped%1 after %2 of %3 steps; Run goes on"));
    return standing;
  }
  const auto held = count_of(last->claims, true), wrong = count_of(last->claims, false);
  const QString numbers = say("%1 of %2 tested claims held").arg(format::count(held), format::count(held + wrong));
  if (wrong > 0) {
    standing.state = RecipeStanding::differs;
    standing.status = palette::Status::bad;
    standing.sentence = say("! differs here%1: %2").arg(size, numbers);
  } else if (recipe_exit_code(last->claims) != 0) {
    standing.state = RecipeStanding::too_little;
    standing.status = palette::Status::attention;
    standing.sentence = say("! too little tested%1: %2").arg(size, numbers);
  } else {
    standing.state = RecipeStanding::reproduced;
    standing.status = palette::Status::good;
    standing.sentence = say("✓ reproduced here%1: %2").arg(size, numbers);
  }
  return standing;
}

QString verdict_text(const ClaimResult& claim) {
  if (claim.held) return *claim.held ? say("✓ held") : say("✕ does not hold");
  if (claim.note.starts_with(size_mark)) return say("– not at this size");
  if (claim.note.starts_with(needs_mark)) return say("– not built yet");
  return say("– not tested");
}

QString measured_text(const ClaimResult& claim) {
  if (const auto* number = std::get_if<double>(&claim.measured)) return QString::number(*number, 'g', 4);
  if (const auto* flag = std::get_if<bool>(&claim.measured)) return *flag ? say("yes") : say("no");
  return QStringLiteral("–");
}

palette::Status verdict_status(const ClaimResult& claim) {
  if (!claim.held) return palette::Status::muted;
  return *claim.held ? palette::Status::good : palette::Status::bad;
}

}  // namespace syncline::ui
