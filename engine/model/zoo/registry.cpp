// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <array>

#include "engine/model/graph.h"
#include "engine/model/zoo/zoo.h"

namespace syncline {

extern const ZooModel mlp_model, lenet_model, resnet20_model, resnet18_model, resnet50_model, vgg11_model, vgg19_model;

namespace {

// One line a model.
const ZooModel* const models[] = {
    &mlp_model, &lenet_model, &resnet20_model, &resnet18_model, &resnet50_model, &vgg11_model, &vgg19_model,
};

[[noreturn]] void fail(const std::string& what) { throw ConfigError(what, {.file = {}, .key = "model.zoo"}); }

}  // namespace

std::span<const Entry> zoo_entries() {
  static const auto entries = [] {
    std::array<Entry, std::size(models)> copies;
    for (std::size_t i = 0; i < copies.size(); ++i) copies[i] = models[i]->entry;
    return copies;
  }();
  return entries;
}

std::vector<LayerSpec> expand_model(const ModelSpec& spec, const Shape& input, std::int64_t classes) {
  if (spec.zoo.empty()) return spec.layers;
  std::string known;
  for (const ZooModel* model : models) {
    if (model->entry.name == spec.zoo) return model->expand(model->entry.name, input, classes);
    known += (known.empty() ? "" : ", ") + std::string(model->entry.name);
  }
  fail(fmt::format("there is no model \"{}\"; there are {}", spec.zoo, known));
}

std::string LayerList::add(std::string_view type, std::string name, const Options& given, std::vector<std::string> inputs) {
  LayerSpec spec;
  spec.type = type;
  spec.name = std::move(name);
  spec.options = with_defaults(layer_entry(type).parameters, given);
  spec.inputs = std::move(inputs);
  if (spec.inputs.empty() && !layers_.empty()) spec.inputs = {layers_.back().name};
  layers_.push_back(std::move(spec));
  return layers_.back().name;
}

void need_image(std::string_view model, const Shape& input, std::int64_t least_side) {
  if (input.rank() != 3)
    fail(fmt::format("{} takes images of height x width x channels, but the data has samples of shape {}", model, input.text()));
  if (input[0] < least_side || input[1] < least_side) {
    fail(fmt::format("{} takes images of at least {}x{}, but the data has {}", model, least_side, least_side, input.text()));
  }
}

}  // namespace syncline
