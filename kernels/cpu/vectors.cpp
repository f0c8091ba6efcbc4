// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/vectors.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <stdexcept>

#include "kernels/pointwise/strategies.h"

namespace syncline::cpu {
namespace {

constexpr std::int64_t kGroup = 64;  // partial sums of a dot product kept on the stack at a time

void check_equal(std::int64_t count, std::int64_t expected, const char* what) {
  if (count != expected) {
    throw std::invalid_argument(std::string(what) + " has " + std::to_string(count) + " elements and needs " + std::to_string(expected));
  }
}

// Another thread may read or write the elements meanwhile: each access is atomic by itself, none orders another.
void set_relaxed(float* out, const float* const* terms, const float* factors, std::size_t count_of_terms, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) {
    float sum = 0;
    for (std::size_t t = 0; t < count_of_terms; ++t) {
      const float value = std::atomic_ref<float>(const_cast<float&>(terms[t][i])).load(std::memory_order_relaxed) * factors[t];
      sum = t == 0 ? value : sum + value;
    }
    std::atomic_ref<float>(out[i]).store(sum, std::memory_order_relaxed);
  }
}

template <class F, std::size_t... I>
bool run_functor(Context& context, std::string_view name, std::span<const View> views, std::span<const double> scalars,
                 std::index_sequence<I...>) {
  if (name != F::kName) return false;
  if (views.size() != F::kViews || scalars.size() != F::kScalars) {
    throw std::invalid_argument(std::string(name) + " takes " + std::to_string(F::kViews) + " vectors and " + std::to_string(F::kScalars) +
                                " scalars, not " + std::to_string(views.size()) + " and " + std::to_string(scalars.size()));
  }
  for (const View& view : views) {
    check_equal(view.count(), views[0].count(), "a vector of a functor");
    require(view, view.count(), "a vector of a functor");
  }
  const F functor(scalars.data());
  const std::array<float*, sizeof...(I)> data{views[I].data()...};
  context.ranges(views[0].count(), kPiece, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i) functor(data[I][i]...);
  });
  return true;
}

template <class... F>
bool run_any(Context& context, std::string_view name, std::span<const View> views, std::span<const double> scalars) {
  return (run_functor<F>(context, name, views, scalars, std::make_index_sequence<static_cast<std::size_t>(F::kViews)>{}) || ...);
}

void check_tokens(std::int64_t positions, std::int64_t vocabulary, const std::int32_t* tokens) {
  for (std::int64_t i = 0; i < positions; ++i) {
    if (tokens[i] >= 0 && tokens[i] < vocabulary) continue;
    throw std::out_of_range("token " + std::to_string(tokens[i]) + " at position " + std::to_string(i) + " is not one of a vocabulary of " +
                            std::to_string(vocabulary));
  }
}

}  // namespace

void set(Context& context, const View& out, std::initializer_list<Backend::Term> sum, bool relaxed) {
  if (sum.size() < 1 || sum.size() > 4) throw std::invalid_argument("a sum of vectors has 1 to 4 terms, not " + std::to_string(sum.size()));
  require(out, out.count(), "a sum of vectors");
  std::array<const float*, 4> terms{};
  std::array<float, 4> factors{};
  std::size_t used = 0;
  for (const Backend::Term& term : sum) {
    check_equal(term.x.count(), out.count(), "a term of a sum of vectors");
    require(term.x, out.count(), "a term of a sum of vectors");
    terms.at(used) = term.x.data();
    factors.at(used++) = static_cast<float>(term.factor);
  }
  context.enter();
  context.ranges(out.count(), kPiece, [&](std::int64_t first, std::int64_t last) {
    std::array<const float*, 4> at{};
    for (std::size_t t = 0; t < used; ++t) at[t] = terms[t] + first;
    if (relaxed) {
      set_relaxed(out.data() + first, at.data(), factors.data(), used, last - first);
    } else {
      context.simd().set(out.data() + first, at.data(), factors.data(), static_cast<int>(used), last - first);
    }
  });
}

double dot(Context& context, const View& a, const View& b) {
  check_equal(b.count(), a.count(), "the second vector of a dot product");
  require(a, a.count(), "the first vector of a dot product");
  require(b, b.count(), "the second vector of a dot product");
  context.enter();
  double total = 0;
  for (std::int64_t start = 0; start < a.count(); start += kGroup * kPiece) {
    std::array<double, kGroup> parts{};
    const std::int64_t count = std::min(kGroup * kPiece, a.count() - start);
    context.ranges(count, kPiece, [&](std::int64_t first, std::int64_t last) {
      parts[static_cast<std::size_t>(first / kPiece)] =
          context.simd().dot(a.data() + start + first, b.data() + start + first, last - first);
    });
    for (const double part : parts) total += part;
  }
  return total;
}

