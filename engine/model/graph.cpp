// SPDX-License-Identifier: Apache-2.0
#include "engine/model/graph.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/base/random.h"
#include "engine/model/arena.h"
#include "engine/model/memory_plan.h"
#include "engine/model/structure.h"

namespace syncline {
namespace {

struct NodeTensors {
  std::vector<Tensor> in, in_gradients;
  Tensor out, out_gradient;
  View copy_from;
  struct Sum {
    View a, b, out;
  };
  std::vector<Sum> sums;
};

// Everything that a pass over a given number of rows touches, so that a step builds no handles.
struct RowTensors {
  std::int64_t rows = 0;
  std::vector<NodeTensors> nodes;
  std::vector<Tensor*> from_input;  // those that are the model's input or views of it: set at each call
  View logits, loss_gradient;
};

struct NodeViews {
  std::vector<View> params, grads, statistics;
};

constexpr std::size_t remembered_rows = 8;

}  // namespace

struct Graph::Impl {
  Structure model;
  Arena arena;
  MemoryPlan memory;
  Backend& backend;
  std::int64_t classes, max_rows;
  View pool;
  std::vector<LayerTraits> traits;   // of each node, as the layer is after fusion
  std::vector<std::string> purpose;  // of each node: names its random stream
  Bound bound;
  std::vector<NodeViews> views;
  std::vector<std::unique_ptr<RowTensors>> row_tensors;  // latest used first

  Impl(std::vector<LayerSpec> specs, const Shape& input, std::int64_t class_count, Backend& device, std::int64_t rows, bool fused)
      : model(resolve(specs, input, class_count)), backend(device), classes(class_count), max_rows(rows) {
    if (rows < 1) throw UsageError(fmt::format("a graph for at most {} samples; at least 1 would be right", rows));
    if (fused) fuse(model);
    arena = lay_out(model);
    memory = plan_memory(model, rows);
    pool = backend.allocate(memory.pool);
    const std::vector<bool> wanted = model.wanted();
    views.resize(model.nodes.size());
    for (std::size_t i = 0; i < model.nodes.size(); ++i) {
      Node& node = model.nodes[i];
      // A plain array: vector<bool> is no span of bool.
      const auto asked = std::make_unique<bool[]>(node.inputs.size());
      for (std::size_t k = 0; k < node.inputs.size(); ++k) asked[k] = wanted[static_cast<std::size_t>(node.inputs[k])];
      node.layer->prepare(backend, node.input_shapes, {asked.get(), node.inputs.size()}, rows);
      traits.push_back(node.layer->traits());
      purpose.push_back("dropout " + node.spec.name);
      views[i].params.resize(node.parameters.size());
      views[i].grads.resize(node.parameters.size());
      views[i].statistics.resize(node.statistics.size());
    }
  }

  // ---- Handles ----

  View part(int buffer, std::int64_t elements, std::int64_t rows) const {
    return buffer < 0 ? View{} : pool.part(memory.buffers[static_cast<std::size_t>(buffer)].offset, elements * rows);
  }
  Tensor tensor(int buffer, const Shape& shape, std::int64_t rows) const {
    return {.view = part(buffer, shape.elements(), rows), .shape = shape};
  }

  std::unique_ptr<RowTensors> build_row_tensors(std::int64_t rows) const {
    auto set = std::make_unique<RowTensors>();
    set->rows = rows;
    set->nodes.resize(model.nodes.size());
    for (std::size_t i = 0; i < model.nodes.size(); ++i) {
      const Node& node = model.nodes[i];
      const MemoryPlan::Backward& step = memory.backward[i];
      NodeTensors& tensors = set->nodes[i];
      for (std::size_t k = 0; k < node.inputs.size(); ++k) {
        tensors.in.push_back(tensor(memory.storage[static_cast<std::size_t>(node.inputs[k])], node.input_shapes[k], rows));
        const int gradient = step.in_gradients.empty() ? -1 : step.in_gradients[k];
        tensors.in_gradients.push_back(tensor(gradient, node.input_shapes[k], rows));
      }
      tensors.out = tensor(memory.storage[i + 1], node.shape, rows);
      tensors.out_gradient = tensor(step.out_gradient, node.shape, rows);
      tensors.copy_from = part(step.copy_from, node.shape.elements(), rows);
      for (const MemoryPlan::Sum& sum : step.sums) {
        tensors.sums.push_back({part(sum.a, sum.elements, rows), part(sum.b, sum.elements, rows), part(sum.out, sum.elements, rows)});
      }
    }
    for (std::size_t i = 0; i < model.nodes.size(); ++i) {
      const std::vector<int>& inputs = model.nodes[i].inputs;
      for (std::size_t k = 0; k < inputs.size(); ++k) {
        if (memory.storage[static_cast<std::size_t>(inputs[k])] < 0) set->from_input.push_back(&set->nodes[i].in[k]);
      }
      if (memory.storage[i + 1] < 0) set->from_input.push_back(&set->nodes[i].out);
    }
    set->logits = set->nodes.back().out.view;
    set->loss_gradient = part(memory.loss_gradient, model.nodes.back().shape.elements(), rows);
    return set;
  }

