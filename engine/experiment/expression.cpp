// SPDX-License-Identifier: Apache-2.0
#include "engine/experiment/expression.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "engine/experiment/check.h"
#include "engine/experiment/expression_node.h"

namespace syncline {
namespace {

using Node = Expression::Node;

constexpr int deepest = 64;
constexpr std::size_t longest = 4096;

struct Function {
  std::string_view name;
  Node::Kind result;
  // One letter for each argument: n number, l list, t text, s step, k number of a step, m number or list, a anything; '+': the last again.
  std::string_view takes;
};
constexpr std::array<Function, 18> functions = {{{"max", Node::number, "m+"},
                                                 {"min", Node::number, "m+"},
                                                 {"median", Node::number, "m+"},
                                                 {"mean", Node::number, "m+"},
                                                 {"sum", Node::number, "m+"},
                                                 {"count", Node::number, "m+"},
                                                 {"abs", Node::number, "n"},
                                                 {"sqrt", Node::number, "n"},
                                                 {"log2", Node::number, "n"},
                                                 {"at", Node::number, "ln"},
                                                 {"first", Node::number, "l"},
                                                 {"last", Node::number, "l"},
                                                 {"series", Node::list, "st"},
                                                 {"counter", Node::list, "st"},
                                                 {"seeds", Node::list, "k"},
                                                 {"apart", Node::number, "ll"},
                                                 {"same", Node::flag, "aa+"},
                                                 {"parameters", Node::words, "s"}}};

const char* name_of(Node::Kind kind) {
  return kind == Node::number ? "a number" : kind == Node::flag ? "something that holds or not" : kind == Node::list ? "a list" : "a text";
}

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Node whole() {
    if (text_.size() > longest) fail(longest, fmt::format("an expression has at most {} characters", longest));
    Node root = alternatives();
    if (!at_end()) fail(at_, fmt::format("'{}' does not belong here; an operator or the end would be right", rest()));
    if (root.type == Node::step)
      fail(root.position, fmt::format("'{}' is a step; a number of it would be {}.step_s", root.word, root.word));
    if (root.kind != Node::number && root.kind != Node::flag)
      fail(root.position, fmt::format("this is {}; a number or a comparison would be right", name_of(root.kind)));
    return root;
  }

 private:
  [[noreturn]] void fail(std::size_t position, const std::string& message) const {
    throw ExpressionError(fmt::format("at character {}: {}", position + 1, message), position);
  }

  class Deeper {
   public:
    explicit Deeper(Parser& parser) : depth_(parser.depth_) {
      if (++depth_ > deepest) parser.fail(parser.at_, "the expression is nested too deeply");
    }
    ~Deeper() { --depth_; }
    Deeper(const Deeper&) = delete;
    Deeper& operator=(const Deeper&) = delete;

   private:
    int& depth_;
  };

  void skip_blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n' || text_[at_] == '\r')) ++at_;
  }
  bool at_end() {
    skip_blanks();
    return at_ >= text_.size();
  }
  std::string rest() const { return std::string(text_.substr(at_, 20)); }
  bool next_is(char c) {
    skip_blanks();
    return at_ < text_.size() && text_[at_] == c;
  }
  bool take(char c) {
    if (!next_is(c)) return false;
    ++at_;
    return true;
  }
  void expect(char c, const char* where) {
    if (!take(c)) fail(at_, fmt::format("'{}' is missing {}", c, where));
  }
  // The name that begins here, without taking it.
  std::string_view peek_name() {
    skip_blanks();
    std::size_t end = at_;
    if (end >= text_.size() || !is_letter(text_[end])) return {};
    while (end < text_.size() && (is_letter(text_[end]) || is_digit(text_[end]))) ++end;
    return text_.substr(at_, end - at_);
  }
  bool take_word(std::string_view word) {
    if (peek_name() != word) return false;
    at_ += word.size();
    return true;
  }
  std::string_view take_operator(std::initializer_list<std::string_view> operators) {
    skip_blanks();
    for (const std::string_view each : operators) {
      if (!text_.substr(at_).starts_with(each)) continue;
      at_ += each.size();
      return each;
    }
    return {};
  }

