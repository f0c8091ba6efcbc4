// SPDX-License-Identifier: Apache-2.0
// A parsed expression as a tree; between the parser and the evaluation, used by no one else.
#pragma once

#include "engine/experiment/expression.h"

namespace syncline {

using ExpressionValue = std::variant<double, bool, NumberList, std::string>;

class Expression::Node {
 public:
  enum Kind { number, flag, list, words };  // as the alternatives of ExpressionValue
  enum Type { constant, lookup, step, call, both, either, negated, compared, arithmetic };

  Type type = constant;
  Kind kind = number;
  std::size_t position = 0;
  std::string word;  // text of a constant, name of a step or function, operator
  double value = 0;  // of a constant number
  Lookup where;      // type lookup
  std::vector<Node> parts;

  ExpressionValue evaluate(Evidence&) const;

 private:
  ExpressionValue call_function(Evidence&) const;
};

}  // namespace syncline
