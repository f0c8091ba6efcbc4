// SPDX-License-Identifier: Apache-2.0
#include "engine/train/rank/placement.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <set>
#include <sstream>

#include "engine/train/exchange.h"

namespace syncline {
namespace {

struct HostShare {
  std::string host;
  int ranks = 0, threads = 0, least = 0, most = 0;
  std::set<int> cores;
};

// By boot id: pretended hosts on one machine share its cores.
std::vector<HostShare> shares(const std::vector<Placement>& placements) {
  std::map<std::string, HostShare> by_boot;
  for (const Placement& each : placements) {
    HostShare& share = by_boot[each.boot_id];
    if (share.ranks == 0) share.host = each.host, share.least = each.threads;
    ++share.ranks;
    share.threads += each.threads;
    share.least = std::min(share.least, each.threads);
    share.most = std::max(share.most, each.threads);
    share.cores.insert(each.cores.begin(), each.cores.end());
  }
  std::vector<HostShare> result;
  for (auto& [boot, share] : by_boot) result.push_back(std::move(share));
  return result;
}

std::string plural(int count, std::string_view thing) { return fmt::format("{} {}{}", count, thing, count == 1 ? "" : "s"); }

std::string cores_text(const HostShare& share) { return core_list({share.cores.begin(), share.cores.end()}); }

std::string thread_text(const HostShare& share) {
  if (share.least == share.most) return plural(share.most, "thread") + (share.ranks > 1 ? " each" : "");
  return fmt::format("{} to {} threads", share.least, share.most);
}

}  // namespace

int threads_of(std::int64_t asked, const char* omp_num_threads, int ranks_here, int cores) {
  if (asked > 0) return static_cast<int>(asked);
  if (omp_num_threads != nullptr)
    if (const int given = std::atoi(omp_num_threads); given > 0) return given;
  return std::max(1, cores / std::max(1, ranks_here));
}

std::string core_list(const std::vector<int>& cores) {
  std::string text;
  for (std::size_t first = 0; first < cores.size();) {
    std::size_t last = first;
    while (last + 1 < cores.size() && cores[last + 1] == cores[last] + 1) ++last;
    text += fmt::format("{}{}", text.empty() ? "" : ",", cores[first]);
    if (last > first) text += fmt::format("-{}", cores[last]);
    first = last + 1;
  }
  return text;
}

std::vector<Placement> gather_placements(Communicator& control, const Placement& mine) {
  std::string text = mine.host + '\n' + mine.boot_id + '\n' + std::to_string(mine.threads);
  for (const int core : mine.cores) text += ' ' + std::to_string(core);
  ByteBuffer bytes(text.size());
  std::memcpy(bytes.data(), text.data(), text.size());
  std::vector<Placement> all;
  for (const ByteBuffer& part : gather_bytes(control, std::move(bytes))) {
    std::istringstream stream(std::string(reinterpret_cast<const char*>(part.data()), part.size()));
    Placement each;
    std::getline(stream, each.host);
    std::getline(stream, each.boot_id);
    stream >> each.threads;
    for (int core = 0; stream >> core;) each.cores.push_back(core);
    all.push_back(std::move(each));
  }
  return all;
}

std::vector<std::string> placement_lines(const std::vector<Placement>& placements) {
  std::vector<std::string> lines;
  for (const HostShare& share : shares(placements))
    lines.push_back(fmt::format("{} on {}, {}, {} {}", plural(share.ranks, "rank"), share.host, thread_text(share),
                                share.cores.size() == 1 ? "core" : "cores", cores_text(share)));
  return lines;
}

std::vector<std::string> placement_warnings(const std::vector<Placement>& placements) {
  std::vector<std::string> warnings;
  for (const HostShare& share : shares(placements)) {
    if (share.threads <= static_cast<int>(share.cores.size())) continue;
    warnings.push_back(fmt::format(
        "warning: {} on {} with {} may use only {} {} together, so they take turns and steps get longer; fewer workers or threads, "
        "or another binding (mpirun --bind-to none) would help",
        plural(share.ranks, "rank"), share.host, thread_text(share), share.cores.size() == 1 ? "core" : "cores", cores_text(share)));
  }
  return warnings;
}

bool first_of_host(const std::vector<Placement>& placements, int rank) {
  const auto mine = placements.begin() + rank;
  return std::none_of(placements.begin(), mine, [&](const Placement& before) { return before.boot_id == mine->boot_id; });
}

}  // namespace syncline
