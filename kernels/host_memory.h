// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace syncline {

// Uninitialised host memory for std::free, 4096-byte aligned from 4 KiB, else 64. From 1 MiB it lies on whole pages of 2 MiB that the
// kernel is asked to make huge: a step walks over far more memory than the processor's table of 4 KiB pages covers, in a virtual machine
// at twice the price. Throws std::bad_alloc.
void* host_memory(std::size_t bytes);

}  // namespace syncline
