// SPDX-License-Identifier: Apache-2.0
// A model as data: layers in topological order with their shapes, before or after fusion. No backend, no memory.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/model/layer.h"
#include "engine/model/vector.h"

namespace syncline {

// Value 0 is the model's input, value i + 1 the output of node i.
inline constexpr std::string_view model_input = "input";  // the name by which a layer asks for it

struct Node {
  LayerSpec spec;  // name and inputs filled in
  std::unique_ptr<Layer> layer;
  std::vector<int> inputs;  // values, each from before this node
  std::vector<Shape> input_shapes;
  Shape shape;  // of the output
  std::vector<ParameterSpec> parameters;
  std::vector<StatisticSpec> statistics;
  bool before_relu = false;  // a ReLU follows, perhaps after layers that do not change what initialisation is right
};

struct Structure {
  Shape input;
  std::vector<Node> nodes;                // topological order; of those that could come next, the first in the file does
  std::vector<std::vector<int>> readers;  // of each value: nodes, ascending; a node that reads it twice is there twice
  int output() const { return static_cast<int>(nodes.size()); }  // the value whose reader is the loss
  const Shape& shape_of(int value) const { return value == 0 ? input : nodes[static_cast<std::size_t>(value) - 1].shape; }
  // Whether the gradient of a value is asked for: some parameter lies before it.
  std::vector<bool> wanted() const;
};

// Resolves names, orders and checks shapes. ConfigError: no layers, a name twice, an unknown input or type, a wrong number of inputs, a
// cycle, a layer that nothing reads, shapes that do not fit, a last layer without `classes` features, a model without parameters.
Structure resolve(const std::vector<LayerSpec>&, const Shape& input, std::int64_t classes);

// Removes each ReLU that the layer before it can apply itself, where nothing else reads that layer's output.
void fuse(Structure&);

}  // namespace syncline
