// SPDX-License-Identifier: Apache-2.0
#include "engine/data/order.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "engine/base/error.h"
#include "engine/base/random.h"
#include "engine/data/resident_set.h"

namespace syncline {

namespace {

constexpr std::int64_t most = 0x7fffffff;

bool chosen(const std::string& value, const char* key, const char* first, const char* second) {
  if (value != first && value != second)
    throw ConfigError(fmt::format("data.{}: \"{}\" is not possible; \"{}\" and \"{}\" are", key, value, first, second));
  return value == second;
}

}  // namespace

Shares::Shares(std::span<const std::int64_t> batches, int ranks) : ends_{0} {
  const auto count = static_cast<std::size_t>(std::max(ranks, 0));
  if (count == 0 || (batches.size() != 1 && batches.size() != count))
    throw UsageError(fmt::format("{} batch sizes for {} ranks", batches.size(), ranks));
  for (std::size_t i = 0; i < count; ++i) {
    const std::int64_t batch = batches[batches.size() == 1 ? 0 : i];
    if (batch < 0 || batch > most - ends_.back())
      throw UsageError(fmt::format("a batch of {} rows on rank {}; the batches of all ranks sum to 1 to {}", batch, i, most));
    ends_.push_back(ends_.back() + batch);
  }
  if (total() == 0) throw UsageError("a global batch of no rows; at least one rank must have some");
}

SampleOrder::SampleOrder(const Dataset& dataset, const LoaderOptions& options)
    : size_(dataset.size()),
      seed_(options.seed),
      rank_(options.rank),
      ranks_(options.ranks),
      train_(options.train),
      by_label_(chosen(options.shards, "shards", "shuffled", "by-label") && options.train),
      drop_(chosen(options.last_batch, "last_batch", "keep", "drop") && options.train),
      shares_(options.batch_per_rank, options.ranks),
      resident_(options.residency.memory && options.train),
      shuffle_every_(options.residency.shuffle_every),
      groups_(resident_ ? options.residency.groups : 1),
      members_(static_cast<int>(ranks_ / std::max<std::int64_t>(groups_, 1))),
      blocks_(by_label_ || resident_) {
  if (groups_ < 1 || members_ * groups_ != ranks_)
    throw ConfigError(fmt::format("data.dimd_groups: {} groups of {} workers; a divisor of their number would be right", groups_, ranks_));
  if (rank_ < 0 || rank_ >= ranks_) throw UsageError(fmt::format("rank {} of {}", rank_, ranks_));
  if (size_ < 1 || size_ > most) throw ConfigError(fmt::format("data: a set of {} samples; 1 to {} are possible", size_, most));
  set_shares(shares_);
  if (!train_) return;
  order_.resize(static_cast<std::size_t>(size_));
  if (!blocks_) return;
  first_.resize(order_.size());
  std::iota(first_.begin(), first_.end(), 0);
  if (by_label_) {
    std::vector<std::int32_t> labels;
    for (std::int64_t id = 0; id < size_; ++id) labels.push_back(dataset.label(id));
    std::stable_sort(first_.begin(), first_.end(), [&](std::int32_t a, std::int32_t b) {
      return labels[static_cast<std::size_t>(a)] < labels[static_cast<std::size_t>(b)];
    });
  }
  slots_ = first_;
  cut_blocks();
}

// Of the ranks of a group, in proportion to their batches; where there are several groups these are equal.
void SampleOrder::cut_blocks() {
  ends_.assign(1, 0);
  for (int member = 1; member <= members_; ++member)
    ends_.push_back(groups_ == 1 ? shares_.begin(member, size_) : size_ * member / members_);
}

void SampleOrder::check(const Shares& shares) const {
  if (drop_ && size_ < shares.total()) {
    throw ConfigError(
        fmt::format("data.last_batch: \"drop\" leaves nothing of {} samples, fewer than one global batch of {}; \"keep\" uses them", size_,
                    shares.total()));
  }
  for (int rank = 1; rank < ranks_ && groups_ > 1; ++rank) {
    if (shares.batch(rank) != shares.batch(0))
      throw ConfigError("data.dimd_groups: several groups need equal batches on all workers; dimd_groups = 1 takes uneven ones");
  }
}

void SampleOrder::set_shares(const Shares& shares) {
  check(shares);
  shares_ = shares;
  if (!blocks_) return;
  epoch_ = -1;  // the blocks are cut by the shares
  cut_blocks();
}

std::int64_t SampleOrder::batches_per_epoch() const { return (size_ + (drop_ ? 0 : shares_.total() - 1)) / shares_.total(); }

std::int64_t SampleOrder::samples_per_epoch() const { return drop_ ? batches_per_epoch() * shares_.total() : size_; }

Cursor SampleOrder::at(std::int64_t epoch, std::int64_t batch) const {
  if (batch < 0 || batch >= batches_per_epoch())
    throw UsageError("batch " + std::to_string(batch) + " of an epoch of " + std::to_string(batches_per_epoch()));
  return {epoch, batch, batch * shares_.total()};
}

void SampleOrder::check(const Cursor& at) const {
  if (at.epoch >= 0 && at.index >= 0 && at.position >= 0 && at.position < samples_per_epoch()) return;
  throw UsageError("epoch " + std::to_string(at.epoch) + ", batch " + std::to_string(at.index) + ", sample " + std::to_string(at.position) +
                   " of " + std::to_string(samples_per_epoch()));
}

Batch batch_of(const Slice& slice) {
  Batch batch;
  batch.rows = slice.rows;
  batch.global_rows = slice.global_rows;
  batch.first_position = slice.at.position + slice.offset;
  batch.epoch = slice.at.epoch;
  batch.index = slice.at.index;
  batch.last_of_epoch = slice.last;
  return batch;
}

Slice SampleOrder::slice(const Cursor& at) const {
  Slice slice;
  slice.at = at;
  const std::int64_t left = size_ - at.position;
  // Under "drop" a partial batch is met only after the sizes grew in mid-epoch. It is used then: the batch before did not say that it
  // was the epoch's last.
  slice.global_rows = std::min(shares_.total(), left);
  slice.offset = shares_.begin(rank_, slice.global_rows);
  slice.rows = shares_.part(rank_, slice.global_rows);
  slice.last = left - slice.global_rows < (drop_ ? shares_.total() : 1);
  return slice;
}

Cursor SampleOrder::after(const Slice& slice) const {
  if (slice.last) return {slice.at.epoch + 1, 0, 0};
  return {slice.at.epoch, slice.at.index + 1, slice.at.position + slice.global_rows};
}

void SampleOrder::prepare(std::int64_t epoch) {
  if (!train_ || epoch == epoch_) return;
  epoch_ = epoch;
  if (blocks_) {
    const auto slots = slots_after(changes_before(epoch));
    std::copy(slots.begin(), slots.end(), order_.begin());
    for (int member = 0; member < members_; ++member)
      shuffle(ends_[static_cast<std::size_t>(member)], ends_[static_cast<std::size_t>(member) + 1],
              static_cast<std::uint64_t>(rank_ - this->member() + member) + 1);
  } else {
    std::iota(order_.begin(), order_.end(), 0);
    shuffle(0, size_, 0);
  }
}

std::int64_t SampleOrder::changes_before(std::int64_t epoch) const {
  return resident_ && shuffle_every_ > 0 && members_ > 1 ? epoch / groups_ / shuffle_every_ : 0;
}

std::span<const std::int32_t> SampleOrder::slots_after(std::int64_t changes) {
  if (changes < changes_) {
    slots_ = first_;
    changes_ = 0;
  }
  std::vector<std::int32_t> before;
  for (; changes_ < changes; ++changes_) {
    const auto group = static_cast<std::uint64_t>(rank_ / members_);
    const auto from = slot_permutation(size_, stream_key(seed_, "places", static_cast<std::uint64_t>(changes_), group));
    before = slots_;
    for (std::size_t slot = 0; slot < from.size(); ++slot) slots_[slot] = before[static_cast<std::size_t>(from[slot])];
  }
  return slots_;
}

// Fisher and Yates.
void SampleOrder::shuffle(std::int64_t begin, std::int64_t end, std::uint64_t part) {
  RandomStream random(seed_, "order", static_cast<std::uint64_t>(epoch_ / groups_), part);  // of a pass
  std::int32_t* first = order_.data() + begin;
  for (std::int64_t i = end - begin - 1; i > 0; --i) std::swap(first[i], first[random.below(static_cast<std::uint32_t>(i) + 1)]);
}

std::int64_t SampleOrder::id(const Slice& slice, std::int64_t row) const {
  if (!blocks_) {
    const std::int64_t position = slice.at.position + slice.offset + row;
    return train_ ? order_[static_cast<std::size_t>(position)] : position;
  }
  // How many of its block a rank has used at a position is the block's share of that position: an exact walk through the block as long
  // as the sizes stay. After a change of sizes in mid-epoch, and where a block is no multiple of what an epoch takes of it, some samples
  // come twice and others not.
  const std::int64_t before = slice.at.epoch % groups_ * shares_.part(rank_, size_) + shares_.part(rank_, slice.at.position) + row;
  if (groups_ == 1) return order_[static_cast<std::size_t>((ends_[static_cast<std::size_t>(rank_)] + before) % size_)];
  const std::int64_t begin = ends_[static_cast<std::size_t>(member())], block = ends_[static_cast<std::size_t>(member()) + 1] - begin;
  return order_[static_cast<std::size_t>(begin + before % block)];
}

}  // namespace syncline
