// SPDX-License-Identifier: Apache-2.0
// Our operations beside oneDNN's bare primitive in the fastest format found for it (channels last or any, direct or chosen algorithm), in
// the shapes of the model zoo, batch 64, one thread. ratio: bare / ours; above 1, ours is faster. Times are the smallest of several runs,
// the two sides in turn. Usage: ops_bench [model ...] [--repeats N]
#include <time.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <dnnl.hpp>
#include <functional>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "kernels/backend.h"

namespace {

using dnnl::memory;
using syncline::Backend;
using syncline::View;
using Tag = memory::format_tag;
using Dims = memory::dims;
constexpr std::int64_t kRows = 64;

View noise(std::int64_t count) {
  const View view = View::host(count);
  std::uint32_t state = 1;
  for (float& value : view.floats()) {
    state = state * 1664525u + 1013904223u;
    value = static_cast<float>(state >> 8) * 0x1p-23f - 1.0f;
  }
  return view;
}

// The thread's own time: other programs' turns on the processor do not count.
double now_ms() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return 1e3 * static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_nsec);
}

double time_ms(const std::function<void()>& f) {
  const double start = now_ms();
  f();
  return now_ms() - start;
}

class Bench {
 public:
  explicit Bench(int repeats) : repeats_(repeats) {}

  struct Bare {  // a primitive and its arguments
    std::string name;
    std::function<void()> run;
  };
  void compare(const std::string& what, const std::function<void()>& ours, const std::vector<Bare>& bare, int times = 1) {
    double best_ours = 1e30, best_bare = 1e30;
    std::string best_name = "-";
    ours();
    for (const Bare& candidate : bare) candidate.run();
    for (int i = 0; i < repeats_; ++i) {
      best_ours = std::min(best_ours, time_ms(ours));
      for (const Bare& candidate : bare) {
        best_ours = std::min(best_ours, time_ms(ours));  // as many chances of a quiet moment as the other side has
        const double time = time_ms(candidate.run);
        if (time < best_bare) {
          best_bare = time;
          best_name = candidate.name;
        }
      }
    }
    if (bare.empty()) best_bare = best_ours;
    std::printf("  %-38s %3d %9.3f %9.3f %7.2f  %s\n", what.c_str(), times, best_ours, best_bare, best_bare / best_ours, best_name.c_str());
    std::fflush(stdout);
    ours_ += times * best_ours;
    bare_ += times * best_bare;
  }
  void begin(const std::string& model) {
    std::printf("%s\n  %-38s %3s %9s %9s %7s  %s\n", model.c_str(), "operation", "x", "ours ms", "bare ms", "ratio", "bare primitive");
    ours_ = bare_ = 0;
  }
  void end() {
    std::printf("  %-42s %9.3f %9.3f %7.2f  (%.0f samples/s)\n\n", "sum", ours_, bare_, bare_ / ours_,
                1e3 * static_cast<double>(kRows) / ours_);
  }

  dnnl::engine engine{dnnl::engine::kind::cpu, 0};
  dnnl::stream stream{engine};
  std::unique_ptr<Backend> backend = syncline::make_cpu_backend(1);

 private:
  int repeats_;
  double ours_ = 0, bare_ = 0;
};

memory::desc plain(const Dims& dims, Tag tag) { return {dims, memory::data_type::f32, tag}; }

// Arguments for a primitive, each in the format of its descriptor, with small values everywhere.
Bench::Bare bare_of(Bench& bench, const std::string& name, const dnnl::primitive& primitive,
                    std::vector<std::pair<int, memory::desc>> operands) {
  std::unordered_map<int, memory> arguments;
  for (const auto& [argument, description] : operands) {
    memory m(description, bench.engine);
    std::fill_n(static_cast<float*>(m.get_data_handle()), description.get_size() / sizeof(float), 0.01f);
    arguments.emplace(argument, m);
  }
  return {name, [&bench, primitive, arguments] { primitive.execute(bench.stream, arguments); }};
}

struct BareConv {
  std::vector<Bench::Bare> forward, weights, input;
};

