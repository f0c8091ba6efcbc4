// SPDX-License-Identifier: Apache-2.0
#include "engine/sim/sim_backend.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "engine/base/error.h"
#include "kernels/pointwise/strategies.h"

namespace syncline {
namespace {

bool is_ghost(const View& view) { return view.place() == Storage::Place::ghost; }

[[noreturn]] void no_layers() { throw UsageError("internal error: a layer's operation in virtual time, where passes are modelled"); }

void check_equal(const View& view, std::int64_t count) {
  if (view.count() != count) throw std::invalid_argument("vectors of different length in one operation");
}

template <class Functor>
bool run_if(std::string_view name, std::span<const View> views, std::span<const double> scalars) {
  if (name != Functor::kName) return false;
  if (views.size() != Functor::kViews || scalars.size() != Functor::kScalars)
    throw std::invalid_argument("functor \"" + std::string(name) + "\" takes another number of vectors or scalars");
  const Functor functor(scalars.data());
  for (const View& view : views) check_equal(view, views[0].count());
  if (std::any_of(views.begin(), views.end(), is_ghost)) return true;
  for (std::int64_t i = 0; i < views[0].count(); ++i) {
    [&]<std::size_t... k>(std::index_sequence<k...>) { functor(views[k].data()[i]...); }
    (std::make_index_sequence<Functor::kViews>());
  }
  return true;
}

}  // namespace

void SimBackend::copy_in(const View& to, std::span<const float> from) {
  if (!is_ghost(to)) std::copy(from.begin(), from.end(), to.data());
}
void SimBackend::copy_in_ints(const View& to, std::span<const std::int32_t> from) {
  if (!is_ghost(to)) std::copy(from.begin(), from.end(), to.ints());
}
void SimBackend::copy_out(const View& from, std::span<float> to) {
  if (is_ghost(from))
    std::fill(to.begin(), to.end(), 0.0f);
  else
    std::copy_n(from.data(), from.count(), to.begin());
}

void SimBackend::set(const View& out, std::initializer_list<Term> sum, bool) {
  if (sum.size() < 1 || sum.size() > 4) throw std::invalid_argument("a sum of 1 to 4 terms");
  bool ghost = is_ghost(out);
  for (const Term& term : sum) {
    check_equal(term.x, out.count());
    ghost = ghost || is_ghost(term.x);
  }
  charge(out.count() * static_cast<std::int64_t>(sum.size() + 1));
  if (ghost) return;
  for (std::int64_t i = 0; i < out.count(); ++i) {
    float value = static_cast<float>(sum.begin()->factor) * sum.begin()->x.data()[i];
    for (const Term* term = sum.begin() + 1; term != sum.end(); ++term) value += static_cast<float>(term->factor) * term->x.data()[i];
    out.data()[i] = value;
  }
}

void SimBackend::fill(const View& out, float value) {
  charge(out.count());
  if (!is_ghost(out)) std::fill_n(out.data(), out.count(), value);
}

double SimBackend::dot(const View& a, const View& b) {
  check_equal(b, a.count());
  charge(2 * a.count());
  if (is_ghost(a) || is_ghost(b)) return std::numeric_limits<double>::quiet_NaN();
  double sum = 0;
  for (std::int64_t i = 0; i < a.count(); ++i) sum += static_cast<double>(a.data()[i]) * static_cast<double>(b.data()[i]);
  return sum;
}

bool SimBackend::all_finite(const View& view) {
  charge(view.count());
  return is_ghost(view) || std::all_of(view.data(), view.data() + view.count(), [](float value) { return std::isfinite(value); });
}

void SimBackend::pointwise(std::string_view functor, std::span<const View> views, std::span<const double> scalars) {
  const bool known = run_if<pointwise::DelayCompensation>(functor, views, scalars) ||
                     run_if<pointwise::AdaptiveDelayCompensation>(functor, views, scalars) ||
                     run_if<pointwise::Multiply>(functor, views, scalars);
  if (!known) throw std::invalid_argument("there is no functor \"" + std::string(functor) + "\"");
  charge(views[0].count() * static_cast<std::int64_t>(views.size() + 1));
}

std::unique_ptr<ConvOp> SimBackend::conv(const ConvSpec&) { no_layers(); }
std::unique_ptr<LinearOp> SimBackend::linear(const LinearSpec&) { no_layers(); }
std::unique_ptr<BatchNormOp> SimBackend::batch_norm(const BatchNormSpec&) { no_layers(); }
std::unique_ptr<LayerNormOp> SimBackend::layer_norm(const LayerNormSpec&) { no_layers(); }
std::unique_ptr<PoolOp> SimBackend::pool(const PoolSpec&) { no_layers(); }
void SimBackend::activation_forward(Activation, const View&, const View&) { no_layers(); }
void SimBackend::activation_backward(Activation, const View&, const View&, const View&, const View&) { no_layers(); }
void SimBackend::global_average_forward(std::int64_t, std::int64_t, std::int64_t, const View&, const View&) { no_layers(); }
void SimBackend::global_average_backward(std::int64_t, std::int64_t, std::int64_t, const View&, const View&) { no_layers(); }
void SimBackend::dropout(std::int64_t, std::int64_t, std::uint64_t, std::int64_t, double, const View&, const View&) { no_layers(); }
void SimBackend::add(const View&, const View&, const View&, bool) { no_layers(); }
void SimBackend::copy_channels(std::int64_t, const View&, std::int64_t, std::int64_t, const View&, std::int64_t, std::int64_t, std::int64_t,
                               bool) {
  no_layers();
}
void SimBackend::embedding_forward(std::int64_t, std::int64_t, std::int64_t, const View&, const View&, const View&) { no_layers(); }
void SimBackend::embedding_backward(std::int64_t, std::int64_t, std::int64_t, const View&, const View&, const View&, bool) { no_layers(); }
Backend::LossResult SimBackend::softmax_cross_entropy(std::int64_t, std::int64_t, const View&, const View&, double, const View&) {
  no_layers();
}

}  // namespace syncline
