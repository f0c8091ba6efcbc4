// SPDX-License-Identifier: Apache-2.0
#include "engine/train/rank/bench_ops.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <limits>

#include "engine/metrics/clock.h"
#include "engine/model/structure.h"
#include "kernels/cpu/bare.h"

namespace syncline {
namespace {

using Call = std::function<void()>;

View noise(std::int64_t count) {
  const View view = View::host(count);
  std::uint32_t state = 1;
  for (float& value : view.floats()) {
    state = state * 1664525u + 1013904223u;
    value = static_cast<float>(state >> 8) * 0x1p-23f - 1.0f;
  }
  return view;
}

double seconds_of(const Call& call) {
  const double start = thread_cpu_s();
  call();
  return thread_cpu_s() - start;
}

struct Extent {
  std::int64_t h, w;
};
Extent extent(const Params& options, const char* key) {  // one number, or [height, width]
  if (const auto* one = std::get_if<std::int64_t>(&options.all().find(key)->second.data)) return {*one, *one};
  const std::vector<double> both = options.reals(key);
  return {static_cast<std::int64_t>(both.front()), static_cast<std::int64_t>(both.back())};
}

class Bench {
 public:
  explicit Bench(const OperationBench& wanted) : rows_(wanted.rows), repeats_(wanted.repeats) {}

  void conv(const std::string& layer, const ConvSpec& s) {
    const std::string name =
        fmt::format("conv {}x{}x{} to {}, {}x{}{}{}", s.height, s.width, s.in_channels, s.out_channels, s.kernel_h, s.kernel_w,
                    s.stride_h > 1 ? fmt::format(" /{}", s.stride_h) : "", s.input_gradient ? "" : ", first");
    if (known(name, layer)) return;
    const BareOperations bare = library_.conv(rows_, s);
    const auto op = backend_->conv(s);
    const View x = noise(rows_ * s.height * s.width * s.in_channels),
               w = noise(s.out_channels * s.kernel_h * s.kernel_w * s.in_channels / s.groups), b = noise(s.bias ? s.out_channels : 0),
               y = noise(rows_ * s.out_height() * s.out_width() * s.out_channels), dw = View::host(w.count()), db = View::host(b.count()),
               dx = View::host(x.count());
    measure(
        name, "forward", layer, [&] { op->forward(rows_, x, w, b, y); }, bare.forward);
    measure(
        name, "backward weights", layer, [&] { op->backward_weights(rows_, x, y, y, dw, db, false); }, bare.backward_weights);
    if (s.input_gradient)
      measure(
          name, "backward input", layer, [&] { op->backward_input(rows_, y, y, w, dx); }, bare.backward_input);
  }

  void linear(const std::string& layer, std::int64_t rows, const LinearSpec& s) {
    const std::string name = fmt::format("linear {} to {}{}", s.in, s.out, s.input_gradient ? "" : ", first");
    if (known(name, layer)) return;
    const BareOperations bare = library_.linear(rows, s);
    const auto op = backend_->linear(s);
    const View x = noise(rows * s.in), w = noise(s.out * s.in), b = noise(s.bias ? s.out : 0), y = noise(rows * s.out),
               dw = View::host(w.count()), db = View::host(b.count()), dx = View::host(x.count());
    measure(
        name, "forward", layer, [&] { op->forward(rows, x, w, b, y); }, bare.forward);
    measure(
        name, "backward weights", layer, [&] { op->backward_weights(rows, x, y, y, dw, db, false); }, bare.backward_weights);
    if (s.input_gradient)
      measure(
          name, "backward input", layer, [&] { op->backward_input(rows, y, y, w, dx); }, bare.backward_input);
  }

  void batch_norm(const std::string& layer, const BatchNormSpec& s) {
    const std::string name = fmt::format("batch norm {}x{}{}", s.positions, s.channels, s.relu ? " and ReLU" : "");
    if (known(name, layer)) return;
    const BareOperations bare = library_.batch_norm(rows_, s);
    const auto op = backend_->batch_norm(s);
    const std::int64_t count = rows_ * s.positions * s.channels;
    const View x = noise(count), y = noise(count), scale = noise(s.channels), shift = noise(s.channels), mean = View::host(s.channels),
               variance = View::host(s.channels), dscale = View::host(s.channels), dshift = View::host(s.channels), dy = noise(count);
    measure(
        name, "forward", layer, [&] { op->forward_training(rows_, x, scale, shift, y, mean, variance); }, bare.forward);
    measure(
        name, "backward", layer, [&] { op->backward(rows_, x, y, dy, scale, shift, mean, variance, dscale, dshift, y, false); },
        bare.backward_input);
  }