BareConv bare_conv(Bench& bench, const syncline::ConvSpec& s) {
  BareConv result;
  const Dims strides{s.stride_h, s.stride_w}, padding{s.pad_h, s.pad_w};
  for (const bool last : {true, false}) {
    for (const auto algorithm : {dnnl::algorithm::convolution_direct, dnnl::algorithm::convolution_auto}) {
      const Tag tag = last ? Tag::nhwc : Tag::any;
      const auto x = plain({kRows, s.in_channels, s.height, s.width}, s.in_channels < 4 ? Tag::nhwc : tag);
      const auto w = plain({s.out_channels, s.in_channels, s.kernel_h, s.kernel_w}, Tag::any), b = plain({s.out_channels}, Tag::x);
      const auto y = plain({kRows, s.out_channels, s.out_height(), s.out_width()}, tag);
      const dnnl::convolution_forward::primitive_desc f(
          {dnnl::prop_kind::forward_training, algorithm, x, w, b, y, strides, padding, padding}, bench.engine);
      result.forward.push_back(
          bare_of(bench, f.impl_info_str(), dnnl::convolution_forward(f),
                  {{DNNL_ARG_SRC, f.src_desc()}, {DNNL_ARG_WEIGHTS, f.weights_desc()}, {DNNL_ARG_BIAS, b}, {DNNL_ARG_DST, f.dst_desc()}}));
      const dnnl::convolution_backward_weights::primitive_desc bw({algorithm, x, w, b, y, strides, padding, padding}, bench.engine, f);
      result.weights.push_back(bare_of(bench, bw.impl_info_str(), dnnl::convolution_backward_weights(bw),
                                       {{DNNL_ARG_SRC, bw.src_desc()},
                                        {DNNL_ARG_DIFF_WEIGHTS, bw.diff_weights_desc()},
                                        {DNNL_ARG_DIFF_BIAS, b},
                                        {DNNL_ARG_DIFF_DST, bw.diff_dst_desc()}}));
      if (!s.input_gradient) continue;
      const dnnl::convolution_backward_data::primitive_desc bd({algorithm, x, w, y, strides, padding, padding}, bench.engine, f);
      result.input.push_back(bare_of(
          bench, bd.impl_info_str(), dnnl::convolution_backward_data(bd),
          {{DNNL_ARG_DIFF_SRC, bd.diff_src_desc()}, {DNNL_ARG_WEIGHTS, bd.weights_desc()}, {DNNL_ARG_DIFF_DST, bd.diff_dst_desc()}}));
    }
  }
  return result;
}

void conv(Bench& bench, const std::string& name, std::int64_t size, std::int64_t in, std::int64_t out, std::int64_t kernel,
          std::int64_t stride, std::int64_t pad, bool bias, bool first = false, int times = 1) {
  const syncline::ConvSpec s{size, size, in, out, kernel, kernel, stride, stride, pad, pad, 1, bias, false, !first};
  const BareConv bare = bare_conv(bench, s);
  const auto op = bench.backend->conv(s);
  const View x = noise(kRows * size * size * in), w = noise(out * kernel * kernel * in), b = noise(bias ? out : 0),
             y = noise(kRows * s.out_height() * s.out_width() * out), dw = View::host(w.count()), db = View::host(b.count()),
             dx = View::host(x.count());
  bench.compare(
      name + " forward", [&] { op->forward(kRows, x, w, b, y); }, bare.forward, times);
  bench.compare(
      name + " backward weights", [&] { op->backward_weights(kRows, x, y, y, dw, db, false); }, bare.weights, times);
  if (!first)
    bench.compare(
        name + " backward input", [&] { op->backward_input(kRows, y, y, w, dx); }, bare.input, times);
}

void linear(Bench& bench, const std::string& name, std::int64_t in, std::int64_t out, bool first = false) {
  std::vector<Bench::Bare> forward, weights, input;
  for (const Tag tag : {Tag::oi, Tag::any}) {
    const auto x = plain({kRows, in}, Tag::nc), w = plain({out, in}, tag), b = plain({out}, Tag::x), y = plain({kRows, out}, Tag::nc);
    const dnnl::inner_product_forward::primitive_desc f({dnnl::prop_kind::forward_training, x, w, b, y}, bench.engine);
    const dnnl::inner_product_backward_weights::primitive_desc bw({x, w, b, y}, bench.engine, f);
    const dnnl::inner_product_backward_data::primitive_desc bd({x, w, y}, bench.engine, f);
    forward.push_back(bare_of(bench, f.impl_info_str(), dnnl::inner_product_forward(f),
                              {{DNNL_ARG_SRC, x}, {DNNL_ARG_WEIGHTS, f.weights_desc()}, {DNNL_ARG_BIAS, b}, {DNNL_ARG_DST, y}}));
    weights.push_back(
        bare_of(bench, bw.impl_info_str(), dnnl::inner_product_backward_weights(bw),
                {{DNNL_ARG_SRC, x}, {DNNL_ARG_DIFF_WEIGHTS, bw.diff_weights_desc()}, {DNNL_ARG_DIFF_BIAS, b}, {DNNL_ARG_DIFF_DST, y}}));
    input.push_back(bare_of(bench, bd.impl_info_str(), dnnl::inner_product_backward_data(bd),
                            {{DNNL_ARG_DIFF_SRC, x}, {DNNL_ARG_WEIGHTS, bd.weights_desc()}, {DNNL_ARG_DIFF_DST, y}}));
  }
  const auto op = bench.backend->linear({in, out, true, false, !first});
  const View x = noise(kRows * in), w = noise(out * in), b = noise(out), y = noise(kRows * out), dw = View::host(w.count()),
             db = View::host(out), dx = View::host(x.count());
  bench.compare(
      name + " forward", [&] { op->forward(kRows, x, w, b, y); }, forward);
  bench.compare(
      name + " backward weights", [&] { op->backward_weights(kRows, x, y, y, dw, db, false); }, weights);
  if (!first)
    bench.compare(
        name + " backward input", [&] { op->backward_input(kRows, y, y, w, dx); }, input);
}

