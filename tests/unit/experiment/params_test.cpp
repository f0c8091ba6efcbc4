// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "engine/experiment/check.h"
#include "engine/experiment/every.h"
#include "engine/experiment/sections.h"
#include "tests/unit/experiment/test_catalogue.h"

namespace syncline {
namespace {

using P = Parameter;

constexpr std::string_view kColours[] = {"red", "green"};
constexpr Parameter kAll[] = {
    P{.key = "count", .help = "A count.", .kind = P::integer, .initial = std::int64_t{3}},
    P{.key = "rate", .help = "A number.", .kind = P::real, .initial = std::int64_t{2}},
    P{.key = "on", .help = "A flag.", .kind = P::flag, .initial = true},
    P{.key = "colour", .help = "A choice.", .kind = P::choice, .initial = "red", .choices = kColours},
    P{.key = "word", .help = "A text.", .kind = P::text, .initial = "x"},
    P{.key = "file", .help = "A path.", .kind = P::path, .optional = true},
    P{.key = "wait", .help = "A time.", .kind = P::duration, .initial = "100 us"},
    P{.key = "room", .help = "A size.", .kind = P::size, .initial = "4 KiB"},
    P{.key = "speed", .help = "A rate.", .kind = P::rate, .initial = "1 Gbit/s"},
    P{.key = "widths", .help = "A list.", .kind = P::list, .initial = "[1, 2]"},
    P{.key = "shares", .help = "A list.", .kind = P::list, .initial = "[0.5]"},
};

std::string usage_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const UsageError& error) {
    return error.what();
  }
  return "no error";
}

std::string config_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Params, HoldTheDefaultsInBaseUnits) {
  const Params params = defaults_of(kAll);
  EXPECT_EQ(params.integer("count"), 3);
  EXPECT_EQ(params.real("rate"), 2.0);
  EXPECT_TRUE(params.flag("on"));
  EXPECT_EQ(params.choice("colour"), "red");
  EXPECT_EQ(params.text("word"), "x");
  EXPECT_FALSE(params.has("file"));
  EXPECT_FALSE(params.has("fil"));
  EXPECT_TRUE(params.has("word"));
  EXPECT_EQ(params.real("wait"), 1e-4);
  EXPECT_EQ(params.real("room"), 4096);
  EXPECT_EQ(params.real("speed"), 125e6);
  EXPECT_EQ(params.integers("widths"), (std::vector<std::int64_t>{1, 2}));
  EXPECT_EQ(params.reals("widths"), (std::vector<double>{1, 2}));
  EXPECT_EQ(params.reals("shares"), (std::vector<double>{0.5}));
  EXPECT_EQ(params.real("count"), 3.0);
}

TEST(Params, ReadingWronglyIsOurMistake) {
  const Params params = defaults_of(kAll);
  EXPECT_EQ(usage_of([&] { params.integer("counts"); }), "the key 'counts' is in no table that was read");
  EXPECT_EQ(usage_of([&] { params.integer("rate"); }), "the key 'rate' is read as a whole number, which it is not");
  EXPECT_EQ(usage_of([&] { params.text("count"); }), "the key 'count' is read as a text, which it is not");
  EXPECT_EQ(usage_of([&] { params.text("file"); }), "the key 'file' is read as a text, which it is not");
  EXPECT_EQ(usage_of([&] { params.integers("shares"); }), "the key 'shares' is read as a list of whole numbers, which it is not");
  EXPECT_EQ(usage_of([&] { params.real("word"); }), "the key 'word' is read as a number, which it is not");
}

TEST(Params, DefaultsMayBeReplaced) {
  const Params params =
      with_defaults(kAll, {{"count", Value{std::int64_t{7}}}, {"rate", Value{std::int64_t{5}}}, {"file", Value{std::string("f")}}});
  EXPECT_EQ(params.integer("count"), 7);
  EXPECT_EQ(params.real("rate"), 5.0);
  EXPECT_EQ(params.text("file"), "f");
  EXPECT_EQ(config_of([] {
              with_defaults(kAll, {{"cuont", Value{std::int64_t{7}}}});
            }),
            "unknown key: 'cuont' is not known; did you mean 'count'?");
  EXPECT_EQ(config_of([] {
              with_defaults(kAll, {{"count", Value{0.5}}});
            }),
            "the key 'count' has a value of another kind than its table says");
  EXPECT_EQ(config_of([] { defaults_of(test::kLocalSgd); }), "the key 'sync_period' is missing: Steps between two exchanges.");
  EXPECT_EQ(with_defaults(test::kLocalSgd, {{"sync_period", Value{std::int64_t{2}}}}).integer("sync_period"), 2);
}

TEST(Check, ListsKeepWholeNumbersWhole) {
  const P open{.key = "l", .help = "A list.", .kind = P::list, .least = 0};
  const auto read = [&](std::string_view toml) {
    const auto parsed = document::parse(std::string("l = ") + std::string(toml));
    const auto value = read_value(std::get<document::Node>(parsed).members.front().node, open);
    return std::holds_alternative<Value>(value) ? print_value(std::get<Value>(value), P::list) : std::get<std::string>(value);
  };
  EXPECT_EQ(read("[3, 4]"), "[3, 4]");
  EXPECT_EQ(read("5"), "[5]");
  EXPECT_EQ(read("[3, 0.5]"), "[3.0, 0.5]");
  EXPECT_EQ(read("[\"a\", \"b\"]"), "[\"a\", \"b\"]");
  EXPECT_EQ(read("[1, \"b\"]"), "element 2: must be a number, not the text \"b\"");
  EXPECT_EQ(read("[1, -2]"), "element 2: must be at least 0, not -2");
  EXPECT_EQ(read("[[1]]"), "element 1: must be a number, not a list");
  EXPECT_EQ(read("{}"), "must be a list such as [1, 2], not a table");
  EXPECT_EQ(read("[]"), "[]");
}

