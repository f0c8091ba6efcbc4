// SPDX-License-Identifier: Apache-2.0
#include "engine/store/filter.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <ctime>
#include <functional>
#include <optional>

#include "engine/base/units.h"

namespace syncline {
namespace {

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& character : result) {
    if (character >= 'A' && character <= 'Z') character = static_cast<char>(character - 'A' + 'a');
  }
  return result;
}

constexpr std::array<std::string_view, 8> states = {"queued", "running", "stopping", "finished", "stopped", "failed", "lost", "unknown"};

struct TextKey {
  const char* name;
  std::string (*value)(const RunInfo&);
};
constexpr std::array<TextKey, 15> text_keys = {{
    {"name", [](const RunInfo& run) { return run.name; }},
    {"id", [](const RunInfo& run) { return run.id; }},
    {"state", [](const RunInfo& run) { return run.state; }},
    {"reason", [](const RunInfo& run) { return run.reason; }},
    {"kind", [](const RunInfo& run) { return run.kind; }},
    {"strategy", [](const RunInfo& run) { return run.strategy; }},
    {"model", [](const RunInfo& run) { return run.model; }},
    {"dataset", [](const RunInfo& run) { return run.dataset; }},
    {"plan", [](const RunInfo& run) { return run.plan; }},
    {"device", [](const RunInfo& run) { return run.device; }},
    {"host", [](const RunInfo& run) { return run.host; }},
    {"version", [](const RunInfo& run) { return run.version; }},
    {"notes", [](const RunInfo& run) { return run.notes; }},
    {"group", [](const RunInfo& run) { return run.group_key; }},
    {"resumed_from", [](const RunInfo& run) { return run.resumed_from; }},
}};

struct NumberKey {
  const char* name;
  std::optional<double> (*value)(const RunInfo&, const Summary&);
  bool from_summary, time_of_day;
};
std::optional<double> real(auto value) { return static_cast<double>(value); }
constexpr std::array<NumberKey, 11> number_keys = {{
    {"workers", [](const RunInfo& run, const Summary&) { return real(run.workers); }, false, false},
    {"servers", [](const RunInfo& run, const Summary&) { return real(run.servers); }, false, false},
    {"threads_per_worker", [](const RunInfo& run, const Summary&) { return real(run.threads_per_worker); }, false, false},
    {"seed", [](const RunInfo& run, const Summary&) { return real(run.seed); }, false, false},
    {"attempt", [](const RunInfo& run, const Summary&) { return real(run.attempt); }, false, false},
    {"created", [](const RunInfo& run, const Summary&) { return real(run.created); }, false, true},
    {"started", [](const RunInfo& run, const Summary&) { return run.started; }, false, true},
    {"ended", [](const RunInfo& run, const Summary&) { return run.ended; }, false, true},
    {"loss", [](const RunInfo&, const Summary& summary) { return summary.final_train_loss; }, true, false},
    {"accuracy", [](const RunInfo&, const Summary& summary) { return summary.best_test_accuracy; }, true, false},
    {"exposed", [](const RunInfo&, const Summary& summary) { return exposed_share(summary); }, true, false},
}};

// "2025-01-31" or "2025-01-31T12:00": UTC.
std::optional<double> parse_day(std::string_view text) {
  std::tm parts{};
  const std::string copy(text);
  const char* end = strptime(copy.c_str(), "%Y-%m-%d", &parts);
  if (end != nullptr && (*end == 'T' || *end == ' ')) end = strptime(end + 1, "%H:%M", &parts);
  if (end == nullptr || *end != '\0') return std::nullopt;
  return static_cast<double>(timegm(&parts));
}

std::optional<double> parse_number(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc()) return std::nullopt;
  const std::string_view unit = text.substr(static_cast<std::size_t>(end - text.data()));
  if (unit.empty()) return value;
  if (unit == "%") return value / 100;
  if (unit == "k") return value * 1e3;
  if (unit == "M") return value * 1e6;
  if (unit == "G") return value * 1e9;
  return parse_duration(text);
}

// Of an experiment: also sizes and rates ("1 MiB", "10 Gbit/s").
std::optional<double> parse_quantity(std::string_view text) {
  std::optional<double> value = parse_number(text);
  if (!value) value = parse_size(text);
  return value ? value : parse_rate(text);
}

