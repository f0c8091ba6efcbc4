// SPDX-License-Identifier: Apache-2.0
#include "engine/experiment/topology.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>

namespace syncline {
namespace {

constexpr std::int64_t unknown = -1;

// Ranks that a machine of this kind takes; unknown: it does not say.
std::int64_t capacity_of(const NodeSpec& node, const ClusterSpec& cluster) {
  if (node.devices > 0 && cluster.device != "cpu") return node.devices;
  if (node.cores == 0) return unknown;
  return node.cores / std::max<std::int64_t>(1, cluster.threads_per_worker);
}

bool is_unlimited(const LinkSpec& link) { return link.bandwidth_bytes_per_s == 0 && link.latency_s == 0; }

}  // namespace

Topology::Topology(const ClusterSpec& cluster) : described_(!cluster.nodes.empty()) {
  for (const LinkSpec& link : cluster.links) {
    if (link.from.empty()) {
      card_ = link;
    } else {
      links_.push_back(link);
    }
  }
  cards_ = links_.empty() && !is_unlimited(card_);
  place(cluster);
  if (!described_) return;

  const auto kind_of = [&](const std::string& name) {
    const auto at = std::find_if(cluster.nodes.begin(), cluster.nodes.end(), [&](const NodeSpec& node) { return node.name == name; });
    return static_cast<int>(at - cluster.nodes.begin());
  };
  const auto kinds = static_cast<int>(cluster.nodes.size());
  std::erase_if(links_, [&](const LinkSpec& link) { return kind_of(link.from) == kinds || kind_of(link.to) == kinds; });
  inside_.assign(cluster.nodes.size(), -1);
  std::int64_t number = 0;
  for (std::size_t i = 0; i < links_.size(); ++i) {
    const int from = kind_of(links_[i].from), to = kind_of(links_[i].to);
    ends_.emplace_back(from, to);
    first_number_.push_back(number);
    const std::int64_t many = counts_[static_cast<std::size_t>(from)];
    number += 2 * (from == to ? many : many * counts_[static_cast<std::size_t>(to)]);
    if (from == to) inside_[static_cast<std::size_t>(from)] = static_cast<int>(i);
  }
  for (int from = 0; from < kinds; ++from) {
    for (Path& path : paths_from(from)) paths_.push_back(std::move(path));
  }
}

void Topology::place(const ClusterSpec& cluster) {
  const std::int64_t ranks = cluster.workers + (cluster.colocate ? 0 : cluster.servers);
  if (!described_) {
    for (int rank = 0; rank < ranks; ++rank) {
      machines_.push_back({.name = fmt::format("rank {}", rank), .first_rank = rank, .ranks = 1});
      machine_of_.push_back(rank);
    }
    return;
  }
  std::int64_t known = 0, sharing = 0;
  for (const NodeSpec& node : cluster.nodes) {
    const std::int64_t capacity = capacity_of(node, cluster);
    if (capacity == unknown) {
      sharing += node.count;
    } else {
      known += node.count * capacity;
    }
  }
  std::int64_t rest = std::max<std::int64_t>(0, ranks - known), sharers_left = sharing;
  for (std::size_t kind = 0; kind < cluster.nodes.size(); ++kind) {
    const NodeSpec& node = cluster.nodes[kind];
    counts_.push_back(static_cast<int>(node.count));
    first_machine_.push_back(static_cast<int>(machines_.size()));
    for (std::int64_t i = 0; i < node.count; ++i) {
      std::int64_t takes = capacity_of(node, cluster);
      if (takes == unknown) {
        takes = (rest + sharers_left - 1) / sharers_left;
        rest -= takes;
        --sharers_left;
      }
      const int first = static_cast<int>(machine_of_.size());
      takes = std::min(takes, ranks - first);
      machine_of_.insert(machine_of_.end(), static_cast<std::size_t>(takes), static_cast<int>(machines_.size()));
      machines_.push_back({.name = node.count == 1 ? node.name : fmt::format("{}.{}", node.name, i),
                           .kind = static_cast<int>(kind),
                           .speed = node.speed,
                           .first_rank = first,
                           .ranks = static_cast<int>(takes)});
    }
  }
  left_over_ = static_cast<int>(ranks - static_cast<std::int64_t>(machine_of_.size()));
}

int Topology::other_end(const Step& step) const {
  const auto& [from, to] = ends_[static_cast<std::size_t>(step.entry)];
  return step.back ? from : to;
}

// Breadth first from one machine to those of every kind. Only kinds with one machine are passed through: of others it would not be said
// which one.
std::vector<Topology::Path> Topology::paths_from(int from) const {
  std::vector<Path> best(counts_.size());
  std::vector<std::vector<Step>> leaving(counts_.size());  // by kind, in the order of the file
  for (std::size_t i = 0; i < ends_.size(); ++i) {
    const auto& [one, other] = ends_[i];
    if (one == other) continue;
    leaving[static_cast<std::size_t>(one)].push_back({static_cast<int>(i), false});
    leaving[static_cast<std::size_t>(other)].push_back({static_cast<int>(i), true});
  }
  std::deque<std::pair<int, std::vector<Step>>> next{{from, {}}};
  for (; !next.empty(); next.pop_front()) {
    const auto& [at, steps] = next.front();
    for (const Step& step : leaving[static_cast<std::size_t>(at)]) {
      const int reached = other_end(step);
      Path& there = best[static_cast<std::size_t>(reached)];
      if (there.found || (reached == from && steps.empty())) continue;
      there = {true, steps};
      there.steps.push_back(step);
      if (reached != from && counts_[static_cast<std::size_t>(reached)] == 1) next.emplace_back(reached, there.steps);
    }
  }
  return best;
}

Topology::Hop Topology::hop(const Step& step, int machine, int next_machine) const {
  const auto entry = static_cast<std::size_t>(step.entry);
  const LinkSpec& link = links_[entry];
  const auto& [from, to] = ends_[entry];
  const int first = step.back ? next_machine : machine, second = step.back ? machine : next_machine;
  const std::int64_t i = first - first_machine_[static_cast<std::size_t>(from)], j = second - first_machine_[static_cast<std::size_t>(to)];
  const std::int64_t pair = from == to ? i : i * counts_[static_cast<std::size_t>(to)] + j;
  const bool other_rate = step.back && link.bandwidth_back_bytes_per_s > 0;
  return {.link = first_number_[entry] + 2 * pair + (step.back ? 1 : 0),
          .bytes_per_s = other_rate ? link.bandwidth_back_bytes_per_s : link.bandwidth_bytes_per_s,
          .latency_s = link.latency_s,
          .shared = link.shared};
}

std::vector<Topology::Hop> Topology::route(int from, int to) const {
  const int here = machine_of(from), there = machine_of(to);
  if (from == to) return {};
  if (cards_) {
    if (here == there) return {};
    return {{.link = 2 * std::int64_t{here}, .bytes_per_s = card_.bandwidth_bytes_per_s, .latency_s = card_.latency_s, .shared = true},
            {.link = 2 * std::int64_t{there} + 1, .bytes_per_s = card_.bandwidth_bytes_per_s, .latency_s = 0, .shared = true}};
  }
  if (!described_) return {};
  const int kind = machines_[static_cast<std::size_t>(here)].kind, other = machines_[static_cast<std::size_t>(there)].kind;
  if (here == there) {
    const int inside = inside_[static_cast<std::size_t>(kind)];
    if (inside < 0) return {};
    return {hop({inside, from > to}, here, here)};
  }
  std::vector<Hop> hops;
  int at = here;
  const std::vector<Step>& steps = path(kind, other).steps;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const int next = i + 1 == steps.size() ? there : first_machine_[static_cast<std::size_t>(other_end(steps[i]))];
    hops.push_back(hop(steps[i], at, next));
    at = next;
  }
  return hops;
}

