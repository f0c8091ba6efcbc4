// SPDX-License-Identifier: Apache-2.0
// Which machine a rank is on, and which links a message between two ranks passes: [[cluster.nodes]], [[cluster.links]] and [cluster.link]
// as one graph. Pure: nothing here asks a machine anything.
//
// Placement. Machines in the order of the file, `count` of each kind; ranks fill them in order. A machine takes as many ranks as it has
// devices, or, where it has none or cluster.device = "cpu", as it has cores (divided by cluster.threads_per_worker where that is given).
// Machines that say neither share what the others leave over, equally, the first ones one more; a switch is such a machine where the
// others take all. Servers that are no workers come after the workers.
//
// Links. One entry of [[cluster.links]] is a link between two machines in both directions, full duplex, and where kinds are multiplied one
// between each pair of their machines; `from` = `to` is the link inside each machine, between its ranks, which otherwise talk through
// memory and take no time. A route has as few links as possible, of equal ones the first in the file, and passes only through machines
// whose kind has count = 1. Without [[cluster.links]], [cluster.link] is the card of every machine at a switch that is no limit itself (of
// every rank, without [[cluster.nodes]]); a message then leaves through the card of one and comes in through that of the other.
#pragma once

#include <cstdint>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "engine/experiment/experiment.h"

namespace syncline {

class Topology {
 public:
  struct Machine {
    std::string name;  // of its kind; with a number from 0 where there are several: "node.0"
    int kind = -1;     // in [[cluster.nodes]]; -1: a rank by itself, where no machines are described
    double speed = 1;
    int first_rank = 0, ranks = 0;
  };
  // One direction of one link. Not shared: each pair of ranks has this bandwidth for itself. Shared: everything that passes `link` shares
  // it.
  struct Hop {
    std::int64_t link = 0;   // the same for every route through it in this direction
    double bytes_per_s = 0;  // 0: unlimited
    double latency_s = 0;
    bool shared = false;
    bool operator==(const Hop&) const = default;
    // What messages of the same lane share: (link, from, to), of a shared link without the ranks.
    using Lane = std::tuple<std::int64_t, int, int>;
    Lane lane(int from, int to) const { return shared ? Lane{link, -1, -1} : Lane{link, from, to}; }
  };

  // Of a valid cluster; of one with problems_of() it places what fits and has no routes where there are none.
  explicit Topology(const ClusterSpec&);

  int ranks() const { return static_cast<int>(machine_of_.size()); }
  bool described() const { return described_; }  // [[cluster.nodes]] is given: ranks have neighbours in their machine
  const std::vector<Machine>& machines() const { return machines_; }
  int machine_of(int rank) const { return machine_of_[static_cast<std::size_t>(rank)]; }
  const std::vector<int>& machine_of_ranks() const { return machine_of_; }
  int local_rank(int rank) const { return rank - machines_[static_cast<std::size_t>(machine_of(rank))].first_rank; }

  std::vector<Hop> route(int from, int to) const;        // in the order of passing; empty: through memory, or to itself
  double latency_s(int from, int to) const;              // of the whole route
  double bandwidth_bytes_per_s(int from, int to) const;  // of its narrowest link; 0: unlimited

  // Workers and servers for which no machine has room.
  int left_over() const { return left_over_; }
  // Kinds of machines with ranks between which no route leads, and pairs (k, k) whose machines have none among each other.
  std::vector<std::pair<int, int>> without_route() const;

 private:
  struct Step {
    int entry = 0;  // of [[cluster.links]]
    bool back = false;
  };
  struct Path {
    bool found = false;
    std::vector<Step> steps;
  };
  void place(const ClusterSpec&);
  std::vector<Path> paths_from(int kind) const;
  Hop hop(const Step&, int machine, int next_machine) const;
  const Path& path(int from_kind, int to_kind) const {
    return paths_[static_cast<std::size_t>(from_kind) * counts_.size() + static_cast<std::size_t>(to_kind)];
  }
  int other_end(const Step&) const;

  bool described_ = false, cards_ = false;  // cards_: [cluster.link] is every machine's card
  LinkSpec card_;
  std::vector<LinkSpec> links_;
  std::vector<std::pair<int, int>> ends_;    // of links_: kinds
  std::vector<std::int64_t> first_number_;   // of links_: the number of their first directed link
  std::vector<int> inside_;                  // of kinds: the link inside a machine; -1: memory
  std::vector<int> counts_, first_machine_;  // of kinds
  std::vector<Path> paths_;                  // between machines of two kinds
  std::vector<Machine> machines_;
  std::vector<int> machine_of_;  // of ranks
  int left_over_ = 0;
};

}  // namespace syncline
