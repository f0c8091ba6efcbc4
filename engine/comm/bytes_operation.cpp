// SPDX-License-Identifier: Apache-2.0
#include "engine/comm/bytes_operation.h"

#include <algorithm>

#include "engine/comm/ranks_text.h"
#include "engine/metrics/clock.h"

namespace syncline {

namespace {

constexpr int length_tag = 0, content_tag = 1;
int tag_of(std::uint64_t sequence, int which) { return static_cast<int>((sequence & 1) << 14) | which; }

}  // namespace

void BytesOperation::prepare(std::vector<ByteBuffer> out, std::vector<ByteBuffer>& in) {
  out_ = std::move(out);
  in_ = &in;
  set_fingerprint(0, 0, Op::sum, -1);  // lengths may differ between ranks
}

void BytesOperation::start(Transport& transport) {
  peers_.assign(static_cast<std::size_t>(group->size), {});
  in_->assign(static_cast<std::size_t>(group->size), {});
  (*in_)[static_cast<std::size_t>(group->rank)] = outgoing(group->rank);
  start_check(transport);
}

bool BytesOperation::step_send(Transport& transport, int peer) {
  Peer& at = peers_[static_cast<std::size_t>(peer)];
  Transport::Completion completion;
  if (at.send >= 0) {
    if (!transport.take(at.send, completion)) return false;
    at.send = -1;
    return true;
  }
  const ByteBuffer& buffer = outgoing(peer);
  if (at.length_sent && at.sent == at.my_length) return false;
  if (!at.length_sent) {
    at.my_length = static_cast<std::int64_t>(buffer.size());
    at.length_sent = true;
    at.send = transport.send(&at.my_length, sizeof at.my_length, group->collective_context, peer, tag_of(fingerprint.sequence, length_tag));
    return true;
  }
  const std::int64_t part = std::min(at.my_length - at.sent, group->options.segment_bytes);
  at.send = transport.send(buffer.data() + at.sent, part, group->collective_context, peer, tag_of(fingerprint.sequence, content_tag));
  at.sent += part;
  sent_bytes += part;
  payload_bytes += part;
  ++messages;
  return true;
}

bool BytesOperation::step_receive(Transport& transport, int peer) {
  Peer& at = peers_[static_cast<std::size_t>(peer)];
  Transport::Completion completion;
  if (at.receive >= 0) {
    if (!transport.take(at.receive, completion)) return false;
    at.receive = -1;
    saw_bytes(monotonic_s());
    if (at.sizing) {
      at.sizing = false;
      (*in_)[static_cast<std::size_t>(peer)].resize(static_cast<std::size_t>(at.their_length));
    }
    return true;
  }
  if (at.sizing) {
    at.receive = transport.receive(&at.their_length, sizeof at.their_length, group->collective_context, peer,
                                   tag_of(fingerprint.sequence, length_tag));
    return true;
  }
  if (at.received == at.their_length) return false;
  const std::int64_t part = std::min(at.their_length - at.received, group->options.segment_bytes);
  at.receive = transport.receive((*in_)[static_cast<std::size_t>(peer)].data() + at.received, part, group->collective_context, peer,
                                 tag_of(fingerprint.sequence, content_tag));
  at.received += part;
  return true;
}

Operation::Progress BytesOperation::step(Transport& transport) {
  bool moved = false;
  if (!check_passed(transport, moved)) return moved ? Progress::moved : Progress::idle;
  bool finished = true;
  for (int peer = 0; peer < group->size; ++peer) {
    if (peer == group->rank) continue;
    Peer& at = peers_[static_cast<std::size_t>(peer)];
    while (step_receive(transport, peer)) moved = true;
    while (step_send(transport, peer)) moved = true;
    const bool sent = at.length_sent && at.sent == at.my_length && at.send < 0;
    const bool received = !at.sizing && at.received == at.their_length && at.receive < 0;
    finished = finished && sent && received;
  }
  if (finished) return Progress::finished;
  return moved ? Progress::moved : Progress::idle;
}

void BytesOperation::abandon(Transport& transport) {
  CheckedOperation::abandon(transport);
  for (Peer& at : peers_) {
    if (at.send >= 0) transport.cancel(at.send);
    if (at.receive >= 0) transport.cancel(at.receive);
    at.send = at.receive = -1;
  }
}

std::string BytesOperation::waiting_for() const {
  std::vector<int> ranks;
  for (std::size_t peer = 0; peer < peers_.size(); ++peer) {
    if (peers_[peer].send >= 0 || peers_[peer].receive >= 0) ranks.push_back(static_cast<int>(peer));
  }
  return ranks.empty() ? CheckedOperation::waiting_for() : ranks_text(ranks);
}

}  // namespace syncline
