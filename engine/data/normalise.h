// SPDX-License-Identifier: Apache-2.0
// Bytes to floats: (value / 255 - mean) / stddev per channel, channels last.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/view.h"

namespace syncline {

class Normaliser {
 public:
  // `mean` and `stddev`: one per channel, or one for all. ConfigError for another number, and for a stddev that is not above 0.
  Normaliser(const Shape&, const std::vector<float>& mean, const std::vector<float>& stddev);
  void apply(std::span<const std::uint8_t> in, std::span<float> out) const;  // of one sample

 private:
  // One line of the image, the pattern of the channels repeated: the loop over it has no channel index and so becomes vector code.
  std::vector<float> scale_, shift_;
};

}  // namespace syncline
