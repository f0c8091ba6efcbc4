// SPDX-License-Identifier: Apache-2.0
// Reads one table of the file against its rows and reports everything that is wrong with it.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "engine/experiment/check.h"
#include "engine/experiment/experiment.h"
#include "engine/experiment/sections.h"

namespace syncline {

struct Place {
  int line = 1, column = 1;
};

// Problems as they are found; `key` is dotted, elements of lists by number.
class ProblemList {
 public:
  explicit ProblemList(std::string file) : file_(std::move(file)) {}
  void add(Place place, std::string key, std::string message) {
    problems_.push_back({{file_, place.line, place.column, std::move(key)}, std::move(message)});
  }
  bool empty() const { return problems_.empty(); }
  std::vector<Problem> take() { return std::move(problems_); }
  const std::string& file() const { return file_; }

 private:
  std::string file_;
  std::vector<Problem> problems_;
};

// What a table was read with and what came out.
struct TableRecord {
  std::string path;                                  // "train.optimizer"; "" for the root
  std::vector<const Parameter*> parameters;          // in the order of the file
  Params params;                                     // with every default that there is
  std::set<std::string, std::less<>> wrong, hidden;  // reported keys; keys that do not apply and are not printed
  Place place;                                       // of the table, or of where it would be
  std::map<std::string, Place, std::less<>> given;   // keys in the file

  bool has(std::string_view key) const { return params.has(key); }
  bool is_given(std::string_view key) const { return given.find(key) != given.end(); }
  bool usable(std::string_view key) const { return wrong.find(key) == wrong.end() && params.has(key); }
  Place place_of(std::string_view key) const;
  std::string key(std::string_view name) const { return path.empty() ? std::string(name) : path + "." + std::string(name); }
  bool applies(const Parameter&) const;
};

class TableReader {
 public:
  // Reads values that say more than their kind, for keys that have such a rule (a rate of events, a name).
  using Rule = std::function<std::variant<Value, std::string>(const document::Node&)>;

  TableReader(const Catalogue& catalogue, ProblemList& problems) : catalogue_(catalogue), problems_(problems) {}

  struct Options {
    std::string path = {};                // of this table; of the section when empty
    std::span<const Parameter> own = {};  // keys of the chosen entry
    bool owner_unknown = false;           // the entry's name is wrong: its keys cannot be judged
    bool any_key = false;                 // the entry's table is not known here (a plugin's): every plain value is taken
    std::map<std::string, Rule, std::less<>> rules = {};
  };
  // `table` may be null: the section is absent.
  TableRecord read(const document::Node* table, const Section&, Options, Place if_absent);

 private:
  void member(const document::Member&, const Section&, const Options&, TableRecord&);
  void unknown(const document::Member&, const Section&, TableRecord&);
  void fill(TableRecord&, const Section&);
  void conditions(TableRecord&);

  const Catalogue& catalogue_;
  ProblemList& problems_;
};

}  // namespace syncline
