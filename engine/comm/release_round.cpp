// SPDX-License-Identifier: Apache-2.0
#include "engine/comm/release_round.h"

#include <algorithm>
#include <cstring>

#include "engine/comm/orchestrations/report_table.h"

namespace syncline {

namespace {

// Of one sender and tag messages arrive in the order of sending, so neighbouring cycles cannot mix.
constexpr int report_tag = 0, reply_tag = 1, bits_tag = 2;

}  // namespace

void ReleaseRound::begin(Transport& transport, Round round) {
  const int rank = this->rank(), size = this->size();
  round_ = round;
  at_ = 0;
  sent_ = here_ = asked_ = charging_ = false;
  done_ = size == 1;
  const bool bits = round == Round::bits_and || round == Round::bits_or;
  bytes_ += bits ? static_cast<std::int64_t>(8 * policy_.words.size()) : 0;
  const std::size_t slots = bits ? static_cast<std::size_t>(bit_rounds(size)) : rank == 0 ? static_cast<std::size_t>(size) : 1;
  if (out_.size() < slots) out_.resize(slots);
  if (in_.size() < slots) in_.resize(slots);
  if (bits) {
    for (std::size_t k = 0; k < slots && !done_; ++k)
      receive(transport, in_[k], 8 * policy_.words.size(), (rank - (1 << k) % size + size) % size, bits_tag + static_cast<int>(k));
    return;
  }
  if (rank != 0) {
    bytes_ += static_cast<std::int64_t>(policy_.report.size());
    return receive(transport, in_[0], most_told_bytes, 0, reply_tag);
  }
  reports_.resize(static_cast<std::size_t>(size));
  reports_[0] = policy_.report;
  at_ = 1;
  for (int peer = 1; peer < size; ++peer) receive(transport, in_[static_cast<std::size_t>(peer)], most_told_bytes, peer, report_tag);
}

ReleaseRound::Progress ReleaseRound::step(Transport& transport, double now_s) {
  bool moved = false;
  while (!done_) {
    const bool on = round_ != Round::to_root ? combine(transport, now_s)
                    : rank() == 0            ? as_root(transport, now_s)
                                             : to_root(transport, now_s);
    if (!on) return moved ? Progress::moved : Progress::idle;
    moved = true;
  }
  if (size() == 1 && round_ == Round::to_root) policy_.answer(std::span(&policy_.report, 1), now_s);
  round_ = Round::over;
  return Progress::finished;
}

// Dissemination: in exchange k a rank sends what it has combined so far to the rank 2^k above and gets that of the rank 2^k below. What is
// counted twice where N is no power of two does no harm to bits.
bool ReleaseRound::combine(Transport& transport, double now_s) {
  const int size = this->size();
  const auto k = static_cast<std::size_t>(at_);
  if (!sent_) {
    if (!free(transport, out_[k]) || !handled(now_s)) return false;
    send(transport, out_[k], std::as_bytes(std::span(policy_.words)), (rank() + (1 << k)) % size, bits_tag + at_);
    return sent_ = true;
  }
  if (!arrived(transport, in_[k]) || !handled(now_s)) return false;
  here_ = false;
  for (std::size_t word = 0; word < policy_.words.size(); ++word) {
    std::uint64_t theirs = 0;
    std::memcpy(&theirs, in_[k].bytes.data() + 8 * word, sizeof theirs);
    policy_.words[word] = round_ == Round::bits_and ? policy_.words[word] & theirs : policy_.words[word] | theirs;
  }
  sent_ = false;
  done_ = ++at_ == bit_rounds(size);
  return true;
}

bool ReleaseRound::to_root(Transport& transport, double now_s) {
  if (!sent_) {
    if (!free(transport, out_[0]) || !handled(now_s)) return false;
    send(transport, out_[0], policy_.report, 0, report_tag);
    return sent_ = true;
  }
  if (!arrived(transport, in_[0]) || !handled(now_s)) return false;
  here_ = false;
  const auto reply = in_[0].message();
  policy_.reply.assign(reply.begin(), reply.end());
  return done_ = true;
}

bool ReleaseRound::as_root(Transport& transport, double now_s) {
  if (!asked_) {
    // In the order of coming, so that no rank is waited for whose report is there.
    const auto comes = [&](Slot& slot) { return slot.handle >= 0 && arrived(transport, slot); };
    if (!here_) from_ = static_cast<std::size_t>(std::find_if(in_.begin() + 1, in_.begin() + size(), comes) - in_.begin());
    if (!here_ || !handled(now_s)) return false;
    here_ = false;
    const auto report = in_[from_].message();
    reports_[from_].assign(report.begin(), report.end());
    if (++at_ < size()) return true;
    policy_.answer(reports_, now_s);
    bytes_ += static_cast<std::int64_t>(policy_.reply.size()) * (size() - 1);
    asked_ = true;
    at_ = 1;
    return true;
  }
  Slot& out = out_[static_cast<std::size_t>(at_)];
  if (!free(transport, out) || !handled(now_s)) return false;
  send(transport, out, policy_.reply, at_, reply_tag);
  done_ = ++at_ == size();
  return true;
}

bool ReleaseRound::handled(double now_s) {
  if (!charging_) {
    charging_ = true;
    ++messages_;
    handled_s_ = std::max(handled_s_, now_s) + message_cost_s_;
  }
  if (now_s < handled_s_) return false;
  charging_ = false;
  return true;
}

bool ReleaseRound::arrived(Transport& transport, Slot& slot) {
  if (here_) return true;
  Transport::Completion completion;
  if (!transport.take(slot.handle, completion)) return false;
  slot.handle = -1;
  slot.size = static_cast<std::size_t>(completion.bytes);
  return here_ = true;
}

bool ReleaseRound::free(Transport& transport, Slot& slot) {
  Transport::Completion completion;
  if (slot.handle >= 0 && transport.take(slot.handle, completion)) slot.handle = -1;
  return slot.handle < 0;
}

void ReleaseRound::receive(Transport& transport, Slot& slot, std::size_t capacity, int peer, int tag) {
  if (slot.bytes.size() < capacity) slot.bytes.resize(capacity);
  slot.handle = transport.receive(slot.bytes.data(), static_cast<std::int64_t>(capacity), context_, peer, tag);
}

void ReleaseRound::send(Transport& transport, Slot& slot, std::span<const std::byte> message, int peer, int tag) {
  slot.bytes.assign(message.begin(), message.end());
  slot.handle = transport.send(slot.bytes.data(), static_cast<std::int64_t>(slot.bytes.size()), context_, peer, tag);
}

bool ReleaseRound::sends_open(Transport& transport) {
  bool open = false;
  for (Slot& slot : out_) open = !free(transport, slot) || open;
  return open;
}

void ReleaseRound::abandon(Transport& transport) {
  for (std::vector<Slot>* slots : {&in_, &out_}) {
    for (Slot& slot : *slots) {
      if (slot.handle >= 0) transport.cancel(slot.handle);
      slot.handle = -1;
    }
  }
  round_ = Round::over;
  done_ = true;
}

std::vector<int> ReleaseRound::waiting_for() const {
  std::vector<int> ranks;
  if (done_) return ranks;
  const int size = this->size();
  if (round_ != Round::to_root) return {(rank() - (1 << at_) % size + size) % size};
  if (rank() != 0) return {0};
  for (std::size_t peer = 1; peer < in_.size() && !asked_; ++peer)
    if (in_[peer].handle >= 0) ranks.push_back(static_cast<int>(peer));
  return ranks;
}

}  // namespace syncline
