// SPDX-License-Identifier: Apache-2.0
#include "engine/model/layers/activation.h"

namespace syncline {

extern const LayerEntry relu_layer;
constexpr LayerEntry relu_layer = {
    .type = "relu",
    .title = "ReLU",
    .summary = "max(0, x).",
    .parameters = {},
    .inputs = 1,
    .make = [](const LayerSpec& spec) -> std::unique_ptr<Layer> { return std::make_unique<ActivationLayer>(spec, Activation::relu, 1); }};

}  // namespace syncline
