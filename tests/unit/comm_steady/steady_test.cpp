// SPDX-License-Identifier: Apache-2.0
// After the first exchanges nothing is allocated any more, neither by the threads that ask nor by the communication threads.
#include <algorithm>
#include <functional>
#include <string_view>

#include "engine/comm/orchestrations/policy.h"
#include "tests/support/allocations.h"
#include "tests/unit/comm/support.h"

namespace syncline {
namespace {

// Pools still grow when the threads happen to run in a new order; what allocates in each exchange has no quiet stretch.
std::int64_t fewest_allocations(const std::function<void()>& exchange) {
  for (int i = 0; i < 100; ++i) exchange();
  std::int64_t fewest = 1 << 30;
  for (int stretch = 0; stretch < 20; ++stretch) {
    const test::AllocationCount count;
    for (int i = 0; i < 20; ++i) exchange();
    fewest = std::min(fewest, count.so_far());
  }
  return fewest;
}

class Worlds : public testing::TestWithParam<int> {};  // 0: plain, 1: over links, 2: over links with receivers that read
INSTANTIATE_TEST_SUITE_P(Steady, Worlds, testing::Values(0, 1, 2));

TEST_P(Worlds, ExchangesAllocateNothing) {
  ThreadWorldOptions options;
  if (GetParam() > 0) options.links = LinkModel{{.bytes_per_s = 2e9, .latency_s = 1e-6}, {}};
  options.receivers_read = GetParam() == 2;
  options.group.chunk_bytes = 4096;
  test::on_ranks(2, options, [](World& world) {
    auto& comm = world.communicator();
    const View small = View::host(10), large = View::host(20'000);
    const auto exchange = [&] {
      Work first = comm.allreduce(small, small);
      Work second = comm.allreduce(large, large);
      second.wait();
      first.wait();
      comm.barrier().wait();
    };
    EXPECT_EQ(fewest_allocations(exchange), 0);
  });
}

// The order of three buckets agreed on in each step, asked for in another order on each rank.
TEST(Steady, NegotiatedStepsAllocateNothing) {
  test::on_ranks(2, [](World& world) {
    Communicator& comm = world.communicator();
    const OrchestrationEntry& entry = orchestration("bitvector");
    ReleaseOptions options = release_options(entry, defaults_of(entry.parameters));
    options.cycle_time_s = 0;
    comm.orchestrate(options);
    constexpr std::string_view names[] = {"bucket 0 (a name of some length)", "bucket 1 (a name of some length)",
                                          "bucket 2 (a name of some length)"};
    const View all = View::host(30);
    const auto step = [&] {
      Work works[3];
      comm.expect(3);
      for (int k = 0; k < 3; ++k) {
        const int bucket = (k + comm.rank()) % 3;
        const View part = all.part(10 * bucket, 10);
        works[bucket] = comm.allreduce(part, part, {.id = bucket, .negotiated = true, .label = names[bucket]});
      }
      for (Work& work : works) work.wait();
      comm.barrier().wait();
    };
    EXPECT_EQ(fewest_allocations(step), 0);
  });
}

}  // namespace
}  // namespace syncline
