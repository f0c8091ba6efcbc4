// SPDX-License-Identifier: Apache-2.0
#include "engine/model/zoo/zoo.h"

namespace syncline {
namespace {

std::vector<LayerSpec> expand(std::string_view, const Shape& input, std::int64_t classes) {
  LayerList layers;
  if (input.rank() != 1) layers.add("flatten", "flatten");
  layers.add("linear", "fc1", {{"features", whole(1024)}});
  layers.add("relu", "relu1");
  layers.add("linear", "fc2", {{"features", whole(1024)}});
  layers.add("relu", "relu2");
  layers.add("linear", "fc3", {{"features", whole(classes)}});
  return layers.take();
}

}  // namespace

extern const ZooModel mlp_model;
constexpr ZooModel mlp_model = {.entry = {.name = "mlp",
                                          .title = "Multilayer perceptron",
                                          .paper = {},
                                          .summary = "Two hidden layers of 1024 units with ReLU.",
                                          .parameters = {}},
                                .expand = expand};

}  // namespace syncline
