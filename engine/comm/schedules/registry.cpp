// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include "engine/base/error.h"
#include "engine/comm/schedules/schedule.h"

namespace syncline {

namespace {

constexpr Parameter chunk_parameter[] = {{.key = "chunk_bytes",
                                          .help = "Largest message of the exchange: smaller chunks overlap sending, adding and receiving "
                                                  "more finely, larger ones cost less per byte.",
                                          .kind = Parameter::size,
                                          .initial = std::string_view("256 KiB"),
                                          .least = 64,
                                          .most = 64.0 * 1024 * 1024,
                                          .advanced = true,
                                          .unit = "bytes"}};

// All messages of a phase leave at once, so each phase costs one latency; the bytes are those of the ring.
double direct_cost(int size, double bytes, double alpha, double beta, double gamma) {
  if (size <= 1) return 0;
  const double share = static_cast<double>(size - 1) / size * bytes;
  return 2 * alpha + 2 * share * beta + share * gamma;
}

constexpr ScheduleEntry entries[] = {
    {"direct", "Direct, in rank order", "",
     "Each rank owns a slice, adds all parts in rank order and sends the sum to the others; the grouping of gradients never changes a bit.",
     chunk_parameter, direct_allreduce, direct_cost, true},
    {"library",
     "MPI library",
     "",
     "One blocking call of the MPI library on the communication thread: no time limit inside, no emulated links, its own order of "
     "addition.",
     {},
     nullptr,
     nullptr,
     false},
};

}  // namespace

std::span<const ScheduleEntry> allreduce_schedules() { return entries; }

const ScheduleEntry& allreduce_schedule(std::string_view name) {
  std::string known;
  for (const ScheduleEntry& entry : entries) {
    if (entry.name == name) return entry;
    known += (known.empty() ? "" : ", ") + std::string(entry.name);
  }
  throw ConfigError(fmt::format("there is no allreduce called '{}'; known are {}", name, known), {.file = "", .key = "strategy.allreduce"});
}

}  // namespace syncline
