// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <set>

#include "tests/unit/model/support.h"

namespace syncline::test {
namespace {

ModelDescription describe(const std::string& name, const Shape& input, std::int64_t classes) {
  return describe_model(zoo(name, input, classes), input, classes);
}
std::int64_t parameters(const std::string& name, const Shape& input, std::int64_t classes) {
  return describe(name, input, classes).parameters;
}

TEST(Zoo, ParametersAsFixedForFashionMnist) {
  const Shape input = {28, 28, 1};
  EXPECT_EQ(parameters("mlp", input, 10), 1863690);
  EXPECT_EQ(parameters("lenet", input, 10), 431080);
  EXPECT_EQ(parameters("resnet20", input, 10), 272186);
  EXPECT_EQ(parameters("vgg11", input, 10), 4770954);
}

TEST(Zoo, ParametersAsPublishedForImageNet) {
  const Shape input = {224, 224, 3};
  EXPECT_EQ(parameters("vgg11", input, 1000), 132863336);
  EXPECT_EQ(parameters("vgg19", input, 1000), 143667240);
  EXPECT_EQ(parameters("resnet18", input, 1000), 11689512);
  EXPECT_EQ(parameters("resnet50", input, 1000), 25557032);
}

// CIFAR-10 forms: the large networks without the 7x7 stem have 64*(7*7-3*3)*3 weights fewer there, and 990 classes fewer.
TEST(Zoo, SmallForms) {
  const Shape input = {32, 32, 3};
  EXPECT_EQ(parameters("resnet18", input, 10), 11689512 - 64 * 40 * 3 - 990 * 513);
  EXPECT_EQ(parameters("resnet50", input, 10), 25557032 - 64 * 40 * 3 - 990 * 2049);
  EXPECT_EQ(parameters("resnet20", input, 10), 272186 + 16 * 9 * 2);
  // The published convolutions, 2 per channel of batch normalisation, and the head of 512.
  const std::int64_t convolutions = 20024384, channels = 2 * 64 + 2 * 128 + 4 * 256 + 8 * 512;
  EXPECT_EQ(parameters("vgg19", input, 10), convolutions + 2 * channels + 512 * 513 + 513 * 10);
}

TEST(Zoo, FormsChangeAbove32Pixels) {
  EXPECT_EQ(describe("resnet18", {32, 32, 3}, 10).layers[0].output, (Shape{32, 32, 64}));
  EXPECT_EQ(describe("resnet18", {33, 33, 3}, 10).layers[0].output, (Shape{17, 17, 64}));
  EXPECT_EQ(describe("vgg11", {32, 32, 3}, 10).layers[1].type, "batch_norm");
  EXPECT_EQ(describe("vgg11", {64, 64, 3}, 10).layers[1].type, "relu");
  EXPECT_NO_THROW(describe("vgg19", {28, 28, 1}, 10));
  EXPECT_NO_THROW(describe("vgg19", {64, 64, 3}, 200));
}

TEST(Zoo, EveryEntryHasAModelAndASentence) {
  std::set<std::string_view> names;
  for (const Entry& entry : zoo_entries()) {
    EXPECT_TRUE(names.insert(entry.name).second) << entry.name;
    EXPECT_EQ(entry.summary.back(), '.') << entry.name;
    const ModelDescription model = describe(std::string(entry.name), {28, 28, 1}, 10);
    EXPECT_EQ(model.layers.back().output, Shape{10});
  }
  EXPECT_EQ(names.size(), 7u);
}

std::string problem(const std::string& name, const Shape& input) {
  try {
    describe(name, input, 10);
  } catch (const ConfigError& error) {
    EXPECT_EQ(error.origin().key, "model.zoo");
    return error.what();
  }
  return "none";
}

TEST(Zoo, Problems) {
  EXPECT_EQ(problem("resnet99", {28, 28, 1}),
            "there is no model \"resnet99\"; there are mlp, lenet, resnet20, resnet18, resnet50, vgg11, vgg19");
  EXPECT_EQ(problem("lenet", {784}), "lenet takes images of height x width x channels, but the data has samples of shape 784");
  EXPECT_EQ(problem("vgg11", {8, 8, 3}), "vgg11 takes images of at least 16x16, but the data has 8x8x3");
}

TEST(Describe, NumbersOfLenet) {
  const ModelDescription model = describe("lenet", {28, 28, 1}, 10);
  ASSERT_EQ(model.layers.size(), 8u);
  const LayerDescription& conv1 = model.layers[0];
  EXPECT_EQ(conv1.name, "conv1");
  EXPECT_EQ(conv1.inputs, std::vector<std::string>{"input"});
  EXPECT_EQ(conv1.input_shapes[0], (Shape{28, 28, 1}));
  EXPECT_EQ(conv1.output, (Shape{24, 24, 20}));
  EXPECT_EQ(conv1.parameters, 520);
  EXPECT_EQ(conv1.activation_bytes, 24 * 24 * 20 * 4);
  EXPECT_EQ(conv1.forward_flop, 24 * 24 * 20 * (2 * 25 + 1));
  EXPECT_EQ(conv1.backward_flop, conv1.forward_flop);  // nobody asks for the gradient of the data
  const LayerDescription& conv2 = model.layers[2];
  EXPECT_EQ(conv2.backward_flop, 8 * 8 * 50 * (2 * 2 * 500 + 1));
  EXPECT_EQ(model.layers[4].type, "flatten");
  EXPECT_EQ(model.layers[4].activation_bytes, 0);
  EXPECT_EQ(model.layers[5].forward_flop, 500 * (2 * 800 + 1));
  EXPECT_EQ(model.statistics, 0);
  double forward = 0;
  for (const LayerDescription& layer : model.layers) forward += layer.forward_flop;
  EXPECT_EQ(model.forward_flop, forward);
}

// The multiply-adds that the papers and torchvision report, in 10^9.
TEST(Describe, WorkAsPublished) {
  EXPECT_NEAR(describe("resnet18", {224, 224, 3}, 1000).forward_flop / 2e9, 1.814, 0.02);
  EXPECT_NEAR(describe("resnet50", {224, 224, 3}, 1000).forward_flop / 2e9, 4.089, 0.06);
  EXPECT_NEAR(describe("vgg11", {224, 224, 3}, 1000).forward_flop / 2e9, 7.609, 0.02);
}

// Arena order is that of the backward pass; weights that decay and biases that do not are slices of their own.
TEST(Describe, SlicesOfLenet) {
  const ModelDescription model = describe("lenet", {28, 28, 1}, 10);
  const std::vector<std::string> names = {"fc2", "fc2.bias", "fc1", "fc1.bias", "conv2", "conv2.bias", "conv1", "conv1.bias"};
  const std::vector<std::int64_t> counts = {5000, 10, 400000, 500, 25000, 50, 500, 20};
  ASSERT_EQ(model.slices.size(), names.size());
  std::int64_t offset = 0;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const LayerSlice& slice = model.slices[i];
    EXPECT_EQ(slice.index, static_cast<int>(i));
    EXPECT_EQ(slice.name, names[i]);
    EXPECT_EQ(slice.offset, offset);
    EXPECT_EQ(slice.count, counts[i]);
    EXPECT_EQ(slice.decay, i % 2 == 0);
    EXPECT_EQ(slice.dense, i == 0 || i == 2);
    EXPECT_EQ(slice.layer, slice.name[0] == 'f' ? (slice.name[2] == '2' ? 7 : 5) : (slice.name[4] == '2' ? 2 : 0));
    offset += slice.count;
  }
  EXPECT_EQ(model.slices[2].rows, 500);
  EXPECT_EQ(model.slices[2].cols, 800);
  EXPECT_EQ(offset, model.parameters);
}

TEST(Describe, BatchNormHasOneSliceAndStatistics) {
  const ModelDescription model = describe("resnet20", {28, 28, 1}, 10);
  EXPECT_EQ(model.slices[0].name, "fc");
  EXPECT_EQ(model.slices[2].name, "stage3.block3.bn2");
  EXPECT_EQ(model.slices[2].count, 128);
  EXPECT_FALSE(model.slices[2].decay);
  EXPECT_EQ(model.slices[3].name, "stage3.block3.conv2");
  EXPECT_TRUE(model.slices[3].decay);
  EXPECT_EQ(model.slices.back().name, "conv1");
  EXPECT_EQ(model.slices.size(), 2u + 2 * (1 + 18 + 2));
  EXPECT_EQ(model.statistics, 2 * (16 + 6 * 16 + 7 * 32 + 7 * 64));
}

}  // namespace
}  // namespace syncline::test
