// SPDX-License-Identifier: Apache-2.0
// The expressions of a recipe's claims: what was measured, as a number, or whether something held.
//
//   expression := all { "or" all }                          "or", "and" and "not" join what holds
//   all        := each { "and" each }
//   each       := "not" each | sum [ ("<" | "<=" | ">" | ">=" | "=" | "!=") sum ]
//   sum        := product { ("+" | "-") product }
//   product    := sign { ("*" | "/") sign }
//   sign       := ["-"] primary
//   primary    := number | "quoted text" | "(" expression ")" | function "(" [expression { "," expression }] ")"
//               | STEP "." KEY [ "[" KEY "=" value { "," KEY "=" value } "]" ]
//
// STEP.KEY is a number that the step has under that name: of the run's summary (train), of the one row that the brackets choose (simulate,
// bench), of the whole (plan). Of a step with several seeds it is the median over them; seeds(STEP.KEY) has them all. Functions:
//   max min median mean sum count   of any numbers and lists
//   abs(x) sqrt(x) log2(x)          of a number
//   at(list, n)                     the value of a series at step n; first(list), last(list)
//   series(STEP, "name")            a recorded series of the whole run, of the step's first seed
//   counter(STEP, "name")           what every rank recorded in every step ("exchanges", "step_s"), rank after rank
//   same(a, b, ...)                 whether all are equal to the last bit: numbers, lists, parameters
//   apart(list, list)              the largest relative difference of two lists of the same length, element by element
//   parameters(STEP)                the parameters at the end of the run
//
// A parsed expression has been checked: every operand has the kind that its place needs. What it speaks of may still be missing when it is
// looked up; then the claim has not been tested, and NoEvidence says why.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "engine/base/error.h"

namespace syncline {

// What a reference speaks of is not there: the sentence says what is missing.
class NoEvidence : public Error {
 public:
  using Error::Error;
};

class ExpressionError : public ConfigError {
 public:
  ExpressionError(const std::string& message, std::size_t position) : ConfigError(message), position_(position) {}
  std::size_t position() const { return position_; }  // of what is wrong, in characters

 private:
  std::size_t position_;
};

struct Lookup {  // STEP.KEY[...]
  std::string step, key;
  std::vector<std::pair<std::string, std::variant<double, std::string>>> where;
  std::string text() const;  // as one would type it
};

// A list of numbers, with the step of each where it is a series.
struct NumberList {
  std::vector<double> values;
  std::vector<std::int64_t> steps;  // empty, or as many
};

// Where expressions look things up. Every call throws NoEvidence for what is not there.
class Evidence {
 public:
  virtual ~Evidence() = default;
  virtual std::vector<double> numbers(const Lookup&) = 0;  // one for each seed of the step, at least one
  virtual NumberList series(const std::string& step, const std::string& name) = 0;
  virtual NumberList counter(const std::string& step, const std::string& name) = 0;
  virtual std::string parameters(const std::string& step) = 0;  // equal texts: equal parameters
};

class Expression {
 public:
  using Result = std::variant<double, bool>;

  Expression() = default;
  // Throws ExpressionError saying what is wrong and what would be right.
  explicit Expression(std::string_view text);

  bool empty() const { return !root_; }
  const std::string& text() const { return text_; }
  bool is_number() const;  // else it holds or not
  // Throws NoEvidence; also where the result is no finite number.
  Result evaluate(Evidence&) const;

  std::vector<std::string> steps() const;  // that it speaks of, each once
  std::vector<Lookup> lookups() const;     // every STEP.KEY in it

  class Node;

 private:
  std::string text_;
  std::shared_ptr<const Node> root_;
};

}  // namespace syncline
