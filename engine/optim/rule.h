// SPDX-License-Identifier: Apache-2.0
// A checked optimizer table: what the loader and the built-ins hand to make_optimizer, and what forms and validation read.
#pragma once

#include <string>
#include <vector>

#include "engine/experiment/parameter.h"
#include "plugins/sdk/syncline_optimizer.h"

namespace syncline {

// What is wrong with a table that claims to follow the interface, as the end of a sentence ("option 2 has no name; every option needs a
// key"), or an empty text. Reads no further than the table's own size says. Texts must be zero-terminated; nothing else is trusted.
std::string problem_with(const syncline_optimizer_table*);

// A table that passed, with its options as the engine's own. Points into the table's texts, which live as long as the process.
class Rule {
 public:
  // `file` is empty for a built-in. Throws ConfigError with `file` and problem_with's text.
  explicit Rule(const syncline_optimizer_table&, std::string file = {}, std::string file_hash = {});
  Rule(const Rule&) = delete;
  Rule& operator=(const Rule&) = delete;

  const syncline_optimizer_table& table() const { return table_; }  // fields that an older table lacks are null
  const Entry& entry() const { return entry_; }                     // name: "sgd", or "plugin:lion"
  const std::string& file() const { return file_; }
  const std::string& file_hash() const { return file_hash_; }  // XXH3-128, hex; empty for a built-in
  bool plugin() const { return !file_.empty(); }
  // "optimizer sgd", or "optimizer plugin lion (/usr/lib/.../liblion.so)": how every message about it begins. Zero-terminated for handlers.
  const std::string& label() const { return label_; }

 private:
  syncline_optimizer_table table_{};
  std::string file_, file_hash_, name_, label_;
  std::vector<Parameter> parameters_;
  std::vector<std::vector<std::string_view>> choices_;
  Entry entry_;
};

// The options of one optimizer in the table's order, from validated parameters: what `create` gets. An absent key takes its default.
// Throws ConfigError for a key that the table lacks, a missing required one, or a value of the wrong kind or outside its range.
class OptionValues {
 public:
  OptionValues(const Rule&, const Params&);
  const std::vector<syncline_value>& values() const { return values_; }
  double lr() const { return lr_; }

 private:
  std::vector<syncline_value> values_;
  std::vector<std::string> texts_;
  std::vector<std::vector<double>> lists_;
  double lr_ = 0;
};

}  // namespace syncline