bool compare(double left, std::string_view op, double right) {
  if (op == "<") return left < right;
  if (op == "<=") return left <= right;
  if (op == ">") return left > right;
  if (op == ">=") return left >= right;
  if (op == "!=") return left != right;
  return left == right;
}

bool compare_text(std::string_view left, std::string_view op, std::string_view right) {
  const std::string a = lower(left), b = lower(right);
  if (op == ":") return a.find(b) != std::string::npos;
  if (op == "=") return a == b;
  return a != b;  // "!="; the others are refused for texts
}

}  // namespace

class RunFilter::Node {
 public:
  enum class Kind { all, any, negation, leaf };
  Kind kind = Kind::all;
  std::vector<Node> parts;
  std::function<bool(const RunInfo&, const Summary&)> test;
  bool from_summary = false;

  bool matches(const RunInfo& run, const Summary& summary) const {
    const auto part = [&](const Node& node) { return node.matches(run, summary); };
    switch (kind) {
      case Kind::all:
        return std::all_of(parts.begin(), parts.end(), part);
      case Kind::any:
        return std::any_of(parts.begin(), parts.end(), part);
      case Kind::negation:
        return !part(parts.front());
      case Kind::leaf:
        break;
    }
    return test(run, summary);
  }
  bool needs_summary() const {
    return from_summary || std::any_of(parts.begin(), parts.end(), [](const Node& node) { return node.needs_summary(); });
  }
};

class FilterParser {
 public:
  FilterParser(std::string_view text, std::span<const FilterKey> experiment) : text_(text), experiment_(experiment) {}

  RunFilter::Node parse() {
    RunFilter::Node node = expression(0);
    skip_blanks();
    if (at_ < text_.size()) fail("there is no \"(\" for this \")\"", at_, 1);
    return node;
  }

 private:
  using Node = RunFilter::Node;
  static constexpr int deepest = 50;

  struct Word {
    std::string text;
    std::size_t position = 0, length = 0;
    bool quoted = false;
  };

  [[noreturn]] void fail(const std::string& expected, std::size_t position, std::size_t length) const {
    throw FilterError(fmt::format("--filter: at \"{}\" (character {}): {}", text_.substr(position, length), position + 1, expected),
                      position, length);
  }

  void skip_blanks() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  bool ends() {
    skip_blanks();
    return at_ >= text_.size() || text_[at_] == ')';
  }
  static bool is_operator(char c) { return c == ':' || c == '=' || c == '<' || c == '>' || c == '!'; }

  // A word, or what stands between quotes. `value`: operators are part of the word ("10:30").
  Word word(bool value) {
    Word result;
    result.position = at_;
    if (at_ < text_.size() && text_[at_] == '"') {
      const std::size_t end = text_.find('"', at_ + 1);
      if (end == std::string_view::npos) fail("the quote is not closed", at_, text_.size() - at_);
      result.text = text_.substr(at_ + 1, end - at_ - 1);
      result.quoted = true;
      at_ = end + 1;
    } else {
      const std::size_t start = at_;
      while (at_ < text_.size() && text_[at_] != ' ' && text_[at_] != '(' && text_[at_] != ')' && (value || !is_operator(text_[at_])))
        ++at_;
      result.text = text_.substr(start, at_ - start);
    }
    result.length = at_ - result.position;
    return result;
  }

  std::string read_operator() {
    const std::size_t start = at_;
    while (at_ < text_.size() && at_ - start < 2 && is_operator(text_[at_])) ++at_;
    const std::string op(text_.substr(start, at_ - start));
    constexpr std::array<std::string_view, 7> known = {":", "=", "!=", "<", "<=", ">", ">="};
    if (std::find(known.begin(), known.end(), op) == known.end()) fail("expected one of : = != < <= > >=", start, op.size());
    return op;
  }

  Node expression(int depth) {
    if (depth > deepest) fail("nested too deeply", at_, 1);
    Node any;
    any.kind = Node::Kind::any;
    any.parts.push_back(alternative(depth));
    while (take_keyword("or")) {
      if (ends()) fail("expected a condition after \"or\"", at_ == 0 ? 0 : at_ - 1, 1);
      any.parts.push_back(alternative(depth));
    }
    return any;
  }

  Node alternative(int depth) {
    Node all;
    while (!ends() && !next_is("or")) {
      if (take_keyword("and")) continue;
      all.parts.push_back(term(depth));
    }
    return all;
  }

