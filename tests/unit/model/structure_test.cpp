// SPDX-License-Identifier: Apache-2.0
// Order, names, fusion, and what a person reads when a model does not fit together.
#include "engine/model/structure.h"

#include <gtest/gtest.h>

#include <set>

#include "tests/unit/model/support.h"

namespace syncline::test {
namespace {

std::string problem(const std::vector<LayerSpec>& layers, const Shape& input, std::int64_t classes = 10) {
  try {
    describe_model(layers, input, classes);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "none";
}
std::vector<std::string> order(const Structure& model) {
  std::vector<std::string> names;
  for (const Node& node : model.nodes) names.push_back(node.spec.name);
  return names;
}
using Names = std::vector<std::string>;

TEST(Structure, LayersWithoutNamesAreNumberedByType) {
  const Structure model =
      resolve({conv(4, 3, 1, 1), layer("relu"), conv(4, 3, 1, 1), layer("relu"), layer("flatten"), linear(10)}, {8, 8, 1}, 10);
  EXPECT_EQ(order(model), (Names{"conv1", "relu1", "conv2", "relu2", "flatten1", "linear1"}));
  EXPECT_EQ(model.nodes[2].spec.inputs, Names{"relu1"});
}

TEST(Structure, AGivenNameIsNotTakenTwice) {
  const Structure model = resolve({linear(4, "linear2"), linear(4), linear(10)}, {3}, 10);
  EXPECT_EQ(order(model), (Names{"linear2", "linear3", "linear4"}));
}

TEST(Structure, LayersMayComeInAnyOrder) {
  const Structure model =
      resolve({linear(6, "b", {"a"}), linear(6, "a", {"input"}), layer("add", {}, "s", {"a", "b"}), linear(10, "fc")}, {5}, 10);
  EXPECT_EQ(order(model), (Names{"a", "b", "s", "fc"}));
  EXPECT_EQ(model.readers[1], (std::vector<int>{1, 2}));
}

TEST(Structure, FusesReluIntoTheOnlyLayerBeforeIt) {
  Structure model =
      resolve({conv(4, 3, 1, 1, "c"), layer("relu", {}, "r1"), layer("batch_norm", {}, "n"), layer("relu", {}, "r2"),
               layer("max_pool", {}, "p"), layer("relu", {}, "r3"), layer("flatten", {}, "f"), linear(8, "l1"), layer("relu", {}, "r4"),
               linear(8, "l2"), layer("add", {}, "s", {"l2", "r4"}), layer("relu", {}, "r5"), linear(10, "l3")},
              {8, 8, 1}, 10);
  fuse(model);
  EXPECT_EQ(order(model), (Names{"c", "n", "p", "r3", "f", "l1", "l2", "s", "l3"}));
  EXPECT_EQ(model.nodes[7].inputs, (std::vector<int>{7, 6}));  // l2, and l1 with its ReLU
  EXPECT_EQ(model.readers[6], (std::vector<int>{6, 7}));
}

TEST(Structure, KeepsReluWhereSomebodyReadsWhatIsBeforeIt) {
  Structure model = resolve({linear(6, "a"), layer("relu", {}, "r"), layer("add", {}, "s", {"a", "r"}), linear(10, "fc")}, {5}, 10);
  fuse(model);
  EXPECT_EQ(order(model), (Names{"a", "r", "s", "fc"}));
}

TEST(Structure, FusesTheLastLayer) {
  Structure model = resolve({linear(10, "fc"), layer("relu", {}, "r")}, {5}, 10);
  fuse(model);
  EXPECT_EQ(order(model), Names{"fc"});
}

TEST(Structure, KnowsWhatIsBeforeARelu) {
  const Structure model = resolve({conv(4, 3, 1, 1, "c1"), layer("batch_norm"), layer("relu"), conv(4, 3, 1, 1, "c2"), layer("max_pool"),
                                   layer("flatten"), layer("dropout"), layer("relu"), linear(8, "l1"), layer("tanh"), linear(10, "l2")},
                                  {8, 8, 1}, 10);
  std::map<std::string, bool> before;
  for (const Node& node : model.nodes) before[node.spec.name] = node.before_relu;
  EXPECT_TRUE(before["c1"]);
  EXPECT_TRUE(before["c2"]);
  EXPECT_FALSE(before["l1"]);
  EXPECT_FALSE(before["l2"]);
}

TEST(Problems, Graph) {
  EXPECT_EQ(problem({}, {5}), "the model has no layers; at least one would be right");
  EXPECT_EQ(problem({linear(4, "a"), linear(10, "a")}, {5}), "layer \"a\" (linear): there are two layers of this name; names must differ");
  EXPECT_EQ(problem({linear(10, "input")}, {5}),
            "layer \"input\" (linear): this name stands for the model's input; another one would be right");
  EXPECT_EQ(problem({linear(4, "stem"), linear(10, "fc", {"sten"})}, {5}),
            "layer \"fc\" (linear): there is no layer \"sten\" to read; \"stem\" is the nearest name");
  EXPECT_EQ(
      problem({linear(6, "a", {"c"}), linear(6, "b", {"a"}), linear(6, "c", {"b"}), linear(10, "fc")}, {5}),
      "layer \"a\" (linear): the inputs go round in a circle (a -> b -> c -> a); each layer may read only what does not depend on it");
  EXPECT_EQ(problem({linear(6, "a", {"a"}), linear(10, "fc")}, {5}),
            "layer \"a\" (linear): the inputs go round in a circle (a -> a); each layer may read only what does not depend on it");
  EXPECT_EQ(problem({linear(6, "a"), linear(6, "b", {"a"}), linear(10, "fc", {"a"})}, {5}),
            "layer \"b\" (linear): nothing reads its output, and it is not the last layer; name it among the `inputs` of another");
  EXPECT_EQ(problem({linear(10, "b", {"a"}), linear(10, "a", {"input"})}, {5}),
            "layer \"a\" (linear): it is the last layer, so nothing may read its output; \"b\" does, and should come last");
  EXPECT_EQ(problem({linear(6, "a"), layer("add", {}, "s", {"a"}), linear(10)}, {5}),
            "layer \"s\" (add): it has one input; two or more would be right: inputs = [\"a\", ...]");
  EXPECT_EQ(problem({linear(6, "a"), linear(6, "b"), linear(10, "c", {"a", "b"})}, {5}),
            "layer \"c\" (linear): it has 2 inputs; one would be right");
  EXPECT_EQ(
      problem({layer("flatten", {}, "f")}, {10}),
      "layer \"f\" (flatten): no layer of the model has parameters, so there is nothing to train; a linear or conv layer would be right");
}

TEST(Problems, Shapes) {
  EXPECT_EQ(problem({linear(12, "fc")}, {5}),
            "layer \"fc\" (linear): it is the last layer and its output has shape 12, but the data has 10 classes; an output of 10 "
            "features would be right");
  EXPECT_EQ(problem({linear(10, "fc")}, {28, 28, 1}),
            "layer \"fc\" (linear): the input has shape 28x28x1; this layer needs 784 features in one row: a flatten layer before it would "
            "be right");
  EXPECT_EQ(problem({conv(4, 3, 1, 1, "c")}, {784}),
            "layer \"c\" (conv): the input has shape 784; this layer needs height x width x channels, such as 28x28x1");
  EXPECT_EQ(problem({conv(4, 7, 1, 1, "c")}, {4, 3, 2}),
            "layer \"c\" (conv): the input 4x3x2 with padding 1x1 is smaller than the kernel 7x7; a kernel of at most 6x5 would fit");
  EXPECT_EQ(problem({layer("conv", {{"channels", number(8)}, {"groups", number(3)}}, "c")}, {8, 8, 4}),
            "layer \"c\" (conv): `groups` is 3; it must divide both the input's 4 channels (8x8x4) and the layer's own 8");
  EXPECT_EQ(problem({layer("conv", {{"channels", number(8)}, {"kernel", numbers({3, 3, 3})}}, "c")}, {8, 8, 4}),
            "layer \"c\" (conv): `kernel` has 3 numbers; one number or [height, width] would be right");
  EXPECT_EQ(problem({layer("max_pool", {{"kernel", numbers({2})}, {"padding", numbers({2})}}, "p")}, {8, 8, 4}),
            "layer \"p\" (max_pool): the padding 2x2 is more than half the kernel 2x2; at most 1x1 would be right");
  EXPECT_EQ(problem({layer("global_pool", {}, "p")}, {8}),
            "layer \"p\" (global_pool): the input has shape 8; this layer needs height x width x channels or length x channels");
  EXPECT_EQ(problem({conv(4, 3, 1, 1, "a"), conv(8, 3, 2, 1, "b"), layer("add", {}, "s", {"a", "b"}), linear(10)}, {8, 8, 3}),
            "layer \"s\" (add): its inputs have the shapes 8x8x4 and 4x4x8; equal shapes would be right (a 1x1 convolution with 8 "
            "channels, and a "
            "stride where the sizes differ, brings one to the other)");
  EXPECT_EQ(
      problem({conv(4, 3, 1, 1, "a"), conv(4, 3, 2, 1, "b"), layer("concat", {}, "s", {"a", "b"}), linear(10)}, {8, 8, 3}),
      "layer \"s\" (concat): its inputs have the shapes 8x8x4 and 4x4x4; shapes that differ in nothing but the last number would be right");
}

TEST(Problems, Tokens) {
  const auto embedding = [](std::vector<std::string> inputs) {
    return layer("embedding", {{"vocabulary", number(5)}, {"width", number(4)}}, "e", std::move(inputs));
  };
  EXPECT_EQ(problem({embedding({})}, {8, 8, 3}),
            "layer \"e\" (embedding): the input has shape 8x8x3; this layer needs a row of tokens, one number for the length");
  EXPECT_EQ(problem({linear(7, "l"), embedding({"l"}), layer("global_pool"), linear(10)}, {7}),
            "layer \"e\" (embedding): it looks tokens up, so it must read the model's input and not another layer");
  EXPECT_EQ(
      problem({embedding({}), layer("flatten", {}, "f"), linear(4, "l", {"input"}), layer("concat", {}, "c", {"f", "l"}), linear(10)}, {7}),
      "layer \"l\" (linear): the model's input is read as tokens and as numbers; only one of them is possible");
}

TEST(Problems, CarryWhereTheyAre) {
  LayerSpec wrong = linear(12, "fc");
  wrong.origin = {.file = "a.toml", .line = 7, .column = 3, .key = "model.layers"};
  try {
    describe_model({wrong}, {5}, 10);
    FAIL();
  } catch (const ConfigError& error) {
    EXPECT_EQ(error.origin().file, "a.toml");
    EXPECT_EQ(error.origin().line, 7);
  }
}

TEST(LayerEntries, AreDistinctAndComplete) {
  std::set<std::string_view> types;
  for (const LayerEntry* entry : layer_entries()) {
    EXPECT_TRUE(types.insert(entry->type).second) << entry->type;
    EXPECT_FALSE(entry->title.empty()) << entry->type;
    EXPECT_EQ(entry->summary.back(), '.') << entry->type;
    for (const Parameter& parameter : entry->parameters) EXPECT_EQ(parameter.help.back(), '.') << entry->type << " " << parameter.key;
    EXPECT_EQ(&layer_entry(entry->type), entry);
  }
  EXPECT_EQ(types.size(), 16u);
  EXPECT_THROW(layer_entry("lstm"), ConfigError);
}

}  // namespace
}  // namespace syncline::test
