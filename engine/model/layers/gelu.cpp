// SPDX-License-Identifier: Apache-2.0
#include "engine/model/layers/activation.h"

namespace syncline {

extern const LayerEntry gelu_layer;
constexpr LayerEntry gelu_layer = {
    .type = "gelu",
    .title = "GELU",
    .summary = "x times the normal distribution function of x, the exact form.",
    .parameters = {},
    .inputs = 1,
    .make = [](const LayerSpec& spec) -> std::unique_ptr<Layer> { return std::make_unique<ActivationLayer>(spec, Activation::gelu, 12); }};

}  // namespace syncline