  RowTensors& tensors_for(const Input& input) {
    auto found = std::ranges::find_if(row_tensors, [&](const auto& set) { return set->rows == input.rows; });
    if (found == row_tensors.end()) {
      if (row_tensors.size() == remembered_rows) row_tensors.pop_back();
      found = row_tensors.insert(row_tensors.end(), build_row_tensors(input.rows));
    }
    std::rotate(row_tensors.begin(), found, found + 1);
    const View data = input.data.view.part(0, input.rows * model.input.elements());
    for (Tensor* tensor : row_tensors.front()->from_input) {
      tensor->view = data;
      tensor->element = input.data.element;
    }
    return *row_tensors.front();
  }

  void bind(const Bound& next) {
    if (next.params.same_range(bound.params) && next.grads.same_range(bound.grads) && next.statistics.same_range(bound.statistics)) return;
    for (std::size_t i = 0; i < views.size(); ++i) {
      const NodeArena& own = arena.nodes[i];
      for (std::size_t p = 0; p < own.parameters.size(); ++p) {
        views[i].params[p] = next.params.part(own.parameters[p].offset, own.parameters[p].count);
        views[i].grads[p] = next.grads.empty() ? View{} : next.grads.part(own.parameters[p].offset, own.parameters[p].count);
      }
      for (std::size_t s = 0; s < own.statistics.size(); ++s) {
        views[i].statistics[s] = next.statistics.part(own.statistics[s].offset, own.statistics[s].count);
      }
    }
    bound = next;
  }

  // ---- Checks ----

  static void need(const char* what, std::int64_t given, std::int64_t right) {
    if (given != right) throw UsageError(fmt::format("the {} have {} elements; the model has {}", what, given, right));
  }
  void check(const Bound& views_given, const Input& input, bool training) const {
    need("parameters", views_given.params.count(), arena.parameters);
    if (training) need("gradients", views_given.grads.count(), arena.parameters);
    need("statistics", views_given.statistics.count(), arena.statistics);
    if (input.rows < 0 || input.rows > max_rows)
      throw UsageError(fmt::format("{} rows given to a graph for at most {}", input.rows, max_rows));
    if (input.rows == 0) return;
    if (input.data.shape != model.input) {
      throw UsageError(fmt::format("samples of shape {} given to a model for {}", input.data.shape.text(), model.input.text()));
    }
    if (input.data.view.count() < input.rows * model.input.elements() || input.labels.count() < input.rows) {
      throw UsageError(
          fmt::format("{} rows given with {} numbers and {} labels", input.rows, input.data.view.count(), input.labels.count()));
    }
    const Node& first = model.nodes[static_cast<std::size_t>(model.readers[0][0])];
    const auto right = first.layer->traits().reads_tokens ? Element::int32 : Element::fp32;
    if (input.data.element != right) {
      throw UsageError(right == Element::int32 ? "numbers given to a model that reads tokens"
                                               : "tokens given to a model that reads numbers");
    }
  }

  // ---- Passes ----

  Pass pass_of(std::size_t node, const Input& input, bool training) const {
    Pass pass;
    pass.params = views[node].params;
    pass.grads = views[node].grads;
    pass.statistics = views[node].statistics;
    pass.rows = input.rows;
    pass.training = training;
    pass.first_position = input.first_position;
    return pass;
  }
  Pass pass_of(std::size_t node, const Input& input, const Options& options) const {
    Pass pass = pass_of(node, input, true);
    pass.accumulate = options.accumulate;
    if (traits[node].random) pass.key = stream_key(options.seed, purpose[node], static_cast<std::uint64_t>(options.step));
    return pass;
  }

