// SPDX-License-Identifier: Apache-2.0
// How well emulated links keep what was asked of them, measured between four ranks on two machines: threads or MPI ranks alike.
#pragma once

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "engine/comm/world.h"
#include "engine/metrics/statistics.h"

namespace syncline::test {

inline constexpr double link_forward = 40e6, link_back = 10e6, link_latency = 500e-6;  // bytes/s, s

inline LinkModel measured_links(bool shared, double times_as_fast = 1) {
  ClusterSpec cluster;
  cluster.workers = 4;
  cluster.nodes = {{.name = "a", .cores = 2}, {.name = "b", .cores = 2}};
  cluster.links = {{.from = "a",
                    .to = "b",
                    .bandwidth_bytes_per_s = times_as_fast * link_forward,
                    .bandwidth_back_bytes_per_s = times_as_fast * link_back,
                    .latency_s = link_latency,
                    .shared = shared}};
  return {.card = {}, .topology = std::make_shared<const Topology>(cluster)};
}

struct MeasuredFlow {
  int from, to;
  std::int64_t bytes;
};

// The flows start together; of each the seconds from when its send was begun until its receiver had all of it, the same on all ranks.
inline std::vector<double> flow_times(World& world, const std::vector<MeasuredFlow>& flows) {
  auto& comm = world.communicator();
  std::vector<Work> works;
  std::vector<std::pair<std::size_t, bool>> what;   // flow, sends
  for (std::size_t i = 0; i < flows.size(); ++i) {  // receives first, so that their memory is there
    if (flows[i].to != comm.rank()) continue;
    works.push_back(comm.receive(View::host(flows[i].bytes / 4), flows[i].from, static_cast<int>(i)));
    what.emplace_back(i, false);
  }
  comm.barrier().wait();
  for (std::size_t i = 0; i < flows.size(); ++i) {
    if (flows[i].from != comm.rank()) continue;
    works.push_back(comm.send(View::host(flows[i].bytes / 4), flows[i].to, static_cast<int>(i)));
    what.emplace_back(i, true);
  }
  std::vector<double> mine(2 * flows.size(), 0);
  for (std::size_t k = 0; k < works.size(); ++k) {
    works[k].wait();
    mine[2 * what[k].first + (what[k].second ? 0 : 1)] = what[k].second ? works[k].times().issued_s : works[k].times().done_s;
  }
  ByteBuffer packed(mine.size() * sizeof(double));
  std::memcpy(packed.data(), mine.data(), packed.size());
  std::vector<ByteBuffer> all;
  comm.allgather_bytes(std::move(packed), all).wait();
  std::vector<double> times;
  for (std::size_t i = 0; i < flows.size(); ++i) {
    double begun = 0, done = 0;
    std::memcpy(&begun, all[static_cast<std::size_t>(flows[i].from)].data() + 2 * i * sizeof(double), sizeof begun);
    std::memcpy(&done, all[static_cast<std::size_t>(flows[i].to)].data() + (2 * i + 1) * sizeof(double), sizeof done);
    times.push_back(done - begun);
  }
  return times;
}

// What is wrong, the same on all ranks; empty: everything is as asked.
inline std::vector<std::string> wrong_links(World& world, bool shared) {
  std::vector<std::string> wrong;
  const auto check = [&](const std::string& name, double took, double expected) {
    const double net = took - link_latency;
    if (std::abs(net / expected - 1) <= 0.03) return;
    wrong.push_back(fmt::format("{} took {:.2f} ms without the latency instead of {:.2f}", name, net * 1e3, expected * 1e3));
  };
  const std::int64_t large = 4'000'000, small = 1'000'000;
  const double before = world.queue().thread_cpu_s(), alone = flow_times(world, {{0, 2, large}})[0];
  std::vector<ByteBuffer> used;
  const double mine = (world.queue().thread_cpu_s() - before) / alone;
  ByteBuffer packed(sizeof mine);
  std::memcpy(packed.data(), &mine, sizeof mine);
  world.communicator().allgather_bytes(std::move(packed), used).wait();
  for (std::size_t rank = 0; rank < used.size(); ++rank) {
    double share = 0;
    std::memcpy(&share, used[rank].data(), sizeof share);
    if (share > 0.05) wrong.push_back(fmt::format("the communication thread of rank {} used {:.1f} % of a core", rank, 100 * share));
  }
  check("4 MB forward", alone, large / link_forward);
  check("1 MB back", flow_times(world, {{2, 0, small}})[0], small / link_back);
  const std::vector<double> beside = flow_times(world, {{0, 2, large}, {1, 3, large}});
  for (const double took : beside) check("4 MB beside 4 MB", took, (shared ? 2 : 1) * large / link_forward);
  const std::vector<double> opposite = flow_times(world, {{0, 2, large}, {3, 1, small}, {2, 0, 4}});
  check("4 MB forward against 1 MB back", opposite[0], large / link_forward);
  check("1 MB back against 4 MB forward", opposite[1], small / link_back);
  const double memory = flow_times(world, {{0, 1, large}})[0];
  if (memory > 0.02) wrong.push_back(fmt::format("4 MB inside a machine took {:.2f} ms", memory * 1e3));
  std::vector<double> latencies;
  for (int i = 0; i < 200; ++i) latencies.push_back(flow_times(world, {{0, 2, 4}})[0]);
  const double latency = median(latencies);
  if (std::abs(latency - link_latency) > 50e-6)
    wrong.push_back(fmt::format("the median latency of 200 is {:.1f} us instead of {:.1f}", latency * 1e6, link_latency * 1e6));
  return wrong;
}

// Other work on the machine spoils a measurement; the bounds themselves stay.
inline std::vector<std::string> wrong_links_at_best(World& world, bool shared) {
  std::vector<std::string> wrong;
  for (int tries = 0; tries < 6; ++tries) {
    wrong = wrong_links(world, shared);
    if (wrong.empty()) break;
  }
  return wrong;
}

}  // namespace syncline::test
