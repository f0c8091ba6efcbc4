// SPDX-License-Identifier: Apache-2.0
#include "kernels/backend.h"

#include <algorithm>
#include <stdexcept>

#include "kernels/cpu/ops.h"
#include "kernels/cpu/vectors.h"

namespace syncline {
namespace {

const char* instruction_set() {
  switch (dnnl_get_effective_cpu_isa()) {
    case dnnl_cpu_isa_sse41:
      return "SSE4.1";
    case dnnl_cpu_isa_avx:
      return "AVX";
    case dnnl_cpu_isa_avx2:
      return "AVX2";
    case dnnl_cpu_isa_avx2_vnni:
      return "AVX2 with VNNI";
    case dnnl_cpu_isa_avx512_core:
      return "AVX-512";
    case dnnl_cpu_isa_avx512_core_vnni:
      return "AVX-512 with VNNI";
    case dnnl_cpu_isa_avx512_core_bf16:
      return "AVX-512 with BF16";
    case dnnl_cpu_isa_avx512_core_amx:
      return "AVX-512 with AMX";
    default:
      return "the default instruction set";
  }
}

class CpuBackend final : public Backend {
 public:
  explicit CpuBackend(int threads) : context_(threads) {}

  std::string_view name() const override { return "cpu"; }
  std::string description() const override {
    const dnnl_version_t* version = dnnl_version();
    return "oneDNN " + std::to_string(version->major) + "." + std::to_string(version->minor) + "." + std::to_string(version->patch) +
           " on " + instruction_set() + ", own loops on " + context_.simd().name + ", " + std::to_string(context_.threads()) +
           (context_.threads() == 1 ? " thread" : " threads");
  }
  View allocate(std::int64_t count) override { return View::host(count); }
  void copy_in(const View& to, std::span<const float> from) override {
    cpu::require(to, static_cast<std::int64_t>(from.size()), "the memory to copy to");
    std::copy(from.begin(), from.end(), to.data());
  }
  void copy_in_ints(const View& to, std::span<const std::int32_t> from) override {
    cpu::require(to, static_cast<std::int64_t>(from.size()), "the memory to copy to");
    std::copy(from.begin(), from.end(), to.ints());
  }
  void copy_out(const View& from, std::span<float> to) override {
    cpu::require(from, static_cast<std::int64_t>(to.size()), "the memory to copy from");
    std::copy_n(from.data(), to.size(), to.begin());
  }

  std::unique_ptr<ConvOp> conv(const ConvSpec& spec) override { return cpu::make_conv(context_, spec); }
  std::unique_ptr<LinearOp> linear(const LinearSpec& spec) override { return cpu::make_linear(context_, spec); }
  std::unique_ptr<BatchNormOp> batch_norm(const BatchNormSpec& spec) override { return cpu::make_batch_norm(context_, spec); }
  std::unique_ptr<LayerNormOp> layer_norm(const LayerNormSpec& spec) override { return cpu::make_layer_norm(context_, spec); }
  std::unique_ptr<PoolOp> pool(const PoolSpec& spec) override { return cpu::make_pool(context_, spec); }