  void require(const Node& node, Node::Kind kind, const std::string& what) const {
    if (node.type == Node::step)
      fail(node.position, fmt::format("'{}' is a step; {} would be right, as {}.step_s", node.word, name_of(kind), node.word));
    if (node.kind != kind) fail(node.position, fmt::format("{} needs {}, and this is {}", what, name_of(kind), name_of(node.kind)));
  }
  Node joined(Node::Type type, Node::Kind kind, Node::Kind operands, std::string_view word, Node left, Node right) const {
    require(left, operands, fmt::format("'{}'", word));
    require(right, operands, fmt::format("'{}'", word));
    Node node;
    node.type = type;
    node.kind = kind;
    node.position = left.position;
    node.word = word;
    node.parts.push_back(std::move(left));
    node.parts.push_back(std::move(right));
    return node;
  }

  Node alternatives() {
    const Deeper deeper(*this);
    Node left = all();
    while (take_word("or")) left = joined(Node::either, Node::flag, Node::flag, "or", std::move(left), all());
    return left;
  }
  Node all() {
    Node left = each();
    while (take_word("and")) left = joined(Node::both, Node::flag, Node::flag, "and", std::move(left), each());
    return left;
  }
  Node each() {
    const Deeper deeper(*this);
    skip_blanks();
    const std::size_t position = at_;
    if (take_word("not")) {
      Node node;
      node.type = Node::negated;
      node.kind = Node::flag;
      node.position = position;
      node.word = "not";
      node.parts.push_back(each());
      require(node.parts[0], Node::flag, "'not'");
      return node;
    }
    Node left = sum();
    if (const std::string_view word = take_operator({"<=", ">=", "!=", "<", ">", "="}); !word.empty())
      return joined(Node::compared, Node::flag, Node::number, word, std::move(left), sum());
    return left;
  }
  Node sum() {
    Node left = product();
    for (std::string_view word; !(word = take_operator({"+", "-"})).empty();)
      left = joined(Node::arithmetic, Node::number, Node::number, word, std::move(left), product());
    return left;
  }
  Node product() {
    Node left = sign();
    for (std::string_view word; !(word = take_operator({"*", "/"})).empty();)
      left = joined(Node::arithmetic, Node::number, Node::number, word, std::move(left), sign());
    return left;
  }
  Node sign() {
    const Deeper deeper(*this);
    skip_blanks();
    const std::size_t position = at_;
    if (!take('-')) return primary();
    Node zero;
    zero.position = position;
    return joined(Node::arithmetic, Node::number, Node::number, "-", std::move(zero), sign());
  }

  Node primary() {
    skip_blanks();
    Node node;
    node.position = at_;
    if (at_ >= text_.size()) fail(at_, "the expression ends where a number, a step or a function would be right");
    if (take('(')) {
      node = alternatives();
      expect(')', "after this");
      return node;
    }
    if (next_is('"')) {
      node.kind = Node::words;
      node.word = quoted();
      return node;
    }
    if (is_digit(text_[at_]) || text_[at_] == '.') {
      node.value = number();
      return node;
    }
    const std::string_view name = peek_name();
    if (name.empty() || name == "and" || name == "or" || name == "not")
      fail(at_, fmt::format("'{}' is no number, step or function", rest()));
    at_ += name.size();
    node.word = name;
    if (next_is('(')) return call(std::move(node));
    if (take('.')) return looked_up(std::move(node));
    node.type = Node::step;
    return node;
  }