bool all_finite(Context& context, const View& x) {
  require(x, x.count(), "a vector");
  context.enter();
  std::atomic<bool> finite{true};
  context.ranges(x.count(), kPiece, [&](std::int64_t first, std::int64_t last) {
    if (!context.simd().all_finite(x.data() + first, last - first)) finite.store(false, std::memory_order_relaxed);
  });
  return finite.load();
}

void add(Context& context, const View& a, const View& b, const View& out, bool relu) {
  check_equal(b.count(), a.count(), "the second term of an addition");
  require(a, a.count(), "the first term of an addition");
  require(b, a.count(), "the second term of an addition");
  require(out, a.count(), "the result of an addition");
  context.enter();
  context.ranges(a.count(), kPiece, [&](std::int64_t first, std::int64_t last) {
    context.simd().add(a.data() + first, b.data() + first, out.data() + first, last - first, relu);
  });
}

void pointwise(Context& context, std::string_view functor, std::span<const View> views, std::span<const double> scalars) {
  context.enter();
  if (run_any<pointwise::DelayCompensation, pointwise::AdaptiveDelayCompensation, pointwise::Multiply>(context, functor, views, scalars))
    return;
  throw std::invalid_argument("there is no functor \"" + std::string(functor) + "\"");
}

void dropout(Context& context, std::int64_t rows, std::int64_t per_row, std::uint64_t key, std::int64_t first_position, double rate,
             const View& x, const View& y) {
  require_rows(rows, "dropout");
  if (!(rate >= 0 && rate < 1)) throw std::invalid_argument("a dropout rate is at least 0 and less than 1, not " + std::to_string(rate));
  require(x, rows * per_row, "dropout's input");
  require(y, rows * per_row, "dropout's output");
  context.enter();
  const std::uint32_t threshold =
      static_cast<std::uint32_t>(std::llround(rate * 4294967296.0) > 4294967295ll ? 4294967295ll : std::llround(rate * 4294967296.0));
  const float scale = static_cast<float>(1.0 / (1.0 - rate));
  context.ranges(rows, 1, [&](std::int64_t row, std::int64_t) {
    context.simd().dropout(x.data() + row * per_row, y.data() + row * per_row, per_row, key,
                           static_cast<std::uint64_t>(first_position + row), threshold, scale);
  });
}

void copy_channels(Context& context, std::int64_t positions, const View& from, std::int64_t from_width, std::int64_t from_first,
                   const View& to, std::int64_t to_width, std::int64_t to_first, std::int64_t channels, bool accumulate) {
  require_rows(positions, "copying channels");
  if (channels < 0 || from_first < 0 || to_first < 0 || from_first + channels > from_width || to_first + channels > to_width) {
    throw std::invalid_argument("the channels to copy must lie within both matrices");
  }
  require(from, positions * from_width, "the matrix to copy from");
  require(to, positions * to_width, "the matrix to copy to");
  context.enter();
  context.ranges(positions, 256, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t position = first; position < last; ++position) {
      const float* source = from.data() + position * from_width + from_first;
      float* target = to.data() + position * to_width + to_first;
      if (accumulate) {
        context.simd().add(target, source, target, channels, false);
      } else {
        std::copy_n(source, channels, target);
      }
    }
  });
}

void embedding_forward(Context& context, std::int64_t positions, std::int64_t vocabulary, std::int64_t width, const View& tokens,
                       const View& table, const View& y) {
  require_rows(positions, "an embedding");
  require(tokens, positions, "an embedding's tokens");
  require(table, vocabulary * width, "an embedding's table");
  require(y, positions * width, "an embedding's output");
  check_tokens(positions, vocabulary, tokens.ints());
  context.enter();
  context.ranges(positions, 64, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i) std::copy_n(table.data() + tokens.ints()[i] * width, width, y.data() + i * width);
  });
}

// One thread adds the rows in order of position: two equal tokens never meet in another order.
void embedding_backward(Context& context, std::int64_t positions, std::int64_t vocabulary, std::int64_t width, const View& tokens,
                        const View& dy, const View& dtable, bool accumulate) {
  require_rows(positions, "an embedding");
  require(tokens, positions, "an embedding's tokens");
  require(dtable, vocabulary * width, "an embedding's table gradient");
  require(dy, positions * width, "an embedding's output gradient");
  check_tokens(positions, vocabulary, tokens.ints());
  context.enter();
  if (!accumulate) context.simd().fill(dtable.data(), 0.0f, vocabulary * width);
  for (std::int64_t i = 0; i < positions; ++i) {
    float* row = dtable.data() + tokens.ints()[i] * width;
    context.simd().add(row, dy.data() + i * width, row, width, false);
  }
}

}  // namespace syncline::cpu
