// SPDX-License-Identifier: Apache-2.0
#include "engine/comm/arithmetic.h"

#include <cstring>

// Thread sanitizer's runtime is not up when the resolvers of target_clones run.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__)
#define SYNCLINE_CLONES __attribute__((target_clones("avx512f", "avx2", "default"), optimize("O3")))
#else
#define SYNCLINE_CLONES
#endif

namespace syncline {

namespace {

using Bits [[gnu::may_alias]] = std::int32_t;  // the same memory is written as floats elsewhere

SYNCLINE_CLONES void add(const float* __restrict from, float* __restrict into, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) into[i] = from[i] + into[i];
}

SYNCLINE_CLONES void maximum(const float* __restrict from, float* __restrict into, std::int64_t count) {
  // A NaN in `into` fails both comparisons and stays; one in `from` is taken by the second.
  for (std::int64_t i = 0; i < count; ++i) into[i] = from[i] > into[i] || from[i] != from[i] ? from[i] : into[i];
}

SYNCLINE_CLONES void bit_and(const Bits* __restrict from, Bits* __restrict into, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) into[i] &= from[i];
}

SYNCLINE_CLONES void scale(float factor, const float* from, float* into, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) into[i] = factor * from[i];
}

}  // namespace

void combine(Op op, const float* from, float* into, std::int64_t count) {
  switch (op) {
    case Op::sum:
      return add(from, into, count);
    case Op::max:
      return maximum(from, into, count);
    case Op::bit_and:
      return bit_and(reinterpret_cast<const Bits*>(from), reinterpret_cast<Bits*>(into), count);
  }
}

void scale_copy(float factor, const float* from, float* into, std::int64_t count) {
  if (factor != 1) return scale(factor, from, into, count);
  if (from != into && count > 0) std::memcpy(into, from, static_cast<std::size_t>(count) * 4);
}

}  // namespace syncline
