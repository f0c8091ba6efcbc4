// SPDX-License-Identifier: Apache-2.0
// How operations run, not what they compute: threads, repeatability, instruction sets, allocations.
#include <array>
#include <atomic>
#include <cstdlib>
#include <new>
#include <set>
#include <thread>

#include "kernels/cpu/simd.h"
#include "tests/unit/kernels/support.h"

extern "C" char __executable_start, etext;  // the linker's: the range of this program's own code

namespace {

std::atomic<long> own_allocations{0};
std::atomic<bool> counting{false};

void count_allocation(const void* caller) {
  const char* place = static_cast<const char*>(caller);
  if (counting.load(std::memory_order_relaxed) && place >= &__executable_start && place < &etext) ++own_allocations;
}

}  // namespace

// Counts what this program's code allocates; what oneDNN allocates inside itself is not ours to change.
__attribute__((noinline)) void* operator new(std::size_t size) {
  count_allocation(__builtin_return_address(0));
  if (void* memory = std::malloc(size == 0 ? 1 : size)) return memory;
  throw std::bad_alloc();
}
__attribute__((noinline)) void operator delete(void* memory) noexcept { std::free(memory); }
__attribute__((noinline)) void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace syncline {
namespace {

// A small network's operations with everything they need, run forward and backward.
class Network {
 public:
  explicit Network(int threads) : backend_(make_cpu_backend(threads)) {
    conv_ = backend_->conv({9, 9, 16, 32, 3, 3, 1, 1, 1, 1, 1, true, false, true});
    norm_ = backend_->batch_norm({81, 32, 1e-5, true});
    pool_ = backend_->pool({PoolSpec::max, 9, 9, 32, 3, 3, 2, 2, 1, 1, false});
    linear_ = backend_->linear({25 * 32, 10, true, true, true});
    labels_ = View::host(kRows);
    for (std::int64_t i = 0; i < kRows; ++i) labels_.ints()[i] = static_cast<std::int32_t>(i % 10);
    workspace_ = View::host(pool_->workspace_count(kRows));
  }

  void run(std::int64_t rows = kRows) {
    const auto part = [&](const View& view) { return view.part(0, view.count() / kRows * rows); };
    conv_->forward(rows, x_, w_, b_, y1_);
    norm_->forward_training(rows, y1_, scale_, shift_, y2_, mean_, variance_);
    norm_->update_running(rows, mean_, variance_, running_mean_, running_variance_, 0.1);
    pool_->forward(rows, y2_, y3_, workspace_);
    backend_->dropout(rows, 25 * 32, 5, 0, 0.1, y3_, y3_);
    linear_->forward(rows, y3_, w2_, b2_, y4_);
    backend_->softmax_cross_entropy(rows, 10, y4_, labels_, 0.01, d4_);
    for (const bool accumulate : {false, true}) {
      linear_->backward_weights(rows, y3_, y4_, d4_, dw2_, db2_, accumulate);
      linear_->backward_input(rows, y4_, d4_, w2_, d3_);
      backend_->dropout(rows, 25 * 32, 5, 0, 0.1, d3_, d3_);
      pool_->backward(rows, d3_, workspace_, d2_);
      norm_->backward(rows, y1_, y2_, d2_, scale_, shift_, mean_, variance_, dscale_, dshift_, d1_, accumulate);
      conv_->backward_weights(rows, x_, y1_, d1_, dw_, db_, accumulate);
      conv_->backward_input(rows, y1_, d1_, w_, dx_);
    }
    backend_->activation_forward(Activation::gelu, part(y1_), part(y5_));
    backend_->set(dw_, {{0.5, dw_}, {1e-3, w_}}, false);
    norm_square_ = backend_->dot(dw_, dw_);
  }

  std::vector<std::vector<float>> results() const {
    std::vector<std::vector<float>> all;
    for (const View* view : {&y1_, &y2_, &y3_, &y4_, &y5_, &dw2_, &db2_, &dscale_, &dshift_, &dw_, &db_, &dx_, &running_variance_})
      all.push_back(copy_of(*view));
    all.push_back({static_cast<float>(norm_square_)});
    return all;
  }

  static constexpr std::int64_t kRows = 6;

 private:
  std::unique_ptr<Backend> backend_;
  std::unique_ptr<ConvOp> conv_;
  std::unique_ptr<BatchNormOp> norm_;
  std::unique_ptr<PoolOp> pool_;
  std::unique_ptr<LinearOp> linear_;
  View x_ = random_data(kRows * 81 * 16, 1).view, w_ = random_data(32 * 9 * 16, 2).view, b_ = random_data(32, 3).view,
       scale_ = random_data(32, 4).view, shift_ = random_data(32, 5).view, w2_ = random_data(10 * 25 * 32, 6).view,
       b2_ = random_data(10, 7).view;
  View y1_ = View::host(kRows * 81 * 32), y2_ = View::host(kRows * 81 * 32), y3_ = View::host(kRows * 25 * 32),
       y4_ = View::host(kRows * 10), y5_ = View::host(kRows * 81 * 32), d1_ = View::host(kRows * 81 * 32),
       d2_ = View::host(kRows * 81 * 32), d3_ = View::host(kRows * 25 * 32), d4_ = View::host(kRows * 10),
       dx_ = View::host(kRows * 81 * 16), dw_ = View::host(32 * 9 * 16), db_ = View::host(32), dw2_ = View::host(10 * 25 * 32),
       db2_ = View::host(10), dscale_ = View::host(32), dshift_ = View::host(32), mean_ = View::host(32), variance_ = View::host(32),
       running_mean_ = View::host(32), running_variance_ = View::host(32);
  View labels_, workspace_;
  double norm_square_ = 0;
};

TEST(Execution, NothingIsAllocatedInTheSteadyState) {
  Network network(1);
  network.run(Network::kRows);
  network.run(Network::kRows - 1);  // the last batch of an epoch
  own_allocations = 0;
  counting = true;
  for (int step = 0; step < 3; ++step) network.run(step == 1 ? Network::kRows - 1 : Network::kRows);
  counting = false;
  EXPECT_EQ(own_allocations, 0);
  counting = true;
  const std::vector<std::vector<float>> some = network.results();  // the counter does count
  counting = false;
  EXPECT_GT(own_allocations, 0);
}

TEST(Execution, PreparedOnOneThreadRunOnAnother) {
  Network here(1), elsewhere(1);
  here.run();
  std::thread([&] { elsewhere.run(); }).join();
  EXPECT_EQ(here.results(), elsewhere.results());
  std::thread([&] { elsewhere.run(); }).join();  // a third thread, after the second ended
  here.run();
  EXPECT_EQ(here.results(), elsewhere.results());
}

TEST(Execution, EqualThreadCountsGiveEqualBits) {
  for (const int threads : {1, 2}) {
    std::vector<std::vector<float>> first;
    for (int repeat = 0; repeat < 3; ++repeat) {
      Network network(threads);
      network.run();
      if (repeat == 0) first = network.results();
      EXPECT_EQ(network.results(), first) << threads << " threads, run " << repeat;
    }
  }
}

// Own loops use fixed pieces: their bits do not depend on the number of threads. oneDNN's products promise that only within a count.
TEST(Execution, OwnLoopsDoNotDependOnTheThreadCount) {
  std::vector<std::vector<float>> results;
  std::vector<double> sums;
  for (const int threads : {1, 2, 3}) {
    const auto backend = make_cpu_backend(threads);
    const std::int64_t rows = 5, positions = 400, channels = 20, count = rows * positions * channels;
    const Data x = random_data(count, 1), dy = random_data(count, 2), scale = random_data(channels, 3), shift = random_data(channels, 4);
    const View y = View::host(count), mean = View::host(channels), variance = View::host(channels), dscale = View::host(channels),
               dshift = View::host(channels), dx = View::host(count), layer = View::host(count), row_mean = View::host(rows * positions),
               row_variance = View::host(rows * positions);
    const auto norm = backend->batch_norm({positions, channels, 1e-5, true});
    norm->forward_training(rows, x.view, scale.view, shift.view, y, mean, variance);
    norm->backward(rows, x.view, y, dy.view, scale.view, shift.view, mean, variance, dscale, dshift, dx, false);
    std::vector<float> all = copy_of(y);
    const auto keep = [&](const View& view) { all.insert(all.end(), view.floats().begin(), view.floats().end()); };
    for (const View* view : {&dx, &dscale, &dshift}) keep(*view);
    const auto layer_norm = backend->layer_norm({positions, channels, 1e-5});
    layer_norm->forward(rows, x.view, scale.view, shift.view, layer, row_mean, row_variance);
    keep(layer);
    layer_norm->backward(rows, x.view, dy.view, scale.view, row_mean, row_variance, dscale, dshift, dx, false);
    for (const View* view : {&dx, &dscale, &dshift}) keep(*view);
    results.push_back(all);
    sums.push_back(backend->dot(x.view, dy.view));
  }
  EXPECT_EQ(results[0], results[1]);
  EXPECT_EQ(results[0], results[2]);
  EXPECT_EQ(sums, std::vector<double>(3, sums[0]));
}

// The flush-to-zero bits are set on every thread: a denormal product is zero everywhere or nowhere.
TEST(Execution, DenormalsAreZeroOnEveryThread) {
  const auto backend = make_cpu_backend(2);
  const View x = View::host(4 * 16384), y = View::host(4 * 16384);
  backend->fill(x, 1e-30f);
  const auto run = [&] { backend->set(y, {{1e-12, x}}, false); };
  run();
  const std::vector<float> here = copy_of(y);
  std::thread(run).join();
  EXPECT_EQ(copy_of(y), here);
  EXPECT_EQ(std::set<float>(here.begin(), here.end()).size(), 1u);
#if defined(__SSE2__)
  EXPECT_EQ(here[0], 0.0f);
#endif
}

TEST(Execution, InstructionSetsGiveEqualBits) {
  make_cpu_backend(1);
  const std::int64_t count = 3000, columns = 100, rows = 30;
  const Data a = random_data(count, 1), b = random_data(count, 2), k = random_data(4 * columns, 3);
  const float* const constants = k.view.data();
  std::vector<std::vector<float>> results;
  for (const cpu::Kernels& kernels : cpu::usable_kernels()) {
    std::vector<float> all;
    const View out = View::host(count), sums = View::host(2 * columns);
    const auto keep = [&](const View& view) { all.insert(all.end(), view.floats().begin(), view.floats().end()); };
    const std::array<const float*, 2> terms{a.view.data(), b.view.data()};
    const std::array<float, 2> factors{0.3f, -1.7f};
    kernels.set(out.data(), terms.data(), factors.data(), 2, count);
    keep(out);
    kernels.moments(a.view.data(), rows, columns, sums.data(), sums.data() + columns);
    keep(sums);
    const cpu::ColumnConstants c{constants, constants + columns, constants + 2 * columns, constants + 3 * columns, constants};
    kernels.normalize(a.view.data(), rows, columns, c, out.data(), true);
    keep(out);
    kernels.backward_sums(a.view.data(), b.view.data(), rows, columns, c, sums.data(), sums.data() + columns, true);
    keep(sums);
    kernels.backward_apply(a.view.data(), b.view.data(), rows, columns, c, out.data(), true);
    keep(out);
    kernels.dropout(a.view.data(), out.data(), count, 11, 12, 1u << 30, 1.25f);
    keep(out);
    kernels.transpose(a.view.data() + 1, 17, out.data(), 16);
    kernels.copy_lines(b.view.data(), 33, out.data() + 256, 16, 20);
    keep(out);
    all.push_back(static_cast<float>(kernels.dot(a.view.data(), b.view.data(), count)));
    results.push_back(all);
  }
  for (const std::vector<float>& result : results) EXPECT_EQ(result, results[0]);
}

TEST(Execution, TheDescriptionNamesWhatResultsDependOn) {
  const std::string text = make_cpu_backend(2)->description();
  EXPECT_NE(text.find("oneDNN 2."), std::string::npos) << text;
  EXPECT_NE(text.find("2 threads"), std::string::npos) << text;
}

}  // namespace
}  // namespace syncline
