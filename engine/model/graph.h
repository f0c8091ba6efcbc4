// SPDX-License-Identifier: Apache-2.0
// A model: a static graph of layers with explicit forward and backward. The order in which gradients complete is known before the first
// step, which is what merging, partial synchronisation, pipelines and the simulator need.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/model/layer.h"
#include "engine/model/vector.h"

namespace syncline {

// The layers of [model]: given ones, or the zoo's for this input (zoo/zoo.h says which from what size). ConfigError with the key.
std::vector<LayerSpec> expand_model(const ModelSpec&, const Shape& input, std::int64_t classes);
std::span<const Entry> zoo_entries();

struct LayerDescription {  // a row of `describe`, one per layer as given (before fusion)
  std::string name, type;
  std::vector<std::string> inputs;
  std::vector<Shape> input_shapes;
  Shape output;
  std::int64_t parameters = 0;
  double forward_flop = 0, backward_flop = 0;  // per sample
  std::int64_t activation_bytes = 0;           // per sample
};
struct ModelDescription {
  std::vector<LayerDescription> layers;
  std::vector<LayerSlice> slices;  // arena order; LayerSlice::layer counts the layers above
  std::int64_t parameters = 0, statistics = 0;
  double forward_flop = 0, backward_flop = 0;
  std::int64_t activation_bytes = 0;
};
// Needs no backend. Throws ConfigError naming the first layer that does not fit.
ModelDescription describe_model(const std::vector<LayerSpec>&, const Shape& input, std::int64_t classes);

class Hooks {
 public:
  virtual ~Hooks() = default;
  virtual void before_forward(int slice) { (void)slice; }  // the slice's first reader comes next
  virtual void gradient_ready(int slice) { (void)slice; }  // its gradient is final and nobody reads the parameters again in this pass
  // After each layer's part, for spans; layer: index in topological order, after fusion. The loss lies between the last forward_done and
  // the first backward_done. backward_done comes before the layer's gradient_ready.
  virtual void forward_done(int layer) { (void)layer; }
  virtual void backward_done(int layer) { (void)layer; }
};

struct LossSums {
  double loss_sum = 0;
  std::int64_t correct = 0, samples = 0;
};

class Graph {
 public:
  // Builds, fuses (batch norm, linear, convolution or addition + ReLU) and plans memory for at most max_rows samples. ConfigError as
  // describe_model. The backend must outlive the graph. fused = false: every layer by itself, for comparison.
  Graph(std::vector<LayerSpec>, const Shape& input, std::int64_t classes, Backend&, std::int64_t max_rows, bool fused = true);
  ~Graph();
  // Arena order: slice 0 completes first. One per layer with parameters, but two where its weight decays and its bias does not ("fc1",
  // "fc1.bias"): these complete at the same moment, and gradient_ready fires for both, in order.
  std::span<const LayerSlice> slices() const;
  std::int64_t parameter_count() const;
  std::int64_t statistic_count() const;          // elements of the statistics vector
  std::vector<std::string> layer_names() const;  // topological order, after fusion: what Hooks' layer numbers mean
  std::int64_t buffer_bytes() const;             // of activations and their gradients, for max_rows
  // He's normal initialisation (std = sqrt(2 / fan_in)) where a ReLU follows, Glorot's uniform one where none does, biases and shifts 0,
  // scales and running variances 1.
  void initialise(const View& params, const View& statistics, std::uint64_t seed) const;  // keyed by parameter name, not by order

  struct Bound {
    View params, grads, statistics;
  };
  // Forward, loss and backward of one micro-batch. grads receive (accumulate: are increased by) scale * sum over rows of d loss / d param.
  // rows = 0: no arithmetic; grads are zeroed unless accumulate; every hook still fires, in order. fire_before: first micro-batch,
  // fire_ready: last one. Allocates nothing once a number of rows has been seen (the eight latest are remembered). UsageError for views of
  // a wrong size. data: at least rows samples of the input's shape; int32 where an embedding reads it; labels: int32.
  struct Input {
    Tensor data;
    View labels;
    std::int64_t rows = 0, first_position = 0;
  };
  struct Options {
    double scale = 1;
    bool accumulate = false, fire_before = true, fire_ready = true;
    std::uint64_t seed = 0;
    std::int64_t step = 0;
  };
  LossSums train(const Bound&, const Input&, const Options&, Hooks&);
  LossSums evaluate(const Bound&, const Input&);  // statistics are read; nothing is written

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace syncline