  double number() {
    double value = 0;
    const char* begin = text_.data() + at_;
    const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), value);
    if (error != std::errc() || !std::isfinite(value)) fail(at_, fmt::format("'{}' is no number", rest()));
    at_ += static_cast<std::size_t>(end - begin);
    return value;
  }
  std::string quoted() {
    const std::size_t begin = ++at_, end = text_.find('"', begin);
    if (end == std::string_view::npos) fail(begin - 1, "the text has no end; a '\"' would be right");
    at_ = end + 1;
    return std::string(text_.substr(begin, end - begin));
  }
  std::string key(const char* where) {
    const std::string_view name = peek_name();
    if (name.empty()) fail(at_, fmt::format("the name of a number is missing {}", where));
    at_ += name.size();
    return std::string(name);
  }

  Node looked_up(Node node) {
    node.type = Node::lookup;
    node.where.step = node.word;
    node.where.key = key("after the '.'");
    if (!take('[')) return node;
    do {
      std::string name = key("in the brackets");
      expect('=', "in the brackets");
      skip_blanks();
      if (next_is('"')) {
        node.where.where.emplace_back(std::move(name), quoted());
      } else {
        if (at_ >= text_.size() || !is_digit(text_[at_])) fail(at_, "a number or a \"text\" would be right here");
        node.where.where.emplace_back(std::move(name), number());
      }
    } while (take(','));
    expect(']', "after the brackets' last value");
    return node;
  }

  void check_argument(const Function& function, char takes, const Node& argument) const {
    const std::string what = fmt::format("{}()", function.name);
    if (takes == 's') {
      if (argument.type != Node::step) fail(argument.position, fmt::format("{} needs the name of a step here", what));
    } else if (takes == 'k') {
      if (argument.type != Node::lookup) fail(argument.position, fmt::format("{} needs a number of a step, as STEP.step_s", what));
    } else if (takes == 'n' || takes == 'l' || takes == 't') {
      require(argument, takes == 'n' ? Node::number : takes == 'l' ? Node::list : Node::words, what);
      if (takes == 't' && argument.type != Node::constant) fail(argument.position, fmt::format("{} needs a \"name\" here", what));
    } else {
      const bool list = argument.type != Node::step && argument.kind == Node::list;
      if (argument.type == Node::step || (takes == 'm' && !list)) require(argument, Node::number, what);
    }
  }

  Node call(Node node) {
    const Deeper deeper(*this);
    const auto found = std::find_if(functions.begin(), functions.end(), [&](const auto& each) { return each.name == node.word; });
    if (found == functions.end()) {
      std::vector<std::string_view> known;
      for (const Function& each : functions) known.push_back(each.name);
      fail(node.position, "the function " + not_known(node.word, known));
    }
    node.type = Node::call;
    node.kind = found->result;
    expect('(', "after the function");
    if (!next_is(')')) {
      do node.parts.push_back(alternatives());
      while (take(','));
    }
    expect(')', "after the function's arguments");
    std::string_view takes = found->takes;
    const bool more = takes.ends_with('+');
    if (more) takes.remove_suffix(1);
    if (node.parts.size() < takes.size() || (node.parts.size() > takes.size() && !more))
      fail(node.position, fmt::format("{}() takes {}{} argument{}, not {}", found->name, more ? "at least " : "", takes.size(),
                                      takes.size() == 1 ? "" : "s", node.parts.size()));
    for (std::size_t k = 0; k < node.parts.size(); ++k) check_argument(*found, takes[std::min(k, takes.size() - 1)], node.parts[k]);
    if (found->name == "same") {
      for (const Node& part : node.parts)
        if (part.kind != node.parts[0].kind)
          fail(part.position, fmt::format("same() compares {} with {}", name_of(node.parts[0].kind), name_of(part.kind)));
    }
    return node;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

template <class Visit>
void walk(const Node& node, const Visit& visit) {
  visit(node);
  for (const Node& part : node.parts) walk(part, visit);
}

}  // namespace

Expression::Expression(std::string_view text) : text_(text), root_(std::make_shared<const Node>(Parser(text).whole())) {}

bool Expression::is_number() const { return root_ && root_->kind == Node::number; }

std::vector<std::string> Expression::steps() const {
  std::vector<std::string> steps;
  if (!root_) return steps;
  walk(*root_, [&](const Node& node) {
    const std::string& name = node.type == Node::lookup ? node.where.step : node.word;
    if ((node.type == Node::lookup || node.type == Node::step) && std::find(steps.begin(), steps.end(), name) == steps.end())
      steps.push_back(name);
  });
  return steps;
}

std::vector<Lookup> Expression::lookups() const {
  std::vector<Lookup> lookups;
  if (!root_) return lookups;
  walk(*root_, [&](const Node& node) {
    if (node.type == Node::lookup) lookups.push_back(node.where);
  });
  return lookups;
}

std::string Lookup::text() const {
  std::string text = step + "." + key;
  for (std::size_t k = 0; k < where.size(); ++k) {
    text += (k == 0 ? "[" : ", ") + where[k].first + "=";
    const auto* number = std::get_if<double>(&where[k].second);
    text += number != nullptr ? fmt::format("{}", *number) : '"' + std::get<std::string>(where[k].second) + '"';
  }
  return where.empty() ? text : text + "]";
}

}  // namespace syncline
