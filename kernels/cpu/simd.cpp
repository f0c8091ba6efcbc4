// SPDX-License-Identifier: Apache-2.0
// The same source three times with different target options. Only these files' own functions lie between push and pop: nothing from a
// library's header can be compiled for one instruction set here and run on another processor through another file's call.
#include "kernels/cpu/simd.h"

#include <array>
#include <cstdint>
#include <utility>

#pragma GCC diagnostic ignored "-Wpsabi"  // vectors cross calls only inside always_inline functions

#define SYNCLINE_SIMD_LEVEL baseline
#include "kernels/cpu/simd_table.inc"
#undef SYNCLINE_SIMD_LEVEL

#if defined(__x86_64__) && defined(__GNUC__)
#define SYNCLINE_SIMD_X86
#ifdef __clang__
#pragma clang attribute push(__attribute__((target("avx2,fma"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2,fma")
#endif
#define SYNCLINE_SIMD_LEVEL avx2
#include "kernels/cpu/simd_table.inc"
#undef SYNCLINE_SIMD_LEVEL
#ifdef __clang__
#pragma clang attribute pop
#pragma clang attribute push(__attribute__((target("avx2,fma,avx512f,avx512bw,avx512dq,avx512vl"))), apply_to = function)
#else
#pragma GCC pop_options
#pragma GCC push_options
#pragma GCC target("avx2,fma,avx512f,avx512bw,avx512dq,avx512vl,prefer-vector-width=512")
#endif
#define SYNCLINE_SIMD_LEVEL avx512
#include "kernels/cpu/simd_table.inc"
#undef SYNCLINE_SIMD_LEVEL
#ifdef __clang__
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
#endif

namespace syncline::cpu {

std::span<const Kernels> usable_kernels() {
#ifdef SYNCLINE_SIMD_X86
  static constexpr std::array<Kernels, 3> all{baseline::table("baseline"), avx2::table("AVX2"), avx512::table("AVX-512")};
  const bool wide = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  const bool widest = wide && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  return std::span(all).first(widest ? 3 : wide ? 2 : 1);
#else
  static constexpr std::array<Kernels, 1> all{baseline::table("baseline")};
  return all;
#endif
}

}  // namespace syncline::cpu
