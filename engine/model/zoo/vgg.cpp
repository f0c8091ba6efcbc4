// SPDX-License-Identifier: Apache-2.0
// Very deep convolutional networks, Simonyan and Zisserman 2015, table 1: A (11 layers) and E (19). Above 32 pixels as published: biases,
// no batch normalisation, two hidden layers of 4096 with dropout; the first takes what the input leaves, 7x7 at 224. Up to 32 pixels each
// convolution has batch normalisation and the head is fc512, ReLU and the classes; vgg11 stops after four groups
// (64 P 128 P 256 256 P 512 512 P), vgg19 keeps its 16 convolutions and drops the last pooling where one pixel is left.
#include <fmt/format.h>

#include <algorithm>

#include "engine/model/zoo/zoo.h"

namespace syncline {
namespace {

struct Group {
  std::int64_t channels;
  int convolutions;
};
constexpr Group groups_a[] = {{64, 1}, {128, 1}, {256, 2}, {512, 2}, {512, 2}};
constexpr Group groups_e[] = {{64, 2}, {128, 2}, {256, 4}, {512, 4}, {512, 4}};

void add_groups(LayerList& layers, std::span<const Group> groups, bool batch_norm, std::int64_t side) {
  int number = 1, pool = 1;
  for (const Group& group : groups) {
    for (int i = 0; i < group.convolutions; ++i, ++number) {
      layers.add("conv", fmt::format("conv{}", number), {{"channels", whole(group.channels)}, {"padding", square(1)}});
      if (batch_norm) layers.add("batch_norm", fmt::format("bn{}", number));
      layers.add("relu", fmt::format("relu{}", number));
    }
    if (side >= 2) layers.add("max_pool", fmt::format("pool{}", pool++));
    side /= 2;
  }
  layers.add("flatten", "flatten");
}

std::vector<LayerSpec> expand(std::string_view name, const Shape& input, std::int64_t classes) {
  need_image(name, input, 16);
  const bool eleven = name == "vgg11";
  const std::span<const Group> groups = eleven ? groups_a : groups_e;
  const std::int64_t side = std::min(input[0], input[1]);
  LayerList layers;
  if (is_small(input)) {
    add_groups(layers, eleven ? groups.first(4) : groups, true, side);
    layers.add("linear", "fc1", {{"features", whole(512)}});
    layers.add("relu", "relu_fc1");
    layers.add("linear", "fc2", {{"features", whole(classes)}});
    return layers.take();
  }
  add_groups(layers, groups, false, side);
  for (const char* number : {"1", "2"}) {
    layers.add("linear", fmt::format("fc{}", number), {{"features", whole(4096)}});
    layers.add("relu", fmt::format("relu_fc{}", number));
    layers.add("dropout", fmt::format("dropout{}", number));
  }
  layers.add("linear", "fc3", {{"features", whole(classes)}});
  return layers.take();
}

}  // namespace

extern const ZooModel vgg11_model, vgg19_model;
constexpr ZooModel vgg11_model = {.entry = {.name = "vgg11",
                                            .title = "VGG-11",
                                            .paper = {},
                                            .summary = "Eight convolutions as published, six with batch normalisation up to 32 pixels.",
                                            .parameters = {}},
                                  .expand = expand};
constexpr ZooModel vgg19_model = {.entry = {.name = "vgg19",
                                            .title = "VGG-19",
                                            .paper = {},
                                            .summary = "Sixteen convolutions, with batch normalisation up to 32 pixels.",
                                            .parameters = {}},
                                  .expand = expand};

}  // namespace syncline