void batch_norm(Bench& bench, const std::string& name, std::int64_t size, std::int64_t channels, int times = 1) {
  const auto x = plain({kRows, channels, size, size}, Tag::nhwc), c = plain({channels}, Tag::x);
  const auto flags =
      dnnl::normalization_flags::use_scale | dnnl::normalization_flags::use_shift | dnnl::normalization_flags::fuse_norm_relu;
  const dnnl::batch_normalization_forward::primitive_desc f({dnnl::prop_kind::forward_training, x, 1e-5f, flags}, bench.engine);
  const dnnl::batch_normalization_backward::primitive_desc b({dnnl::prop_kind::backward, x, x, 1e-5f, flags}, bench.engine, f);
  const auto forward = bare_of(bench, f.impl_info_str(), dnnl::batch_normalization_forward(f),
                               {{DNNL_ARG_SRC, x},
                                {DNNL_ARG_MEAN, c},
                                {DNNL_ARG_VARIANCE, c},
                                {DNNL_ARG_SCALE, c},
                                {DNNL_ARG_SHIFT, c},
                                {DNNL_ARG_DST, x},
                                {DNNL_ARG_WORKSPACE, f.workspace_desc()}});
  const auto backward = bare_of(bench, b.impl_info_str(), dnnl::batch_normalization_backward(b),
                                {{DNNL_ARG_SRC, x},
                                 {DNNL_ARG_MEAN, c},
                                 {DNNL_ARG_VARIANCE, c},
                                 {DNNL_ARG_SCALE, c},
                                 {DNNL_ARG_SHIFT, c},
                                 {DNNL_ARG_DIFF_DST, x},
                                 {DNNL_ARG_DIFF_SRC, x},
                                 {DNNL_ARG_DIFF_SCALE, c},
                                 {DNNL_ARG_DIFF_SHIFT, c},
                                 {DNNL_ARG_WORKSPACE, f.workspace_desc()}});
  const auto op = bench.backend->batch_norm({size * size, channels, 1e-5, true});
  const std::int64_t count = kRows * size * size * channels;
  const View in = noise(count), out = noise(count), scale = noise(channels), shift = noise(channels), mean = View::host(channels),
             variance = View::host(channels), dscale = View::host(channels), dshift = View::host(channels), gradient = noise(count);
  bench.compare(
      name + " forward", [&] { op->forward_training(kRows, in, scale, shift, out, mean, variance); }, {forward}, times);
  bench.compare(
      name + " backward", [&] { op->backward(kRows, in, out, gradient, scale, shift, mean, variance, dscale, dshift, out, false); },
      {backward}, times);
}

void max_pool(Bench& bench, const std::string& name, std::int64_t size, std::int64_t channels) {
  const auto x = plain({kRows, channels, size, size}, Tag::nhwc), y = plain({kRows, channels, size / 2, size / 2}, Tag::nhwc);
  const Dims two{2, 2}, none{0, 0};
  const dnnl::pooling_forward::primitive_desc f(
      {dnnl::prop_kind::forward_training, dnnl::algorithm::pooling_max, x, y, two, two, none, none}, bench.engine);
  const dnnl::pooling_backward::primitive_desc b({dnnl::algorithm::pooling_max, x, y, two, two, none, none}, bench.engine, f);
  const auto forward = bare_of(bench, f.impl_info_str(), dnnl::pooling_forward(f),
                               {{DNNL_ARG_SRC, x}, {DNNL_ARG_DST, y}, {DNNL_ARG_WORKSPACE, f.workspace_desc()}});
  const auto backward = bare_of(bench, b.impl_info_str(), dnnl::pooling_backward(b),
                                {{DNNL_ARG_DIFF_DST, y}, {DNNL_ARG_DIFF_SRC, x}, {DNNL_ARG_WORKSPACE, f.workspace_desc()}});
  const auto op = bench.backend->pool({syncline::PoolSpec::max, size, size, channels});
  const View in = noise(kRows * size * size * channels), out = noise(kRows * (size / 2) * (size / 2) * channels),
             workspace = View::host(op->workspace_count(kRows));
  bench.compare(name + " forward", [&] { op->forward(kRows, in, out, workspace); }, {forward});
  bench.compare(name + " backward", [&] { op->backward(kRows, out, workspace, in); }, {backward});
}

