// SPDX-License-Identifier: Apache-2.0
// A loader without samples: only how many rows every step has, in the order of a real one. For tasks that compute nothing.
#pragma once

#include <memory>

#include "engine/data/dataset.h"

namespace syncline {

// Batches as make_loader() over a training set of `samples` gives them, with rows, positions and epochs, but without images and labels.
std::unique_ptr<Loader> make_counting_loader(std::int64_t samples, const LoaderOptions&);

}  // namespace syncline
