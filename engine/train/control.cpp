// SPDX-License-Identifier: Apache-2.0
#include "engine/train/control.h"

#include <cmath>
#include <cstring>

#include "engine/base/error.h"

namespace syncline {
namespace {

constexpr std::size_t part_bytes = sizeof(ControlPart);
static_assert(part_bytes % 4 == 0);

}  // namespace

// An all-gather only copies, so the doubles and counters inside the 32-bit elements arrive bit by bit; every rank then combines the parts
// in rank order, which no reduction of fp32 elements could do exactly.
Control::Control(Communicator& control, std::size_t extra)
    : comm_(control),
      elements_(static_cast<std::int64_t>((part_bytes + extra + 3) / 4)),
      mine_(View::host(elements_)),
      all_(View::host(elements_ * control.size())) {}

std::span<std::byte> Control::extra() { return std::as_writable_bytes(mine_.floats()).subspan(part_bytes); }

std::span<const std::byte> Control::extra_of(int rank) const {
  return std::as_bytes(all_.part(rank * elements_, elements_).floats()).subspan(part_bytes);
}

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
    std::memcpy(static_cast<void*>(&part), all_.data() + rank * elements_, sizeof part);
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