void loss(Bench& bench) {
  const View logits = noise(kRows * 10), labels = View::host(kRows), gradient = View::host(kRows * 10);
  bench.compare("softmax cross-entropy", [&] { bench.backend->softmax_cross_entropy(kRows, 10, logits, labels, 1, gradient); }, {});
}

void mlp(Bench& bench) {
  linear(bench, "784 to 1024", 784, 1024, true);
  linear(bench, "1024 to 1024", 1024, 1024);
  linear(bench, "1024 to 10", 1024, 10);
  loss(bench);
}

void lenet(Bench& bench) {
  conv(bench, "conv 1 to 20", 28, 1, 20, 5, 1, 0, true, true);
  max_pool(bench, "pool 24x24x20", 24, 20);
  conv(bench, "conv 20 to 50", 12, 20, 50, 5, 1, 0, true);
  max_pool(bench, "pool 8x8x50", 8, 50);
  linear(bench, "800 to 500", 800, 500);
  linear(bench, "500 to 10", 500, 10);
  loss(bench);
}

// Each shape as often as the network has it.
void resnet20(Bench& bench) {
  conv(bench, "stem", 28, 1, 16, 3, 1, 1, false, true);
  conv(bench, "28x28 16 to 16", 28, 16, 16, 3, 1, 1, false, false, 6);
  batch_norm(bench, "norm 28x28x16", 28, 16, 7);
  conv(bench, "28x28 16 to 32 /2", 28, 16, 32, 3, 2, 1, false);
  conv(bench, "28x28 16 to 32 1x1 /2", 28, 16, 32, 1, 2, 0, false);
  conv(bench, "14x14 32 to 32", 14, 32, 32, 3, 1, 1, false, false, 5);
  batch_norm(bench, "norm 14x14x32", 14, 32, 7);
  conv(bench, "14x14 32 to 64 /2", 14, 32, 64, 3, 2, 1, false);
  conv(bench, "14x14 32 to 64 1x1 /2", 14, 32, 64, 1, 2, 0, false);
  conv(bench, "7x7 64 to 64", 7, 64, 64, 3, 1, 1, false, false, 5);
  batch_norm(bench, "norm 7x7x64", 7, 64, 7);
  linear(bench, "64 to 10", 64, 10);
  loss(bench);
}

void vgg11(Bench& bench) {
  conv(bench, "conv 28x28 1 to 64", 28, 1, 64, 3, 1, 1, true, true);
  batch_norm(bench, "norm 28x28x64", 28, 64);
  max_pool(bench, "pool 28x28x64", 28, 64);
  conv(bench, "conv 14x14 64 to 128", 14, 64, 128, 3, 1, 1, true);
  batch_norm(bench, "norm 14x14x128", 14, 128);
  max_pool(bench, "pool 14x14x128", 14, 128);
  conv(bench, "conv 7x7 128 to 256", 7, 128, 256, 3, 1, 1, true);
  conv(bench, "conv 7x7 256 to 256", 7, 256, 256, 3, 1, 1, true);
  batch_norm(bench, "norm 7x7x256", 7, 256, 2);
  max_pool(bench, "pool 7x7x256", 7, 256);
  conv(bench, "conv 3x3 256 to 512", 3, 256, 512, 3, 1, 1, true);
  conv(bench, "conv 3x3 512 to 512", 3, 512, 512, 3, 1, 1, true);
  batch_norm(bench, "norm 3x3x512", 3, 512, 2);
  max_pool(bench, "pool 3x3x512", 3, 512);
  linear(bench, "512 to 512", 512, 512);
  linear(bench, "512 to 10", 512, 10);
  loss(bench);
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::pair<std::string, void (*)(Bench&)>> models{
      {"mlp", mlp}, {"lenet", lenet}, {"resnet20", resnet20}, {"vgg11", vgg11}};
  std::vector<std::string> wanted;
  int repeats = 7;
  for (int i = 1; i < argc; ++i) {
    if (std::string(argv[i]) == "--repeats" && i + 1 < argc) {
      repeats = std::max(1, std::atoi(argv[++i]));
    } else {
      wanted.emplace_back(argv[i]);
    }
  }
  setenv("OMP_NUM_THREADS", "1", 0);
  Bench bench(repeats);
  std::printf("%s\n\n", bench.backend->description().c_str());
  for (const auto& [name, run] : models) {
    if (!wanted.empty() && std::find(wanted.begin(), wanted.end(), name) == wanted.end()) continue;
    bench.begin(name);
    run(bench);
    bench.end();
  }
  return 0;
}
