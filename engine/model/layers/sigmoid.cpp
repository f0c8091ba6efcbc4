// SPDX-License-Identifier: Apache-2.0
#include "engine/model/layers/activation.h"

namespace syncline {

extern const LayerEntry sigmoid_layer;
constexpr LayerEntry sigmoid_layer = {.type = "sigmoid",
                                      .title = "Sigmoid",
                                      .summary = "1 / (1 + exp(-x)).",
                                      .parameters = {},
                                      .inputs = 1,
                                      .make = [](const LayerSpec& spec) -> std::unique_ptr<Layer> {
                                        return std::make_unique<ActivationLayer>(spec, Activation::sigmoid, 6);
                                      }};

}  // namespace syncline
