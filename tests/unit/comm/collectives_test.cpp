// SPDX-License-Identifier: Apache-2.0
// The collective matrix: every collective, in place and out of place, for 1 to 9 ranks and lengths around the number of ranks.
#include <algorithm>
#include <cstring>
#include <vector>

#include "engine/base/random.h"
#include "tests/unit/comm/support.h"

namespace syncline {
namespace {

using test::cell;
using test::cell_sum;
using test::filled;
using test::on_ranks;

ThreadWorldOptions small_chunks() {
  ThreadWorldOptions options;
  options.group.chunk_bytes = 4096;  // many chunks at 100,003 elements
  options.queue.limit_s = 30;
  return options;
}

std::vector<std::int64_t> lengths(int size) {
  std::vector<std::int64_t> all{0, 1, size - 1, size, size + 1, 7, 1024, 100003};
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

class Matrix : public testing::TestWithParam<int> {};

void expect_sums(const View& view, int size, double scale, std::int64_t offset = 0) {
  std::int64_t wrong = 0;
  for (std::int64_t i = 0; i < view.count(); ++i) {
    if (view.data()[i] != static_cast<float>(scale) * cell_sum(size, offset + i)) ++wrong;
  }
  EXPECT_EQ(wrong, 0) << "of " << view.count();
}

TEST_P(Matrix, Allreduce) {
  const int size = GetParam();
  on_ranks(size, small_chunks(), [size](World& world) {
    auto& comm = world.communicator();
    for (const std::int64_t count : lengths(size)) {
      for (const double scale : {1.0, 2.0}) {
        View same = filled(world.rank(), count);
        comm.allreduce(same, same, {.scale_before = scale}).wait();
        expect_sums(same, size, scale);
        const View in = filled(world.rank(), count), out = View::host(count);
        comm.allreduce(in, out, {.scale_before = scale}).wait();
        expect_sums(out, size, scale);
        for (std::int64_t i = 0; i < count; ++i) ASSERT_EQ(in.data()[i], cell(world.rank(), i));
      }
    }
  });
}

TEST_P(Matrix, MaximumAndBitAnd) {
  const int size = GetParam();
  on_ranks(size, small_chunks(), [size](World& world) {
    for (const std::int64_t count : lengths(size)) {
      View view = filled(world.rank(), count);
      world.communicator().allreduce(view, view, {.op = Op::max}).wait();
      for (std::int64_t i = 0; i < count; ++i) {
        float most = 0;
        for (int rank = 0; rank < size; ++rank) most = std::max(most, cell(rank, i));
        ASSERT_EQ(view.data()[i], most);
      }
      View bits = View::host(count);
      for (std::int64_t i = 0; i < count; ++i) bits.ints()[i] = ~(1 << ((i + world.rank()) % 31));
      world.communicator().allreduce(bits, bits, {.op = Op::bit_and}).wait();
      for (std::int64_t i = 0; i < count; ++i) {
        std::int32_t all = -1;
        for (int rank = 0; rank < size; ++rank) all &= ~(1 << ((i + rank) % 31));
        ASSERT_EQ(bits.ints()[i], all);
      }
    }
  });
}

TEST_P(Matrix, Reduce) {
  const int size = GetParam();
  on_ranks(size, small_chunks(), [size](World& world) {
    for (const std::int64_t count : lengths(size)) {
      for (const double scale : {1.0, 3.0}) {
        const int root = static_cast<int>(count) % size;
        const View in = filled(world.rank(), count), out = View::host(count);
        world.communicator().reduce(in, out, root, {.scale_before = scale}).wait();
        if (world.rank() == root) {
          expect_sums(out, size, scale);
        } else {
          for (std::int64_t i = 0; i < count; ++i) ASSERT_EQ(out.data()[i], 0) << "out of another rank was touched";
        }
        for (std::int64_t i = 0; i < count; ++i) ASSERT_EQ(in.data()[i], cell(world.rank(), i));
        View same = filled(world.rank(), count);
        world.communicator().reduce(same, same, root, {.scale_before = scale}).wait();
        if (world.rank() == root) expect_sums(same, size, scale);
      }
    }
  });
}

TEST_P(Matrix, Broadcast) {
  const int size = GetParam();
  on_ranks(size, small_chunks(), [size](World& world) {
    for (const std::int64_t count : lengths(size)) {
      const int root = static_cast<int>(count + 1) % size;
      View view = filled(world.rank(), count);
      world.communicator().broadcast(view, root).wait();
      for (std::int64_t i = 0; i < count; ++i) ASSERT_EQ(view.data()[i], cell(root, i));
    }
  });
}

TEST_P(Matrix, ReduceScatter) {
  const int size = GetParam();
  on_ranks(size, small_chunks(), [size](World& world) {
    for (const std::int64_t count : lengths(size)) {
      for (const double scale : {1.0, 2.0}) {
        const Part mine = part_of(world.rank(), size, count);
        const View in = filled(world.rank(), count), out = View::host(mine.count);
        world.communicator().reduce_scatter(in, out, {.scale_before = scale}).wait();
        expect_sums(out, size, scale, mine.offset);
        View all = filled(world.rank(), count);
        world.communicator().reduce_scatter(all, all.part(mine.offset, mine.count), {.scale_before = scale}).wait();
        expect_sums(all.part(mine.offset, mine.count), size, scale, mine.offset);
      }
    }
  });
}

TEST_P(Matrix, Allgather) {
  const int size = GetParam();
  on_ranks(size, small_chunks(), [size](World& world) {
    for (const std::int64_t count : lengths(size)) {
      const Part mine = part_of(world.rank(), size, count);
      for (const bool in_place : {false, true}) {
        View out = View::host(count);
        View in = in_place ? out.part(mine.offset, mine.count) : View::host(mine.count);
        for (std::int64_t i = 0; i < mine.count; ++i) in.data()[i] = cell(world.rank(), mine.offset + i);
        world.communicator().allgather(in, out).wait();
        for (int rank = 0; rank < size; ++rank) {
          const Part part = part_of(rank, size, count);
          for (std::int64_t i = 0; i < part.count; ++i) ASSERT_EQ(out.data()[part.offset + i], cell(rank, part.offset + i));
        }
      }
    }
  });
}

ByteBuffer text_bytes(int from, int to, std::size_t length) {
  ByteBuffer bytes(length);
  for (std::size_t i = 0; i < length; ++i) bytes[i] = static_cast<std::byte>((i * 3 + static_cast<std::size_t>(from * 17 + to * 5)) & 0xff);
  return bytes;
}

TEST_P(Matrix, ByteStringsOfDifferentLengths) {
  const int size = GetParam();
  ThreadWorldOptions options;
  options.group.segment_bytes = 1000;  // contents travel in segments: 1 GiB in earnest
  on_ranks(size, options, [size](World& world) {
    const int me = world.rank();
    std::vector<ByteBuffer> all;
    world.communicator().allgather_bytes(text_bytes(me, 0, static_cast<std::size_t>(me) * 1000), all).wait();
    ASSERT_EQ(static_cast<int>(all.size()), size);
    for (int rank = 0; rank < size; ++rank) {
      EXPECT_EQ(all[static_cast<std::size_t>(rank)], text_bytes(rank, 0, static_cast<std::size_t>(rank) * 1000));
    }
    std::vector<ByteBuffer> out, in;
    for (int to = 0; to < size; ++to) out.push_back(text_bytes(me, to, static_cast<std::size_t>(me * 500 + to * 333)));
    world.communicator().alltoall_bytes(out, in).wait();
    for (int from = 0; from < size; ++from) {
      EXPECT_EQ(in[static_cast<std::size_t>(from)], text_bytes(from, me, static_cast<std::size_t>(from * 500 + me * 333)));
    }
  });
}

TEST_P(Matrix, NobodyLeavesABarrierBeforeTheLastHasCome) {
  const int size = GetParam();
  std::atomic<int> came{0};
  on_ranks(size, [size, &came](World& world) {
    for (int round = 1; round <= 20; ++round) {
      came.fetch_add(1);
      world.communicator().barrier().wait();
      EXPECT_GE(came.load(), round * size);
      world.communicator().barrier().wait();
    }
  });
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
