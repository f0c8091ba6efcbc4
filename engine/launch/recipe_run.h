// SPDX-License-Identifier: Apache-2.0
// Runs the steps of a recipe one after another, each as a command of the engine, and judges its claims. What has been found is in the
// workspace after each step, so that a recipe that was stopped, or died, goes on with the step it had not finished.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "engine/experiment/recipe.h"
#include "engine/launch/recipe_claims.h"

namespace syncline {

struct RecipeRunOptions {
  std::string engine;               // absolute path of syncline-engine
  std::string version;              // of this program
  std::filesystem::path folder;     // of the recipe's file, absolute: "file:NAME" lies there
  std::filesystem::path workspace;  // database file
  bool quick = false;
  bool restart = false;  // forget what finished steps have found
  ParametersOf parameters_of;
  std::function<void(const std::string&)> say;  // one line of progress; may be empty
};

// Runs what is left to do: of a recipe that was stopped or died the steps that have not finished, of one that came to its end all. SIGINT,
// SIGTERM and SIGHUP are taken over until it returns: the first stops the current step as it would be stopped alone (a run saves a
// checkpoint) and then the recipe; a step that was stopped by somebody else stops the recipe too. A step that fails leaves its claims
// untested. Throws ConfigError where the recipe is running already, WorkspaceError.
RecipeRecord run_recipe(const Recipe&, const RecipeRunOptions&);

// The command of a step and the experiment that it reads, as run_recipe has them; pure. `run_of_step`: the id of the run of an earlier one.
struct StepCommand {
  std::vector<std::string> arguments;  // after the engine's name; FILE stands for the experiment's file
  std::string experiment;
};
StepCommand step_command(const Recipe&, const RecipeStep&, bool quick, const std::filesystem::path& folder,
                         const std::function<std::string(const std::string& step)>& run_of_step);

}  // namespace syncline
