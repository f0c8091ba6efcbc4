// SPDX-License-Identifier: Apache-2.0
// In a file of its own: seeing the definitions where memory is used, the compiler takes free() for a mistake.
#include "tests/unit/data/allocations.h"

#include <atomic>
#include <cstdlib>
#include <new>

namespace {
std::atomic<std::int64_t> count = 0;
}

void* operator new(std::size_t size) {
  ++count;
  if (void* memory = std::malloc(size == 0 ? 1 : size)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace syncline::test {
std::int64_t allocations() { return count; }
}  // namespace syncline::test
