// SPDX-License-Identifier: Apache-2.0
#include "engine/data/augment.h"

#include <algorithm>
#include <cstring>

#include "engine/base/random.h"

namespace syncline {

namespace {

struct Augmentation {
  Entry entry;
  void (*apply)(const Shape&, RandomStream&, std::span<std::uint8_t> image, std::span<std::uint8_t> scratch);
};

// Where a window of the same size lies over the image with a black border of 1/8 of the side (4 pixels at 28 and 32; He et al. 2016).
void crop(const Shape& shape, RandomStream& random, std::span<std::uint8_t> image, std::span<std::uint8_t> scratch) {
  const std::int64_t height = shape[0], width = shape[1], channels = shape[2];
  const std::int64_t pad_y = (height + 4) / 8, pad_x = (width + 4) / 8;
  const std::int64_t dy = random.below(static_cast<std::uint32_t>(2 * pad_y + 1)) - pad_y;
  const std::int64_t dx = random.below(static_cast<std::uint32_t>(2 * pad_x + 1)) - pad_x;
  std::copy(image.begin(), image.end(), scratch.begin());
  const std::int64_t first = std::max<std::int64_t>(0, -dx), last = std::min(width, width - dx);  // columns with a source
  for (std::int64_t y = 0; y < height; ++y) {
    std::uint8_t* out = image.data() + y * width * channels;
    if (y + dy < 0 || y + dy >= height) {
      std::memset(out, 0, static_cast<std::size_t>(width * channels));
      continue;
    }
    const std::uint8_t* in = scratch.data() + (y + dy) * width * channels;
    std::memset(out, 0, static_cast<std::size_t>(first * channels));
    std::memcpy(out + first * channels, in + (first + dx) * channels, static_cast<std::size_t>((last - first) * channels));
    std::memset(out + last * channels, 0, static_cast<std::size_t>((width - last) * channels));
  }
}

void flip(const Shape& shape, RandomStream& random, std::span<std::uint8_t> image, std::span<std::uint8_t>) {
  if (random.below(2) == 0) return;
  const std::int64_t height = shape[0], width = shape[1], channels = shape[2];
  for (std::int64_t y = 0; y < height; ++y) {
    std::uint8_t* left = image.data() + y * width * channels;
    std::uint8_t* right = left + (width - 1) * channels;
    for (; left < right; left += channels, right -= channels) std::swap_ranges(left, left + channels, right);
  }
}

constexpr Augmentation table[] = {
    {{"crop",
      "Random crop",
      "He et al. 2016, section 4.2",
      "Shifts the image by up to 1/8 of its side (4 pixels at 28 and 32), black at the border.",
      {}},
     &crop},
    {{"flip", "Random flip", "He et al. 2016, section 4.2", "Mirrors every other image left to right.", {}}, &flip},
};

}  // namespace

std::span<const Entry> augmentation_entries() {
  static const std::vector<Entry> entries = [] {
    std::vector<Entry> all;
    for (const Augmentation& augmentation : table) all.push_back(augmentation.entry);
    return all;
  }();
  return entries;
}

Augmenter::Augmenter(const std::vector<std::string>& names, const Shape& shape, std::uint64_t seed) : shape_(shape), seed_(seed) {
  for (const std::string& name : names) {
    if (std::none_of(std::begin(table), std::end(table), [&](const Augmentation& one) { return one.entry.name == name; })) {
      throw ConfigError("data.augment: there is no augmentation \"" + name + "\"; \"crop\" and \"flip\" are possible");
    }
  }
  for (std::size_t i = 0; i < std::size(table); ++i) {
    if (std::find(names.begin(), names.end(), table[i].entry.name) != names.end()) steps_.push_back(i);
  }
  if (!steps_.empty() && shape.rank() != 3)
    throw ConfigError("data.augment: samples of " + shape.text() + " are not images; the list must be empty");
}

void Augmenter::apply(std::int64_t epoch, std::int64_t id, std::span<std::uint8_t> image, std::span<std::uint8_t> scratch) const {
  for (const std::size_t step : steps_) {
    RandomStream random(seed_, "augment", static_cast<std::uint64_t>(epoch), static_cast<std::uint64_t>(id), step);
    table[step].apply(shape_, random, image, scratch);
  }
}

}  // namespace syncline