  void pool(const std::string& layer, const PoolSpec& s, bool wanted) {
    const std::string name = fmt::format("{} pool {}x{}x{}, {}x{}", s.kind == PoolSpec::max ? "max" : "average", s.height, s.width,
                                         s.channels, s.kernel_h, s.kernel_w);
    if (known(name, layer)) return;
    const BareOperations bare = library_.pool(rows_, s);
    const auto op = backend_->pool(s);
    const View x = noise(rows_ * s.height * s.width * s.channels), y = noise(rows_ * s.out_height() * s.out_width() * s.channels),
               workspace = View::host(op->workspace_count(rows_));
    measure(
        name, "forward", layer, [&] { op->forward(rows_, x, y, workspace); }, bare.forward);
    if (wanted)
      measure(
          name, "backward", layer, [&] { op->backward(rows_, y, workspace, x); }, bare.backward_input);
  }

  std::vector<OperationTime> take() { return std::move(results_); }

 private:
  // Whether another layer had this shape: then it only counts here.
  bool known(const std::string& shape, const std::string& layer) {
    bool found = false;
    for (OperationTime& each : results_) {
      if (each.shape != shape) continue;
      each.layers.push_back(layer);
      found = true;
    }
    return found;
  }

  void measure(const std::string& shape, const char* pass, const std::string& layer, const Call& ours,
               const std::vector<BareOperation>& bare) {
    OperationTime result{.shape = shape,
                         .pass = pass,
                         .layers = {layer},
                         .time_s = std::numeric_limits<double>::infinity(),
                         .bound_s = std::numeric_limits<double>::infinity(),
                         .bound = {}};
    ours();
    for (const BareOperation& candidate : bare) candidate.run();
    for (int i = 0; i < repeats_; ++i) {
      for (const BareOperation& candidate : bare) {
        result.time_s = std::min(result.time_s, seconds_of(ours));  // as many chances of a quiet moment as the other side has
        const double time = seconds_of(candidate.run);
        if (time >= result.bound_s) continue;
        result.bound_s = time;
        result.bound = candidate.name;
      }
    }
    results_.push_back(std::move(result));
  }

  std::int64_t rows_;
  int repeats_;
  std::unique_ptr<Backend> backend_ = make_cpu_backend(1);
  BareLibrary library_;
  std::vector<OperationTime> results_;
};

ConvSpec conv_spec(const Node& node, bool input_gradient) {
  const Shape& in = node.input_shapes[0];
  const Params& options = node.spec.options;
  const Extent kernel = extent(options, "kernel"), stride = extent(options, "stride"), padding = extent(options, "padding");
  return {.height = in[0],
          .width = in[1],
          .in_channels = in[2],
          .out_channels = node.shape.channels(),
          .kernel_h = kernel.h,
          .kernel_w = kernel.w,
          .stride_h = stride.h,
          .stride_w = stride.w,
          .pad_h = padding.h,
          .pad_w = padding.w,
          .groups = options.integer("groups"),
          .bias = options.flag("bias"),
          .input_gradient = input_gradient};
}

PoolSpec pool_spec(const Node& node) {
  const Shape& in = node.input_shapes[0];
  const Params& options = node.spec.options;
  const Extent kernel = extent(options, "kernel"), padding = extent(options, "padding");
  const Extent stride = options.has("stride") ? extent(options, "stride") : kernel;
  return {.kind = node.spec.type == "max_pool" ? PoolSpec::max : PoolSpec::average,
          .height = in[0],
          .width = in[1],
          .channels = in[2],
          .kernel_h = kernel.h,
          .kernel_w = kernel.w,
          .stride_h = stride.h,
          .stride_w = stride.w,
          .pad_h = padding.h,
          .pad_w = padding.w};
}

}  // namespace

std::vector<OperationTime> bench_operations(const OperationBench& wanted) {
  const Structure model = resolve({wanted.layers.begin(), wanted.layers.end()}, wanted.input, wanted.classes);
  const std::vector<bool> gradients = model.wanted();
  Bench bench(wanted);
  for (std::size_t i = 0; i < model.nodes.size(); ++i) {
    const Node& node = model.nodes[i];
    const std::string &type = node.spec.type, &name = node.spec.name;
    const Shape& in = node.input_shapes[0];
    const bool gradient = gradients[static_cast<std::size_t>(node.inputs[0])];
    const std::int64_t positions = in.elements() / in.channels();
    const std::vector<int>& readers = model.readers[i + 1];
    const bool relu = readers.size() == 1 && model.nodes[static_cast<std::size_t>(readers[0])].layer->is_relu();
    if (type == "conv") bench.conv(name, conv_spec(node, gradient));
    if (type == "linear")
      bench.linear(name, wanted.rows * positions,
                   {.in = in.channels(), .out = node.shape.channels(), .bias = node.spec.options.flag("bias"), .input_gradient = gradient});
    if (type == "batch_norm")
      bench.batch_norm(name,
                       {.positions = positions, .channels = in.channels(), .epsilon = node.spec.options.real("epsilon"), .relu = relu});
    if (type == "max_pool" || type == "average_pool") bench.pool(name, pool_spec(node), gradient);
  }
  return bench.take();
}

}  // namespace syncline
