// SPDX-License-Identifier: Apache-2.0
// Random changes of training images, before normalisation. Each draws from a stream of its own for (seed, epoch, sample), so that a
// sample looks the same whatever rank or thread reads it, and whichever other changes are made.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "engine/data/dataset.h"

namespace syncline {

class Augmenter {
 public:
  // ConfigError for an unknown name and, if there is any, for samples that are not height x width x channels.
  Augmenter(const std::vector<std::string>& names, const Shape& shape, std::uint64_t seed);
  bool empty() const { return steps_.empty(); }
  // Changes `image` in place; `scratch` has the same size.
  void apply(std::int64_t epoch, std::int64_t id, std::span<std::uint8_t> image, std::span<std::uint8_t> scratch) const;

 private:
  Shape shape_;
  std::uint64_t seed_;
  std::vector<std::size_t> steps_;  // rows of the table, in its order: a change of the order in the file changes nothing
};

}  // namespace syncline
