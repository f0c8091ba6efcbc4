// SPDX-License-Identifier: Apache-2.0
// A layer describes itself and holds prepared operations, never parameters: these are bound per pass, so that a second gradient buffer, a
// look-ahead point or the evaluated model is just another vector. Layers see only the abstract backend.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/experiment/experiment.h"
#include "kernels/backend.h"

namespace syncline {

struct ParameterSpec {
  std::string_view name;                  // "weight", "bias", "scale", "shift"
  std::vector<std::int64_t> dims;         // conv: out, kernel_h, kernel_w, in/groups; linear: out, in
  enum Init { zero, one, he_normal, glorot_uniform, normal_002 } init = zero;   // he_normal: std = sqrt(2 / fan_in)
  std::int64_t fan_in = 1, fan_out = 1;
  bool decay = true;                      // weight decay applies (weights yes; biases, scales and shifts no)
  bool dense = false;                     // a fully connected weight: rows = dims[0], cols = dims[1]
  std::int64_t count() const { std::int64_t n = 1; for (const std::int64_t d : dims) n *= d; return n; }
};

struct StatisticSpec { std::string_view name; std::int64_t count; float initial; };   // batch norm: "running_mean" 0, "running_variance" 1

struct Pass {
  std::span<const View> params, grads;    // of this layer, in the order of parameters()
  std::span<const View> statistics;       // in the order of statistics(); written in training
  std::int64_t rows = 0;
  bool training = true;
  bool accumulate = false;                // gradients of parameters are added to what is there (second micro-batch on, tied weights)
  std::uint64_t key = 0;                  // dropout: keyed by (seed, layer, step)
  std::int64_t first_position = 0;        // global position of row 0: dropout does not depend on how rows are split over ranks
};

struct LayerCost { double forward_flop = 0, backward_flop = 0; };      // per sample; a multiply-add counts 2

class Layer {
 public:
  virtual ~Layer() = default;
  // Shapes of one sample. Throws ConfigError naming the layer, what it got and what would be right.
  virtual Shape shape(std::span<const Shape> inputs) const = 0;
  virtual std::vector<ParameterSpec> parameters(std::span<const Shape> inputs) const { (void)inputs; return {}; }
  virtual std::vector<StatisticSpec> statistics(std::span<const Shape> inputs) const { (void)inputs; return {}; }
  virtual LayerCost cost(std::span<const Shape> inputs) const = 0;
  // What backward reads besides the output's gradient: lets the graph reuse memory and fuse.
  virtual bool backward_reads_inputs() const = 0;
  virtual bool backward_reads_output() const = 0;
  // All allocation and choice of operations; `wanted[i]`: the gradient of input i will be asked for.
  virtual void prepare(Backend&, std::span<const Shape> inputs, std::span<const bool> wanted, std::int64_t max_rows) = 0;
  virtual void forward(const Pass&, std::span<const Tensor> in, const Tensor& out) = 0;
  // Writes the gradients of the inputs asked for (a null tensor is not); may overwrite out_gradient.
  virtual void backward(const Pass&, std::span<const Tensor> in, const Tensor& out, const Tensor& out_gradient, std::span<const Tensor> in_gradients) = 0;
};

struct LayerEntry {                       // one constant at the end of each file in layers/, one line in layers/registry.cpp
  std::string_view type, title, summary;
  std::span<const Parameter> parameters;
  int inputs;                             // number of inputs; -1: two or more
  std::unique_ptr<Layer> (*make)(const LayerSpec&);
};
std::span<const LayerEntry* const> layer_entries();
const LayerEntry& layer_entry(std::string_view type);                  // ConfigError for an unknown type

}  // namespace syncline