  void forward_node(std::size_t i, const Pass& pass, NodeTensors& tensors) {
    if (!traits[i].view) model.nodes[i].layer->forward(pass, tensors.in, tensors.out);
  }

  void backward_node(std::size_t i, const Pass& pass, NodeTensors& tensors) {
    if (tensors.copy_from.count() > 0) backend.set(tensors.out_gradient.view, {{1.0, tensors.copy_from}}, false);
    if (memory.backward[i].run) {
      model.nodes[i].layer->backward(pass, tensors.in, tensors.out, tensors.out_gradient, tensors.in_gradients);
    }
    for (const NodeTensors::Sum& sum : tensors.sums) backend.add(sum.a, sum.b, sum.out, false);
  }

  template <typename Action>
  void each_slice(std::size_t node, Action action) const {
    const NodeArena& own = arena.nodes[node];
    for (int slice = own.first_slice; slice < own.first_slice + own.slice_count; ++slice) action(slice);
  }

  LossSums train(const Input& input, const Options& options, Hooks& hooks) {
    const bool empty = input.rows == 0;
    if (empty && !options.accumulate) backend.fill(bound.grads, 0.0f);
    RowTensors* tensors = empty ? nullptr : &tensors_for(input);
    for (std::size_t i = 0; i < model.nodes.size(); ++i) {
      if (options.fire_before) each_slice(i, [&](int slice) { hooks.before_forward(slice); });
      if (!empty) forward_node(i, pass_of(i, input, options), tensors->nodes[i]);
      hooks.forward_done(static_cast<int>(i));
    }
    Backend::LossResult loss;
    if (!empty) {
      loss = backend.softmax_cross_entropy(input.rows, classes, tensors->logits, input.labels.part(0, input.rows), options.scale,
                                           tensors->loss_gradient);
    }
    for (std::size_t i = model.nodes.size(); i-- > 0;) {
      if (!empty) backward_node(i, pass_of(i, input, options), tensors->nodes[i]);
      hooks.backward_done(static_cast<int>(i));
      if (options.fire_ready) each_slice(i, [&](int slice) { hooks.gradient_ready(slice); });
    }
    return {loss.loss_sum, loss.correct, input.rows};
  }

  LossSums evaluate(const Input& input) {
    if (input.rows == 0) return {};
    RowTensors& tensors = tensors_for(input);
    for (std::size_t i = 0; i < model.nodes.size(); ++i) forward_node(i, pass_of(i, input, false), tensors.nodes[i]);
    const Backend::LossResult loss =
        backend.softmax_cross_entropy(input.rows, classes, tensors.logits, input.labels.part(0, input.rows), 0.0, View{});
    return {loss.loss_sum, loss.correct, input.rows};
  }
};

Graph::Graph(std::vector<LayerSpec> layers, const Shape& input, std::int64_t classes, Backend& backend, std::int64_t max_rows, bool fused)
    : impl_(std::make_unique<Impl>(std::move(layers), input, classes, backend, max_rows, fused)) {}
Graph::~Graph() = default;

std::span<const LayerSlice> Graph::slices() const { return impl_->arena.slices; }
std::int64_t Graph::parameter_count() const { return impl_->arena.parameters; }
std::int64_t Graph::statistic_count() const { return impl_->arena.statistics; }
std::int64_t Graph::buffer_bytes() const { return impl_->pool.bytes(); }

std::vector<std::string> Graph::layer_names() const {
  std::vector<std::string> names;
  for (const Node& node : impl_->model.nodes) names.push_back(node.spec.name);
  return names;
}

void Graph::initialise(const View& params, const View& statistics, std::uint64_t seed) const {
  Impl::need("parameters", params.count(), impl_->arena.parameters);
  Impl::need("statistics", statistics.count(), impl_->arena.statistics);
  syncline::initialise(impl_->model, impl_->arena, impl_->backend, params, statistics, seed);
}

LossSums Graph::train(const Bound& bound, const Input& input, const Options& options, Hooks& hooks) {
  impl_->check(bound, input, true);
  impl_->bind(bound);
  return impl_->train(input, options, hooks);
}

LossSums Graph::evaluate(const Bound& bound, const Input& input) {
  impl_->check(bound, input, false);
  impl_->bind(bound);
  return impl_->evaluate(input);
}

}  // namespace syncline
