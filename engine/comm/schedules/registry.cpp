// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <set>

#include "engine/base/error.h"
#include "engine/comm/schedules/schedule.h"

namespace syncline {

namespace {

using P = Parameter;
constexpr P chunk_bytes = {.key = "chunk_bytes",
                           .help =
                               "Largest message of the exchange: smaller chunks overlap sending, adding and receiving more finely, "
                               "larger ones cost less per byte.",
                           .kind = P::size,
                           .initial = std::string_view("256 KiB"),
                           .least = 64,
                           .most = 64.0 * 1024 * 1024,
                           .advanced = true,
                           .unit = "bytes"};
constexpr P chunked[] = {chunk_bytes};

constexpr std::string_view tree_shapes[] = {"double-binary", "binomial"};
constexpr P tree_parameters[] = {
    {.key = "shape",
     .help = "Two binary trees that share the vector, in which every rank is inner in one at most, or one binomial tree.",
     .kind = P::choice,
     .initial = "double-binary",
     .choices = tree_shapes},
    chunk_bytes};

constexpr P multicolor_parameters[] = {
    {.key = "colors",
     .symbol = "k",
     .help = "Number of trees with different roots that share the vector; more than there are ranks count as many as there are.",
     .kind = P::integer,
     .initial = std::int64_t{4},
     .least = 1,
     .most = 1024,
     .section = "B"},
    {.key = "tree_arity",
     .symbol = "d",
     .help = "Children of an inner rank; 0 takes the fewest that keep the inner ranks of the colours apart.",
     .kind = P::integer,
     .initial = std::int64_t{0},
     .least = 0,
     .most = 4096,
     .section = "B"},
    {.key = "segments",
     .symbol = "S",
     .help = "Pieces of a colour's share that follow each other up and down its tree.",
     .kind = P::integer,
     .initial = std::int64_t{16},
     .least = 1,
     .most = 65536,
     .section = "C"},
    {.key = "recv_window",
     .symbol = "W",
     .help = "Receives posted per child.",
     .kind = P::integer,
     .initial = std::int64_t{4},
     .least = 1,
     .most = 1024,
     .advanced = true,
     .section = "C"},
    {.key = "deterministic_reduce",
     .help = "Add the children of a rank in a fixed order, so that a run can be repeated to the bit, instead of as they arrive.",
     .kind = P::flag,
     .initial = true,
     .advanced = true,
     .section = "C"},
    chunk_bytes};

constexpr ScheduleEntry entries[] = {
    {"direct", "Direct, in rank order", "",
     "Each rank owns a slice, adds all parts in rank order and sends the sum to the others; the grouping of gradients never changes a bit.",
     chunked, direct_allreduce, direct_traffic, direct_cost, true},
    {"ring", "Ring", "", "Parts travel round a ring of ranks twice, first adding up, then as sums; each rank talks to two neighbours only.",
     chunked, ring_allreduce, ring_traffic, ring_cost, false},
    {"halving-doubling", "Halving and doubling", "",
     "Partners exchange halves, then quarters and so on, and give the sums back: the ring's bytes in few messages.", chunked,
     halving_doubling_allreduce, halving_doubling_traffic, halving_doubling_cost, false},
    {"tree", "Tree", "", "Sums climb a tree and come down again, chunk behind chunk: few messages in a row, for short vectors.",
     tree_parameters, tree_allreduce, tree_traffic, nullptr, false},
    {"multicolor", "Multi-colour trees", "Kumar et al. 2017, arXiv:1711.00705",
     "Several trees of different roots and different inner ranks share the vector, so that all links are loaded alike.",
     multicolor_parameters, multicolor_allreduce, multicolor_traffic, multicolor_cost, false},
    {"hierarchical", "Hierarchical", "",
     "Machines add up by themselves, exchange the sums and pass them on: between machines each byte travels once for all of their ranks.",
     chunked, hierarchical_allreduce, hierarchical_traffic, nullptr, false, true},
    {"library",
     "MPI library",
     "",
     "One blocking call of the MPI library on the communication thread: no time limit inside, no emulated links, its own order of "
     "addition.",
     {},
     nullptr,
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

void check_machines(const ScheduleEntry& entry, std::span<const int> machines) {
  if (!entry.needs_machines) return;
  const std::set<int> different(machines.begin(), machines.end());
  const std::string_view trouble = machines.empty()                      ? "is not said"
                                   : different.size() == 1               ? "is the same for all"
                                   : different.size() == machines.size() ? "is another one for each"
                                                                         : "";
  if (trouble.empty()) return;
  throw ConfigError(
      fmt::format("'{}' adds up inside machines first and then between them, and which machine a rank is on {}: [[cluster.nodes]] with two "
                  "machines or more, of which one has two ranks or more, would be right, or allreduce = \"direct\"",
                  entry.name, trouble),
      {.file = "", .key = "strategy.allreduce"});
}

}  // namespace syncline
