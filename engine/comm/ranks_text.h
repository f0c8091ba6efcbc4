// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

namespace syncline {

std::string ranks_text(std::span<const int> ranks);  // "rank 1", "ranks 1, 2 and 3"; long lists are cut, an empty one is no text

}  // namespace syncline
