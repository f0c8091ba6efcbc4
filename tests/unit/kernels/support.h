// SPDX-License-Identifier: Apache-2.0
// Random data in both precisions, and the comparison: relative to the largest value, since a sum's rounding scales with its terms.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "engine/base/random.h"
#include "kernels/backend.h"
#include "tests/unit/kernels/reference.h"

namespace syncline {

struct Data {  // the same numbers for the device and for the reference
  View view;
  reference::Values values;
};

inline View view_of(const reference::Values& values) {
  const View view = View::host(static_cast<std::int64_t>(values.size()));
  for (std::size_t i = 0; i < values.size(); ++i) view.data()[i] = static_cast<float>(values[i]);
  return view;
}

inline View ints_view(const std::vector<std::int32_t>& values) {
  const View view = View::host(static_cast<std::int64_t>(values.size()));
  for (std::size_t i = 0; i < values.size(); ++i) view.ints()[i] = values[i];
  return view;
}

// Uniform in -1..1, exactly representable in fp32.
inline Data random_data(std::int64_t count, std::uint64_t seed) {
  RandomStream stream(seed, "kernels test");
  reference::Values values;
  for (std::int64_t i = 0; i < count; ++i) values.push_back(static_cast<double>(static_cast<float>(2 * stream.uniform() - 1)));
  return {view_of(values), values};
}

inline View nan_view(std::int64_t count) {  // an output that was not written shows
  const View view = View::host(count);
  for (float& value : view.floats()) value = std::nanf("");
  return view;
}

inline ::testing::AssertionResult close(const View& view, const reference::Values& expected, double tolerance = 1e-4) {
  if (view.count() != static_cast<std::int64_t>(expected.size())) {
    return ::testing::AssertionFailure() << view.count() << " elements instead of " << expected.size();
  }
  double largest = 1e-3;
  for (const double value : expected) largest = std::max(largest, std::abs(value));
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const double got = static_cast<double>(view.data()[i]);
    if (std::abs(got - expected[i]) <= tolerance * largest) continue;
    return ::testing::AssertionFailure() << "element " << i << " is " << got << " instead of " << expected[i] << " (largest " << largest
                                         << ")";
  }
  return ::testing::AssertionSuccess();
}

inline reference::Values plus(reference::Values a, const reference::Values& b) {
  for (std::size_t i = 0; i < a.size(); ++i) a[i] += b.at(i);
  return a;
}

inline std::vector<float> copy_of(const View& view) { return {view.floats().begin(), view.floats().end()}; }

}  // namespace syncline
