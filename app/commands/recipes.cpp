// SPDX-License-Identifier: Apache-2.0
// recipes: what papers claim, tested here.
#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <memory>
#include <span>
#include <sstream>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "app/commands.h"
#include "app/commands/output.h"
#include "app/version.h"
#include "engine/base/units.h"
#include "engine/experiment/check.h"
#include "engine/launch/process.h"
#include "engine/launch/recipe_run.h"
#include "engine/sim/schema.h"
#include "engine/store/private_files.h"
#include "engine/store/summary.h"
#include "engine/train/rank/checkpoint.h"

namespace syncline::app {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

struct RecipeArguments {
  std::string name;
  bool quick = false, detach = false, restart = false;
};

// The folder beside an installed program, or of the source tree that it was built in; empty: there is none.
fs::path recipes_folder(const Global& global) {
  const fs::path program = fs::path(global.program).parent_path();
  for (const char* place : {"../share/syncline/recipes", "../resources/recipes", "../../resources/recipes", "../../../resources/recipes"}) {
    std::error_code none;
    if (fs::path folder = fs::weakly_canonical(program / place, none); !none && fs::is_directory(folder, none)) return folder;
  }
  return {};
}

std::vector<fs::path> recipe_files(const Global& global) {
  std::vector<fs::path> files;
  const fs::path folder = recipes_folder(global);
  if (folder.empty()) return files;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.path().extension() == ".toml") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

// NAME is that of a recipe that ships, or a file.
fs::path file_of(const std::string& name, const Global& global) {
  if (name.ends_with(".toml") || name.find('/') != std::string::npos) return fs::absolute(name);
  std::vector<std::string> names;
  for (const fs::path& file : recipe_files(global)) {
    if (file.stem() == name) return file;
    names.push_back(file.stem().string());
  }
  const std::vector<std::string_view> known(names.begin(), names.end());
  throw ConfigError("the recipe " + not_known(name, known));
}

Recipe read_recipe(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  std::ostringstream text;
  if (stream) text << stream.rdbuf();
  if (!stream || text.fail()) throw ConfigError("cannot read the recipe " + file.string(), Origin{file.string(), 0, 0, {}});
  ParsedRecipe parsed = parse_recipe(text.str(), file.string(), {.catalogue = catalogue(), .summary = summary_keys()});
  if (!parsed.recipe) throw ProblemsError(std::move(parsed.problems));
  return *std::move(parsed.recipe);
}

// Hashes of the parameters in the newest checkpoint.
ParametersOf parameters_in(const fs::path& path) {
  return [path](const RunInfo& run) {
    const Workspace workspace = Workspace::open_read_only(path);
    const auto found = newest_checkpoint(workspace.run_folder(run.id) / "checkpoints", [](const std::string&) {});
    if (!found) throw DataError(fmt::format("run {} has no checkpoint", run.name));
    const fs::path file = found->folder / shared_file_name;
    std::ifstream stream(file, std::ios::binary);
    const std::string bytes((std::istreambuf_iterator<char>(stream)), std::istreambuf_iterator<char>());
    const CheckpointPart part = parse_part(std::as_bytes(std::span(bytes)), file.string());
    std::string hashes;  // one for each layer's slice, in the order of their names
    for (const auto& [name, block] : part.blocks)
      if (name.starts_with("params")) hashes += fmt::format(" {}:{:016x}", name, XXH3_64bits(block.data(), block.size()));
    if (hashes.empty()) throw DataError(fmt::format("the checkpoint of run {} has no parameters", run.name));
    return fmt::format("step {}:{}", part.step, hashes);
  };
}

std::string verdict(const ClaimResult& claim) {
  if (claim.held) return *claim.held ? "held" : "DOES NOT HOLD";
  if (claim.note.starts_with(size_mark)) return "not at this size";
  return claim.note.starts_with(needs_mark) ? "needs" : "not tested";
}

std::string measured_text(const ClaimResult& claim) {
  if (const auto* number = std::get_if<double>(&claim.measured)) return fmt::format("{:.4g}", *number);
  if (const auto* flag = std::get_if<bool>(&claim.measured)) return *flag ? "yes" : "no";
  return "-";
}

void print_claims(const std::vector<ClaimResult>& claims) {
  Table table({"claim", "", "measured", "text", "expected"}, {false, false, true, false, false});
  for (const ClaimResult& claim : claims) table.row({claim.id, verdict(claim), measured_text(claim), claim.text, claim.expected});
  table.print();
  std::printf("\n");
  for (const ClaimResult& claim : claims)
    if (!claim.note.empty()) std::printf("%s: %s\n", claim.id.c_str(), claim.note.c_str());
  const auto count = [&](std::optional<bool> held) {
    return std::count_if(claims.begin(), claims.end(), [&](const ClaimResult& each) { return each.held == held; });
  };
  std::printf("%zu claims: %td held, %td do not hold, %td not tested\n", claims.size(), count(true), count(false), count(std::nullopt));
}

Json paper_json(const Paper& paper) {
  return {{"title", paper.title}, {"authors", paper.authors}, {"venue", paper.venue},          {"year", paper.year},
          {"link", paper.link},   {"claim", paper.claim},     {"confidence", paper.confidence}};
}

std::vector<RecipeRecord> records_here(const Global& global) {
  const fs::path path = workspace_path(global.workspace);
  if (!fs::exists(path)) return {};
  Reader reader(Workspace::open_read_only(path));
  return recipe_records(reader.database());
}

std::string state_text(const RecipeRecord* record) {
  if (record == nullptr) return "not run yet";
  const std::string size = record->quick ? ", quick" : "";
  if (record->state_now() == "running") return fmt::format("running{}: {} of {} steps", size, record->steps.size(), record->step_count);
  if (record->state_now() == "stopped")
    return fmt::format("stopped{} after {} of {} steps", size, record->steps.size(), record->step_count);
  const auto held = std::count_if(record->claims.begin(), record->claims.end(), [](const auto& claim) { return claim.held == true; });
  const auto tested = std::count_if(record->claims.begin(), record->claims.end(), [](const auto& claim) { return claim.held.has_value(); });
  return fmt::format("{} of {} tested claims held{}, {}", held, tested, size, local_time(record->ended));
}

int list(const Global& global) {
  Json all = Json::array();
  Table table({"name", "paper", "year", "claims", "minutes", "here"}, {false, false, true, true, true, false});
  const std::vector<RecipeRecord> records = records_here(global);
  for (const fs::path& file : recipe_files(global)) {
    const Recipe recipe = read_recipe(file);
    const RecipeRecord* record = last_begun(records, recipe.name);
    all.push_back({{"name", recipe.name},
                   {"title", recipe.title},
                   {"file", file.string()},
                   {"claims", recipe.claims.size()},
                   {"state", record != nullptr ? Json(record->state_now()) : Json(nullptr)}});
    table.row({recipe.name, recipe.title, std::to_string(recipe.paper.year), std::to_string(recipe.claims.size()),
               recipe.minutes > 0 ? fmt::format("{:g}", recipe.minutes) : "-", state_text(record)});
  }
  if (global.json) return print_document({{"recipes", all}}), 0;
  if (all.empty()) {
    std::printf("no recipes were found beside this program\n");
  } else {
    table.print();
  }
  return 0;
}

int show(const RecipeArguments& arguments, const Global& global) {
  const Recipe recipe = read_recipe(file_of(arguments.name, global));
  const std::vector<RecipeRecord> records = records_here(global);
  const RecipeRecord* record = last_begun(records, recipe.name);
  std::vector<ClaimResult> claims = record != nullptr ? record->claims : std::vector<ClaimResult>();
  if (claims.empty()) claims = evaluate_claims(recipe, RecipeRecord{}, nullptr, {});
  if (global.json) {
    Json steps = Json::array();
    for (const RecipeStep& step : recipe.steps)
      steps.push_back(
          {{"id", step.id}, {"kind", name_of(step.kind)}, {"text", step.text}, {"needs", step.needs}, {"in_quick", step.in_quick}});
    Json last = nullptr;
    if (record != nullptr)
      last = {{"state", record->state_now()}, {"quick", record->quick}, {"started", record->started}, {"ended", record->ended}};
    print_document({{"recipe", recipe.name},
                    {"title", recipe.title},
                    {"summary", recipe.summary},
                    {"paper", paper_json(recipe.paper)},
                    {"steps", steps},
                    {"claims", to_json(claims)},
                    {"last", last}});
    return 0;
  }
  std::printf("%s: %s\n", recipe.title.c_str(), recipe.paper.title.c_str());
  std::printf("%s%s%s%s%s\n", recipe.paper.authors.c_str(), recipe.paper.venue.empty() ? "" : "; ", recipe.paper.venue.c_str(),
              recipe.paper.link.empty() ? "" : "; ", recipe.paper.link.c_str());
  for (const std::string* text : {&recipe.summary, &recipe.paper.claim, &recipe.paper.confidence})
    if (!text->empty()) std::printf("\n%s\n", text->c_str());
  std::printf("\n");
  Table table({"step", "kind", "what"});
  for (const RecipeStep& step : recipe.steps)
    table.row({step.id, std::string(name_of(step.kind)), step.text + (step.needs.empty() ? "" : " (needs: " + step.needs + ")")});
  table.print();
  std::printf("\n%s\n\n", state_text(record).c_str());
  print_claims(claims);
  return 0;
}

RecipeRecord running_record(const std::string& recipe, const Global& global) {
  for (RecipeRecord& record : records_here(global))
    if (record.recipe == recipe && record.going_on()) return std::move(record);
  throw ConfigError(fmt::format("recipe {} is not running: there is nothing to stop", recipe));
}

int stop(const RecipeArguments& arguments, const Global& global) {
  const Recipe recipe = read_recipe(file_of(arguments.name, global));
  const RecipeRecord record = running_record(recipe.name, global);
  if (process_exists(record.process) != true)
    throw ConfigError(fmt::format("recipe {} runs on {}: it is stopped there", recipe.name, record.process.host));
  if (::kill(static_cast<pid_t>(record.process.pid), SIGTERM) != 0)
    throw TrainingError(fmt::format("process {} of recipe {} cannot be sent a signal", record.process.pid, recipe.name));
  if (global.json) return print_document({{"recipe", recipe.name}, {"step", record.at}}), 0;
  std::printf("%s: asked to stop in step %s; 'recipes run %s%s' goes on with it\n", recipe.name.c_str(), record.at.c_str(),
              arguments.name.c_str(), record.quick ? " --quick" : "");
  return 0;
}

int detach(const fs::path& file, const Recipe& recipe, const RecipeArguments& arguments, const Global& global) {
  const Workspace workspace = Workspace::open(workspace_path(global.workspace));
  {
    Reader reader(workspace);
    if (const auto record = recipe_record(reader.database(), recipe.name, arguments.quick); record && record->going_on())
      throw ConfigError(fmt::format("recipe {} is running already (process {})", recipe.name, record->process.pid));
  }
  const fs::path folder = recipe_folder(workspace, recipe.name, arguments.quick), log = folder / "log.txt";
  make_private_folders(folder);
  const int output = ::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (output < 0) throw WorkspaceError("cannot write " + log.string());
  std::vector<std::string> argv = {global.program, "recipes", "run", file.string(), "--workspace", fs::absolute(workspace.path()).string()};
  if (arguments.quick) argv.emplace_back("--quick");
  if (arguments.restart) argv.emplace_back("--restart");
  const ChildProcess runner({.argv = argv, .environment = {}, .group = SpawnOptions::own_session, .output_fd = output});
  ::close(output);
  if (global.json) return print_document({{"recipe", recipe.name}, {"pid", runner.pid()}, {"log", log.string()}}), 0;
  std::printf("recipe %s runs on its own; 'recipes show %s' tells how far it is, and %s what it says\n", recipe.name.c_str(),
              arguments.name.c_str(), log.c_str());
  return 0;
}

int run(const RecipeArguments& arguments, const Global& global) {
  const fs::path file = file_of(arguments.name, global);
  const Recipe recipe = read_recipe(file);
  if (arguments.detach) return detach(file, recipe, arguments, global);
  RecipeRunOptions options{.engine = global.program,
                           .version = version,
                           .folder = file.parent_path(),
                           .workspace = workspace_path(global.workspace),
                           .quick = arguments.quick,
                           .restart = arguments.restart,
                           .parameters_of = {},
                           .say = {}};
  options.parameters_of = parameters_in(options.workspace);
  if (!global.json) options.say = [](const std::string& line) { std::printf("%s\n", line.c_str()); };
  const RecipeRecord record = run_recipe(recipe, options);
  const bool stopped = record.state != "finished";
  std::vector<ClaimResult> claims = record.claims;
  if (stopped) {
    Reader reader(Workspace::open_read_only(options.workspace));
    claims = evaluate_claims(recipe, record, &reader, options.parameters_of);
  }
  if (global.json) {
    print_document({{"recipe", recipe.name}, {"claims", to_json(claims)}});
  } else if (stopped) {
    std::printf("stopped after %zu of %zu steps; the same command goes on with the rest\n", record.steps.size(), record.step_count);
  } else {
    std::printf("\n");
    print_claims(claims);
  }
  return stopped ? static_cast<int>(ExitCode::stopped) : recipe_exit_code(claims);
}

}  // namespace

