// SPDX-License-Identifier: Apache-2.0
#include "engine/train/control.h"

#include <cmath>
#include <cstring>

#include "engine/base/error.h"

namespace syncline {
namespace {

constexpr std::int64_t part_elements = (sizeof(ControlPart) + 3) / 4;
static_assert(sizeof(ControlPart) % 4 == 0);

}  // namespace

// An all-gather only copies, so the doubles and counters inside the 32-bit elements arrive bit by bit; every rank then combines the parts
// in rank order, which no reduction of fp32 elements could do exactly.
Control::Control(Communicator& control)
    : comm_(control), mine_(View::host(part_elements)), all_(View::host(part_elements * control.size())) {}

Control::~Control() { abandon(); }

void Control::abandon() noexcept {
  if (!started_) return;
  started_ = false;
  try {
    work_.wait();
  } catch (const std::exception&) {  // the error that brought us here is the one to report
  }
}

void Control::start(const ControlPart& mine) {
  if (started_) throw UsageError("a control word was started before the last one was read");
  std::memcpy(mine_.data(), &mine, sizeof mine);
  work_ = comm_.allgather(mine_, all_);
  started_ = true;
}

std::optional<ControlWord> Control::read() {
  if (!started_) return std::nullopt;
  work_.wait();
  started_ = false;
  ControlWord word;
  for (int rank = 0; rank < comm_.size(); ++rank) {
    ControlPart part;
    std::memcpy(static_cast<void*>(&part), all_.data() + rank * part_elements, sizeof part);
    if (rank == 0) word.step = part.step;
    if (part.step != word.step)
      throw UsageError("rank " + std::to_string(rank) + " is at step " + std::to_string(part.step) + " in the control word of step " +
                       std::to_string(word.step));
    word.flags |= part.flags;
    word.loss_sum += part.loss_sum;
    word.correct += part.correct;
    word.samples += part.samples;
    word.hashes.push_back(part.parameters_hash);
    if (!std::isfinite(part.loss_sum) && word.first_not_finite < 0) word.first_not_finite = rank;
  }
  return word;
}

}  // namespace syncline
