// SPDX-License-Identifier: Apache-2.0
// Random numbers through named streams only. Philox 4x32-10 (Salmon et al., SC'11) is counter-based: a number is a pure function of
// (seed, stream, counter), so a sample's augmentation or a unit's dropout needs no state, no order and nothing in a checkpoint.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <string_view>

namespace syncline {

// One block of Philox 4x32-10: 128 random bits from a 128-bit counter and a 64-bit key.
constexpr std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter, std::uint64_t key) {
  std::uint32_t k0 = static_cast<std::uint32_t>(key), k1 = static_cast<std::uint32_t>(key >> 32);
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t p0 = 0xD2511F53ull * counter[0], p1 = 0xCD9E8D57ull * counter[2];
    counter = {static_cast<std::uint32_t>(p1 >> 32) ^ counter[1] ^ k0, static_cast<std::uint32_t>(p1),
               static_cast<std::uint32_t>(p0 >> 32) ^ counter[3] ^ k1, static_cast<std::uint32_t>(p0)};
    k0 += 0x9E3779B9u;
    k1 += 0xBB67AE85u;
  }
  return counter;
}

// Mixes a purpose's name and up to three numbers (rank, epoch, sample, step, layer) into the key of a stream. FNV-1a over the name,
// then Philox as the mixer, so that neighbouring numbers give unrelated streams.
constexpr std::uint64_t stream_key(std::uint64_t seed, std::string_view purpose, std::uint64_t a = 0, std::uint64_t b = 0,
                                   std::uint64_t c = 0) {
  std::uint64_t hash = 0xcbf29ce484222325ull;
  for (const char character : purpose) hash = (hash ^ static_cast<unsigned char>(character)) * 0x100000001b3ull;
  for (const std::uint64_t word : {hash, a, b, c}) {
    const auto block = philox({static_cast<std::uint32_t>(word), static_cast<std::uint32_t>(word >> 32), 0x53796e63u, 0x6c696e65u}, seed);
    seed = (static_cast<std::uint64_t>(block[1]) << 32) | block[0];
  }
  return seed;
}

// A sequence of numbers from one stream. Copyable; two streams with the same key give the same numbers.
class RandomStream {
 public:
  explicit RandomStream(std::uint64_t key) : key_(key) {}
  RandomStream(std::uint64_t seed, std::string_view purpose, std::uint64_t a = 0, std::uint64_t b = 0, std::uint64_t c = 0)
      : key_(stream_key(seed, purpose, a, b, c)) {}

  std::uint32_t bits() {
    if (used_ == 4) {
      block_ = philox({static_cast<std::uint32_t>(counter_), static_cast<std::uint32_t>(counter_ >> 32), 0, 0}, key_);
      ++counter_;
      used_ = 0;
    }
    return block_[static_cast<std::size_t>(used_++)];
  }
  // Uniform in [0, 1), 53 bits.
  double uniform() {
    const std::uint64_t high = bits() >> 5, low = bits() >> 6;
    return static_cast<double>((high << 26) | low) * 0x1p-53;
  }
  // Uniform in 0..bound-1 without bias (Lemire's multiply-and-reject). bound >= 1.
  std::uint32_t below(std::uint32_t bound) {
    std::uint64_t product = static_cast<std::uint64_t>(bits()) * bound;
    if (static_cast<std::uint32_t>(product) < bound) {
      const std::uint32_t threshold = (0u - bound) % bound;
      while (static_cast<std::uint32_t>(product) < threshold) product = static_cast<std::uint64_t>(bits()) * bound;
    }
    return static_cast<std::uint32_t>(product >> 32);
  }
  // Standard normal (Box-Muller, one of the pair).
  double normal() {
    const double radius = std::sqrt(-2.0 * std::log(1.0 - uniform()));
    return radius * std::cos(6.283185307179586476925 * uniform());
  }

 private:
  std::uint64_t key_, counter_ = 0;
  std::array<std::uint32_t, 4> block_{};
  int used_ = 4;
};

}  // namespace syncline
