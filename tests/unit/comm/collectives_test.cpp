// SPDX-License-Identifier: Apache-2.0
// The collective matrix (tests/support/collectives.h) for 1 to 9 ranks, and what direct promises beyond it.
#include <algorithm>
#include <cstring>
#include <vector>

#include "engine/base/random.h"
#include "tests/unit/comm/support.h"

namespace syncline {
namespace {

using test::filled;
using test::on_ranks;

ThreadWorldOptions small_chunks() {
  ThreadWorldOptions options;
  options.group.chunk_bytes = 4096;  // many chunks at 100,003 elements
  options.queue.limit_s = 30;
  return options;
}

class Matrix : public testing::TestWithParam<int> {};

TEST_P(Matrix, Allreduce) {
  on_ranks(GetParam(), small_chunks(), [](World& world) { test::check_allreduce(world.communicator()); });
}

TEST_P(Matrix, MaximumAndBitAnd) {
  on_ranks(GetParam(), small_chunks(), [](World& world) { test::check_maximum_and_bit_and(world.communicator()); });
}

TEST_P(Matrix, Reduce) {
  on_ranks(GetParam(), small_chunks(), [](World& world) { test::check_reduce(world.communicator()); });
}

TEST_P(Matrix, Broadcast) {
  on_ranks(GetParam(), small_chunks(), [](World& world) { test::check_broadcast(world.communicator()); });
}

TEST_P(Matrix, ReduceScatter) {
  on_ranks(GetParam(), small_chunks(), [](World& world) { test::check_reduce_scatter(world.communicator()); });
}

TEST_P(Matrix, Allgather) {
  on_ranks(GetParam(), small_chunks(), [](World& world) { test::check_allgather(world.communicator()); });
}

TEST_P(Matrix, ByteStringsOfDifferentLengths) {
  ThreadWorldOptions options;
  options.group.segment_bytes = 1000;  // contents travel in segments: 1 GiB in earnest
  on_ranks(GetParam(), options, [](World& world) { test::check_byte_strings(world.communicator()); });
}

TEST_P(Matrix, NobodyLeavesABarrierBeforeTheLastHasCome) {
  std::atomic<int> came{0};
  on_ranks(GetParam(), [&came](World& world) { test::check_barrier(world.communicator(), came); });
}

INSTANTIATE_TEST_SUITE_P(Ranks, Matrix, testing::Range(1, 10), [](const auto& case_info) { return std::to_string(case_info.param); });

// Floats whose sum depends on the order of addition.
View rough(int rank, std::int64_t count) {
  View view = View::host(count);
  RandomStream random(7, "rough", static_cast<std::uint64_t>(rank));
  for (std::int64_t i = 0; i < count; ++i) view.data()[i] = static_cast<float>(random.normal() * std::exp(4 * random.normal()));
  return view;
}

std::vector<float> summed(int size, std::int64_t count, std::int64_t chunk_bytes, const std::vector<std::int64_t>& buckets,
                          double delay_s) {
  ThreadWorldOptions options;
  options.group.chunk_bytes = chunk_bytes;
  options.delays = {.seed = static_cast<std::uint64_t>(chunk_bytes), .most_s = delay_s};
  std::vector<std::vector<float>> results(static_cast<std::size_t>(size));
  on_ranks(size, options, [&](World& world) {
    View view = rough(world.rank(), count);
    std::vector<Work> works;
    std::int64_t offset = 0;
    for (const std::int64_t bucket : buckets) {
      const View part = view.part(offset, bucket);
      works.push_back(world.communicator().allreduce(part, part, {.label = "bucket"}));
      offset += bucket;
    }
    for (Work& work : works) work.wait();
    results[static_cast<std::size_t>(world.rank())].assign(view.data(), view.data() + count);
  });
  for (const auto& result : results) {
    EXPECT_EQ(std::memcmp(result.data(), results[0].data(), result.size() * 4), 0) << "the ranks end with different bits";
  }
  return results[0];
}

TEST(DirectAllreduce, SameBitsForEveryBucketChunkAndDelay) {
  constexpr std::int64_t count = 5000;
  for (const int size : {2, 3, 4}) {
    std::vector<float> expected(count);
    std::vector<View> parts;
    for (int rank = 0; rank < size; ++rank) parts.push_back(rough(rank, count));
    for (std::int64_t i = 0; i < count; ++i) {
      float sum = parts[0].data()[i];
      for (int rank = 1; rank < size; ++rank) sum = sum + parts[static_cast<std::size_t>(rank)].data()[i];
      expected[static_cast<std::size_t>(i)] = sum;
    }
    const std::vector<std::vector<std::int64_t>> splits{
        {count}, {1, count - 1}, {2500, 2500}, {17, 1000, 983, 3000}, std::vector<std::int64_t>(50, 100)};
    for (const auto& split : splits) {
      for (const std::int64_t chunk : {64, 1024, 262144}) {
        const auto result = summed(size, count, chunk, split, split.size() == 4 ? 2e-4 : 0);
        EXPECT_EQ(std::memcmp(result.data(), expected.data(), result.size() * 4), 0)
            << size << " ranks, " << split.size() << " buckets, chunk " << chunk;
      }
    }
  }
}

TEST(DirectAllreduce, AnInfinityOrNotANumberReachesEveryRank) {
  on_ranks(3, [](World& world) {
    View view = filled(world.rank(), 100);
    if (world.rank() == 1) view.data()[5] = INFINITY;
    if (world.rank() == 2) view.data()[77] = NAN;
    View most = View::host(100);
    world.communicator().allreduce(view, most, {.op = Op::max}).wait();
    EXPECT_TRUE(std::isnan(most.data()[77]));
    world.communicator().allreduce(view, view).wait();
    EXPECT_TRUE(std::isinf(view.data()[5]));
    EXPECT_TRUE(std::isnan(view.data()[77]));
  });
}

TEST(DirectAllreduce, ScratchStaysWithinItsDocumentedBound) {
  for (const int size : {2, 5}) {
    ThreadWorldOptions options;
    options.group.chunk_bytes = 4096;
    on_ranks(size, options, [size](World& world) {
      View view = filled(world.rank(), 200000);
      world.communicator().allreduce(view, view).wait();
      const std::int64_t scratch = world.communicator().scratch_bytes();
      EXPECT_GT(scratch, 0);
      EXPECT_LE(scratch, chunk_window * (size - 1) * 4096);
      EXPECT_LT(scratch, view.bytes());
    });
  }
}

}  // namespace
}  // namespace syncline
