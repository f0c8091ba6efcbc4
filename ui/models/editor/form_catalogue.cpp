// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/editor/form_catalogue.h"

#include <deque>
#include <memory>

#include "engine/base/error.h"
#include "engine/experiment/check.h"
#include "engine/sim/schema.h"

namespace syncline::ui {

namespace {

Parameter::Kind kind_of(const std::string& name) {
  static constexpr std::pair<std::string_view, Parameter::Kind> kinds[] = {
      {"integer", Parameter::integer}, {"real", Parameter::real}, {"flag", Parameter::flag}, {"choice", Parameter::choice},
      {"text", Parameter::text},       {"path", Parameter::path}, {"list", Parameter::list}, {"duration", Parameter::duration},
      {"size", Parameter::size},       {"rate", Parameter::rate}};
  for (const auto& [text, kind] : kinds) {
    if (text == name) return kind;
  }
  return Parameter::text;
}

// Owns the texts that the catalogue's tables point to.
struct Owned {
  std::vector<RuleDescription> rules;
  std::deque<std::vector<Parameter>> parameters;
  std::deque<std::vector<std::string_view>> choices;
  Catalogue all;
};

std::unique_ptr<Owned> owned_of(const std::vector<RuleDescription>& rules) {
  auto owned = std::make_unique<Owned>();
  owned->rules = rules;
  owned->all = catalogue();
  for (const RuleDescription& rule : owned->rules) {
    std::vector<Parameter>& parameters = owned->parameters.emplace_back();
    for (const OptionDescription& option : rule.options) {
      Parameter parameter{.key = option.key, .symbol = option.symbol, .help = option.help, .kind = kind_of(option.kind)};
      if (const auto* flag = std::get_if<bool>(&option.initial)) parameter.initial = *flag;
      if (const auto* whole = std::get_if<std::int64_t>(&option.initial)) parameter.initial = *whole;
      if (const auto* real = std::get_if<double>(&option.initial)) parameter.initial = *real;
      if (const auto* text = std::get_if<std::string>(&option.initial)) parameter.initial = std::string_view(*text);
      if (option.least) parameter.least = *option.least;
      if (option.most) parameter.most = *option.most;
      parameter.optional = option.optional;
      parameter.advanced = option.advanced;
      parameter.section = option.section;
      parameter.unit = option.unit;
      parameter.only_if = option.only_if;
      parameter.choices = owned->choices.emplace_back(option.choices.begin(), option.choices.end());
      try {
        default_of(parameter);
      } catch (const UsageError&) {  // a default outside its own range: the engine says so when it is used
        parameter.initial = {};
        parameter.optional = true;
      }
      parameters.push_back(parameter);
    }
    owned->all.optimizers.push_back(
        {.name = rule.name, .title = rule.title, .paper = rule.paper, .summary = rule.summary, .parameters = parameters});
  }
  return owned;
}

std::vector<std::unique_ptr<Owned>>& history() {
  static std::vector<std::unique_ptr<Owned>> all;
  return all;
}

}  // namespace

const Catalogue& form_catalogue() { return history().empty() ? catalogue() : history().back()->all; }

bool set_described_plugins(const std::vector<RuleDescription>& rules) {
  const bool same = history().empty() ? rules.empty() : history().back()->rules == rules;
  if (!same) history().push_back(owned_of(rules));
  return !same;
}

}  // namespace syncline::ui
