// SPDX-License-Identifier: Apache-2.0
// After the first exchanges nothing is allocated any more, neither by the threads that ask nor by the communication threads.
#include <algorithm>

#include "tests/support/allocations.h"
#include "tests/unit/comm/support.h"

namespace syncline {
namespace {

class Steady : public testing::TestWithParam<int> {};  // 0: plain, 1: over links, 2: over links with receivers that read
INSTANTIATE_TEST_SUITE_P(Worlds, Steady, testing::Values(0, 1, 2));

TEST_P(Steady, ExchangesAllocateNothing) {
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
    for (int i = 0; i < 100; ++i) exchange();
    // Pools still grow when the threads happen to run in a new order; what allocates in each exchange has no quiet stretch.
    long fewest = 1 << 30;
    for (int stretch = 0; stretch < 20; ++stretch) {
      const long before = test::allocations();
      for (int i = 0; i < 20; ++i) exchange();
      fewest = std::min(fewest, test::allocations() - before);
    }
    EXPECT_EQ(fewest, 0);
  });
}

}  // namespace
}  // namespace syncline