  bool next_is(std::string_view keyword) {
    skip_blanks();
    if (lower(text_.substr(at_, keyword.size())) != keyword) return false;
    const std::size_t after = at_ + keyword.size();
    return after >= text_.size() || text_[after] == ' ' || text_[after] == '(' || text_[after] == ')';
  }
  bool take_keyword(std::string_view keyword) {
    if (!next_is(keyword)) return false;
    at_ += keyword.size();
    return true;
  }

  Node term(int depth) {
    if (depth > deepest) fail("nested too deeply", at_, 1);
    if (take_keyword("not")) {
      if (ends()) fail("expected a condition after \"not\"", at_ == 0 ? 0 : at_ - 1, 1);
      Node negation;
      negation.kind = Node::Kind::negation;
      negation.parts.push_back(term(depth + 1));
      return negation;
    }
    if (text_[at_] == '(') {
      const std::size_t open = at_++;
      Node inner = expression(depth + 1);
      skip_blanks();
      if (at_ >= text_.size()) fail("this \"(\" is not closed", open, 1);
      ++at_;
      return inner;
    }
    const Word first = word(false);
    if (first.quoted || at_ >= text_.size() || !is_operator(text_[at_])) return bare_word(first);
    const std::string op = read_operator();
    const Word value = word(true);
    if (value.text.empty() && !value.quoted) fail("expected a value after " + op, first.position, at_ - first.position);
    return condition(first, op, value);
  }

  static Node leaf(std::function<bool(const RunInfo&, const Summary&)> test, bool from_summary = false) {
    Node node;
    node.kind = Node::Kind::leaf;
    node.test = std::move(test);
    node.from_summary = from_summary;
    return node;
  }

  static Node bare_word(const Word& word) {
    return leaf([text = word.text](const RunInfo& run, const Summary&) {
      if (compare_text(run.name, ":", text) || compare_text(run.notes, ":", text)) return true;
      return std::any_of(run.tags.begin(), run.tags.end(), [&](const std::string& tag) { return compare_text(tag, ":", text); });
    });
  }

  Node condition(const Word& key, const std::string& op, const Word& value) {
    const std::string name = lower(key.text);
    const bool text_operator = op == ":" || op == "=" || op == "!=";
    const auto texts_only = [&] {
      if (!text_operator) fail(fmt::format("\"{}\" is a text: compare it with : = or !=", name), key.position, at_ - key.position);
    };
    if (name == "tag") {
      texts_only();
      return leaf([op, text = value.text](const RunInfo& run, const Summary&) {
        const auto same = [&](const std::string& tag) { return compare_text(tag, op == "!=" ? "=" : op, text); };
        return std::any_of(run.tags.begin(), run.tags.end(), same) != (op == "!=");
      });
    }
    if (name == "is") return is_condition(value);
    for (const TextKey& one : text_keys) {
      if (name != one.name) continue;
      texts_only();
      if (name == "state") expect_part_of(states, value);
      return leaf([&one, op, text = value.text](const RunInfo& run, const Summary&) { return compare_text(one.value(run), op, text); });
    }
    for (const NumberKey& one : number_keys) {
      if (name != one.name) continue;
      const double number = number_of(value, one.time_of_day);
      return leaf(
          [&one, op, number](const RunInfo& run, const Summary& summary) {
            const std::optional<double> have = one.value(run, summary);
            return have && compare(*have, op, number);
          },
          one.from_summary);
    }
    return summary_metric(name) ? summary_condition(name, op, value) : experiment_condition(name, key, op, value);
  }

  double number_of(const Word& value, bool time_of_day) {
    const std::optional<double> number = time_of_day ? parse_day(value.text) : parse_number(value.text);
    if (!number)
      fail(time_of_day ? "expected a day such as 2026-01-31" : "expected a number", value.position, std::max<std::size_t>(1, value.length));
    return *number;
  }

  Node is_condition(const Word& value) {
    if (value.text == "starred") return leaf([](const RunInfo& run, const Summary&) { return run.starred; });
    if (value.text == "trashed") return leaf([](const RunInfo& run, const Summary&) { return run.trashed; });
    if (value.text == "locked") return leaf([](const RunInfo& run, const Summary&) { return run.locked; });
    fail("expected starred, trashed or locked", value.position, std::max<std::size_t>(1, value.length));
  }

