// SPDX-License-Identifier: Apache-2.0
// One schema for everything a person can set. A layer, an optimizer, a strategy declares its keys once, in a table beside its class;
// validation, `validate --print`, `schema --json`, help, the manual and the desktop's forms all come from these tables.
#pragma once

#include <cmath>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "engine/base/error.h"

namespace syncline {

// A default as a literal, so that tables are constexpr. For kinds duration, size and rate either a number in SI base units (s, bytes,
// bytes/s) or a text with a unit ("100 us"). Lists: a text in TOML syntax ("[]"). monostate: no default; required unless `optional`.
using Initial = std::variant<std::monostate, bool, std::int64_t, double, std::string_view>;

struct Parameter {
  enum Kind { integer, real, flag, choice, text, path, list, duration, size, rate, table };
  std::string_view key = {}, symbol = {}, help = {};  // help: one sentence; symbol as in the paper ("τ"), may be empty
  Kind kind = integer;
  Initial initial = {};
  double least = NAN, most = NAN;  // inclusive; NaN: open. For lists: of each element
  bool optional = false;           // may be absent and then has no value (not even a default)
  bool advanced = false;           // behind "More options"
  std::string_view section = {};   // section of the paper or card that defines it
  std::span<const std::string_view> choices = {};
  std::string_view unit = {};     // of the number as stored: "s", "bytes", "bytes/s", "" ...
  std::string_view only_if = {};  // "momentum > 0" or "sync_point = pre_update": shown and allowed only then
};

// A value after validation: durations are seconds, sizes bytes, rates bytes per second, all double.
struct Value {
  std::variant<std::monostate, bool, std::int64_t, double, std::string, std::vector<Value>> data;
  bool present() const { return data.index() != 0; }
  bool operator==(const Value&) const = default;
};

// A validated set of keys with every default filled in. The getters throw UsageError for a key that the table does not have or of
// another kind: after validation that is our mistake, never the user's.
class Params {
 public:
  bool has(std::string_view key) const;  // the table has the key and it has a value
  std::int64_t integer(std::string_view key) const;
  double real(std::string_view key) const;  // also reads integers, durations, sizes, rates
  bool flag(std::string_view key) const;
  const std::string& text(std::string_view key) const;  // text and path
  const std::string& choice(std::string_view key) const;
  const std::vector<Value>& list(std::string_view key) const;
  std::vector<double> reals(std::string_view key) const;
  std::vector<std::int64_t> integers(std::string_view key) const;

  void set(std::string key, Value value) { values_[std::move(key)] = std::move(value); }
  const std::map<std::string, Value, std::less<>>& all() const { return values_; }
  bool operator==(const Params&) const = default;

 private:
  const Value& at(std::string_view key) const;
  std::map<std::string, Value, std::less<>> values_;
};

// The defaults of a table, for tests and for code that builds a thing without a file. Throws ConfigError when a required key has none.
Params defaults_of(std::span<const Parameter>);
// Defaults, with some keys replaced; an unknown key is a ConfigError.
Params with_defaults(std::span<const Parameter>, const std::map<std::string, Value, std::less<>>& given);

// What the engine tells `engine/experiment` about one thing that can be named in a file: a strategy, a plan, an optimizer, a layer.
struct Entry {
  std::string_view name = {}, title = {}, paper = {}, summary = {};
  std::span<const Parameter> parameters = {};
};

// Every registry at once, handed to validation by the libraries above (engine/sim/schema.h fills it). The core library knows no
// strategy, layer or optimizer by name.
struct Catalogue {
  struct Strategy : Entry {
    bool exchanges_gradients = true;  // plan and codec keys apply
    bool has_servers = false;
  };
  std::vector<Strategy> strategies;
  std::vector<Entry> plans, allreduces, codecs, optimizers, schedules, layers, zoo, sources, augmentations, orchestrations;
};

}  // namespace syncline
