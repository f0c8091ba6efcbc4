// SPDX-License-Identifier: Apache-2.0
// Where ranks lie and which links lie between them; and what is said of a topology that has no meaning.
#include "engine/experiment/topology.h"

#include <fmt/format.h>

#include "tests/unit/experiment/parse_support.h"

namespace syncline {
namespace {

using test::experiment;
using test::minimal;
using test::problems;
using test::Texts;
using Hop = Topology::Hop;

ClusterSpec cluster_of(std::int64_t workers, std::vector<NodeSpec> nodes, std::vector<LinkSpec> links = {}) {
  ClusterSpec cluster;
  cluster.workers = workers;
  cluster.nodes = std::move(nodes);
  cluster.links = std::move(links);
  cluster.links.insert(cluster.links.begin(), LinkSpec{});  // [cluster.link], which is always there
  return cluster;
}

std::vector<int> placed(const ClusterSpec& cluster) { return Topology(cluster).machine_of_ranks(); }

TEST(Topology, RanksFillMachinesInOrderByDevicesOrElseByCores) {
  EXPECT_EQ(placed(cluster_of(5, {{.name = "a", .count = 2, .cores = 8, .devices = 2}, {.name = "b", .cores = 4}})),
            (std::vector<int>{0, 0, 1, 1, 2}));
  ClusterSpec two_threads = cluster_of(3, {{.name = "a", .count = 2, .cores = 4}});
  two_threads.threads_per_worker = 2;
  EXPECT_EQ(placed(two_threads), (std::vector<int>{0, 0, 1}));
  ClusterSpec on_cpu = cluster_of(3, {{.name = "a", .count = 2, .cores = 2, .devices = 8}});
  EXPECT_EQ(placed(on_cpu), (std::vector<int>{0, 0, 0}));
  on_cpu.device = "cpu";
  EXPECT_EQ(placed(on_cpu), (std::vector<int>{0, 0, 1})) << "on the processor its cores count";
  ClusterSpec with_servers = cluster_of(2, {{.name = "a", .cores = 2}, {.name = "b", .cores = 2}});
  with_servers.servers = 1;
  EXPECT_EQ(placed(with_servers), (std::vector<int>{0, 0, 1}));
  with_servers.colocate = true;
  EXPECT_EQ(placed(with_servers), (std::vector<int>{0, 0}));
}

TEST(Topology, MachinesThatDoNotSayHowManyTheyTakeShareWhatIsLeft) {
  EXPECT_EQ(placed(cluster_of(5, {{.name = "a", .count = 2}})), (std::vector<int>{0, 0, 0, 1, 1}));
  EXPECT_EQ(placed(cluster_of(5, {{.name = "a"}, {.name = "b", .cores = 2}, {.name = "c"}})), (std::vector<int>{0, 0, 1, 1, 2}));
  const Topology full(cluster_of(2, {{.name = "switch"}, {.name = "b", .cores = 2}}));
  EXPECT_EQ(full.machines()[0].ranks, 0) << "nothing is left for a switch";
  EXPECT_EQ(full.machines()[1].first_rank, 0);
  EXPECT_EQ(full.left_over(), 0);
}

TEST(Topology, NamesMachinesAndCountsTheirRanks) {
  const Topology topology(cluster_of(3, {{.name = "a", .count = 2, .cores = 1, .speed = 2}, {.name = "b"}}));
  ASSERT_EQ(topology.machines().size(), 3u);
  EXPECT_EQ(topology.machines()[1].name, "a.1");
  EXPECT_EQ(topology.machines()[1].speed, 2);
  EXPECT_EQ(topology.machines()[2].name, "b");
  EXPECT_EQ(topology.machines()[2].first_rank, 2);
  EXPECT_EQ(topology.local_rank(2), 0);
  EXPECT_TRUE(topology.described());
}

TEST(Topology, WithoutMachinesEveryRankHasACardOfItsOwn) {
  ClusterSpec cluster = cluster_of(3, {});
  cluster.links[0].bandwidth_bytes_per_s = 1e6;
  cluster.links[0].latency_s = 1e-3;
  const Topology topology(cluster);
  EXPECT_FALSE(topology.described());
  EXPECT_EQ(topology.route(0, 2), (std::vector<Hop>{{0, 1e6, 1e-3, true}, {5, 1e6, 0, true}}));
  EXPECT_TRUE(topology.route(1, 1).empty());
  EXPECT_EQ(topology.latency_s(0, 2), 1e-3);
  EXPECT_EQ(topology.bandwidth_bytes_per_s(0, 2), 1e6);
  EXPECT_TRUE(Topology(cluster_of(3, {})).route(0, 2).empty()) << "no link is described: no time";
}

TEST(Topology, OneLinkForAllIsTheCardOfEveryMachine) {
  ClusterSpec cluster = cluster_of(4, {{.name = "a", .count = 2, .cores = 2}});
  cluster.links[0].bandwidth_bytes_per_s = 1e6;
  const Topology topology(cluster);
  EXPECT_TRUE(topology.route(0, 1).empty()) << "through memory";
  EXPECT_EQ(topology.route(1, 2), (std::vector<Hop>{{0, 1e6, 0, true}, {3, 1e6, 0, true}}));
  EXPECT_EQ(topology.route(0, 3), topology.route(1, 2));
}

TEST(Topology, ALinkHasTwoDirectionsOfTheirOwnBandwidth) {
  const Topology topology(
      cluster_of(4, {{.name = "a", .cores = 2}, {.name = "b", .cores = 2}},
                 {{.from = "a", .to = "b", .bandwidth_bytes_per_s = 4e6, .bandwidth_back_bytes_per_s = 1e6, .latency_s = 1e-3}}));
  EXPECT_EQ(topology.route(0, 2), (std::vector<Hop>{{0, 4e6, 1e-3, false}}));
  EXPECT_EQ(topology.route(2, 0), (std::vector<Hop>{{1, 1e6, 1e-3, false}}));
  EXPECT_EQ(topology.bandwidth_bytes_per_s(3, 1), 1e6);
  EXPECT_TRUE(topology.route(2, 3).empty());
  const Topology same(
      cluster_of(2, {{.name = "a", .cores = 1}, {.name = "b", .cores = 1}}, {{.from = "a", .to = "b", .bandwidth_bytes_per_s = 4e6}}));
  EXPECT_EQ(same.bandwidth_bytes_per_s(1, 0), 4e6) << "bandwidth_back = 0: the same";
}

TEST(Topology, ALinkFromAMachineToItselfIsBetweenItsRanks) {
  const Topology topology(cluster_of(4, {{.name = "a", .count = 2, .cores = 2}, {.name = "switch"}},
                                     {{.from = "a", .to = "switch", .bandwidth_bytes_per_s = 1e6},
                                      {.from = "a", .to = "a", .bandwidth_bytes_per_s = 9e6, .shared = true}}));
  EXPECT_EQ(topology.route(0, 1), (std::vector<Hop>{{4, 9e6, 0, true}}));
  EXPECT_EQ(topology.route(1, 0), (std::vector<Hop>{{5, 9e6, 0, true}}));
  EXPECT_EQ(topology.route(2, 3), (std::vector<Hop>{{6, 9e6, 0, true}})) << "one in each of the machines";
}

TEST(Topology, RoutesHaveTheFewestLinksAndPassThroughSingleMachines) {
  // 0, 1: machines of kind a; 2: b. a - s - t - b, and a - u - b, which is shorter.
  const Topology topology(
      cluster_of(3, {{.name = "a", .count = 2, .cores = 1}, {.name = "b", .cores = 1}, {.name = "s"}, {.name = "t"}, {.name = "u"}},
                 {{.from = "a", .to = "s", .latency_s = 1},
                  {.from = "s", .to = "t", .latency_s = 2},
                  {.from = "t", .to = "b", .latency_s = 4},
                  {.from = "b", .to = "u", .bandwidth_bytes_per_s = 5, .bandwidth_back_bytes_per_s = 3, .latency_s = 8},
                  {.from = "a", .to = "u", .bandwidth_bytes_per_s = 7, .latency_s = 16, .shared = true}}));
  EXPECT_EQ(topology.latency_s(1, 2), 24);
  EXPECT_EQ(topology.route(1, 2), (std::vector<Hop>{{12, 7, 16, true}, {9, 3, 8, false}}));
  EXPECT_EQ(topology.route(2, 1), (std::vector<Hop>{{8, 5, 8, false}, {13, 7, 16, true}}));
  EXPECT_EQ(topology.route(0, 1), (std::vector<Hop>{{0, 0, 1, false}, {3, 0, 1, false}}))
      << "up to the first switch in the file and down again";
  EXPECT_EQ(topology.bandwidth_bytes_per_s(1, 2), 3);
  EXPECT_TRUE(topology.without_route().empty());
}

TEST(Topology, EveryRouteIsThereInBothDirectionsAndUsesTheSameLinksTurnedRound) {
  const Topology topology(cluster_of(
      9, {{.name = "a", .count = 3, .cores = 2}, {.name = "b", .cores = 3}, {.name = "s"}},
      {{.from = "a", .to = "s", .latency_s = 1}, {.from = "s", .to = "b", .latency_s = 2}, {.from = "b", .to = "b", .latency_s = 4}}));
  for (int from = 0; from < 9; ++from) {
    for (int to = 0; to < 9; ++to) {
      std::vector<Hop> there = topology.route(from, to), back = topology.route(to, from);
      ASSERT_EQ(there.size(), back.size());
      for (std::size_t i = 0; i < there.size(); ++i) EXPECT_EQ(there[i].link ^ 1, back[back.size() - 1 - i].link);
    }
  }
}

constexpr char two_machines[] =
    "[cluster]\nworkers = 4\n[[cluster.nodes]]\nname = \"left\"\ncores = 2\n[[cluster.nodes]]\nname = \"right\"\ncores = 2\n";

TEST(TopologyErrors, WorkersThatDoNotFit) {
  EXPECT_EQ(
      problems(minimal("[cluster]\nworkers = 4\nthreads_per_worker = 2\n[[cluster.nodes]]\nname = \"a\"\ncount = 2\ncores = 3\n")),
      Texts{"a.toml:11: cluster.workers: is 4 and the machines of [[cluster.nodes]] have room for 2, by their devices or else their cores "
            "over cluster.threads_per_worker: fewer workers, or more machines or cores, would be right"});
  EXPECT_TRUE(problems(minimal("[cluster]\nworkers = 4\n[[cluster.nodes]]\nname = \"a\"\ncount = 2\n")).empty());
}

TEST(TopologyErrors, MoreMachinesThanAnybodyHas) {
  EXPECT_EQ(problems(minimal("[[cluster.nodes]]\nname = \"a\"\ncount = 16384\n[[cluster.nodes]]\nname = \"b\"\n")),
            Texts{"a.toml:10: cluster.nodes: describe 16385 machines of 2 kinds; up to 16384 of 256 are possible"});
}

TEST(TopologyErrors, MachinesWithoutARoute) {
  EXPECT_EQ(
      problems(minimal(std::string(two_machines) +
                       "[[cluster.nodes]]\nname = \"switch\"\n[[cluster.links]]\nfrom = \"left\"\nto = \"switch\"\n")),
      Texts{"a.toml:16: cluster.nodes.1.name: no [[cluster.links]] lead from 'left' to 'right', directly or through machines of which "
            "there is one"});
  EXPECT_EQ(
      problems(minimal(
          "[cluster]\nworkers = 4\n[[cluster.nodes]]\nname = \"a\"\ncount = 2\ncores = 2\n[[cluster.links]]\nfrom = \"a\"\nto = \"a\"\n")),
      Texts{"a.toml:13: cluster.nodes.0.name: the 2 machines 'a' have no link to each other (from = to is the link inside one): links to a "
            "machine between them, such as a switch, would be right"});
  EXPECT_TRUE(problems(minimal(two_machines)).empty()) << "no links at all: memory";
}

TEST(TopologyErrors, NamesAndPairsThatAreThereTwiceOrNotAtAll) {
  EXPECT_EQ(problems(minimal(std::string(two_machines) +
                             "[[cluster.links]]\nfrom = \"left\"\nto = \"rihgt\"\n[[cluster.links]]\nfrom = \"left\"\nto = \"right\"\n"
                             "[[cluster.links]]\nfrom = \"right\"\nto = \"left\"\n")),
            (Texts{"a.toml:20: cluster.links.0.to: 'rihgt' is not known; did you mean 'right'?",
                   "a.toml:26: cluster.links.2.to: 'right' and 'left' have a link already"}));
}

TEST(TopologyErrors, OneLinkForAllBesideLinksOfMachines) {
  EXPECT_EQ(
      problems(minimal(std::string("[cluster.link]\nbandwidth = \"1 Gbit/s\"\nlatency = \"1 ms\"\nemulate = true\n") + two_machines +
                       "[[cluster.links]]\nfrom = \"left\"\nto = \"right\"\nlatency = 1\n")),
      (Texts{"a.toml:11: cluster.link.bandwidth: is one link for all, and [[cluster.links]] describe a topology: leave one of the two out",
             "a.toml:12: cluster.link.latency: is one link for all, and [[cluster.links]] describe a topology: leave one of the two out"}));
  EXPECT_EQ(problems(minimal(std::string("[cluster.link]\nemulate = true\n") + two_machines +
                             "[[cluster.links]]\nfrom = \"left\"\nto = \"right\"\n")),
            Texts{"a.toml:11: cluster.link.emulate: there is no link to emulate: give [[cluster.links]] a bandwidth or a latency"});
}

TEST(TopologyErrors, TwoLevelsOfAnAllreduceNeedTwoLevelsOfMachines) {
  const auto with = [](const std::string& cluster) { return problems(minimal("allreduce = \"hierarchical\"\n" + cluster)); };
  const auto says = [](const std::string& which) {
    return Texts{
        "a.toml:10: strategy.allreduce: 'hierarchical' adds up inside machines first and then between them, and which machine a "
        "worker is on " +
        which +
        ": [[cluster.nodes]] with two machines or more, of which one has two workers or more, would be right, or allreduce = "
        "'direct'"};
  };
  EXPECT_EQ(with("[cluster]\nworkers = 4\n"), says("is not said"));
  EXPECT_EQ(with("[cluster]\nworkers = 4\n[[cluster.nodes]]\nname = \"a\"\n"), says("is the same for all of them"));
  EXPECT_EQ(with("[cluster]\nworkers = 4\n[[cluster.nodes]]\nname = \"a\"\ncount = 4\n"), says("is another one for each of them"));
  EXPECT_TRUE(with(two_machines).empty());
}

TEST(TopologyKeys, AreCompletePrintThemselvesAndMakeAnotherGroup) {
  const std::string text =
      minimal(std::string(two_machines) +
              "[[cluster.links]]\nfrom = \"left\"\nto = \"right\"\nbandwidth = \"1 Gbit/s\"\nbandwidth_back = \"100 Mbit/s\"\n"
              "latency = \"50 us\"\nshared = true\n");
  const Experiment one = experiment(text);
  EXPECT_NE(one.complete.find("\n[[cluster.nodes]]\nname = \"left\"\ncount = 1\ncores = 2\ndevices = 0\nspeed = 1.0\n"), std::string::npos)
      << one.complete;
  EXPECT_NE(
      one.complete.find("\n[[cluster.links]]\nfrom = \"left\"\nto = \"right\"\nbandwidth = \"1 Gbit/s\"\nbandwidth_back = \"100 Mbit/s\"\n"
                        "latency = \"50 us\"\nshared = true\n"),
      std::string::npos)
      << one.complete;
  EXPECT_EQ(experiment(one.complete).complete, one.complete);
  const Experiment slower = experiment(text, {{"cluster.links.0.bandwidth", "500 Mbit/s"}});
  EXPECT_NE(group_key(slower), group_key(one));
  EXPECT_EQ(baseline_key(slower.complete), baseline_key(one.complete)) << "links do not change what is computed";
}

}  // namespace
}  // namespace syncline