  void activation_forward(Activation kind, const View& x, const View& y) override { cpu::activation_forward(context_, kind, x, y); }
  void activation_backward(Activation kind, const View& x, const View& y, const View& dy, const View& dx) override {
    cpu::activation_backward(context_, kind, x, y, dy, dx);
  }
  void global_average_forward(std::int64_t rows, std::int64_t positions, std::int64_t channels, const View& x, const View& y) override;
  void global_average_backward(std::int64_t rows, std::int64_t positions, std::int64_t channels, const View& dy, const View& dx) override;
  void dropout(std::int64_t rows, std::int64_t per_row, std::uint64_t key, std::int64_t first_position, double rate, const View& x,
               const View& y) override {
    cpu::dropout(context_, rows, per_row, key, first_position, rate, x, y);
  }
  void add(const View& a, const View& b, const View& out, bool relu) override { cpu::add(context_, a, b, out, relu); }
  void copy_channels(std::int64_t positions, const View& from, std::int64_t from_width, std::int64_t from_first, const View& to,
                     std::int64_t to_width, std::int64_t to_first, std::int64_t channels, bool accumulate) override {
    cpu::copy_channels(context_, positions, from, from_width, from_first, to, to_width, to_first, channels, accumulate);
  }
  void embedding_forward(std::int64_t positions, std::int64_t vocabulary, std::int64_t width, const View& tokens, const View& table,
                         const View& y) override {
    cpu::embedding_forward(context_, positions, vocabulary, width, tokens, table, y);
  }
  void embedding_backward(std::int64_t positions, std::int64_t vocabulary, std::int64_t width, const View& tokens, const View& dy,
                          const View& dtable, bool accumulate) override {
    cpu::embedding_backward(context_, positions, vocabulary, width, tokens, dy, dtable, accumulate);
  }
  LossResult softmax_cross_entropy(std::int64_t rows, std::int64_t classes, const View& logits, const View& labels, double scale,
                                   const View& dlogits) override {
    return cpu::softmax_cross_entropy(context_, rows, classes, logits, labels, scale, dlogits);
  }

  void set(const View& out, std::initializer_list<Term> sum, bool relaxed) override { cpu::set(context_, out, sum, relaxed); }
  void fill(const View& out, float value) override {
    cpu::require(out, out.count(), "a vector");
    context_.enter();
    context_.ranges(out.count(), cpu::kPiece,
                    [&](std::int64_t first, std::int64_t last) { context_.simd().fill(out.data() + first, value, last - first); });
  }
  double dot(const View& a, const View& b) override { return cpu::dot(context_, a, b); }
  bool all_finite(const View& x) override { return cpu::all_finite(context_, x); }
  void pointwise(std::string_view functor, std::span<const View> views, std::span<const double> scalars) override {
    cpu::pointwise(context_, functor, views, scalars);
  }

 private:
  cpu::Context context_;
};

void CpuBackend::global_average_forward(std::int64_t rows, std::int64_t positions, std::int64_t channels, const View& x, const View& y) {
  cpu::require_rows(rows, "a global average");
  if (positions < 1) throw std::invalid_argument("a global average needs at least 1 position");
  cpu::require(x, rows * positions * channels, "a global average's input");
  cpu::require(y, rows * channels, "a global average's output");
  context_.enter();
  context_.ranges(rows, 1, [&](std::int64_t row, std::int64_t) {
    float* out = y.data() + row * channels;
    context_.simd().column_sums(x.data() + row * positions * channels, positions, channels, channels, out, false);
    const float* term = out;
    const float factor = 1.0f / static_cast<float>(positions);
    context_.simd().set(out, &term, &factor, 1, channels);
  });
}

void CpuBackend::global_average_backward(std::int64_t rows, std::int64_t positions, std::int64_t channels, const View& dy, const View& dx) {
  cpu::require_rows(rows, "a global average");
  if (dx.empty()) return;
  if (positions < 1) throw std::invalid_argument("a global average needs at least 1 position");
  cpu::require(dy, rows * channels, "a global average's output gradient");
  cpu::require(dx, rows * positions * channels, "a global average's input gradient");
  context_.enter();
  const float factor = 1.0f / static_cast<float>(positions);
  context_.ranges(rows, 1, [&](std::int64_t row, std::int64_t) {
    const float* from = dy.data() + row * channels;
    for (std::int64_t p = 0; p < positions; ++p)
      context_.simd().set(dx.data() + (row * positions + p) * channels, &from, &factor, 1, channels);
  });
}

}  // namespace

std::unique_ptr<Backend> make_cpu_backend(int threads) { return std::make_unique<CpuBackend>(threads); }

}  // namespace syncline
