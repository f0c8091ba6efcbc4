// SPDX-License-Identifier: Apache-2.0
// ResNet-50 as the MG-WFBP card describes it ("Reproduction at small scale", 1): 161 tensors with shares of the backward time.
#pragma once

#include <cstdint>
#include <numeric>
#include <vector>

namespace syncline::test {

struct CardModel {  // in backward order
  std::vector<std::int64_t> elements;
  std::vector<double> backward_s;
  double forward_s = 0.06;
};

inline CardModel resnet50_of_the_card() {
  std::vector<std::int64_t> elements;  // forward order
  std::vector<double> work;
  const auto conv = [&](double in, double out, double kernel, double size) {
    elements.push_back(static_cast<std::int64_t>(in * out * kernel * kernel));
    work.push_back(in * out * kernel * kernel * size * size);
    for (int k = 0; k < 2; ++k) {  // batch normalisation: scale and shift
      elements.push_back(static_cast<std::int64_t>(out));
      work.push_back(2 * out * size * size);
    }
  };
  conv(3, 64, 7, 112);
  const int blocks[] = {3, 4, 6, 3};
  double in = 64;
  for (int stage = 0; stage < 4; ++stage) {
    const double width = 64 << stage, size = 56 >> stage;
    for (int block = 0; block < blocks[stage]; ++block) {
      conv(in, width, 1, size);
      conv(width, width, 3, size);
      conv(width, 4 * width, 1, size);
      if (block == 0) conv(in, 4 * width, 1, size);
      in = 4 * width;
    }
  }
  elements.push_back(2048 * 1000);
  work.push_back(2048 * 1000);
  elements.push_back(1000);
  work.push_back(1000);
  const double all = std::accumulate(work.begin(), work.end(), 0.0), tensors = static_cast<double>(work.size());
  CardModel model;
  for (std::size_t i = work.size(); i-- > 0;) {
    model.elements.push_back(elements[i]);
    model.backward_s.push_back(0.12 * (0.8 * work[i] / all + 0.2 / tensors));
  }
  return model;
}

}  // namespace syncline::test
