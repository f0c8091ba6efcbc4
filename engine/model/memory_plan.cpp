// SPDX-License-Identifier: Apache-2.0
#include "engine/model/memory_plan.h"

#include <algorithm>
#include <numeric>

namespace syncline {
namespace {

std::size_t at(int index) { return static_cast<std::size_t>(index); }

class Planner {
 public:
  explicit Planner(const Structure& model)
      : model_(model), count_(static_cast<int>(model.nodes.size())), wanted_(model.wanted()), gradient_of_(model.nodes.size() + 1, -1) {
    for (const Node& node : model.nodes) traits_.push_back(node.layer->traits());
  }

  MemoryPlan plan(std::int64_t max_rows) {
    place_activations();
    plan_gradients();
    assign_offsets(max_rows);
    return std::move(plan_);
  }

 private:
  int backward_time(int node) const { return 2 * count_ - node; }
  bool runs_backward(int node) const { return wanted_[at(node + 1)]; }  // of a node's inputs and parameters, something is wanted

  int new_buffer(std::int64_t elements, int time) {
    plan_.buffers.push_back({.elements = elements, .start = time, .end = time});
    holders_.push_back(1);
    return static_cast<int>(plan_.buffers.size()) - 1;
  }
  void live_until(int buffer, int time) {
    if (buffer >= 0) plan_.buffers[at(buffer)].end = std::max(plan_.buffers[at(buffer)].end, time);
  }

  // ---- Activations ----

  bool read_in_backward(int value) const {
    const int producer = value - 1;
    if (producer >= 0 && runs_backward(producer) && traits_[at(producer)].reads_output) return true;
    return std::ranges::any_of(model_.readers[at(value)], [&](int n) { return runs_backward(n) && traits_[at(n)].reads_inputs; });
  }

  // Whether `node` may overwrite what `buffer` holds: no value in it has another reader to come, in either pass.
  bool may_overwrite(int buffer, int node, int input) const {
    if (buffer < 0 || std::ranges::count(model_.nodes[at(node)].inputs, input) != 1) return false;
    for (int value = 0; value <= node; ++value) {
      if (plan_.storage[at(value)] != buffer) continue;
      if (read_in_backward(value)) return false;
      for (const int reader : model_.readers[at(value)]) {
        if (reader > node || (reader == node && value != input)) return false;
      }
    }
    return true;
  }

  int storage_for(int node) {
    const Node& it = model_.nodes[at(node)];
    if (traits_[at(node)].view) return plan_.storage[at(it.inputs[0])];
    if (traits_[at(node)].forward_in_place) {
      for (const int input : it.inputs) {
        const int buffer = plan_.storage[at(input)];
        if (may_overwrite(buffer, node, input)) return buffer;
      }
    }
    return new_buffer(it.shape.elements(), node);
  }

  void place_activations() {
    plan_.storage.assign(1, -1);
    for (int node = 0; node < count_; ++node) {
      plan_.storage.push_back(storage_for(node));
      live_until(plan_.storage.back(), node);
      for (const int input : model_.nodes[at(node)].inputs) live_until(plan_.storage[at(input)], node);
    }
    live_until(plan_.storage.back(), count_);  // the loss reads it
    for (int node = 0; node < count_; ++node) {
      if (!runs_backward(node)) continue;
      if (traits_[at(node)].reads_output) live_until(plan_.storage[at(node + 1)], backward_time(node));
      if (traits_[at(node)].reads_inputs) {
        for (const int input : model_.nodes[at(node)].inputs) live_until(plan_.storage[at(input)], backward_time(node));
      }
    }
  }

  // ---- Gradients ----
  // A buffer is held once by each value whose gradient it is and once by the node at work on it. Who holds it alone may overwrite it.

  bool alone(int buffer) const { return holders_[at(buffer)] == 1; }
  int hold(int buffer) { return ++holders_[at(buffer)], buffer; }
  void release(int buffer, int time) {
    live_until(buffer, time);
    --holders_[at(buffer)];
  }

  void plan_gradients() {
    plan_.backward.resize(at(count_));
    plan_.loss_gradient = new_buffer(model_.nodes.back().shape.elements(), count_);
    gradient_of_.back() = plan_.loss_gradient;
    for (int node = count_ - 1; node >= 0; --node) {
      if (runs_backward(node)) plan_node(node);
    }
  }

