// SPDX-License-Identifier: Apache-2.0
// Models by name. Images up to 32 pixels a side take the small forms that the literature uses on MNIST and CIFAR; above that vgg and
// resnet18/50 are the published ImageNet ones (Simonyan and Zisserman 2015, configurations A and E; He et al. 2016, table 1, with the
// stride of bottlenecks in their 3x3 convolution, as torchvision has it).
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/model/layer.h"

namespace syncline {

struct ZooModel {  // one constant at the end of each file, one line in registry.cpp
  Entry entry;
  std::vector<LayerSpec> (*expand)(std::string_view name, const Shape& input, std::int64_t classes);
};

using Options = std::map<std::string, Value, std::less<>>;

// Collects layers; each reads the one before unless inputs are given.
class LayerList {
 public:
  // Returns the name, for later inputs.
  std::string add(std::string_view type, std::string name, const Options& given = {}, std::vector<std::string> inputs = {});
  std::vector<LayerSpec> take() { return std::move(layers_); }

 private:
  std::vector<LayerSpec> layers_;
};

inline Value whole(std::int64_t number) { return Value{number}; }
inline Value square(std::int64_t side) { return Value{std::vector<Value>{Value{side}}}; }  // kernel, stride, padding

// ConfigError unless the input is an image of at least this size.
void need_image(std::string_view model, const Shape& input, std::int64_t least_side);
inline bool is_small(const Shape& input) { return input[0] <= 32 && input[1] <= 32; }

}  // namespace syncline