TEST(Check, Conditions) {
  const std::map<std::string, Value, std::less<>> values = {{"momentum", Value{0.9}},
                                                            {"every", Value{std::int64_t{0}}},
                                                            {"mode", Value{std::string("fast")}},
                                                            {"on", Value{true}},
                                                            {"none", Value{}}};
  const auto holds = [&](std::string_view condition) {
    return condition_holds(condition, [&](std::string_view key) -> const Value* {
      const auto found = values.find(key);
      return found == values.end() ? nullptr : &found->second;
    });
  };
  for (const char* condition : {"", "momentum > 0", "momentum >= 0.9", "momentum<1", "every = 0", "every == 0", "every <= 0", "mode = fast",
                                "mode != slow", "mode = slow | fast", "on = true", "on", "mode = fast and every = 0"}) {
    EXPECT_TRUE(holds(condition)) << condition;
  }
  for (const char* condition : {"momentum > 0.9", "momentum = 1", "every > 0", "mode = slow", "mode != fast", "mode = a | b", "on = false",
                                "none = 1", "absent > 0", "mode > 0", "mode = fast and every = 1"}) {
    EXPECT_FALSE(holds(condition)) << condition;
  }
  EXPECT_EQ(condition_keys("a > 0 and b = x | y"), (std::vector<std::string_view>{"a", "b"}));
}

TEST(Check, TheNearestName) {
  constexpr std::string_view known[] = {"epochs", "steps", "batch_per_worker", "lr", "plan"};
  EXPECT_EQ(nearest("epoch", known), "epochs");
  EXPECT_EQ(nearest("eopchs", known), "epochs");
  EXPECT_EQ(nearest("Steps", known), "steps");
  EXPECT_EQ(nearest("batch-per-worker", known), "batch_per_worker");
  EXPECT_EQ(nearest("batchperworker", known), "batch_per_worker");
  EXPECT_EQ(nearest("rl", known), "lr");
  EXPECT_EQ(nearest("momentum", known), "");
  EXPECT_EQ(nearest("x", known), "");
  EXPECT_EQ(nearest("", known), "");
  EXPECT_EQ(nearest(std::string(10000, 'e'), known), "");
  EXPECT_EQ(not_known("x", {}), "'x' is not known: this version has none");
}

TEST(Every, ReadsAndPrints) {
  const auto print = [](std::string_view text) {
    const std::optional<Every> every = parse_every(text);
    return every ? print_every(*every) : "no";
  };
  EXPECT_EQ(print("5 min"), "5 min");
  EXPECT_EQ(print("300 s"), "5 min");
  EXPECT_EQ(print("300"), "5 min");
  EXPECT_EQ(print("500 steps"), "500 steps");
  EXPECT_EQ(print("1 step"), "1 step");
  EXPECT_EQ(print("2 epoch"), "2 epochs");
  EXPECT_EQ(print("1epochs"), "1 epoch");
  EXPECT_EQ(print("never"), "never");
  EXPECT_EQ(print("9007199254740992 steps"), "9007199254740992 steps");
  for (const char* text : {"", "steps", "0 steps", "-1 steps", "1.5 steps", "0 s", "-5 min", "soon", "5 minutes ago",
                           "9007199254740993 steps", "99999999999999999999 epochs", "nan", "inf"}) {
    EXPECT_EQ(print(text), "no") << text;
  }
}

TEST(Tables, HaveNoMistakes) { EXPECT_EQ(mistakes_of(test::small_catalogue()), std::vector<std::string>{}); }

TEST(Tables, MistakesAreFound) {
  static constexpr Parameter kBad[] = {
      {.key = "a", .help = "no sentence", .kind = P::integer, .initial = std::int64_t{0}, .least = 1},
      {.key = "a", .help = "A.", .kind = P::choice, .initial = "blue", .choices = kColours},
      {.key = "b", .help = "B.", .kind = P::list, .initial = "[1", .only_if = "c > 0"},
      {.key = "type", .help = "T.", .kind = P::flag, .initial = false},
  };
  Catalogue catalogue = test::small_catalogue();
  catalogue.layers = {{"bad", "", "", "", kBad}, {"bad", "", "", "", {}}};
  catalogue.plans.pop_back();
  EXPECT_EQ(mistakes_of(catalogue),
            (std::vector<std::string>{
                "layers/bad: the key 'a' is there twice", "layers/bad: the key 'type' is there twice",
                "layers/bad: the help of 'a' is no sentence", "layers/bad: the default of the key 'a' must be at least 1, not 0",
                "layers/bad: the default of 'a' is not among its choices", "layers/bad: the default '[1' of the key 'b' is no list",
                "layers/bad: 'b' depends on 'c', which is not there", "layers/bad: there twice",
                "strategy: the default 'threshold' of 'plan' is not in the catalogue"}));
}

}  // namespace
}  // namespace syncline
