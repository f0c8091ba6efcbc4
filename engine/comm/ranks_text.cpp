// SPDX-License-Identifier: Apache-2.0
#include "engine/comm/ranks_text.h"

#include <fmt/core.h>

namespace syncline {

std::string ranks_text(std::span<const int> ranks) {
  constexpr std::size_t most = 12;
  std::string text = ranks.size() == 1 ? "rank " : "ranks ";
  for (std::size_t k = 0; k < ranks.size(); ++k) {
    if (k == most && ranks.size() > most + 1) return text + fmt::format(" and {} more", ranks.size() - most);
    if (k > 0) text += k + 1 == ranks.size() ? " and " : ", ";
    text += std::to_string(ranks[k]);
  }
  return ranks.empty() ? std::string() : text;
}

}  // namespace syncline