  void plan_node(int node) {
    const int time = backward_time(node);
    const LayerTraits& traits = traits_[at(node)];
    MemoryPlan::Backward& step = plan_.backward[at(node)];
    step.in_gradients.assign(model_.nodes[at(node)].inputs.size(), -1);
    step.out_gradient = gradient_of_[at(node + 1)];
    if (traits.overwrites_out_gradient && !alone(step.out_gradient)) {
      step.copy_from = step.out_gradient;
      release(step.copy_from, time);
      step.out_gradient = new_buffer(model_.nodes[at(node)].shape.elements(), time);
    }
    std::vector<std::pair<int, int>> contributions = traits.passes_gradient ? pass_on(node, step, time) : write_new(node, step, time);
    release(step.out_gradient, time);
    for (const auto& [value, buffer] : contributions) contribute(value, buffer, step, time);
  }

  std::vector<std::pair<int, int>> pass_on(int node, MemoryPlan::Backward& step, int time) {
    std::vector<std::pair<int, int>> contributions;
    int shared = hold(step.out_gradient);
    if (traits_[at(node)].reads_output) {
      step.run = true;
      if (holders_[at(shared)] > 2) {  // somebody else than this node, which holds it twice
        release(shared, time);
        shared = new_buffer(model_.nodes[at(node)].shape.elements(), time);
      }
      step.in_gradients[0] = shared;
    }
    for (const int input : model_.nodes[at(node)].inputs) {
      if (wanted_[at(input)]) contributions.emplace_back(input, hold(shared));
    }
    release(shared, time);
    return contributions;
  }

  std::vector<std::pair<int, int>> write_new(int node, MemoryPlan::Backward& step, int time) {
    std::vector<std::pair<int, int>> contributions;
    const std::vector<int>& inputs = model_.nodes[at(node)].inputs;
    step.run = true;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      if (!wanted_[at(inputs[i])]) continue;
      const bool in_place = i == 0 && traits_[at(node)].backward_in_place && alone(step.out_gradient);
      step.in_gradients[i] = in_place ? hold(step.out_gradient) : new_buffer(model_.shape_of(inputs[i]).elements(), time);
      contributions.emplace_back(inputs[i], step.in_gradients[i]);
    }
    return contributions;
  }

  void contribute(int value, int buffer, MemoryPlan::Backward& step, int time) {
    int& held = gradient_of_[at(value)];
    if (held < 0) {
      held = buffer;
      return;
    }
    const std::int64_t elements = model_.shape_of(value).elements();
    int out = -1;
    if (alone(buffer))
      out = hold(buffer);
    else if (alone(held) || (held == buffer && holders_[at(held)] == 2))
      out = hold(held);
    else
      out = new_buffer(elements, time);
    step.sums.push_back({held, buffer, out, elements});
    release(held, time);
    release(buffer, time);
    held = out;
  }

  // ---- Offsets ----
  // Greedy by size: the largest first, each at the lowest place that no buffer of an overlapping life occupies.

  void assign_offsets(std::int64_t max_rows) {
    auto& buffers = plan_.buffers;
    const auto size_of = [&](const MemoryPlan::Buffer& b) { return (b.elements * max_rows + 15) / 16 * 16; };
    std::vector<int> order(buffers.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, [&](int a, int b) { return buffers[at(a)].elements > buffers[at(b)].elements; });
    std::vector<int> placed;  // by offset
    for (const int index : order) {
      MemoryPlan::Buffer& buffer = buffers[at(index)];
      for (const int other : placed) {
        const MemoryPlan::Buffer& o = buffers[at(other)];
        if (o.start > buffer.end || buffer.start > o.end) continue;
        if (buffer.offset + size_of(buffer) <= o.offset) break;
        buffer.offset = std::max(buffer.offset, o.offset + size_of(o));
      }
      plan_.pool = std::max(plan_.pool, buffer.offset + size_of(buffer));
      placed.insert(std::ranges::upper_bound(placed, buffer.offset, {}, [&](int i) { return buffers[at(i)].offset; }), index);
    }
  }

  const Structure& model_;
  int count_;
  std::vector<bool> wanted_;
  std::vector<LayerTraits> traits_;
  std::vector<int> holders_;      // of each buffer
  std::vector<int> gradient_of_;  // of each value: the buffer with the sum so far
  MemoryPlan plan_;
};

}  // namespace

MemoryPlan plan_memory(const Structure& model, std::int64_t max_rows) { return Planner(model).plan(max_rows); }

}  // namespace syncline
