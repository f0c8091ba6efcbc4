// SPDX-License-Identifier: Apache-2.0
#include "engine/data/source.h"

#include <algorithm>

#include "engine/base/error.h"

namespace syncline {

MemorySet::MemorySet(SetInfo info, std::vector<std::uint8_t> pixels, std::vector<std::int32_t> labels)
    : ImageSet(std::move(info), std::move(labels)),
      pixels_(std::move(pixels)),
      sample_bytes_(static_cast<std::size_t>(shape().elements())) {
  if (pixels_.size() != static_cast<std::size_t>(size()) * sample_bytes_) {
    throw UsageError("a set of " + std::to_string(size()) + " samples of " + shape().text() + " was given " +
                     std::to_string(pixels_.size()) + " bytes");
  }
}

void MemorySet::read(std::int64_t id, std::span<std::uint8_t> out) const {
  const auto begin = pixels_.begin() + id * static_cast<std::int64_t>(sample_bytes_);
  std::copy(begin, begin + static_cast<std::int64_t>(sample_bytes_), out.begin());
}

std::vector<std::string> numbered_classes(std::int64_t classes) {
  std::vector<std::string> names;
  for (std::int64_t i = 0; i < classes; ++i) names.push_back(std::to_string(i));
  return names;
}

}  // namespace syncline
