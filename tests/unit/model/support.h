// SPDX-License-Identifier: Apache-2.0
// What the tests of models share: layer lists by hand, numbers from a formula that a script in another language can repeat, and a graph
// together with the vectors that it is bound to.
#pragma once

#include <cmath>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "engine/model/graph.h"
#include "kernels/backend.h"

namespace syncline::test {

using Options = std::map<std::string, Value, std::less<>>;

inline Value number(std::int64_t value) { return Value{value}; }
inline Value numbers(std::initializer_list<std::int64_t> values) {
  std::vector<Value> list;
  for (const std::int64_t value : values) list.push_back(Value{value});
  return Value{list};
}

inline LayerSpec layer(std::string type, const Options& options = {}, std::string name = {}, std::vector<std::string> inputs = {}) {
  LayerSpec spec;
  spec.options = with_defaults(layer_entry(type).parameters, options);
  spec.type = std::move(type);
  spec.name = std::move(name);
  spec.inputs = std::move(inputs);
  return spec;
}
inline LayerSpec conv(std::int64_t channels, std::int64_t kernel, std::int64_t stride, std::int64_t padding, std::string name = {},
                      std::vector<std::string> inputs = {}) {
  return layer(
      "conv",
      {{"channels", number(channels)}, {"kernel", numbers({kernel})}, {"stride", numbers({stride})}, {"padding", numbers({padding})}},
      std::move(name), std::move(inputs));
}
inline LayerSpec linear(std::int64_t features, std::string name = {}, std::vector<std::string> inputs = {}) {
  return layer("linear", {{"features", number(features)}}, std::move(name), std::move(inputs));
}
inline std::vector<LayerSpec> zoo(std::string name, const Shape& input, std::int64_t classes) {
  ModelSpec spec;
  spec.zoo = std::move(name);
  return expand_model(spec, input, classes);
}

// A 32-bit mixer (Wellons' lowbias32) over a stream and a position: 24 random bits in [0, 1), the same in make_torch_reference.py.
inline float uniform(std::uint32_t stream, std::uint32_t position) {
  std::uint32_t x = position + stream * 0x9E3779B9u;
  for (int round = 0; round < 2; ++round) {
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x *= 0x846ca68bu;
    x ^= x >> 16;
    x += stream;
  }
  return static_cast<float>(x >> 8) * 0x1p-24f;
}

struct Batch {
  Tensor data;
  View labels;
  // Images in [-1, 1), tokens in 0..tokens-1, labels in 0..classes-1.
  Batch(const Shape& shape, std::int64_t classes, std::int64_t rows, std::uint32_t stream, std::int64_t tokens = 0) {
    data = {.view = View::host(rows * shape.elements()), .shape = shape, .element = tokens > 0 ? Element::int32 : Element::fp32};
    labels = View::host(rows);
    for (std::int64_t i = 0; i < data.view.count(); ++i) {
      const float u = uniform(stream, static_cast<std::uint32_t>(i));
      if (tokens > 0)
        data.view.ints()[i] = static_cast<std::int32_t>(u * static_cast<float>(tokens));
      else
        data.view.data()[i] = 2 * u - 1;
    }
    for (std::int64_t i = 0; i < rows; ++i) {
      labels.ints()[i] = static_cast<std::int32_t>(uniform(stream + 1, static_cast<std::uint32_t>(i)) * static_cast<float>(classes));
    }
  }
  Graph::Input input(std::int64_t rows, std::int64_t from = 0) const {
    const std::int64_t each = data.shape.elements();
    return {.data = {.view = data.view.part(from * each, rows * each), .shape = data.shape, .element = data.element},
            .labels = labels.part(from, rows),
            .rows = rows,
            .first_position = from};
  }
};

inline Backend& cpu() {
  static const std::unique_ptr<Backend> backend = make_cpu_backend(1);
  return *backend;
}

struct Model {
  Graph graph;
  Backend& backend;
  View params, grads, statistics;
  Hooks hooks;

  Model(std::vector<LayerSpec> specs, const Shape& input, std::int64_t classes, std::int64_t max_rows, bool fused = true,
        Backend& device = cpu())
      : graph(std::move(specs), input, classes, device, max_rows, fused), backend(device) {
    params = device.allocate(graph.parameter_count());
    grads = device.allocate(graph.parameter_count());
    statistics = device.allocate(graph.statistic_count());
    reset(1);
  }
  void reset(std::uint64_t seed) { graph.initialise(params, statistics, seed); }
  // Moves every parameter a little, so that biases, scales and shifts are not at their special values.
  void shake(float by = 0.3f) {
    for (std::int64_t i = 0; i < params.count(); ++i) params.data()[i] += by * (uniform(99, static_cast<std::uint32_t>(i)) - 0.5f);
  }
  Graph::Bound bound() const { return {.params = params, .grads = grads, .statistics = statistics}; }
  LossSums train(const Graph::Input& input, const Graph::Options& options = {}) { return graph.train(bound(), input, options, hooks); }
  std::vector<float> gradient() const { return {grads.data(), grads.data() + grads.count()}; }
};

inline double norm(const std::vector<float>& x) {
  double sum = 0;
  for (const float value : x) sum += static_cast<double>(value) * value;
  return std::sqrt(sum);
}
// The largest difference, as a part of the larger vector's largest element.
inline double difference(const std::vector<float>& a, const std::vector<float>& b) {
  double worst = 0, scale = 1e-30;
  for (std::size_t i = 0; i < a.size(); ++i) {
    worst = std::max(worst, std::abs(static_cast<double>(a[i]) - b[i]));
    scale = std::max({scale, std::abs(static_cast<double>(a[i])), std::abs(static_cast<double>(b[i]))});
    if (!std::isfinite(a[i]) || !std::isfinite(b[i])) return INFINITY;
  }
  return worst / scale;
}

}  // namespace syncline::test
