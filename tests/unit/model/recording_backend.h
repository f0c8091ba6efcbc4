// SPDX-License-Identifier: Apache-2.0
// Backends for tests of the graph alone: one that passes on to another and remembers what was allocated, and one that computes nothing.
#pragma once

#include <vector>

#include "kernels/backend.h"

namespace syncline::test {

class RecordingBackend final : public Backend {
 public:
  explicit RecordingBackend(Backend& inner) : inner_(inner) {}
  std::vector<View> allocated;

  std::string_view name() const override { return inner_.name(); }
  std::string description() const override { return inner_.description(); }
  View allocate(std::int64_t count) override { return allocated.emplace_back(inner_.allocate(count)); }
  void copy_in(const View& to, std::span<const float> from) override { inner_.copy_in(to, from); }
  void copy_in_ints(const View& to, std::span<const std::int32_t> from) override { inner_.copy_in_ints(to, from); }
  void copy_out(const View& from, std::span<float> to) override { inner_.copy_out(from, to); }
  std::unique_ptr<ConvOp> conv(const ConvSpec& spec) override { return inner_.conv(spec); }
  std::unique_ptr<LinearOp> linear(const LinearSpec& spec) override { return inner_.linear(spec); }
  std::unique_ptr<BatchNormOp> batch_norm(const BatchNormSpec& spec) override { return inner_.batch_norm(spec); }
  std::unique_ptr<LayerNormOp> layer_norm(const LayerNormSpec& spec) override { return inner_.layer_norm(spec); }
  std::unique_ptr<PoolOp> pool(const PoolSpec& spec) override { return inner_.pool(spec); }
  void activation_forward(Activation kind, const View& x, const View& y) override { inner_.activation_forward(kind, x, y); }
  void activation_backward(Activation kind, const View& x, const View& y, const View& dy, const View& dx) override {
    inner_.activation_backward(kind, x, y, dy, dx);
  }
  void global_average_forward(std::int64_t r, std::int64_t p, std::int64_t c, const View& x, const View& y) override {
    inner_.global_average_forward(r, p, c, x, y);
  }
  void global_average_backward(std::int64_t r, std::int64_t p, std::int64_t c, const View& dy, const View& dx) override {
    inner_.global_average_backward(r, p, c, dy, dx);
  }
  void dropout(std::int64_t r, std::int64_t n, std::uint64_t key, std::int64_t first, double rate, const View& x, const View& y) override {
    inner_.dropout(r, n, key, first, rate, x, y);
  }
  void add(const View& a, const View& b, const View& out, bool relu) override { inner_.add(a, b, out, relu); }
  void copy_channels(std::int64_t p, const View& from, std::int64_t fw, std::int64_t ff, const View& to, std::int64_t tw, std::int64_t tf,
                     std::int64_t c, bool accumulate) override {
    inner_.copy_channels(p, from, fw, ff, to, tw, tf, c, accumulate);
  }
  void embedding_forward(std::int64_t p, std::int64_t v, std::int64_t w, const View& t, const View& table, const View& y) override {
    inner_.embedding_forward(p, v, w, t, table, y);
  }
  void embedding_backward(std::int64_t p, std::int64_t v, std::int64_t w, const View& t, const View& dy, const View& d, bool acc) override {
    inner_.embedding_backward(p, v, w, t, dy, d, acc);
  }
  LossResult softmax_cross_entropy(std::int64_t r, std::int64_t c, const View& x, const View& l, double s, const View& d) override {
    return inner_.softmax_cross_entropy(r, c, x, l, s, d);
  }
  void set(const View& out, std::initializer_list<Term> sum, bool relaxed) override { inner_.set(out, sum, relaxed); }
  void fill(const View& out, float value) override { inner_.fill(out, value); }
  double dot(const View& a, const View& b) override { return inner_.dot(a, b); }
  bool all_finite(const View& x) override { return inner_.all_finite(x); }
  void pointwise(std::string_view f, std::span<const View> v, std::span<const double> s) override { inner_.pointwise(f, v, s); }

