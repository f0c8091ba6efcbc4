// SPDX-License-Identifier: Apache-2.0
#include "kernels/host_memory.h"

#include <sys/mman.h>

#include <cstdlib>
#include <new>

namespace syncline {
namespace {

constexpr std::size_t line = 64, page = std::size_t{4} << 10, huge_page = std::size_t{2} << 20, worth_it = std::size_t{1} << 20;

std::size_t rounded(std::size_t bytes, std::size_t unit) { return (bytes + unit - 1) / unit * unit; }

}  // namespace

void* host_memory(std::size_t bytes) {
  const std::size_t unit = bytes >= worth_it ? huge_page : bytes >= page ? page : line;
  const std::size_t size = rounded(bytes, unit);
  if (size < bytes) throw std::bad_alloc();
  void* memory = std::aligned_alloc(unit, size);
  if (memory == nullptr) throw std::bad_alloc();
  if (unit == huge_page) ::madvise(memory, size, MADV_HUGEPAGE);  // advice: where the kernel has none of these pages, nothing is lost
  return memory;
}

}  // namespace syncline
