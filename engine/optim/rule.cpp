// SPDX-License-Identifier: Apache-2.0
#include "engine/optim/rule.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <optional>
#include <set>

#include "engine/optim/option_text.h"

namespace syncline {
namespace {

constexpr std::size_t longest_text = 4096;
constexpr std::int32_t most_options = 256, most_choices = 256, most_state_arrays = 8;
constexpr std::size_t size_of_1_0 = offsetof(syncline_optimizer_table, state_needed) + sizeof(void*);
static_assert(size_of_1_0 == sizeof(syncline_optimizer_table), "a field was appended: keep the size of version 1.0 apart from today's");

constexpr bool same(int ours, Parameter::Kind kind) { return ours == static_cast<int>(kind); }
static_assert(same(SYNCLINE_INTEGER, Parameter::integer) && same(SYNCLINE_REAL, Parameter::real) && same(SYNCLINE_FLAG, Parameter::flag) &&
              same(SYNCLINE_CHOICE, Parameter::choice) && same(SYNCLINE_TEXT, Parameter::text) && same(SYNCLINE_PATH, Parameter::path) &&
              same(SYNCLINE_LIST, Parameter::list) && same(SYNCLINE_DURATION, Parameter::duration) &&
              same(SYNCLINE_SIZE, Parameter::size) && same(SYNCLINE_RATE, Parameter::rate));

// A name for messages: never longer than a line, never with control characters.
std::string shown(const char* text) {
  std::string result;
  for (const char* c = text; *c != 0 && result.size() < 40; ++c) result += static_cast<unsigned char>(*c) < 0x20 || *c == 0x7f ? '?' : *c;
  return is_utf8(result) ? result : "(not UTF-8)";
}

bool is_name(const char* text, bool dash) {
  if (text[0] < 'a' || text[0] > 'z') return false;
  return std::all_of(text, text + std::strlen(text),
                     [&](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || (dash && c == '-'); });
}

// An optional text: null, or UTF-8 of a sane length.
std::string problem_of_text(const char* text, std::string_view what) {
  if (text == nullptr) return {};
  if (strnlen(text, longest_text + 1) > longest_text) return fmt::format("{} is longer than {} bytes", what, longest_text);
  if (!is_utf8(text)) return fmt::format("{} is not UTF-8", what);
  return {};
}

std::string problem_of_choices(const syncline_option& o, const std::string& what) {
  if (o.kind != SYNCLINE_CHOICE) return o.choice_count == 0 ? "" : what + " has choices but is not of the kind choice";
  if (o.choice_count < 1 || o.choice_count > most_choices || o.choices == nullptr) {
    return fmt::format("{} has {} choices; a choice needs 1 to {}", what, o.choice_count, most_choices);
  }
  std::set<std::string_view> seen;
  for (std::int32_t i = 0; i < o.choice_count; ++i) {
    const char* choice = o.choices[i];
    if (choice == nullptr || *choice == 0) return fmt::format("choice {} of {} is empty; every choice needs a text", i + 1, what);
    if (const std::string problem = problem_of_text(choice, "a choice of " + what); !problem.empty()) return problem;
    if (!seen.insert(choice).second)
      return fmt::format("{} has the choice \"{}\" twice; every choice must be different", what, shown(choice));
  }
  return {};
}

// Whether the default's form fits the kind.
bool initial_fits(const syncline_option& o) {
  const std::int32_t given = o.initial_kind;
  switch (o.kind) {
    case SYNCLINE_INTEGER:
      return given == SYNCLINE_INTEGER;
    case SYNCLINE_REAL:
      return given == SYNCLINE_REAL || given == SYNCLINE_INTEGER;
    case SYNCLINE_FLAG:
      return given == SYNCLINE_FLAG;
    case SYNCLINE_CHOICE:
    case SYNCLINE_TEXT:
    case SYNCLINE_PATH:
    case SYNCLINE_LIST:
      return given == SYNCLINE_TEXT;
    default:
      return given == SYNCLINE_REAL || given == SYNCLINE_INTEGER || given == SYNCLINE_TEXT;
  }
}

std::string problem_of_initial(const syncline_option& o, const std::string& what) {
  if (o.initial_kind == SYNCLINE_NONE) return {};
  if (!initial_fits(o)) return fmt::format("the default of {} is not of the option's kind", what);
  std::vector<double> numbers;
  if (o.initial_kind == SYNCLINE_TEXT) {
    if (o.initial_text == nullptr) return fmt::format("the default of {} is a null text", what);
    if (const std::string problem = problem_of_text(o.initial_text, "the default of " + what); !problem.empty()) return problem;
    if (o.kind == SYNCLINE_CHOICE) {
      const bool known =
          std::any_of(o.choices, o.choices + o.choice_count, [&](const char* c) { return std::strcmp(c, o.initial_text) == 0; });
      if (!known) return fmt::format("the default of {}, \"{}\", is not one of its choices", what, shown(o.initial_text));
    } else if (o.kind == SYNCLINE_LIST) {
      const std::optional<std::vector<double>> list = parse_number_list(o.initial_text);
      if (!list)
        return fmt::format("the default of {}, \"{}\", is not a list of numbers such as \"[30, 60]\"", what, shown(o.initial_text));
      numbers = *list;
    } else if (o.kind >= SYNCLINE_DURATION) {
      const std::optional<double> quantity = parse_quantity(static_cast<Parameter::Kind>(o.kind), o.initial_text);
      if (!quantity) return fmt::format("the default of {}, \"{}\", is not a number with a unit of its kind", what, shown(o.initial_text));
      numbers = {*quantity};
    }
  } else if (o.initial_kind == SYNCLINE_INTEGER) {
    numbers = {static_cast<double>(o.initial_integer)};
  } else if (o.initial_kind == SYNCLINE_REAL) {
    if (!std::isfinite(o.initial_real)) return fmt::format("the default of {} is not finite", what);
    numbers = {o.initial_real};
  }
  for (const double number : numbers) {
    if (number < o.least || number > o.most) return fmt::format("the default of {}, {}, is outside its range", what, number);
  }
  return {};
}

std::string problem_of_option(const syncline_option& o, std::int32_t position) {
  if (o.key == nullptr || *o.key == 0) return fmt::format("option {} has no name; every option needs a key", position);
  if (const std::string problem = problem_of_text(o.key, fmt::format("the name of option {}", position)); !problem.empty()) return problem;
  const std::string what = fmt::format("option \"{}\"", shown(o.key));
  if (!is_name(o.key, false)) return what + " has a name with other characters than lower case letters, digits and underscores";
  if (o.kind < SYNCLINE_INTEGER || o.kind > SYNCLINE_RATE)
    return fmt::format("{} has the unknown kind {}; 0 to {} are known", what, o.kind, static_cast<int>(SYNCLINE_RATE));
  if (o.initial_kind != SYNCLINE_NONE && o.initial_kind != SYNCLINE_INTEGER && o.initial_kind != SYNCLINE_REAL &&
      o.initial_kind != SYNCLINE_FLAG && o.initial_kind != SYNCLINE_TEXT) {
    return fmt::format("{} has a default of the unknown kind {}", what, o.initial_kind);
  }
  if (o.least > o.most) return fmt::format("{} has the least value {} above the most, {}", what, o.least, o.most);
  for (const auto& [text, of] : {std::pair{o.symbol, "the symbol of "},
                                 {o.help, "the help of "},
                                 {o.section, "the section of "},
                                 {o.unit, "the unit of "},
                                 {o.only_if, "the condition of "}}) {
    if (const std::string problem = problem_of_text(text, of + what); !problem.empty()) return problem;
  }
  if (const std::string problem = problem_of_choices(o, what); !problem.empty()) return problem;
  return problem_of_initial(o, what);
}

std::string problem_of_functions(const syncline_optimizer_table& t) {
  const char* missing = t.create == nullptr ? "create" : t.step == nullptr ? "step" : t.destroy == nullptr ? "destroy" : nullptr;
  if (missing != nullptr) return fmt::format("its table has no function \"{}\"; create, step and destroy are needed", missing);
  if ((t.save == nullptr) != (t.load == nullptr)) {
    return fmt::format("its table has \"{}\" but not \"{}\"; both or neither are needed", t.save ? "save" : "load",
                       t.save ? "load" : "save");
  }
  return {};
}

std::string version_text(std::uint32_t version) { return fmt::format("{}.{}", version >> 16, version & 0xffff); }

std::string_view or_empty(const char* text) { return text == nullptr ? std::string_view{} : std::string_view(text); }

Parameter parameter_of(const syncline_option& o, std::vector<std::string_view>& choices) {
  Parameter p{.key = o.key, .symbol = or_empty(o.symbol), .help = or_empty(o.help), .kind = static_cast<Parameter::Kind>(o.kind)};
  switch (o.initial_kind) {
    case SYNCLINE_INTEGER:
      p.initial = o.initial_integer;
      break;
    case SYNCLINE_REAL:
      p.initial = o.initial_real;
      break;
    case SYNCLINE_FLAG:
      p.initial = o.initial_integer != 0;
      break;
    case SYNCLINE_TEXT:
      p.initial = std::string_view(o.initial_text);
      break;
    default:
      break;
  }
  p.least = o.least;
  p.most = o.most;
  p.optional = o.optional != 0;
  p.advanced = o.advanced != 0;
  p.section = or_empty(o.section);
  choices.assign(o.choices, o.choices + o.choice_count);
  p.choices = choices;
  p.unit = or_empty(o.unit);
  p.only_if = or_empty(o.only_if);
  return p;
}

constexpr Parameter host_lr{.key = "lr", .symbol = "η", .help = "Learning rate.", .kind = Parameter::real, .initial = 0.01, .least = 0};

}  // namespace

std::string problem_with(const syncline_optimizer_table* t) {
  if (t == nullptr) return "its function " SYNCLINE_OPTIMIZER_SYMBOL " returned no table";
  if (t->abi_version >> 16 != SYNCLINE_ABI_MAJOR) {
    return fmt::format("built for plugin interface {}, this program offers {}; build it again with this program's plugins/sdk",
                       version_text(t->abi_version), version_text(SYNCLINE_ABI_VERSION));
  }
  if (t->struct_size < size_of_1_0) {
    return fmt::format("its table has {} bytes, interface 1.0 needs at least {}; build it again with this program's plugins/sdk",
                       t->struct_size, size_of_1_0);
  }
  if (t->name == nullptr || *t->name == 0) return "its table has no name";
  for (const auto& [text, what] : {std::pair{t->name, "the name"},
                                   {t->title, "the title"},
                                   {t->summary, "the summary"},
                                   {t->version, "the version"},
                                   {t->license, "the license"},
                                   {t->paper, "the paper"}}) {
    if (const std::string problem = problem_of_text(text, what); !problem.empty()) return problem;
  }
  if (!is_name(t->name, true)) {
    return fmt::format("its name \"{}\" has other characters than lower case letters, digits, dashes and underscores", shown(t->name));
  }
  if (const std::string problem = problem_of_functions(*t); !problem.empty()) return problem;
  if (t->state_arrays < 0 || t->state_arrays > most_state_arrays) {
    return fmt::format("it wants {} state arrays; 0 to {} are possible", t->state_arrays, most_state_arrays);
  }
  if (t->option_count < 0 || t->option_count > most_options)
    return fmt::format("it has {} options; 0 to {} are possible", t->option_count, most_options);
  if (t->option_count > 0 && t->options == nullptr) return fmt::format("it has {} options but no list of them", t->option_count);
  std::set<std::string_view> keys;
  for (std::int32_t i = 0; i < t->option_count; ++i) {
    const syncline_option& option = t->options[i];
    if (const std::string problem = problem_of_option(option, i + 1); !problem.empty()) return problem;
    if (!keys.insert(option.key).second) return fmt::format("option \"{}\" appears twice; every key must be different", shown(option.key));
    if (option.key == std::string_view("lr") && (option.kind != SYNCLINE_REAL || option.initial_kind == SYNCLINE_NONE)) {
      return "option \"lr\" must be a real number with a default";
    }
    if (option.key == std::string_view("name")) return "option \"name\" is taken by the experiment file; choose another key";
  }
  return {};
}

Rule::Rule(const syncline_optimizer_table& table, std::string file, std::string file_hash)
    : file_(std::move(file)), file_hash_(std::move(file_hash)) {
  if (const std::string problem = problem_with(&table); !problem.empty()) {
    throw ConfigError(fmt::format("{}: {}.", plugin() ? file_ : "built-in optimizer", problem));
  }
  std::memcpy(&table_, &table, std::min<std::size_t>(table.struct_size, sizeof table_));
  const std::span options(table.options, static_cast<std::size_t>(table.option_count));
  choices_.resize(options.size());
  for (std::size_t i = 0; i < options.size(); ++i) parameters_.push_back(parameter_of(options[i], choices_[i]));
  const bool has_lr = std::any_of(parameters_.begin(), parameters_.end(), [](const Parameter& p) { return p.key == "lr"; });
  if (!has_lr) parameters_.push_back(host_lr);
  name_ = plugin() ? fmt::format("plugin:{}", table.name) : table.name;
  label_ = plugin() ? fmt::format("optimizer plugin {} ({})", table.name, file_) : fmt::format("optimizer {}", table.name);
  entry_ = {.name = name_,
            .title = or_empty(table.title),
            .paper = or_empty(table.paper),
            .summary = or_empty(table.summary),
            .parameters = parameters_};
  if (entry_.title.empty()) entry_.title = table.name;
}

}  // namespace syncline
