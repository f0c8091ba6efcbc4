// SPDX-License-Identifier: Apache-2.0
// Buckets of 2^4, 2^6, 2^8, ... points with what a plot needs of them. Appending a point touches the last bucket of each level only.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/store/reader.h"

namespace syncline {

inline constexpr int first_level = 4, level_step = 2, last_level = 30;

// A level exists once the series has more points than the level below has in one bucket.
constexpr bool level_exists(int level, std::int64_t points) {
  return level == first_level || points > (std::int64_t{1} << (level - level_step));
}

void add_to_bucket(SeriesBucket&, const Axes&, double value);  // a default-constructed bucket is empty

// How a value is stored: SQLite has no NaN.
enum class ValueKind : int { finite = 0, nan = 1, positive_infinity = 2, negative_infinity = 3 };
ValueKind kind_of(double);
double value_of_kind(ValueKind, double finite);

// Times are stored in whole microseconds, so that a point is the same as a row, in a chunk, and in another workspace.
double to_microseconds(double seconds);
Axes stored_axes(Axes);

}  // namespace syncline
