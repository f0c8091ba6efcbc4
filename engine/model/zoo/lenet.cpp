// SPDX-License-Identifier: Apache-2.0
#include "engine/model/zoo/zoo.h"

namespace syncline {
namespace {

std::vector<LayerSpec> expand(std::string_view name, const Shape& input, std::int64_t classes) {
  need_image(name, input, 16);
  LayerList layers;
  layers.add("conv", "conv1", {{"channels", whole(20)}, {"kernel", square(5)}});
  layers.add("max_pool", "pool1");
  layers.add("conv", "conv2", {{"channels", whole(50)}, {"kernel", square(5)}});
  layers.add("max_pool", "pool2");
  layers.add("flatten", "flatten");
  layers.add("linear", "fc1", {{"features", whole(500)}});
  layers.add("relu", "relu1");
  layers.add("linear", "fc2", {{"features", whole(classes)}});
  return layers.take();
}

}  // namespace

extern const ZooModel lenet_model;
constexpr ZooModel lenet_model = {
    .entry = {.name = "lenet",
              .title = "LeNet",
              .paper = {},
              .summary = "Two 5x5 convolutions of 20 and 50 channels, each with pooling, and 500 hidden units.",
              .parameters = {}},
    .expand = expand};

}  // namespace syncline