 private:
  Backend& inner_;
};

class SilentBackend final : public Backend {
  struct Conv final : ConvOp {
    void forward(std::int64_t, const View&, const View&, const View&, const View&) override {}
    void backward_weights(std::int64_t, const View&, const View&, const View&, const View&, const View&, bool) override {}
    void backward_input(std::int64_t, const View&, const View&, const View&, const View&) override {}
  };
  struct Linear final : LinearOp {
    void forward(std::int64_t, const View&, const View&, const View&, const View&) override {}
    void backward_weights(std::int64_t, const View&, const View&, const View&, const View&, const View&, bool) override {}
    void backward_input(std::int64_t, const View&, const View&, const View&, const View&) override {}
  };
  struct BatchNorm final : BatchNormOp {
    void forward_training(std::int64_t, const View&, const View&, const View&, const View&, const View&, const View&) override {}
    void forward_inference(std::int64_t, const View&, const View&, const View&, const View&, const View&, const View&) override {}
    void backward(std::int64_t, const View&, const View&, const View&, const View&, const View&, const View&, const View&, const View&,
                  const View&, const View&, bool) override {}
    void update_running(std::int64_t, const View&, const View&, const View&, const View&, double) override {}
  };
  struct LayerNorm final : LayerNormOp {
    void forward(std::int64_t, const View&, const View&, const View&, const View&, const View&, const View&) override {}
    void backward(std::int64_t, const View&, const View&, const View&, const View&, const View&, const View&, const View&, const View&,
                  bool) override {}
  };
  struct Pool final : PoolOp {
    std::int64_t workspace_count(std::int64_t rows) override { return rows; }
    void forward(std::int64_t, const View&, const View&, const View&) override {}
    void backward(std::int64_t, const View&, const View&, const View&) override {}
  };

 public:
  std::string_view name() const override { return "silent"; }
  std::string description() const override { return "computes nothing"; }
  View allocate(std::int64_t count) override { return View::host(count); }
  void copy_in(const View&, std::span<const float>) override {}
  void copy_in_ints(const View&, std::span<const std::int32_t>) override {}
  void copy_out(const View&, std::span<float>) override {}
  std::unique_ptr<ConvOp> conv(const ConvSpec&) override { return std::make_unique<Conv>(); }
  std::unique_ptr<LinearOp> linear(const LinearSpec&) override { return std::make_unique<Linear>(); }
  std::unique_ptr<BatchNormOp> batch_norm(const BatchNormSpec&) override { return std::make_unique<BatchNorm>(); }
  std::unique_ptr<LayerNormOp> layer_norm(const LayerNormSpec&) override { return std::make_unique<LayerNorm>(); }
  std::unique_ptr<PoolOp> pool(const PoolSpec&) override { return std::make_unique<Pool>(); }
  void activation_forward(Activation, const View&, const View&) override {}
  void activation_backward(Activation, const View&, const View&, const View&, const View&) override {}
  void global_average_forward(std::int64_t, std::int64_t, std::int64_t, const View&, const View&) override {}
  void global_average_backward(std::int64_t, std::int64_t, std::int64_t, const View&, const View&) override {}
  void dropout(std::int64_t, std::int64_t, std::uint64_t, std::int64_t, double, const View&, const View&) override {}
  void add(const View&, const View&, const View&, bool) override {}
  void copy_channels(std::int64_t, const View&, std::int64_t, std::int64_t, const View&, std::int64_t, std::int64_t, std::int64_t,
                     bool) override {}
  void embedding_forward(std::int64_t, std::int64_t, std::int64_t, const View&, const View&, const View&) override {}
  void embedding_backward(std::int64_t, std::int64_t, std::int64_t, const View&, const View&, const View&, bool) override {}
  LossResult softmax_cross_entropy(std::int64_t, std::int64_t, const View&, const View&, double, const View&) override { return {}; }
  void set(const View&, std::initializer_list<Term>, bool) override {}
  void fill(const View&, float) override {}
  double dot(const View&, const View&) override { return 0; }
  bool all_finite(const View&) override { return true; }
  void pointwise(std::string_view, std::span<const View>, std::span<const double>) override {}
};

}  // namespace syncline::test
