// SPDX-License-Identifier: Apache-2.0
// The tables of a recipe, member by member; used by recipe.cpp alone.
#pragma once

#include <initializer_list>
#include <set>

#include "engine/experiment/document.h"
#include "engine/experiment/recipe.h"
#include "engine/experiment/table_reader.h"

namespace syncline {

// One table: hands its members out by name and reports those that nobody knows.
class MemberReader {
 public:
  MemberReader(const document::Node& table, std::string path, ProblemList& problems)
      : table_(table), path_(std::move(path)), problems_(problems) {}

  const document::Node* find(std::string_view key, document::Node::Type, const char* what, bool required = false);
  const document::Node* any(std::string_view key);  // whatever it is
  std::string text(std::string_view key, bool required = false);
  std::optional<double> number(std::string_view key);
  std::optional<std::int64_t> integer(std::string_view key);
  std::vector<std::string> texts(std::string_view key);
  std::vector<std::int64_t> integers(std::string_view key);
  void finish();  // the members that have not been asked for are unknown

  void problem(const document::Node& at, std::string_view key, std::string message) {
    problems_.add({at.line, at.column}, full(key), std::move(message));
  }
  std::string full(std::string_view key) const { return path_.empty() ? std::string(key) : path_ + "." + std::string(key); }
  const document::Node& table() const { return table_; }
  ProblemList& problems() { return problems_; }

 private:
  const document::Node& table_;
  std::string path_;
  ProblemList& problems_;
  std::set<std::string, std::less<>> asked_;
};

class RecipeReader {
 public:
  RecipeReader(const document::Node& root, const RecipeKeys& keys, ProblemList& problems) : root_(root), keys_(keys), problems_(problems) {}
  Recipe read();

 private:
  void read_paper(MemberReader&, Recipe&);
  void read_step(const document::Node&, std::size_t index, Recipe&);
  void read_settings(MemberReader&, const Recipe&, RecipeStep&, StepSettings&);
  void read_claim(const document::Node&, std::size_t index, Recipe&);
  std::optional<Threshold> threshold(MemberReader&, std::string_view key);
  Expression expression(MemberReader&, std::string_view key, bool number, const Recipe&);
  void check_lookups(MemberReader&, const document::Node&, std::string_view key, const Expression&, const Recipe&);
  void check_experiments(const Recipe&, const document::Node* base);

  const document::Node& root_;
  const RecipeKeys& keys_;
  ProblemList& problems_;
  std::set<std::string> unjudged_;  // steps whose kind is wrong: nothing follows from the rest of them
};

}  // namespace syncline
