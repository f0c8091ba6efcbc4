// SPDX-License-Identifier: Apache-2.0
// Residual networks, He et al. 2016. Where the shape changes the shortcut is a 1x1 convolution with batch normalisation.
#include <fmt/format.h>

#include "engine/model/zoo/zoo.h"

namespace syncline {
namespace {

std::string conv_bn(LayerList& layers, const std::string& conv, const std::string& bn, std::int64_t channels, std::int64_t kernel,
                    std::int64_t stride, std::vector<std::string> inputs = {}) {
  layers.add("conv", conv,
             {{"channels", whole(channels)},
              {"kernel", square(kernel)},
              {"stride", square(stride)},
              {"padding", square(kernel / 2)},
              {"bias", Value{false}}},
             std::move(inputs));
  return layers.add("batch_norm", bn);
}

struct Block {
  std::int64_t width, out, stride;  // width: of the 3x3 convolutions; out: channels after the block
  bool bottleneck, projects;        // projects: the shape changes
};

std::string add_block(LayerList& layers, const std::string& name, const std::string& input, const Block& block) {
  const std::string first = name + ".conv1";
  std::string main;
  if (block.bottleneck) {
    conv_bn(layers, first, name + ".bn1", block.width, 1, 1, {input});
    layers.add("relu", name + ".relu1");
    conv_bn(layers, name + ".conv2", name + ".bn2", block.width, 3, block.stride);
    layers.add("relu", name + ".relu2");
    main = conv_bn(layers, name + ".conv3", name + ".bn3", block.out, 1, 1);
  } else {
    conv_bn(layers, first, name + ".bn1", block.width, 3, block.stride, {input});
    layers.add("relu", name + ".relu1");
    main = conv_bn(layers, name + ".conv2", name + ".bn2", block.out, 3, 1);
  }
  std::string shortcut = input;
  if (block.projects) shortcut = conv_bn(layers, name + ".shortcut", name + ".shortcut_bn", block.out, 1, block.stride, {input});
  layers.add("add", name + ".add", {}, {main, shortcut});
  return layers.add("relu", name + ".relu");
}

std::string add_stages(LayerList& layers, std::string input, std::int64_t channels, std::int64_t width, std::span<const int> blocks,
                       bool bottleneck) {
  for (std::size_t stage = 0; stage < blocks.size(); ++stage, width *= 2) {
    const std::int64_t out = bottleneck ? 4 * width : width;
    for (int b = 0; b < blocks[stage]; ++b) {
      const std::int64_t stride = stage > 0 && b == 0 ? 2 : 1;
      const Block block = {
          .width = width, .out = out, .stride = stride, .bottleneck = bottleneck, .projects = stride > 1 || channels != out};
      input = add_block(layers, fmt::format("stage{}.block{}", stage + 1, b + 1), input, block);
      channels = out;
    }
  }
  return input;
}

void add_head(LayerList& layers, std::int64_t classes) {
  layers.add("global_pool", "pool");
  layers.add("linear", "fc", {{"features", whole(classes)}});
}

std::vector<LayerSpec> expand_resnet20(std::string_view name, const Shape& input, std::int64_t classes) {
  need_image(name, input, 4);
  LayerList layers;
  conv_bn(layers, "conv1", "bn1", 16, 3, 1);
  const int blocks[] = {3, 3, 3};
  add_stages(layers, layers.add("relu", "relu1"), 16, 16, blocks, false);
  add_head(layers, classes);
  return layers.take();
}

std::vector<LayerSpec> expand_large(std::string_view name, const Shape& input, std::int64_t classes) {
  need_image(name, input, 8);
  LayerList layers;
  std::string stem;
  if (is_small(input)) {
    conv_bn(layers, "conv1", "bn1", 64, 3, 1);
    stem = layers.add("relu", "relu1");
  } else {
    conv_bn(layers, "conv1", "bn1", 64, 7, 2);
    layers.add("relu", "relu1");
    stem = layers.add("max_pool", "pool1", {{"kernel", square(3)}, {"stride", square(2)}, {"padding", square(1)}});
  }
  const bool bottleneck = name == "resnet50";
  const int basic_blocks[] = {2, 2, 2, 2}, bottleneck_blocks[] = {3, 4, 6, 3};
  add_stages(layers, stem, 64, 64, bottleneck ? bottleneck_blocks : basic_blocks, bottleneck);
  add_head(layers, classes);
  return layers.take();
}

}  // namespace

extern const ZooModel resnet20_model, resnet18_model, resnet50_model;
constexpr ZooModel resnet20_model = {.entry = {.name = "resnet20",
                                               .title = "ResNet-20",
                                               .paper = {},
                                               .summary = "Three stages of three basic blocks with 16, 32 and 64 channels.",
                                               .parameters = {}},
                                     .expand = expand_resnet20};
constexpr ZooModel resnet18_model = {
    .entry = {.name = "resnet18",
              .title = "ResNet-18",
              .paper = {},
              .summary = "Four stages of two basic blocks; up to 32 pixels with a 3x3 stem and no pooling after it.",
              .parameters = {}},
    .expand = expand_large};
constexpr ZooModel resnet50_model = {
    .entry = {.name = "resnet50",
              .title = "ResNet-50",
              .paper = {},
              .summary = "Bottleneck blocks 3, 4, 6, 3; up to 32 pixels with a 3x3 stem and no pooling after it.",
              .parameters = {}},
    .expand = expand_large};

}  // namespace syncline
