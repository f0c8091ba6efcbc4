// SPDX-License-Identifier: Apache-2.0
#include "engine/model/layers/activation.h"

namespace syncline {

extern const LayerEntry tanh_layer;
constexpr LayerEntry tanh_layer = {
    .type = "tanh",
    .title = "Tanh",
    .summary = "Hyperbolic tangent.",
    .parameters = {},
    .inputs = 1,
    .make = [](const LayerSpec& spec) -> std::unique_ptr<Layer> { return std::make_unique<ActivationLayer>(spec, Activation::tanh, 8); }};

}  // namespace syncline