  // A mistyped choice would only ever say that nothing matches.
  template <typename Choices>
  void expect_part_of(const Choices& choices, const Word& value) {
    const auto has = [part = lower(value.text)](std::string_view choice) { return lower(choice).find(part) != std::string::npos; };
    if (std::any_of(choices.begin(), choices.end(), has)) return;
    fail(fmt::format("expected one of {}", fmt::join(choices, ", ")), value.position, std::max<std::size_t>(1, value.length));
  }

  Node experiment_condition(const std::string& name, const Word& key, const std::string& op, const Word& value) {
    const std::vector<const FilterKey*> found = find_filter_keys(experiment_, name);
    if (found.empty()) {
      const std::string more = experiment_.empty() ? "" : ", and every key of the experiment, such as train.optimizer.lr or lr";
      fail(fmt::format("there is no such key; there are {}{}", fmt::join(RunFilter::keys(), ", "), more), key.position,
           std::max<std::size_t>(1, key.length));
    }
    if (found.size() > 1) {
      std::vector<std::string_view> names;
      for (const FilterKey* one : found) names.emplace_back(one->name);
      fail(fmt::format("\"{}\" is the end of several keys: {}", name, fmt::join(names, ", ")), key.position,
           std::max<std::size_t>(1, key.length));
    }
    const FilterKey& meant = *found.front();
    const bool orders = op[0] == '<' || op[0] == '>';
    const bool is_text =
        meant.kind == Parameter::choice || meant.kind == Parameter::text || meant.kind == Parameter::path || meant.kind == Parameter::flag;
    if (orders && is_text)
      fail(fmt::format("\"{}\" is a text: compare it with : = or !=", name), key.position, std::max<std::size_t>(1, key.length));
    if (meant.kind == Parameter::choice) expect_part_of(meant.choices, value);
    const std::optional<double> number = is_text ? std::nullopt : parse_quantity(value.text);
    if (!number && !is_text && (orders || meant.kind != Parameter::list))
      fail("expected a number", value.position, std::max<std::size_t>(1, value.length));
    // "!=" of a list asks of all elements what "=" asks of one.
    const std::string asked = op == "!=" ? "=" : op;
    const auto holds = [asked, number, text = value.text](std::string_view have) {
      if (const std::optional<double> real = number ? parse_quantity(have) : std::nullopt) return compare(*real, asked, *number);
      return asked[0] != '<' && asked[0] != '>' && compare_text(have, asked, text);
    };
    return leaf([holds, op, name = meant.name](const RunInfo& run, const Summary&) {
      if (op != "!=") return any_value_of(run.experiment, name, holds);
      bool any = false;
      const bool equal = any_value_of(run.experiment, name, [&](std::string_view have) {
        any = true;
        return holds(have);
      });
      return any && !equal;
    });
  }

  Node summary_condition(const std::string& name, const std::string& op, const Word& value) {
    const double number = number_of(value, false);
    return leaf(
        [name, op, number](const RunInfo&, const Summary& summary) {
          const std::optional<double> have = value_of(summary, name);
          return have && compare(*have, op, number);
        },
        true);
  }

  std::string_view text_;
  std::span<const FilterKey> experiment_;
  std::size_t at_ = 0;
};

RunFilter::RunFilter(std::string_view expression, std::span<const FilterKey> experiment)
    : root_(std::make_unique<Node>(FilterParser(expression, experiment).parse())) {}
RunFilter::~RunFilter() = default;
RunFilter::RunFilter(RunFilter&&) noexcept = default;
RunFilter& RunFilter::operator=(RunFilter&&) noexcept = default;
bool RunFilter::needs_summary() const { return root_->needs_summary(); }
bool RunFilter::matches(const RunInfo& run, const Summary& summary) const { return root_->matches(run, summary); }

std::vector<std::string> RunFilter::keys() {
  std::vector<std::string> keys = {"tag", "is"};
  for (const TextKey& key : text_keys) keys.emplace_back(key.name);
  for (const NumberKey& key : number_keys) keys.emplace_back(key.name);
  for (const std::string& key : summary_keys()) keys.push_back(key);
  std::sort(keys.begin(), keys.end());
  return keys;
}

}  // namespace syncline
