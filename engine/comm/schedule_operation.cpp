// SPDX-License-Identifier: Apache-2.0
#include "engine/comm/schedule_operation.h"

#include <fmt/core.h>

#include <algorithm>

#include "engine/comm/ranks_text.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "engine/base/error.h"
#include "engine/metrics/clock.h"

namespace syncline {

namespace {

// Ranks may be one collective apart: alternating tags keep the messages of neighbours apart, the order of sending does the rest.
constexpr int check_tag = 0x7fff, channels = 0x3fff;
int tag_of(std::uint64_t sequence, int channel) { return static_cast<int>((sequence & 1) << 14) | channel % channels; }

std::uint64_t hash_of(const View& view) {
  return view.data() == nullptr ? 0 : XXH3_64bits(view.data(), static_cast<std::size_t>(view.bytes()));
}

}  // namespace

PreparedSchedule::PreparedSchedule(CollectiveSchedule given) : schedule(std::move(given)) {
  const std::size_t count = schedule.moves.size();
  waits_for.resize(count);
  next_begin.assign(count + 1, 0);
  for (std::size_t i = 0; i < count; ++i) {
    waits_for[i] = static_cast<int>(schedule.moves[i].after.size());
    for (const int before : schedule.moves[i].after) ++next_begin[static_cast<std::size_t>(before) + 1];
  }
  for (std::size_t i = 0; i < count; ++i) next_begin[i + 1] += next_begin[i];
  next.resize(static_cast<std::size_t>(next_begin[count]));
  std::vector<int> fill(next_begin.begin(), next_begin.end() - 1);
  for (std::size_t i = 0; i < count; ++i) {
    for (const int before : schedule.moves[i].after) {
      next[static_cast<std::size_t>(fill[static_cast<std::size_t>(before)]++)] = static_cast<int>(i);
    }
  }
}

std::string Fingerprint::text() const {
  return fmt::format("{}{} of {} elements (number {})", kind, label[0] == 0 ? std::string() : fmt::format(" '{}'", label), count, sequence);
}

void CheckedOperation::set_fingerprint(std::int64_t count, int root, Op op, int order_number) {
  fingerprint = {};
  if (!group->options.check || group->size == 1) return;
  fingerprint.count = count;
  fingerprint.root = root;
  fingerprint.op = static_cast<std::uint8_t>(op);
  fingerprint.id = id;
  fingerprint.order = order_number;
  kind.copy(fingerprint.kind, sizeof fingerprint.kind - 1);
  label.copy(fingerprint.label, sizeof fingerprint.label - 1);
}

void CheckedOperation::start_check(Transport& transport) {
  fingerprint.sequence = ++group->next_sequence;
  sequence.store(fingerprint.sequence, std::memory_order_relaxed);
  peers_.clear();
  if (!group->options.check || group->size == 1) return;
  peers_.resize(static_cast<std::size_t>(group->size));
  for (int peer = 0; peer < group->size; ++peer) {
    if (peer == group->rank) continue;
    Peer& at = peers_[static_cast<std::size_t>(peer)];
    at.receive = transport.receive(&at.theirs, sizeof at.theirs, group->collective_context, peer, check_tag);
    at.send = transport.send(&fingerprint, sizeof fingerprint, group->collective_context, peer, check_tag);
  }
}

bool CheckedOperation::check_passed(Transport& transport, bool& moved) {
  if (peers_.empty()) return true;
  bool waiting = false;
  Transport::Completion completion;
  for (std::size_t peer = 0; peer < peers_.size(); ++peer) {
    Peer& at = peers_[peer];
    if (at.send >= 0 && transport.take(at.send, completion)) {
      at.send = -1;
      moved = true;
    }
    if (at.receive >= 0 && transport.take(at.receive, completion)) {
      at.receive = -1;
      moved = true;
    }
    waiting = waiting || at.send >= 0 || at.receive >= 0;
  }
  if (waiting) return false;  // all answers first, so that every rank learns of a mismatch
  for (std::size_t peer = 0; peer < peers_.size(); ++peer) {
    if (static_cast<int>(peer) == group->rank || peers_[peer].theirs == fingerprint) continue;
    const std::string theirs = peers_[peer].theirs.text();
    peers_.clear();
    throw TrainingError(
        fmt::format("the ranks are at different operations of '{}' in step {}: rank {} at {}, rank {} at {}; every rank must ask for "
                    "the same operations in the same order",
                    group->purpose, step_number, group->rank, fingerprint.text(), peer, theirs));
  }
  peers_.clear();
  return true;
}

void CheckedOperation::abandon(Transport& transport) {
  for (Peer& at : peers_) {
    if (at.send >= 0) transport.cancel(at.send);
    if (at.receive >= 0) transport.cancel(at.receive);
    at.send = at.receive = -1;
  }
}

std::string CheckedOperation::waiting_for() const {
  std::vector<int> ranks;
  for (std::size_t peer = 0; peer < peers_.size(); ++peer) {
    if (peers_[peer].receive >= 0) ranks.push_back(static_cast<int>(peer));
  }
  return ranks_text(ranks);
}

void ScheduleOperation::prepare(const Call& call, std::shared_ptr<const PreparedSchedule> schedule) {
  schedule_ = std::move(schedule);
  in_ = call.in;
  out_ = call.out;
  op_ = call.reduce.op;
  scale_ = static_cast<float>(call.reduce.scale_before);
  library_ = call.library;
  format_ = call.format;
  started_ = false;
  payload_bytes = call.count * bytes_of(format_);
  set_fingerprint(call.count, call.root, op_, call.reduce.order);
  input_hash_ = group->options.check ? hash_of(in_) : 0;
}

// A gradient handed over before its last write is a silent error: the loss merely stops improving. The checking mode compares the input
// at the moment of asking with the input at the moment of sending.
void ScheduleOperation::check_late_writer() const {
  if (!group->options.check || hash_of(in_) == input_hash_) return;
  throw UsageError(fmt::format("internal error: the input of {} was written after the operation had been asked for", describe()));
}

void ScheduleOperation::start(Transport& transport) {
  const CollectiveSchedule& schedule = schedule_->schedule;
  waits_for_ = schedule_->waits_for;
  ready_.clear();
  ready_at_ = 0;
  flights_.clear();
  heard_.assign(static_cast<std::size_t>(group->size), 0);
  left_ = static_cast<int>(schedule.moves.size());
  if (schedule.scratch_elements() > static_cast<std::int64_t>(group->scratch.size())) {
    group->scratch.resize(static_cast<std::size_t>(schedule.scratch_elements()));
    group->scratch_elements.store(schedule.scratch_elements(), std::memory_order_relaxed);
  }
  for (std::size_t i = 0; i < waits_for_.size(); ++i) {
    if (waits_for_[i] == 0) ready_.push_back(static_cast<int>(i));
  }
  start_check(transport);
}

float* ScheduleOperation::address(const Operand& operand) const {
  switch (operand.place) {
    case Operand::input:
      return in_.data() == nullptr ? nullptr : in_.data() + operand.offset;
    case Operand::output:
      return out_.data() == nullptr ? nullptr : out_.data() + operand.offset;
    case Operand::slot:
      break;
  }
  return group->scratch.data() + operand.index * schedule_->schedule.slot_elements;
}

void ScheduleOperation::complete(int move) {
  --left_;
  const auto at = static_cast<std::size_t>(move);
  for (int i = schedule_->next_begin[at]; i < schedule_->next_begin[at + 1]; ++i) {
    const int next = schedule_->next[static_cast<std::size_t>(i)];
    if (--waits_for_[static_cast<std::size_t>(next)] == 0) ready_.push_back(next);
  }
}

// None for fp32: the message is what lies in memory.
int ScheduleOperation::allot_stage(std::int64_t count) {
  if (format_ == WireFormat::fp32) return -1;
  if (free_stages_.empty()) {
    free_stages_.push_back(static_cast<int>(stages_.size()));
    stages_.emplace_back();
  }
  const int stage = free_stages_.back();
  free_stages_.pop_back();
  std::vector<std::uint16_t>& memory = stages_[static_cast<std::size_t>(stage)];
  if (memory.size() < static_cast<std::size_t>(count)) memory.resize(static_cast<std::size_t>(count));
  return stage;
}

void ScheduleOperation::run(Transport& transport, int index) {
  const Move& move = schedule_->schedule.moves[static_cast<std::size_t>(index)];
  const int message_tag = tag_of(fingerprint.sequence, move.channel);
  const std::int64_t message_bytes = move.count * bytes_of(format_);
  switch (move.kind) {
    case Move::send: {
      const float* plain = address(move.from);
      const int stage = allot_stage(move.count);
      if (stage >= 0) encode(format_, plain, stage_at(stage), move.count);
      if (stage >= 0 && move.from.place == Operand::output) decode(format_, stage_at(stage), address(move.from), move.count);
      const void* data = stage >= 0 ? static_cast<const void*>(stage_at(stage)) : plain;
      flights_.push_back({transport.send(data, message_bytes, group->collective_context, move.peer, message_tag), index, stage});
      sent_bytes += message_bytes;
      ++messages;
      return;
    }
    case Move::receive: {
      const int stage = allot_stage(move.count);
      void* data = stage >= 0 ? static_cast<void*>(stage_at(stage)) : address(move.into);
      flights_.push_back({transport.receive(data, message_bytes, group->collective_context, move.peer, message_tag), index, stage});
      return;
    }
    case Move::add:
      combine(op_, address(move.from), address(move.into), move.count);
      break;
    case Move::copy:
      scale_copy(move.from.place == Operand::input ? scale_ : 1.0F, address(move.from), address(move.into), move.count);
      break;
  }
  complete(index);
}

void ScheduleOperation::run_ready(Transport& transport) {
  while (ready_at_ < ready_.size()) run(transport, ready_[ready_at_++]);
  ready_.clear();
  ready_at_ = 0;
}

Operation::Progress ScheduleOperation::step(Transport& transport) {
  bool moved = false;
  if (!check_passed(transport, moved)) return moved ? Progress::moved : Progress::idle;
  if (!started_) {
    check_late_writer();
    started_ = moved = true;
    if (library_) {
      if (scale_ != 1) scale_copy(scale_, in_.data(), out_.data(), in_.count());
      const View& from = scale_ != 1 ? out_ : in_;
      if (!transport.library_allreduce(from.data(), out_.data(), out_.count(), op_, group->collective_context)) {
        throw UsageError("internal error: this world has no library under it; allreduce = \"library\" needs MPI");
      }
      saw_bytes(monotonic_s());
      sent_bytes = out_.bytes();
      messages = 1;
      return Progress::finished;
    }
  }
  Transport::Completion completion;
  for (std::size_t i = 0; i < flights_.size();) {
    if (!transport.take(flights_[i].handle, completion)) {
      ++i;
      continue;
    }
    const int move = flights_[i].move, stage = flights_[i].stage;
    flights_.erase(flights_.begin() + static_cast<std::ptrdiff_t>(i));
    const Move& ended = schedule_->schedule.moves[static_cast<std::size_t>(move)];
    if (ended.kind == Move::receive) {
      heard_[static_cast<std::size_t>(ended.peer)] = 1;
      saw_bytes(monotonic_s());
      if (completion.truncated || completion.bytes != ended.count * bytes_of(format_)) {
        throw TrainingError(
            fmt::format("rank {} sent {} bytes where {} expected {}: the ranks are at different operations; set "
                        "SYNCLINE_CHECK_COLLECTIVES=1 to see which",
                        ended.peer, completion.bytes, describe(), ended.count * bytes_of(format_)));
      }
      if (stage >= 0) decode(format_, stage_at(stage), address(ended.into), ended.count);
    }
    if (stage >= 0) free_stages_.push_back(stage);
    moved = true;
    complete(move);
  }
  if (ready_at_ < ready_.size()) {
    moved = true;
    run_ready(transport);
  }
  if (left_ == 0) return Progress::finished;
  return moved ? Progress::moved : Progress::idle;
}

void ScheduleOperation::abandon(Transport& transport) {
  CheckedOperation::abandon(transport);
  for (const Flight& flight : flights_) transport.cancel(flight.handle);  // their stages are not used again: a message may still move
  flights_.clear();
}

// Ranks that have sent nothing yet are the ones missed; a rank that has come may itself be waiting for them.
std::string ScheduleOperation::waiting_for() const {
  std::vector<int> open, missed;
  for (const Flight& flight : flights_) open.push_back(schedule_->schedule.moves[static_cast<std::size_t>(flight.move)].peer);
  std::sort(open.begin(), open.end());
  open.erase(std::unique(open.begin(), open.end()), open.end());
  for (const int peer : open) {
    if (heard_[static_cast<std::size_t>(peer)] == 0) missed.push_back(peer);
  }
  if (open.empty()) return CheckedOperation::waiting_for();
  return ranks_text(missed.empty() ? open : missed);
}

}  // namespace syncline