Action define_recipes(CLI::App& sub, const Global& global) {
  auto arguments = std::make_shared<RecipeArguments>();
  auto chosen = std::make_shared<Action>([&global] { return list(global); });
  sub.require_subcommand(0, 1);
  const auto add = [&](const char* name, const char* summary, int (*action)(const RecipeArguments&, const Global&)) {
    CLI::App* what = sub.add_subcommand(name, summary);
    what->fallthrough();  // --json and --workspace are options of recipes
    what->callback([=, &global] { *chosen = [=, &global] { return action(*arguments, global); }; });
    return what;
  };
  add("list", "the recipes that ship, and what came out here", [](const RecipeArguments&, const Global& all) { return list(all); });
  for (CLI::App* named : {add("show", "one recipe: its steps, claims and last results", show),
                          add("run", "do what is left of its steps, then judge its claims", run),
                          add("stop", "stop it as Ctrl-C would; a later run goes on with the step that was stopped", stop)}) {
    named->add_option("NAME", arguments->name, "a recipe that ships, or a file")->required();
    if (named->get_name() != "run") continue;
    named->add_flag("--quick", arguments->quick, "smaller sizes, under a minute on two cores; kept apart from the full size");
    named->add_flag("--detach", arguments->detach, "leave it running on its own");
    named->add_flag("--restart", arguments->restart, "begin anew, whatever a stopped run of it has finished");
  }
  return [chosen] { return (*chosen)(); };
}

}  // namespace syncline::app
