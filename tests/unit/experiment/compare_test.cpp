// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "engine/experiment/document.h"
#include "engine/experiment/schema_json.h"
#include "engine/experiment/sections.h"
#include "tests/unit/experiment/parse_support.h"

namespace syncline {
namespace {

using test::experiment;
using test::minimal;

std::vector<std::string> shown(const std::vector<Difference>& differences) {
  std::vector<std::string> texts;
  for (const Difference& each : differences) texts.push_back(each.key + ": " + each.before + " -> " + each.after);
  return texts;
}

TEST(GroupKey, LeavesOutNameSeedAndCheckpoint) {
  const std::string text = minimal();
  const std::string key = group_key(experiment(text));
  EXPECT_EQ(key.size(), 32u);
  EXPECT_EQ(key.find_first_not_of("0123456789abcdef"), std::string::npos);
  EXPECT_EQ(group_key(experiment(text, {{"name", "b"}, {"seed", "7"}, {"checkpoint.every", "never"}, {"checkpoint.keep", "9"}})), key);
  EXPECT_EQ(group_key(experiment("# a comment\n" + text)), key);
  for (const auto& [name, value] : Overrides{{"train.epochs", "2"},
                                             {"train.optimizer.lr", "0.02"},
                                             {"cluster.workers", "2"},
                                             {"fault.limit_s", "61"},
                                             {"strategy.plan", "wfbp"},
                                             {"data.augment", "flip"},
                                             {"strategy.plan_options.bytes", "1 kB"}}) {
    EXPECT_NE(group_key(experiment(text, {{name, value}})), key) << name;
  }
  // A name or a seed elsewhere counts.
  const std::string layers =
      minimal("", "name = \"sync\"", "epochs = 1", "source = \"synthetic\"", "layers = [{ type = \"relu\", name = \"a\" }]");
  EXPECT_NE(group_key(experiment(layers)), group_key(experiment(layers, {{"model.layers.0.name", "b"}})));
}

TEST(GroupKey, IsTheSameEverywhere) { EXPECT_EQ(group_key(Experiment{}), "99aa06d3014798d86001c324468d497f"); }  // XXH3-128 of nothing

TEST(Differences, NameTheKeysInOrder) {
  const Experiment a = experiment(minimal());
  const Experiment b = experiment(
      minimal(), {{"name", "b"}, {"strategy.plan", "wfbp"}, {"train.optimizer", "{ name = \"adam\" }"}, {"cluster.link.latency", "1 ms"}});
  EXPECT_EQ(
      shown(differences(a.complete, b.complete)),
      (test::Texts{"name: a -> b", "train.optimizer.name: sgd -> adam", "train.optimizer.momentum: 0.9 -> ",
                   "train.optimizer.nesterov: false -> ", "train.optimizer.weight_decay: 0.0 -> ", "train.optimizer.beta1:  -> 0.9",
                   "cluster.link.latency: 0.0 -> 1 ms", "strategy.plan: threshold -> wfbp", "strategy.plan_options.bytes: 4 MiB -> "}));
  EXPECT_TRUE(differences(a.complete, a.complete).empty());
}

TEST(Differences, LayersGoByTheirNames) {
  const auto model = [](std::string_view layers) {
    return experiment(minimal("", "name = \"sync\"", "epochs = 1", "source = \"synthetic\"", layers)).complete;
  };
  const std::string a = model("layers = [{ type = \"relu\", name = \"x\" }, { type = \"linear\", features = 3, name = \"y.z\" }]");
  const std::string b = model(
      "layers = [{ type = \"relu\", name = \"new\" }, { type = \"relu\", name = \"x\" }, { type = \"linear\", features = 4, name = \"y.z\" "
      "}]");
  EXPECT_EQ(shown(differences(a, b)),
            (test::Texts{"model.layers.new.type:  -> relu", "model.layers.new.name:  -> new", "model.layers.\"y.z\".features: 3 -> 4"}));
}

TEST(Differences, OfATextThatIsNoToml) { EXPECT_THROW(differences("a = ", "a = 1"), ConfigError); }

TEST(Document, PrintsWhatReadsBack) {
  for (const double value : {0.0, 1.0, -1.5, 1e-5, 5e-324, 1.7976931348623157e308, 0.1, 1e22, 123456789.0}) {
    const std::string text = document::print_real(value);
    const auto parsed = document::parse("x = " + text);
    const document::Node& node = std::get<document::Node>(parsed).members.front().node;
    EXPECT_EQ(node.type, document::Node::real) << text;
    EXPECT_EQ(std::get<double>(node.value), value) << text;
  }
  for (const std::string& text :
       {std::string("a\"b\\c\n\t\r"), std::string("\x01\x7f", 2), std::string("ä😀"), std::string("\0x", 2), std::string()}) {
    const auto parsed = document::parse("x = " + document::print_text(text) + "\n" + document::print_key(text) + ".y = 1");
    ASSERT_TRUE(std::holds_alternative<document::Node>(parsed)) << document::print_text(text);
    EXPECT_EQ(std::get<std::string>(std::get<document::Node>(parsed).members.front().node.value), text);
    EXPECT_EQ(std::get<document::Node>(parsed).members.back().key, text);
  }
}

TEST(Document, MembersStandInTheOrderOfTheText) {
  const auto parsed = document::parse("z = 1\na = { y = 1, b = 2 }\n[t.u]\nk = 1\n[c]\n[t]\nl = 2\n");
  const document::Node& root = std::get<document::Node>(parsed);
  EXPECT_EQ(document::print(root), "{ z = 1, a = { y = 1, b = 2 }, t = { u = { k = 1 }, l = 2 }, c = {} }");
  EXPECT_EQ(root.members[1].line, 2);
  EXPECT_EQ(root.find("a")->members[1].column, 14);
}

TEST(Schema, HasEverySectionAndEveryEntry) {
  const nlohmann::ordered_json schema = schema_json(test::small_catalogue());
  ASSERT_EQ(schema["sections"].size(), sections().size());
  for (const std::string_view kind : catalogue_kinds()) EXPECT_TRUE(schema.contains(std::string(kind))) << kind;
  const auto& train = schema["sections"][4];
  EXPECT_EQ(train["name"], "train");
  EXPECT_EQ(train["parameters"][1]["key"], "epochs");
  EXPECT_EQ(train["parameters"][1]["kind"], "integer");
  EXPECT_EQ(train["parameters"][1]["default"], nullptr);
  EXPECT_EQ(train["parameters"][1]["least"], 1);
  EXPECT_EQ(train["parameters"][1]["optional"], true);
  EXPECT_EQ(train["parameters"][4]["default"], nlohmann::json::array({64}));
  const auto& names = schema["sections"][12]["parameters"][0];
  EXPECT_EQ(names["key"], "name");
  EXPECT_EQ(names["choices"], nlohmann::json::array({"none", "sync", "local-sgd"}));
  EXPECT_EQ(names["least"], nullptr);
  const auto& local = schema["strategies"][2];
  EXPECT_EQ(local["name"], "local-sgd");
  EXPECT_EQ(local["exchanges_gradients"], false);
  EXPECT_EQ(local["parameters"][0]["symbol"], "H");
  EXPECT_EQ(local["parameters"][2]["only_if"], "sync_point = pre_update");
  EXPECT_EQ(schema["plans"][2]["parameters"][0]["default"], 4194304.0);
  EXPECT_EQ(schema["plans"][2]["parameters"][0]["unit"], "bytes");
}

}  // namespace
}  // namespace syncline
