// SPDX-License-Identifier: Apache-2.0
#include "engine/comm/arithmetic.h"

#include <bit>
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

constexpr std::uint32_t infinity = 0x7f800000;

// The bits of an fp16 number by integer arithmetic, which vectorises everywhere: rebias the exponent and round the mantissa; below the
// smallest normal number an addition rounds to its unit.
inline std::uint16_t half_of(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = bits & 0x80000000, magnitude = bits ^ sign;
  const std::uint32_t special = magnitude > infinity ? 0x7e00 : 0x7c00;
  const std::uint32_t small = std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude) + 0.5F) - 0x3f000000;
  const std::uint32_t normal = (magnitude - 0x38000000 + 0xfff + ((magnitude >> 13) & 1)) >> 13;
  const std::uint32_t rounded = magnitude >= 0x47800000 ? special : magnitude < 0x38800000 ? small : normal;
  return static_cast<std::uint16_t>(rounded | sign >> 16);
}

inline float of_half(std::uint16_t half) {
  const std::uint32_t shifted = static_cast<std::uint32_t>(half & 0x7fff) << 13, exponent = shifted & 0x0f800000;
  const std::uint32_t normal = shifted + 0x38000000;
  const std::uint32_t special = normal + 0x38000000;
  const std::uint32_t small = std::bit_cast<std::uint32_t>(std::bit_cast<float>(normal + 0x00800000) - std::bit_cast<float>(0x38800000U));
  const std::uint32_t magnitude = exponent == 0x0f800000 ? special : exponent == 0 ? small : normal;
  return std::bit_cast<float>(magnitude | static_cast<std::uint32_t>(half & 0x8000) << 16);
}

inline std::uint16_t brain_of(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t rounded = (bits + 0x7fff + ((bits >> 16) & 1)) >> 16;
  return static_cast<std::uint16_t>((bits & 0x7fffffff) > infinity ? (bits >> 16) | 0x40 : rounded);
}

SYNCLINE_CLONES void to_half(const float* __restrict from, std::uint16_t* __restrict into, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) into[i] = half_of(from[i]);
}
SYNCLINE_CLONES void from_half(const std::uint16_t* __restrict from, float* __restrict into, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) into[i] = of_half(from[i]);
}
SYNCLINE_CLONES void to_brain(const float* __restrict from, std::uint16_t* __restrict into, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) into[i] = brain_of(from[i]);
}
SYNCLINE_CLONES void from_brain(const std::uint16_t* __restrict from, float* __restrict into, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) into[i] = std::bit_cast<float>(static_cast<std::uint32_t>(from[i]) << 16);
}

}  // namespace

void encode(WireFormat format, const float* from, std::uint16_t* into, std::int64_t count) {
  format == WireFormat::fp16 ? to_half(from, into, count) : to_brain(from, into, count);
}

void decode(WireFormat format, const std::uint16_t* from, float* into, std::int64_t count) {
  format == WireFormat::fp16 ? from_half(from, into, count) : from_brain(from, into, count);
}

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