double Topology::latency_s(int from, int to) const {
  double sum = 0;
  for (const Hop& each : route(from, to)) sum += each.latency_s;
  return sum;
}

double Topology::bandwidth_bytes_per_s(int from, int to) const {
  double narrowest = 0;
  for (const Hop& each : route(from, to)) {
    if (each.bytes_per_s > 0 && (narrowest == 0 || each.bytes_per_s < narrowest)) narrowest = each.bytes_per_s;
  }
  return narrowest;
}

std::vector<std::pair<int, int>> Topology::without_route() const {
  std::vector<std::pair<int, int>> missing;
  if (links_.empty() || !described_) return missing;
  std::vector<int> busy(counts_.size(), 0);  // machines with ranks, of each kind
  for (const Machine& machine : machines_) busy[static_cast<std::size_t>(machine.kind)] += machine.ranks > 0 ? 1 : 0;
  const auto kinds = static_cast<int>(counts_.size());
  for (int a = 0; a < kinds; ++a) {
    if (busy[static_cast<std::size_t>(a)] == 0) continue;
    for (int b = a; b < kinds; ++b) {
      if (busy[static_cast<std::size_t>(b)] < (a == b ? 2 : 1)) continue;
      if (!path(a, b).found) missing.emplace_back(a, b);
    }
  }
  return missing;
}

}  // namespace syncline
