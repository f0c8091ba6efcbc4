// SPDX-License-Identifier: Apache-2.0
// What an expression comes to.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "engine/experiment/expression_node.h"
#include "engine/metrics/statistics.h"

namespace syncline {
namespace {

// A number that is not finite would make every comparison with it meaningless.
double finite(double value, const std::string& what) {
  if (!std::isfinite(value)) throw NoEvidence(fmt::format("{} is no finite number", what));
  return value;
}

bool same_bits(const ExpressionValue& a, const ExpressionValue& b) {
  const auto equal = [](double x, double y) { return std::bit_cast<std::uint64_t>(x) == std::bit_cast<std::uint64_t>(y); };
  if (const auto* number = std::get_if<double>(&a)) return equal(*number, std::get<double>(b));
  if (const auto* list = std::get_if<NumberList>(&a)) {
    const auto& other = std::get<NumberList>(b);
    return list->steps == other.steps && list->values.size() == other.values.size() &&
           std::equal(list->values.begin(), list->values.end(), other.values.begin(), equal);
  }
  return a.index() == 1 ? std::get<bool>(a) == std::get<bool>(b) : std::get<std::string>(a) == std::get<std::string>(b);
}

double reduced(const std::string& function, const std::vector<double>& values) {
  if (function == "count") return static_cast<double>(values.size());
  if (values.empty()) throw NoEvidence(fmt::format("{}() has no numbers to look at", function));
  if (function == "max") return *std::max_element(values.begin(), values.end());
  if (function == "min") return *std::min_element(values.begin(), values.end());
  if (function == "median") return median(values);
  const double total = std::accumulate(values.begin(), values.end(), 0.0);
  return function == "sum" ? total : total / static_cast<double>(values.size());
}

bool compares(const std::string& word, double left, double right) {
  if (word == "<") return left < right;
  if (word == "<=") return left <= right;
  if (word == ">") return left > right;
  if (word == ">=") return left >= right;
  return (left == right) == (word == "=");
}

double combined(const std::string& word, double left, double right) {
  if (word == "/" && right == 0) throw NoEvidence("a divisor is 0");
  return word == "+" ? left + right : word == "-" ? left - right : word == "*" ? left * right : left / right;
}

double largest_difference(const NumberList& a, const NumberList& b) {
  if (a.values.size() != b.values.size() || a.values.empty())
    throw NoEvidence(fmt::format("apart() has {} and {} numbers to compare", a.values.size(), b.values.size()));
  double largest = 0;
  for (std::size_t k = 0; k < a.values.size(); ++k) {
    const double size = std::max(std::abs(a.values[k]), std::abs(b.values[k])), apart = std::abs(a.values[k] - b.values[k]);
    if (!(apart <= size * largest)) largest = apart / size;
  }
  return largest;
}

double element(const NumberList& list, const std::string& function, double step) {
  if (list.values.empty()) throw NoEvidence("the series is empty");
  if (function == "first") return list.values.front();
  if (function == "last") return list.values.back();
  for (std::size_t k = 0; k < list.values.size(); ++k) {
    const double there = list.steps.empty() ? static_cast<double>(k) : static_cast<double>(list.steps[k]);
    if (there == step) return list.values[k];
  }
  throw NoEvidence(fmt::format("the series has no value at step {}", step));
}

}  // namespace

ExpressionValue Expression::Node::call_function(Evidence& evidence) const {
  if (word == "series") return evidence.series(parts[0].word, parts[1].word);
  if (word == "counter") return evidence.counter(parts[0].word, parts[1].word);
  if (word == "parameters") return evidence.parameters(parts[0].word);
  if (word == "seeds") return NumberList{evidence.numbers(parts[0].where), {}};
  std::vector<ExpressionValue> arguments;
  for (const Node& part : parts) arguments.push_back(part.evaluate(evidence));
  if (word == "same") {
    return std::all_of(arguments.begin(), arguments.end(), [&](const ExpressionValue& each) { return same_bits(arguments[0], each); });
  }
  if (word == "apart")
    return finite(largest_difference(std::get<NumberList>(arguments[0]), std::get<NumberList>(arguments[1])), word + "()");
  if (word == "abs") return std::abs(std::get<double>(arguments[0]));
  if (word == "sqrt") return finite(std::sqrt(std::get<double>(arguments[0])), "a square root");
  if (word == "log2") return finite(std::log2(std::get<double>(arguments[0])), "a logarithm");
  if (word == "at" || word == "first" || word == "last") {
    const double wanted = arguments.size() > 1 ? std::get<double>(arguments[1]) : 0;
    return finite(element(std::get<NumberList>(arguments[0]), word, wanted), word + "()");
  }
  std::vector<double> values;
  for (const ExpressionValue& each : arguments) {
    if (const auto* many = std::get_if<NumberList>(&each)) {
      values.insert(values.end(), many->values.begin(), many->values.end());
    } else {
      values.push_back(std::get<double>(each));
    }
  }
  for (const double each : values) finite(each, word + "() of what was recorded");
  return finite(reduced(word, values), word + "()");
}

ExpressionValue Expression::Node::evaluate(Evidence& evidence) const {
  const auto flag_of = [&](std::size_t part) { return std::get<bool>(parts[part].evaluate(evidence)); };
  const auto number_of = [&](std::size_t part) { return std::get<double>(parts[part].evaluate(evidence)); };
  switch (type) {
    case constant:
      if (kind == words) return word;
      return value;
    case lookup:
      return finite(median(evidence.numbers(where)), where.text());
    case step:
      return word;  // never asked for: functions look at the name
    case call:
      return call_function(evidence);
    // Both sides are always looked at: a claim half of whose evidence is missing has not been tested.
    case both: {
      const bool left = flag_of(0), right = flag_of(1);
      return left && right;
    }
    case either: {
      const bool left = flag_of(0), right = flag_of(1);
      return left || right;
    }
    case negated:
      return !flag_of(0);
    case compared:
      return compares(word, number_of(0), number_of(1));
    case arithmetic:
      return finite(combined(word, number_of(0), number_of(1)), "'" + word + "'");
  }
  return value;
}

Expression::Result Expression::evaluate(Evidence& evidence) const {
  const ExpressionValue value = root_->evaluate(evidence);
  if (const auto* flag = std::get_if<bool>(&value)) return *flag;
  return std::get<double>(value);
}

}  // namespace syncline
