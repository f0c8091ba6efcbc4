// SPDX-License-Identifier: Apache-2.0
#include "engine/comm/message_operation.h"

#include <fmt/core.h>

#include <algorithm>

#include "engine/base/error.h"
#include "engine/metrics/clock.h"

namespace syncline {

namespace {

std::byte* bytes_of(const View& view) { return reinterpret_cast<std::byte*>(view.data()); }

}  // namespace

void SendOperation::prepare(const View& view, int peer, int tag_number) {
  kind = "send";
  view_ = view;
  reads = view;
  peer_ = peer;
  message_tag_ = tag_number;
  sent_ = 0;
  ended_ = false;
  handle_ = -1;
  payload_bytes = view.bytes();
}

Operation::Progress SendOperation::step(Transport& transport) {
  bool moved = false;
  Transport::Completion completion;
  for (;;) {
    if (handle_ >= 0) {
      if (!transport.take(handle_, completion)) return moved ? Progress::moved : Progress::idle;
      handle_ = -1;
      moved = true;
    }
    if (ended_) {
      bytes = sent_;
      return Progress::finished;
    }
    const std::int64_t part = std::min(view_.bytes() - sent_, group->options.segment_bytes);
    handle_ = transport.send(bytes_of(view_) + sent_, part, group->message_context, peer_, message_tag_);
    sent_ += part;
    sent_bytes += part;
    ++messages;
    ended_ = part < group->options.segment_bytes;
    saw_bytes(monotonic_s());
    moved = true;
  }
}

void SendOperation::abandon(Transport& transport) {
  if (handle_ >= 0) transport.cancel(handle_);
  handle_ = -1;
}

void ReceiveOperation::prepare(const View& view, int peer, int tag_number) {
  kind = "receive";
  view_ = view;
  writes = view;
  peer_ = peer;
  message_tag_ = tag_number;
  received_ = 0;
  handle_ = -1;
  payload_bytes = 0;  // known when it has arrived
}

void ReceiveOperation::post(Transport& transport, int peer, int tag_number) {
  // One byte above what fits would be an error of the sender; the transport reports it as truncated.
  const std::int64_t room = std::min(view_.bytes() - received_, group->options.segment_bytes);
  handle_ = transport.receive(bytes_of(view_) + received_, room, group->message_context, peer, tag_number);
}

void ReceiveOperation::start(Transport& transport) { post(transport, peer_, message_tag_); }

Operation::Progress ReceiveOperation::step(Transport& transport) {
  bool moved = false;
  Transport::Completion completion;
  while (transport.take(handle_, completion)) {
    handle_ = -1;
    moved = true;
    saw_bytes(monotonic_s());
    if (completion.truncated) {
      throw UsageError(fmt::format("internal error: rank {} sent a message with tag {} that is longer than the {} bytes expected in {}",
                                   completion.source, completion.tag, view_.bytes(), describe()));
    }
    received_ += completion.bytes;
    source = completion.source;
    tag = completion.tag;
    bytes = payload_bytes = received_;
    if (completion.bytes < group->options.segment_bytes) return Progress::finished;
    post(transport, completion.source, completion.tag);
  }
  return moved ? Progress::moved : Progress::idle;
}

bool ReceiveOperation::cancelled(Transport& transport) {
  if (handle_ < 0 || received_ > 0 || !transport.cancel(handle_)) return false;
  handle_ = -1;
  return true;
}

void ReceiveOperation::abandon(Transport& transport) {
  if (handle_ >= 0) transport.cancel(handle_);
  handle_ = -1;
}

void MailboxOperation::prepare(int tag_number, std::int64_t count, int depth) {
  kind = "mailbox";
  message_tag_ = tag_number;
  slots_.resize(static_cast<std::size_t>(depth));
  for (Slot& slot : slots_) slot.buffer = View::host(count);
}

void MailboxOperation::post(Transport& transport, int index) {
  Slot& slot = slots_[static_cast<std::size_t>(index)];
  slot.handle = transport.receive(slot.buffer.data(), slot.buffer.bytes(), group->message_context, any_source, message_tag_);
  posted_.push_back(index);
}

void MailboxOperation::start(Transport& transport) {
  posted_.reserve(slots_.size());
  for (std::size_t i = 0; i < slots_.size(); ++i) post(transport, static_cast<int>(i));
}

Operation::Progress MailboxOperation::step(Transport& transport) {
  bool moved = false;
  Transport::Completion completion;
  for (std::size_t i = 0; i < posted_.size();) {
    const int index = posted_[i];
    Slot& slot = slots_[static_cast<std::size_t>(index)];
    if (!transport.take(slot.handle, completion)) {
      ++i;
      continue;
    }
    slot.handle = -1;
    posted_.erase(posted_.begin() + static_cast<std::ptrdiff_t>(i));
    if (completion.truncated) {
      throw UsageError(fmt::format("internal error: rank {} sent a message with tag {} that is longer than the {} bytes of the mailbox",
                                   completion.source, completion.tag, slot.buffer.bytes()));
    }
    {
      const std::scoped_lock lock(mutex_);
      arrived_.push_back({index, completion.source, completion.tag, completion.bytes / 4});
    }
    arrival_bell_.ring();
    moved = true;
  }
  const std::scoped_lock lock(mutex_);
  for (const int index : returned_) post(transport, index);
  moved = moved || !returned_.empty();
  returned_.clear();
  return moved ? Progress::moved : Progress::idle;
}

bool MailboxOperation::cancelled(Transport& transport) {
  abandon(transport);
  return true;
}

void MailboxOperation::abandon(Transport& transport) {
  for (Slot& slot : slots_) {
    if (slot.handle >= 0) transport.cancel(slot.handle);
    slot.handle = -1;
  }
  posted_.clear();
  arrival_bell_.ring();
}

std::optional<Message> MailboxOperation::take() {
  bool give_back = false;
  std::optional<Message> message;
  {
    const std::scoped_lock lock(mutex_);
    if (lent_ >= 0) {
      returned_.push_back(lent_);
      lent_ = -1;
      give_back = true;
    }
    if (!arrived_.empty()) {
      const Arrival arrival = arrived_.front();
      arrived_.pop_front();
      lent_ = arrival.slot;
      message = Message{arrival.source, arrival.tag, slots_[static_cast<std::size_t>(arrival.slot)].buffer.part(0, arrival.count)};
    }
  }
  if (give_back && queue_bell != nullptr) queue_bell->ring();
  return message;
}

bool MailboxOperation::wait_for_arrival(double until_s) {
  for (;;) {
    const std::uint32_t ticket = arrival_bell_.ticket();
    {
      const std::scoped_lock lock(mutex_);
      if (!arrived_.empty()) return true;
    }
    if (finished() || monotonic_s() >= until_s) return false;
    arrival_bell_.wait(ticket, until_s);
  }
}

}  // namespace syncline
