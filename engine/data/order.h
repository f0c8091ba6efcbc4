// SPDX-License-Identifier: Apache-2.0
// Which sample stands where in an epoch, and which positions a rank takes. Pure functions of (seed, epoch, position, batch sizes):
// resuming needs no more than these numbers.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/data/dataset.h"

namespace syncline {

// The batches of all ranks, as cumulative sums.
class Shares {
 public:
  // One number stands for all ranks. UsageError unless there is one per rank, none negative, and a sum of 1 to 2^31 - 1.
  Shares(std::span<const std::int64_t> batches, int ranks);
  std::int64_t total() const { return ends_.back(); }
  // Where rank r's part of `count` things begins; begin(ranks, count) = count. 64 bits suffice for counts below 2^32.
  std::int64_t begin(int rank, std::int64_t count) const { return ends_[static_cast<std::size_t>(rank)] * count / total(); }
  std::int64_t part(int rank, std::int64_t count) const { return begin(rank + 1, count) - begin(rank, count); }
  std::int64_t batch(int rank) const { return part(rank, total()); }
  bool operator==(const Shares&) const = default;

 private:
  std::vector<std::int64_t> ends_;  // 0, b0, b0 + b1, ...
};

struct Cursor {
  std::int64_t epoch = 0, index = 0, position = 0;  // index of the global batch, position of its first sample
};

struct Slice {  // one global batch, and one rank's part of it
  Cursor at;
  std::int64_t global_rows = 0, offset = 0, rows = 0;  // mine are positions at.position + offset + [0, rows)
  bool last = false;                                   // of the epoch
};

Batch batch_of(const Slice&);  // without images and labels

class SampleOrder {
 public:
  // `dataset` is read for labels (by-label) now and not later. Options as for make_loader.
  SampleOrder(const Dataset& dataset, const LoaderOptions&);

  const Shares& shares() const { return shares_; }
  void check(const Shares&) const;  // ConfigError when "drop" would leave nothing
  void set_shares(const Shares&);   // as check()
  std::int64_t batches_per_epoch() const;
  std::int64_t samples_per_epoch() const;
  // Where batch `batch` of an epoch begins at the present sizes; UsageError where an epoch has no such batch.
  Cursor at(std::int64_t epoch, std::int64_t batch) const;
  void check(const Cursor&) const;  // UsageError where an epoch has no such place
  Slice slice(const Cursor&) const;
  Cursor after(const Slice&) const;

  // Makes ids() know the order of this epoch; cheap when it is the present one. Allocates nothing but where samples change places.
  void prepare(std::int64_t epoch);
  // Sample number `row` of my part of the slice, whose epoch is prepared.
  std::int64_t id(const Slice&, std::int64_t row) const;

  // Of samples that live in memory: how often they changed places before an epoch, and what the slots of this rank's group hold then.
  std::int64_t changes_before(std::int64_t epoch) const;
  std::span<const std::int32_t> slots_after(std::int64_t changes);  // valid until the next call of this or prepare()
  const std::vector<std::int64_t>& block_ends() const { return ends_; }
  int member() const { return rank_ % members_; }

 private:
  void shuffle(std::int64_t begin, std::int64_t end, std::uint64_t part);
  void cut_blocks();

  std::int64_t size_;
  std::uint64_t seed_;
  int rank_, ranks_;
  bool train_, by_label_, drop_;
  Shares shares_;
  bool resident_;
  std::int64_t shuffle_every_, groups_;
  int members_;                      // ranks of a group; all of them but for resident sets
  bool blocks_;                      // every rank draws from a block of its own
  std::vector<std::int64_t> ends_;   // of the blocks of this group, from 0
  std::vector<std::int32_t> first_;  // in the order in which blocks are cut from it; empty unless blocks_
  std::vector<std::int32_t> slots_;  // what they hold after changes_
  std::int64_t changes_ = 0;
  std::vector<std::int32_t> order_;  // of epoch_; empty for the fixed order
  std::int64_t epoch_ = -1;
};

}  // namespace syncline
