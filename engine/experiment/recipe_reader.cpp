// SPDX-License-Identifier: Apache-2.0
#include "engine/experiment/recipe_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "engine/experiment/check.h"
#include "engine/experiment/text_edit.h"

namespace syncline {

using document::Node;

namespace {

constexpr std::array<std::string_view, 4> kinds = {"train", "simulate", "bench", "plan"};
constexpr std::array<std::string_view, 3> benches = {"allreduce", "step", "ops"};
constexpr std::size_t most_steps = 200, most_claims = 200;

bool is_id(std::string_view id, bool for_expressions) {
  if (id.empty() || id.size() > 64) return false;
  return std::all_of(id.begin(), id.end(),
                     [&](char c) {
                       return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || (!for_expressions && (c == '-' || c == '.'));
                     }) &&
         (!for_expressions || (id[0] >= 'a' && id[0] <= 'z'));
}

// The values of a table as --set would give them.
void flatten(const Node& table, const KeyPath& path, Overrides& all) {
  for (const document::Member& member : table.members) {
    KeyPath here = path;
    here.push_back(member.key);
    if (member.node.type == Node::table) {
      flatten(member.node, here, all);
    } else {
      all.emplace_back(print_key_path(here), document::print(member.node));
    }
  }
}

// Later ones replace earlier ones of the same key.
Overrides merged(Overrides first, const Overrides& then) {
  for (const auto& each : then) {
    std::erase_if(first, [&](const auto& other) { return other.first == each.first; });
    first.push_back(each);
  }
  return first;
}

// Every table under a header of its own, so that settings find or make the ones they need.
std::string toml_of(const Node& table, const KeyPath& path = {}) {
  std::string text, tables;
  for (const document::Member& member : table.members) {
    if (member.node.type != Node::table) {
      text += document::print_key(member.key) + " = " + document::print(member.node) + "\n";
      continue;
    }
    KeyPath here = path;
    here.push_back(member.key);
    tables += "\n[" + print_key_path(here) + "]\n" + toml_of(member.node, here);
  }
  return text + tables;
}

// Where a key of the base stands in the recipe: the longest beginning of it that is there.
Place place_in(const Node& table, std::string_view key) {
  Place place{table.line, table.column};
  const Node* here = &table;
  const std::optional<KeyPath> path = parse_key_path(key);
  for (std::size_t k = 0; path && k < path->size() && here->type == Node::table; ++k) {
    const auto member = std::find_if(here->members.begin(), here->members.end(), [&](const auto& each) { return each.key == (*path)[k]; });
    if (member == here->members.end()) break;
    place = {member->line, member->column};
    here = &member->node;
  }
  return place;
}

void note_uses(const std::string& value, RecipeStep& step) {
  for (std::size_t at = 0; (at = value.find(step_prefix, at)) != std::string::npos;) {
    at += step_prefix.size();
    const std::size_t end = value.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_", at);
    step.uses.push_back(value.substr(at, end == std::string::npos ? end : end - at));
  }
}

// The numbers that rows of simulate, bench and plan have, and what chooses them.
std::vector<std::string_view> row_keys(RecipeStep::Kind kind) {
  switch (kind) {
    case RecipeStep::simulate:
      return {"workers",         "plan",  "strategy",  "step_s", "exposed_comm_s", "samples_per_s", "efficiency",
              "measured_step_s", "error", "compute_s", "comm_s", "buckets"};
    case RecipeStep::bench:
      return {"workers", "bytes", "allreduce", "time_s",     "least_s",  "most_s",        "bus_bytes_per_s", "bound_s",
              "ratio",   "layer", "forward_s", "backward_s", "update_s", "samples_per_s", "operation",       "times"};
    case RecipeStep::plan:
      return {"step_s", "exposed_comm_s", "buckets", "bytes", "ready_s", "start_s", "end_s", "bucket"};
    case RecipeStep::train:
      break;
  }
  return {};
}

}  // namespace

const Node* MemberReader::any(std::string_view key) {
  asked_.emplace(key);
  return table_.find(key);
}

const Node* MemberReader::find(std::string_view key, Node::Type type, const char* what, bool required) {
  const Node* found = any(key);
  if (found == nullptr) {
    if (required) problem(table_, key, fmt::format("is missing; {} is needed", what));
    return nullptr;
  }
  if (found->type == type) return found;
  problem(*found, key, fmt::format("must be {}, not {}", what, document::describe(*found)));
  return nullptr;
}

std::string MemberReader::text(std::string_view key, bool required) {
  const Node* found = find(key, Node::text, "a text", required);
  return found == nullptr ? std::string() : std::get<std::string>(found->value);
}

std::optional<double> MemberReader::number(std::string_view key) {
  const Node* found = any(key);
  if (found == nullptr) return std::nullopt;
  if (found->type == Node::integer) return static_cast<double>(std::get<std::int64_t>(found->value));
  if (found->type == Node::real && std::isfinite(std::get<double>(found->value))) return std::get<double>(found->value);
  problem(*found, key, fmt::format("must be a finite number, not {}", document::describe(*found)));
  return std::nullopt;
}

std::optional<std::int64_t> MemberReader::integer(std::string_view key) {
  const Node* found = find(key, Node::integer, "a whole number");
  return found == nullptr ? std::nullopt : std::optional(std::get<std::int64_t>(found->value));
}

std::vector<std::string> MemberReader::texts(std::string_view key) {
  std::vector<std::string> all;
  const Node* found = find(key, Node::array, "a list of texts");
  for (const Node& item : found == nullptr ? std::vector<Node>() : found->items) {
    if (item.type == Node::text) {
      all.push_back(std::get<std::string>(item.value));
    } else {
      problem(item, key, fmt::format("must hold texts, not {}", document::describe(item)));
    }
  }
  return all;
}

std::vector<std::int64_t> MemberReader::integers(std::string_view key) {
  std::vector<std::int64_t> all;
  const Node* found = find(key, Node::array, "a list of whole numbers");
  for (const Node& item : found == nullptr ? std::vector<Node>() : found->items) {
    if (item.type == Node::integer && std::get<std::int64_t>(item.value) >= 0) {
      all.push_back(std::get<std::int64_t>(item.value));
    } else {
      problem(item, key, fmt::format("must hold whole numbers of at least 0, not {}", document::describe(item)));
    }
  }
  return all;
}

void MemberReader::finish() {
  const std::vector<std::string_view> known(asked_.begin(), asked_.end());
  for (const document::Member& member : table_.members) {
    if (asked_.contains(member.key)) continue;
    const std::string_view near = nearest(member.key, known);
    problems_.add({member.line, member.column}, full(member.key),
                  near.empty() ? fmt::format("is not known here; keys are {}", quoted_list(known))
                               : fmt::format("is not known; did you mean '{}'?", near));
  }
}

Recipe RecipeReader::read() {
  Recipe recipe;
  MemberReader top(root_, "", problems_);
  recipe.title = top.text("title", true);
  recipe.summary = top.text("summary");
  if (const auto cores = top.integer("cores")) recipe.cores = *cores;
  if (const auto minutes = top.number("minutes")) recipe.minutes = *minutes;
  read_paper(top, recipe);
  const Node* base = top.find("base", Node::table, "a table, the base experiment", true);
  if (base != nullptr) recipe.base = toml_of(*base);
  if (const Node* steps = top.find("steps", Node::array, "a list of [[steps]]", true)) {
    if (steps->items.size() > most_steps) top.problem(*steps, "steps", fmt::format("at most {} are possible", most_steps));
    for (std::size_t k = 0; k < std::min(steps->items.size(), most_steps); ++k) read_step(steps->items[k], k, recipe);
  }
  if (const Node* claims = top.find("claims", Node::array, "a list of [[claims]]", true)) {
    if (claims->items.size() > most_claims) top.problem(*claims, "claims", fmt::format("at most {} are possible", most_claims));
    for (std::size_t k = 0; k < std::min(claims->items.size(), most_claims); ++k) read_claim(claims->items[k], k, recipe);
    if (claims->items.empty()) top.problem(*claims, "claims", "is empty; a recipe has at least one claim");
  }
  top.finish();
  check_experiments(recipe, base);
  return recipe;
}

void RecipeReader::read_paper(MemberReader& top, Recipe& recipe) {
  const Node* table = top.find("paper", Node::table, "a table with title and year", true);
  if (table == nullptr) return;
  MemberReader paper(*table, "paper", problems_);
  recipe.paper.title = paper.text("title", true);
  recipe.paper.authors = paper.text("authors");
  recipe.paper.venue = paper.text("venue");
  recipe.paper.link = paper.text("link");
  recipe.paper.claim = paper.text("claim");
  recipe.paper.confidence = paper.text("confidence");
  recipe.paper.year = paper.integer("year").value_or(0);
  paper.finish();
}

void RecipeReader::read_settings(MemberReader& table, const Recipe& recipe, RecipeStep& step, StepSettings& settings) {
  if (const Node* set = table.find("set", Node::table, "a table of the experiment's keys")) {
    Overrides given;
    flatten(*set, {}, given);
    settings.set = merged(std::move(settings.set), given);
  }
  const auto word = [&](const char* key, std::string StepSettings::*member, bool fits) {
    const Node* given = table.any(key);
    if (given == nullptr) return;
    if (!fits) return table.problem(*given, key, fmt::format("has no meaning for a step of kind '{}'", name_of(step.kind)));
    settings.*member = table.text(key);
  };
  const bool simulates = step.kind == RecipeStep::simulate, benches_here = step.kind == RecipeStep::bench;
  word("workers", &StepSettings::workers, simulates);
  word("plans", &StepSettings::plans, simulates);
  word("strategies", &StepSettings::strategies, simulates);
  word("level", &StepSettings::level, simulates);
  word("profile", &StepSettings::profile, simulates || step.kind == RecipeStep::plan);
  word("bench", &StepSettings::what, benches_here);
  // The quick size has the word of the full one, where that has been said already.
  if (const Node* given = table.any("bench");
      given != nullptr && given->type == Node::text && std::find(benches.begin(), benches.end(), settings.what) == benches.end())
    table.problem(*given, "bench", not_known(settings.what, benches));
  for (const char* key : {"sizes", "allreduces", "seeds"}) {
    const Node* given = table.any(key);
    const bool fits = key == std::string_view("seeds") ? step.kind == RecipeStep::train : benches_here;
    if (given == nullptr) continue;
    if (!fits) {
      table.problem(*given, key, fmt::format("has no meaning for a step of kind '{}'", name_of(step.kind)));
    } else if (key == std::string_view("sizes")) {
      settings.sizes = table.integers(key);
    } else if (key == std::string_view("allreduces")) {
      settings.allreduces = table.texts(key);
    } else {
      const std::vector<std::int64_t> seeds = table.integers(key);
      settings.seeds = std::vector<std::uint64_t>(seeds.begin(), seeds.end());
    }
  }
  RecipeStep used;
  note_uses(settings.profile, used);
  for (const auto& [key, value] : settings.set) note_uses(value, used);
  for (const std::string& id : used.uses) {
    if (std::find(step.uses.begin(), step.uses.end(), id) != step.uses.end()) continue;  // said already
    const RecipeStep* before = recipe.step(id);
    if (before == nullptr || before->kind != RecipeStep::train)
      table.problem(table.table(), "profile", fmt::format("'{}{}' names no step of kind 'train' before this one", step_prefix, id));
    step.uses.push_back(id);
  }
}

void RecipeReader::read_step(const Node& node, std::size_t index, Recipe& recipe) {
  const std::string path = fmt::format("steps.{}", index);
  if (node.type != Node::table) return problems_.add({node.line, node.column}, path, "must be a table");
  MemberReader table(node, path, problems_);
  RecipeStep step;
  step.line = node.line;
  step.id = table.text("id", true);
  if (table.any("id") != nullptr && !is_id(step.id, true))
    table.problem(*table.any("id"), "id", "must be small letters, digits and '_' and begin with a letter, so that expressions can name it");
  if (!step.id.empty() && recipe.step(step.id) != nullptr)
    table.problem(*table.any("id"), "id", fmt::format("there is a step '{}' already", step.id));
  const std::string kind = table.text("kind", true);
  const auto found = std::find(kinds.begin(), kinds.end(), kind);
  if (found == kinds.end() && table.any("kind") != nullptr) table.problem(*table.any("kind"), "kind", not_known(kind, kinds));
  if (found == kinds.end()) {
    unjudged_.insert(step.id);
    recipe.steps.push_back(std::move(step));
    return;
  }
  step.kind = static_cast<RecipeStep::Kind>(found - kinds.begin());
  step.text = table.text("text");
  step.needs = table.text("needs");
  read_settings(table, recipe, step, step.full);
  step.quick = step.full;
  if (step.quick.seeds.size() > 1) step.quick.seeds = {step.quick.seeds.front()};
  const Node* quick = table.any("quick");
  if (quick != nullptr && quick->type == Node::flag) {
    step.in_quick = std::get<bool>(quick->value);
  } else if (quick != nullptr && quick->type == Node::table) {
    MemberReader sizes(*quick, path + ".quick", problems_);
    read_settings(sizes, recipe, step, step.quick);
    sizes.finish();
  } else if (quick != nullptr) {
    table.problem(*quick, "quick", fmt::format("must be false or a table of other sizes, not {}", document::describe(*quick)));
  }
  if (step.kind == RecipeStep::simulate && step.full.workers.empty())
    table.problem(node, "workers", "is missing; a simulation needs a list as \"4,8,16\"");
  table.finish();
  recipe.steps.push_back(std::move(step));
}

std::optional<Threshold> RecipeReader::threshold(MemberReader& table, std::string_view key) {
  const Node* found = table.any(key);
  if (found == nullptr) return std::nullopt;
  if (found->type != Node::table) {
    const auto number = table.number(key);
    return number ? std::optional(Threshold{*number, {}, {}}) : std::nullopt;
  }
  MemberReader own(*found, table.full(key), problems_);
  Threshold threshold;
  const auto used = own.number("used"), card = own.number("card");
  threshold.why = own.text("why", true);
  if (!used && own.any("used") == nullptr) own.problem(*found, "used", "is missing; it is the threshold of this claim");
  if (!card && own.any("card") == nullptr) own.problem(*found, "card", "is missing; it is the threshold of the card");
  own.finish();
  threshold.used = used.value_or(0);
  threshold.card = card;
  return threshold;
}

Expression RecipeReader::expression(MemberReader& table, std::string_view key, bool number, const Recipe& recipe) {
  const std::string text = table.text(key);
  const Node* node = table.any(key);
  if (text.empty()) return {};
  try {
    Expression expression(text);
    if (expression.is_number() != number)
      table.problem(*node, key, number ? "must be a number, not a comparison" : "must be a comparison or same(...), not a number");
    check_lookups(table, *node, key, expression, recipe);
    return expression;
  } catch (const ExpressionError& error) {
    table.problem(*node, key, error.what());
    return {};
  }
}

void RecipeReader::check_lookups(MemberReader& table, const Node& node, std::string_view key, const Expression& expression,
                                 const Recipe& recipe) {
  std::vector<std::string_view> ids;
  for (const RecipeStep& step : recipe.steps) ids.push_back(step.id);
  for (const std::string& id : expression.steps())
    if (recipe.step(id) == nullptr) table.problem(node, key, "the step " + not_known(id, ids));
  for (const Lookup& lookup : expression.lookups()) {
    const RecipeStep* step = recipe.step(lookup.step);
    if (step == nullptr || unjudged_.contains(step->id)) continue;
    std::vector<std::string_view> known = row_keys(step->kind);
    if (step->kind == RecipeStep::train) {
      known.assign(keys_.summary.begin(), keys_.summary.end());
      if (!lookup.where.empty()) table.problem(node, key, fmt::format("{}: a run has no rows to choose from", lookup.text()));
    }
    const auto check = [&](const std::string& name) {
      if (std::find(known.begin(), known.end(), name) == known.end())
        table.problem(node, key, lookup.text() + ": the key " + not_known(name, known));
    };
    check(lookup.key);
    for (const auto& [name, value] : lookup.where) check(name);
  }
}

void RecipeReader::read_claim(const Node& node, std::size_t index, Recipe& recipe) {
  const std::string path = fmt::format("claims.{}", index);
  if (node.type != Node::table) return problems_.add({node.line, node.column}, path, "must be a table");
  MemberReader table(node, path, problems_);
  Claim claim;
  claim.line = node.line;
  claim.id = table.text("id", true);
  if (table.any("id") != nullptr && !is_id(claim.id, false))
    table.problem(*table.any("id"), "id", "must be small letters, digits, '.', '-' and '_'");
  for (const Claim& other : recipe.claims)
    if (other.id == claim.id && !claim.id.empty()) table.problem(node, "id", fmt::format("there is a claim '{}' already", claim.id));
  claim.text = table.text("text", true);
  claim.needs = table.text("needs");
  claim.not_quick = table.text("not_quick");
  claim.note = table.text("note");
  claim.measure = expression(table, "measure", true, recipe);
  claim.holds = expression(table, "holds", false, recipe);
  claim.at_least = threshold(table, "at_least");
  claim.at_most = threshold(table, "at_most");
  claim.equals = threshold(table, "equals");
  claim.tolerance = table.number("tolerance").value_or(0);
  claim.tolerance_abs = table.number("tolerance_abs").value_or(0);
  const bool bounded = claim.at_least || claim.at_most || claim.equals;
  const bool said = table.any("measure") != nullptr || table.any("holds") != nullptr;
  if (!said && claim.needs.empty()) table.problem(node, "measure", "is missing; a claim has 'measure' with a threshold, or 'holds'");
  if (table.any("holds") != nullptr && bounded)
    table.problem(node, "holds", "excludes at_least, at_most and equals; those are for 'measure'");
  if (table.any("measure") != nullptr && table.any("holds") == nullptr && !bounded)
    table.problem(node, "measure", "needs a threshold; at_least, at_most or equals would be right");
  if (table.any("measure") == nullptr && bounded && claim.needs.empty())
    table.problem(node, "measure", "is missing; the threshold has nothing to be compared with");
  if (claim.tolerance < 0 || claim.tolerance_abs < 0) table.problem(node, "tolerance", "must be at least 0");
  table.finish();
  recipe.claims.push_back(std::move(claim));
}

// Every step's experiment at both sizes. Steps that need what is not built yet may name what is not known yet.
void RecipeReader::check_experiments(const Recipe& recipe, const Node* base) {
  if (base == nullptr || !problems_.empty()) return;
  std::set<std::string> said;
  for (const RecipeStep& step : recipe.steps) {
    if (!step.needs.empty()) continue;
    for (const bool quick : {false, true}) {
      if (quick && !step.in_quick) continue;
      for (Problem& problem : parse_experiment(recipe.base, problems_.file(), keys_.catalogue, step.settings(quick).set).problems) {
        const bool of_step = problem.origin.file.starts_with("--set");
        const Place place = of_step ? Place{step.line, 1} : place_in(*base, problem.origin.key);
        const std::string key = (of_step ? fmt::format("steps.{}.{}", step.id, problem.origin.key) : "base." + problem.origin.key);
        if (said.insert(key + problem.message).second) problems_.add(place, key, std::move(problem.message));
      }
    }
  }
}

}  // namespace syncline
