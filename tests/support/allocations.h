// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace syncline::test {

std::int64_t allocations();  // by operator new, of every thread of this program since its start

class AllocationCount {
 public:
  std::int64_t so_far() const { return allocations() - before_; }

 private:
  std::int64_t before_ = allocations();
};

}  // namespace syncline::test
