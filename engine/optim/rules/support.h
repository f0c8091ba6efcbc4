// SPDX-License-Identifier: Apache-2.0
// What the built-in rules share: the glue between a class and the C table, and the loop over pieces of a range.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>

#include "plugins/sdk/syncline_optimizer.h"

// One body for each instruction set, chosen when the program is loaded. The results are the same bits: every operation rounds by itself.
#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && !defined(__clang__)
#define SYNCLINE_CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define SYNCLINE_CLONES
#endif

namespace syncline::rules {

inline constexpr std::int64_t grain = 16384;  // elements in a piece: 64 KiB of each array, and the unit of every sum

// R(const syncline_config&, const syncline_host&) and R::step(const syncline_step_args&), which cannot fail.
template <class R>
std::int32_t create(const syncline_config* config, const syncline_host* host, void** self, char*, std::size_t) {
  *self = new R(*config, *host);
  return 0;
}
template <class R>
std::int32_t step(void* self, const syncline_step_args* args, char*, std::size_t) {
  static_cast<R*>(self)->step(*args);
  return 0;
}
template <class R>
void destroy(void* self) {
  delete static_cast<R*>(self);
}

struct Names {
  const char *name, *title, *summary, *paper;
};

template <class R, std::size_t options>
constexpr syncline_optimizer_table table(const Names& names, const syncline_option (&list)[options], std::int32_t state_arrays,
                                         std::int32_t (*state_needed)(const syncline_config*) = nullptr) {
  return {.abi_version = SYNCLINE_ABI_VERSION,
          .struct_size = sizeof(syncline_optimizer_table),
          .name = names.name,
          .title = names.title,
          .summary = names.summary,
          .version = "",
          .license = "Apache-2.0",
          .paper = names.paper,
          .options = list,
          .option_count = static_cast<std::int32_t>(options),
          .state_arrays = state_arrays,
          .create = create<R>,
          .step = step<R>,
          .save = nullptr,
          .load = nullptr,
          .destroy = destroy<R>,
          .step_device = nullptr,
          .state_needed = state_needed};
}

struct RealOption {
  const char *key = nullptr, *symbol = nullptr, *help = nullptr;
  double initial = 0, least = SYNCLINE_OPEN, most = SYNCLINE_OPEN;
  bool advanced = false;
  const char* only_if = nullptr;
};
constexpr syncline_option real(const RealOption& o) {
  return {.key = o.key,
          .symbol = o.symbol,
          .help = o.help,
          .section = nullptr,
          .unit = nullptr,
          .only_if = o.only_if,
          .choices = nullptr,
          .choice_count = 0,
          .kind = SYNCLINE_REAL,
          .initial_kind = SYNCLINE_REAL,
          .optional = 0,
          .initial_integer = 0,
          .initial_real = o.initial,
          .initial_text = nullptr,
          .least = o.least,
          .most = o.most,
          .advanced = o.advanced,
          .reserved = 0};
}
constexpr syncline_option flag(const char* key, const char* help, bool initial, const char* only_if = nullptr) {
  return {.key = key,
          .symbol = nullptr,
          .help = help,
          .section = nullptr,
          .unit = nullptr,
          .only_if = only_if,
          .choices = nullptr,
          .choice_count = 0,
          .kind = SYNCLINE_FLAG,
          .initial_kind = SYNCLINE_FLAG,
          .optional = 0,
          .initial_integer = initial,
          .initial_real = 0,
          .initial_text = nullptr,
          .least = SYNCLINE_OPEN,
          .most = SYNCLINE_OPEN,
          .advanced = 0,
          .reserved = 0};
}

// 1 - beta^step in double: the bias that a moving average from zero still has.
double bias(double beta, std::int64_t step);

inline float decay_of(const syncline_slice& slice, double weight_decay) {
  return (slice.flags & SYNCLINE_DECAY) != 0 ? static_cast<float>(weight_decay) : 0.0f;
}

// run(slice, first, count) for pieces of at most `grain` elements that lie within one layer, in parallel. For rules that treat every
// element by itself, so where the pieces are cut changes nothing.
template <class Run>
void for_each_piece(const syncline_host& host, const syncline_step_args& args, const Run& run) {
  struct Call {
    const syncline_step_args& args;
    const Run& run;
  } call{args, run};
  host.parallel_for(
      host.context, args.count, grain,
      [](void* data, std::int64_t begin, std::int64_t end) {
        const Call& c = *static_cast<const Call*>(data);
        const syncline_slice* last = c.args.slices + c.args.slice_count;
        const syncline_slice* slice =
            std::upper_bound(c.args.slices, last, begin, [](std::int64_t at, const syncline_slice& s) { return at < s.offset; });
        for (slice = std::prev(slice); slice != last && slice->offset < end; ++slice) {
          const std::int64_t first = std::max(begin, slice->offset), stop = std::min(end, slice->offset + slice->count);
          if (first < stop) c.run(*slice, first, stop - first);
        }
      },
      &call);
}

// Two sums over one layer, each in double: partial sums of `grain` elements counted from the layer's start, added in order. They depend
// neither on threads nor on the range in which the layer comes. partial(first, count, sums) adds to sums[0..1].
struct Sums {
  double first = 0, second = 0;
};
template <class Partial>
Sums layer_sums(const syncline_host& host, const syncline_slice& slice, Sums* scratch, const Partial& partial) {
  struct Call {
    const syncline_slice& slice;
    Sums* scratch;
    const Partial& partial;
  } call{slice, scratch, partial};
  host.parallel_for(
      host.context, slice.count, grain,
      [](void* data, std::int64_t begin, std::int64_t end) {
        const Call& c = *static_cast<const Call*>(data);
        c.scratch[begin / grain] = c.partial(c.slice.offset + begin, end - begin);
      },
      &call);
  Sums sums;
  for (std::int64_t piece = 0; piece * grain < slice.count; ++piece) {
    sums.first += scratch[piece].first;
    sums.second += scratch[piece].second;
  }
  return sums;
}
std::int64_t pieces_of_largest(const syncline_config&);

}  // namespace syncline::rules
