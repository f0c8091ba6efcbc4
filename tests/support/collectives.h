// SPDX-License-Identifier: Apache-2.0
// What every world's communicator must do, as each of its ranks sees it: the collective matrix, in place and out of place, for lengths
// around the number of ranks. Run by all members of a communicator together.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <vector>

#include "engine/comm/communicator.h"
#include "engine/comm/schedules/schedule.h"

namespace syncline::test {

// Small integers that depend on rank and position: exact in fp32 whatever the order of addition, and different wherever data may go astray.
inline float cell(int rank, std::int64_t position) { return static_cast<float>((rank + 1) * 1000 + (position * 7 + rank * 13) % 997); }
inline View filled(int rank, std::int64_t count) {
  View view = View::host(count);
  for (std::int64_t i = 0; i < count; ++i) view.data()[i] = cell(rank, i);
  return view;
}
inline float cell_sum(int size, std::int64_t position) {
  float sum = 0;
  for (int rank = 0; rank < size; ++rank) sum += cell(rank, position);
  return sum;
}

inline std::vector<std::int64_t> lengths(int size) {
  std::vector<std::int64_t> all{0, 1, size - 1, size, size + 1, 7, 1024, 100003};
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

inline void expect_sums(const View& view, int size, double scale, std::int64_t offset = 0) {
  std::int64_t wrong = 0;
  for (std::int64_t i = 0; i < view.count(); ++i) {
    if (view.data()[i] != static_cast<float>(scale) * cell_sum(size, offset + i)) ++wrong;
  }
  EXPECT_EQ(wrong, 0) << "of " << view.count();
}

inline void check_allreduce(Communicator& comm) {
  const int size = comm.size();
  for (const std::int64_t count : lengths(size)) {
    for (const double scale : {1.0, 2.0}) {
      View same = filled(comm.rank(), count);
      comm.allreduce(same, same, {.scale_before = scale}).wait();
      expect_sums(same, size, scale);
      const View in = filled(comm.rank(), count), out = View::host(count);
      comm.allreduce(in, out, {.scale_before = scale}).wait();
      expect_sums(out, size, scale);
      for (std::int64_t i = 0; i < count; ++i) ASSERT_EQ(in.data()[i], cell(comm.rank(), i));
    }
  }
}

inline void check_maximum_and_bit_and(Communicator& comm) {
  const int size = comm.size();
  for (const std::int64_t count : lengths(size)) {
    View view = filled(comm.rank(), count);
    comm.allreduce(view, view, {.op = Op::max}).wait();
    for (std::int64_t i = 0; i < count; ++i) {
      float most = 0;
      for (int rank = 0; rank < size; ++rank) most = std::max(most, cell(rank, i));
      ASSERT_EQ(view.data()[i], most);
    }
    View bits = View::host(count);
    for (std::int64_t i = 0; i < count; ++i) bits.ints()[i] = ~(1 << ((i + comm.rank()) % 31));
    comm.allreduce(bits, bits, {.op = Op::bit_and}).wait();
    for (std::int64_t i = 0; i < count; ++i) {
      std::int32_t all = -1;
      for (int rank = 0; rank < size; ++rank) all &= ~(1 << ((i + rank) % 31));
      ASSERT_EQ(bits.ints()[i], all);
    }
  }
}

inline void check_reduce(Communicator& comm) {
  const int size = comm.size();
  for (const std::int64_t count : lengths(size)) {
    for (const double scale : {1.0, 3.0}) {
      const int root = static_cast<int>(count) % size;
      const View in = filled(comm.rank(), count), out = View::host(count);
      comm.reduce(in, out, root, {.scale_before = scale}).wait();
      if (comm.rank() == root) {
        expect_sums(out, size, scale);
      } else {
        for (std::int64_t i = 0; i < count; ++i) ASSERT_EQ(out.data()[i], 0) << "out of another rank was touched";
      }
      for (std::int64_t i = 0; i < count; ++i) ASSERT_EQ(in.data()[i], cell(comm.rank(), i));
      View same = filled(comm.rank(), count);
      comm.reduce(same, same, root, {.scale_before = scale}).wait();
      if (comm.rank() == root) expect_sums(same, size, scale);
    }
  }
}

inline void check_broadcast(Communicator& comm) {
  const int size = comm.size();
  for (const std::int64_t count : lengths(size)) {
    const int root = static_cast<int>(count + 1) % size;
    View view = filled(comm.rank(), count);
    comm.broadcast(view, root).wait();
    for (std::int64_t i = 0; i < count; ++i) ASSERT_EQ(view.data()[i], cell(root, i));
  }
}

inline void check_reduce_scatter(Communicator& comm) {
  const int size = comm.size();
  for (const std::int64_t count : lengths(size)) {
    for (const double scale : {1.0, 2.0}) {
      const Part mine = part_of(comm.rank(), size, count);
      const View in = filled(comm.rank(), count), out = View::host(mine.count);
      comm.reduce_scatter(in, out, {.scale_before = scale}).wait();
      expect_sums(out, size, scale, mine.offset);
      View all = filled(comm.rank(), count);
      comm.reduce_scatter(all, all.part(mine.offset, mine.count), {.scale_before = scale}).wait();
      expect_sums(all.part(mine.offset, mine.count), size, scale, mine.offset);
    }
  }
}

inline void check_allgather(Communicator& comm) {
  const int size = comm.size();
  for (const std::int64_t count : lengths(size)) {
    const Part mine = part_of(comm.rank(), size, count);
    for (const bool in_place : {false, true}) {
      View out = View::host(count);
      View in = in_place ? out.part(mine.offset, mine.count) : View::host(mine.count);
      for (std::int64_t i = 0; i < mine.count; ++i) in.data()[i] = cell(comm.rank(), mine.offset + i);
      comm.allgather(in, out).wait();
      for (int rank = 0; rank < size; ++rank) {
        const Part part = part_of(rank, size, count);
        for (std::int64_t i = 0; i < part.count; ++i) ASSERT_EQ(out.data()[part.offset + i], cell(rank, part.offset + i));
      }
    }
  }
}

inline ByteBuffer text_bytes(int from, int to, std::size_t length) {
  ByteBuffer bytes(length);
  for (std::size_t i = 0; i < length; ++i) bytes[i] = static_cast<std::byte>((i * 3 + static_cast<std::size_t>(from * 17 + to * 5)) & 0xff);
  return bytes;
}

inline void check_byte_strings(Communicator& comm) {
  const int size = comm.size();
  const int me = comm.rank();
  std::vector<ByteBuffer> all;
  comm.allgather_bytes(text_bytes(me, 0, static_cast<std::size_t>(me) * 1000), all).wait();
  ASSERT_EQ(static_cast<int>(all.size()), size);
  for (int rank = 0; rank < size; ++rank) {
    EXPECT_EQ(all[static_cast<std::size_t>(rank)], text_bytes(rank, 0, static_cast<std::size_t>(rank) * 1000));
  }
  std::vector<ByteBuffer> out, in;
  for (int to = 0; to < size; ++to) out.push_back(text_bytes(me, to, static_cast<std::size_t>(me * 500 + to * 333)));
  comm.alltoall_bytes(out, in).wait();
  for (int from = 0; from < size; ++from) {
    EXPECT_EQ(in[static_cast<std::size_t>(from)], text_bytes(from, me, static_cast<std::size_t>(from * 500 + me * 333)));
  }
}

inline void check_barrier(Communicator& comm, std::atomic<int>& came) {
  const int size = comm.size();
  for (int round = 1; round <= 20; ++round) {
    came.fetch_add(1);
    comm.barrier().wait();
    EXPECT_GE(came.load(), round * size);
    comm.barrier().wait();
  }
}

}  // namespace syncline::test
