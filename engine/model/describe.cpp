// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "engine/model/arena.h"
#include "engine/model/graph.h"

namespace syncline {

ModelDescription describe_model(const std::vector<LayerSpec>& layers, const Shape& input, std::int64_t classes) {
  const Structure model = resolve(layers, input, classes);
  const std::vector<bool> wanted = model.wanted();
  ModelDescription description;
  for (const Node& node : model.nodes) {
    const LayerCost cost = node.layer->cost(node.input_shapes);
    LayerDescription layer;
    layer.name = node.spec.name;
    layer.type = node.spec.type;
    layer.inputs = node.spec.inputs;
    layer.input_shapes = node.input_shapes;
    layer.output = node.shape;
    for (const ParameterSpec& parameter : node.parameters) layer.parameters += parameter.count();
    layer.forward_flop = cost.forward_flop;
    layer.backward_flop = cost.weight_gradient_flop;
    const bool asked = std::ranges::any_of(node.inputs, [&](int value) { return wanted[static_cast<std::size_t>(value)]; });
    if (asked) layer.backward_flop += cost.input_gradient_flop;
    layer.activation_bytes = node.layer->traits().view ? 0 : node.shape.elements() * 4;
    description.forward_flop += layer.forward_flop;
    description.backward_flop += layer.backward_flop;
    description.activation_bytes += layer.activation_bytes;
    description.layers.push_back(std::move(layer));
  }
  Arena arena = lay_out(model);
  description.slices = std::move(arena.slices);
  description.parameters = arena.parameters;
  description.statistics = arena.statistics;
  return description;
}

}  // namespace syncline
