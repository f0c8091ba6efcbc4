// SPDX-License-Identifier: Apache-2.0
// The samples that a rank holds in its memory, and how they change places (card of multi-colour allreduce, section E). Internal to this
// folder.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/data/source.h"

namespace syncline {

// Slot q receives what is in slot [q]: Fisher and Yates from the end down, with splitmix64 from `seed`, as the card has it.
std::vector<std::int32_t> slot_permutation(std::int64_t slots, std::uint64_t seed);

// Which samples a group's slots hold, and which of them belong to a member.
struct SlotsView {
  std::span<const std::int32_t> ids;   // of all slots
  std::span<const std::int64_t> ends;  // 0, then where each member's block ends
  std::span<const std::int32_t> of(int member) const {
    const auto at = static_cast<std::size_t>(member);
    return ids.subspan(static_cast<std::size_t>(ends[at]), static_cast<std::size_t>(ends[at + 1] - ends[at]));
  }
};

class ResidentSet final : public Dataset {
 public:
  explicit ResidentSet(const Dataset& source);  // knows what the set is, holds nothing yet
  // Reads these samples from the source in place of those held; on `cancel` it ends early and holds nothing.
  void read_from(const Dataset& source, std::span<const std::int32_t> ids, const std::atomic<bool>& cancel);
  // All members together: those held, which are `before`'s, become `after`'s. At most 2^31 samples; TrainingError when a member sent
  // others.
  Loader::Exchanged exchange(const SlotsView& before, const SlotsView& after, Communicator& members);
  void drop();

  std::int64_t size() const override { return static_cast<std::int64_t>(place_.size()); }  // of the whole set
  Shape shape() const override { return info_.shape; }
  std::int64_t classes() const override { return info_.classes; }
  const std::vector<std::string>& class_names() const override { return info_.class_names; }
  std::int32_t label(std::int64_t id) const override;                      // of one that is held, else UsageError
  void read(std::int64_t id, std::span<std::uint8_t> out) const override;  // likewise
  std::vector<float> default_mean() const override { return info_.mean; }
  std::vector<float> default_stddev() const override { return info_.stddev; }

 private:
  const std::byte* held(std::int64_t id) const;
  std::size_t record_bytes() const { return label_bytes_ + pixel_bytes_; }
  void place(std::span<const std::int32_t> ids);

  SetInfo info_;
  std::size_t label_bytes_, pixel_bytes_;
  std::vector<std::byte> records_;   // label, pixels
  std::vector<std::int32_t> place_;  // by sample: its record, or -1
};

}  // namespace syncline
