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
  std::string_view name;           // "weight", "bias", "scale", "shift"
  std::vector<std::int64_t> dims;  // conv: out, kernel_h, kernel_w, in/groups; linear: out, in
  // he_normal: std = sqrt(2 / fan_in), for what a ReLU follows; where none does, the graph takes glorot_uniform instead:
  // uniform in +-sqrt(6 / (fan_in + fan_out)). normal_002: std = 0.02.
  enum Init { zero, one, he_normal, glorot_uniform, normal_002 } init = zero;
  std::int64_t fan_in = 1, fan_out = 1;
  bool decay = true;   // weight decay applies (weights yes; biases, scales and shifts no); those with true come first
  bool dense = false;  // a fully connected weight: rows = dims[0], cols = dims[1]
  std::int64_t count() const {
    std::int64_t n = 1;
    for (const std::int64_t d : dims) n *= d;
    return n;
  }
};

struct StatisticSpec {  // batch norm: "running_mean" 0, "running_variance" 1
  std::string_view name;
  std::int64_t count;
  float initial;
};

struct Pass {
  std::span<const View> params, grads;  // of this layer, in the order of parameters()
  std::span<const View> statistics;     // in the order of statistics(); written in training
  std::int64_t rows = 0;
  bool training = true;
  bool accumulate = false;          // gradients of parameters are added to what is there (second micro-batch on)
  std::uint64_t key = 0;            // dropout: keyed by (seed, layer, step)
  std::int64_t first_position = 0;  // global position of row 0: dropout does not depend on how rows are split over ranks
};

// Per sample; a multiply-add counts 2. The gradients of weights and of inputs are apart because the first layer needs only one of them.
struct LayerCost {
  double forward_flop = 0, weight_gradient_flop = 0, input_gradient_flop = 0;
};

// What the graph must know to plan memory. All false: backward reads nothing but the output's gradient and writes new buffers.
struct LayerTraits {
  bool reads_inputs = false, reads_output = false;  // by backward
  bool forward_in_place = false;                    // out may be the range of an input
  bool backward_in_place = false;                   // in_gradients[0] may be the range of out_gradient
  bool overwrites_out_gradient = false;             // backward uses out_gradient as scratch
  bool view = false;                                // out is the input under another shape: forward and backward are never called
  // All inputs have one and the same gradient, given once as in_gradients[0]. Without reads_output it is out_gradient itself, and backward
  // is never called; with it, in_gradients[0] may be the range of out_gradient.
  bool passes_gradient = false;
  bool reads_tokens = false;  // the input is int32, so it must be the model's own
  bool random = false;        // Pass::key is used
};

class Layer {
 public:
  virtual ~Layer() = default;
  // Shapes of one sample. Throws ConfigError naming the layer, what it got and what would be right.
  virtual Shape shape(std::span<const Shape> inputs) const = 0;
  virtual std::vector<ParameterSpec> parameters(std::span<const Shape> inputs) const { return (void)inputs, std::vector<ParameterSpec>{}; }
  virtual std::vector<StatisticSpec> statistics(std::span<const Shape> inputs) const { return (void)inputs, std::vector<StatisticSpec>{}; }
  virtual LayerCost cost(std::span<const Shape> inputs) const = 0;
  virtual LayerTraits traits() const = 0;
  // Takes over the ReLU that follows and is the only reader of the output. False: this layer cannot. Before prepare().
  virtual bool fuse_relu() { return false; }
  // A ReLU that can be taken over by the layer before it.
  virtual bool is_relu() const { return false; }
  // Keeps the sign of its input's expected size, so that what initialisation is right before it depends on what comes after it.
  virtual bool transparent_to_initialisation() const { return false; }
  // All allocation and choice of operations; `wanted[i]`: the gradient of input i will be asked for.
  virtual void prepare(Backend& backend, std::span<const Shape> inputs, std::span<const bool> wanted, std::int64_t max_rows) = 0;
  virtual void forward(const Pass&, std::span<const Tensor> in, const Tensor& out) = 0;
  // Writes the gradients of the inputs asked for (a null tensor is not). Writes out_gradient only as the traits say.
  virtual void backward(const Pass&, std::span<const Tensor> in, const Tensor& out, const Tensor& out_gradient,
                        std::span<const Tensor> in_gradients) = 0;
};

struct LayerEntry {  // one constant at the end of each file in layers/, one line in layers/registry.cpp
  std::string_view type, title, summary;
  std::span<const Parameter> parameters;
  int inputs;  // number of inputs; -1: two or more
  std::unique_ptr<Layer> (*make)(const LayerSpec&);
};
std::span<const LayerEntry* const> layer_entries();
const LayerEntry& layer_entry(std::string_view type);  // ConfigError for an unknown type

}  // namespace syncline
