// SPDX-License-Identifier: Apache-2.0
// Per-step sums of the ranks of one run as rows, chunks and bucket means. All calls inside the caller's transaction; after a rollback call
// forget().
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "engine/metrics/step_sums.h"
#include "engine/store/database.h"
#include "engine/store/reader.h"

namespace syncline {

inline constexpr std::int64_t chunk_steps = 256;

// Times of StepSums are stored in whole nanoseconds, the resolution of the clock.
StepSums stored_steps(StepSums);

struct StepRow {
  std::int64_t sequence = 0;
  StepSums sums;
};
std::vector<std::byte> encode_step(const StepRow&);  // one row
StepRow decode_step(std::span<const std::byte>, int rank);
std::vector<std::byte> encode_steps(std::span<const StepRow>);  // a chunk
std::vector<StepRow> decode_steps(std::span<const std::byte>, std::int64_t count, int rank);

// Sums over the steps of a bucket; the means of StepBucket follow from it.
struct StepAggregate {
  std::int64_t count = 0, first_step = 0, last_step = 0;
  std::array<double, step_fields.size()> fields{};
  std::array<double, step_counts.size()> counts{};
  Axes last_axes;
  std::uint32_t flags = 0;
  double min_exposed_s = 0, max_exposed_s = 0, min_step_s = 0, max_step_s = 0;
  void add(const StepSums&);
  void merge(const StepAggregate& later);
  StepBucket bucket(int rank) const;
};
std::vector<std::byte> encode_aggregate(const StepAggregate&);
StepAggregate decode_aggregate(std::span<const std::byte>);

class StepRows {
 public:
  StepRows(Database&, std::int64_t run_key);
  void append(const StepRow&);
  void finish_batch();
  void forget() { lanes_.clear(); }

 private:
  struct Lane {
    std::int64_t key = 0, count = 0, chunked = 0;
    std::vector<StepAggregate> open;  // the last bucket of each level
    std::vector<std::vector<std::pair<std::int64_t, StepAggregate>>> full;
    bool touched = false;
  };
  Lane& open(int rank);
  StepAggregate stored_bucket(const Lane&, int level, std::int64_t n);
  void write_bucket(const Lane&, int level, std::int64_t n, const StepAggregate&);
  void make_chunk(Lane&, int rank);

  Database& database_;
  std::int64_t run_key_;
  std::map<int, Lane> lanes_;
  Statement insert_, insert_bucket_, update_lane_;
};

}  // namespace syncline
