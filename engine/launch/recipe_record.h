// SPDX-License-Identifier: Apache-2.0
// How far a recipe has come in a workspace, and what its steps found: one saved text of kind "recipe" for each recipe and size.
#pragma once

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "engine/store/database.h"
#include "engine/store/process.h"
#include "engine/store/workspace.h"

namespace syncline {

struct StepRecord {
  std::string state;              // finished | failed
  std::string reason;             // one sentence, of a failed one
  std::string made_from;          // experiment and command: a step that has not changed is not run again
  std::vector<std::string> runs;  // train: ids, one for each seed
  nlohmann::ordered_json result;  // simulate, bench, plan: their document
  double seconds = 0;
};

// How the note of a claim begins that nothing here can test, and of one that this size leaves out.
inline constexpr std::string_view needs_mark = "needs: ", size_mark = "not at this size: ";

struct ClaimResult {
  std::string id, text, expected;
  std::variant<std::monostate, double, bool> measured;
  std::optional<bool> held;  // empty: not tested; the note says why
  std::string note;
};

struct RecipeRecord {
  std::string saved_id;  // of the saved text; empty: not written yet
  std::string recipe, version;
  bool quick = false;
  std::string state = "running";  // running | stopped | finished
  std::string at;                 // the step that runs
  ProcessIdentity process;        // that runs it
  double started = 0, ended = 0;  // UTC seconds since 1970; ended 0: not yet
  std::size_t step_count = 0;     // how many steps this size has
  std::map<std::string, StepRecord> steps;
  std::vector<ClaimResult> claims;  // of the last time that the recipe came to its end

  bool going_on() const;               // its process is there, as far as can be known here
  std::string_view state_now() const;  // running | stopped | finished; one whose process is gone has stopped
};

nlohmann::ordered_json to_json(const RecipeRecord&);
nlohmann::ordered_json to_json(const std::vector<ClaimResult>&);  // the contract's list of claims

std::vector<RecipeRecord> recipe_records(Database&);  // those that can be read
std::optional<RecipeRecord> recipe_record(Database&, std::string_view recipe, bool quick);
// Of a recipe's sizes the one that was begun last; null: none was.
const RecipeRecord* last_begun(const std::vector<RecipeRecord>&, std::string_view recipe);
void save(const Workspace&, RecipeRecord&);

// Where the experiments, answers and log of a recipe's steps lie: beside the workspace, WORKSPACE.recipes/NAME (NAME-quick).
std::filesystem::path recipe_folder(const Workspace&, std::string_view recipe, bool quick);

// 0 when no claim is false and at least half of them were tested, else 1.
int recipe_exit_code(const std::vector<ClaimResult>&);

}  // namespace syncline
