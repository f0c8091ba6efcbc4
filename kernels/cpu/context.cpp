// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/context.h"

#include <omp.h>

#include <cstdlib>
#include <stdexcept>

#include "kernels/host_memory.h"

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

namespace syncline::cpu {
namespace {

void flush_denormals() {
#if defined(__SSE2__)
  _mm_setcsr(_mm_getcsr() | 0x8040u);  // flush to zero (bit 15), denormals are zero (bit 6)
#endif
}

}  // namespace

void Arena::Free::operator()(std::byte* pointer) const { std::free(pointer); }

void Arena::reserve(std::size_t bytes) {
  if (bytes <= bytes_) return;
  const std::size_t rounded = (bytes + 4095) / 4096 * 4096;
  data_.reset();
  bytes_ = 0;
  data_.reset(static_cast<std::byte*>(host_memory(rounded)));
  bytes_ = rounded;
}

Context::Context(int threads)
    : threads_(threads > 0 ? threads : omp_get_max_threads()), simd_(&kernels()), engine_(dnnl::engine::kind::cpu, 0), stream_(engine_) {
  enter();
}

void Context::enter() {
  static thread_local int configured = 0;
  if (configured == threads_) return;
  omp_set_dynamic(0);
  omp_set_num_threads(threads_);
  flush_denormals();
  if (threads_ > 1) {
#pragma omp parallel num_threads(threads_)
    flush_denormals();
  }
  configured = threads_;
}

void require(const View& view, std::int64_t count, const char* what) {
  if (view.count() < count) {
    throw std::invalid_argument(std::string(what) + " has " + std::to_string(view.count()) + " elements and needs " +
                                std::to_string(count));
  }
  if (count > 0 && view.place() != Storage::Place::host) throw std::invalid_argument(std::string(what) + " does not lie in host memory");
}

void require_rows(std::int64_t rows, const char* what) {
  if (rows < 0) throw std::invalid_argument(std::string(what) + " cannot run on " + std::to_string(rows) + " rows");
}

}  // namespace syncline::cpu
