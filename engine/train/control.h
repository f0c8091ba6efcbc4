// SPDX-License-Identifier: Apache-2.0
// The control word: what every rank has to know about all others once in a while, as a non-blocking exchange that is started at one meeting
// and read at the next (engine notes 6.1). Stop, checkpoint and early-stop decisions travel in it, and the sums of the loss. Nothing is
// decided on a local flag alone, so no rank is ever alone in a collective.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "engine/comm/communicator.h"

namespace syncline {

enum ControlFlag : std::uint32_t {
  stop_after_step = 1,        // leave at the next boundary, nothing is saved
  stop_after_checkpoint = 2,  // leave after saving a checkpoint
  checkpoint_now = 4,
  trace_now = 8  // the next 20 steps are traced in full
};

// One rank's part of the word. Sums are over the steps since the last meeting.
struct ControlPart {
  std::uint32_t flags = 0;
  std::int32_t steps = 0;
  std::int64_t step = 0;  // steps done when it was sent
  double loss_sum = 0;
  std::int64_t correct = 0, samples = 0;
  std::uint64_t parameters_hash = 0;  // 0: not looked at in this word
};

struct ControlWord {
  std::int64_t step = 0;    // steps done when it was sent, alike on all ranks
  std::uint32_t flags = 0;  // union over the ranks
  double loss_sum = 0;      // added in rank order: the same bits everywhere
  std::int64_t correct = 0, samples = 0;
  std::vector<std::uint64_t> hashes;  // by rank
  int first_not_finite = -1;          // rank whose loss is not finite, -1: none
  double loss() const { return loss_sum / static_cast<double>(samples); }
};

class Control {
 public:
  // `extra`: bytes that each rank adds to its part, for whoever wants to tell the others something once a meeting.
  explicit Control(Communicator& control, std::size_t extra = 0);
  ~Control();
  // The word of the previous meeting; waits for it where a rank is late. nullopt when none is under way.
  std::optional<ControlWord> read();
  void start(const ControlPart& mine);
  std::span<std::byte> extra();                         // of this rank, to be filled before start()
  std::span<const std::byte> extra_of(int rank) const;  // of the word read last; until the next start()
  bool under_way() const { return started_; }
  void abandon() noexcept;  // after an error: waits for nothing that could still fail

 private:
  Communicator& comm_;
  std::int64_t elements_;  // of one rank's part
  View mine_, all_;
  Work work_;
  bool started_ = false;
};

}  // namespace syncline
