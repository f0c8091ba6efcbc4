// SPDX-License-Identifier: Apache-2.0
// Byte strings of any length between all ranks: lengths travel first, contents in segments.
#pragma once

#include <vector>

#include "engine/comm/schedule_operation.h"

namespace syncline {

class BytesOperation final : public CheckedOperation {
 public:
  // all-gather: one string for everybody; all-to-all: one per rank. `in` is filled by rank when the operation ends.
  void prepare(std::vector<ByteBuffer> out, std::vector<ByteBuffer>& in);
  void start(Transport&) override;
  void abandon(Transport&) override;
  std::string waiting_for() const override;

 protected:
  Progress step(Transport&) override;

 private:
  struct Peer {
    std::int64_t my_length = 0, their_length = -1;
    std::int64_t sent = 0, received = 0;  // bytes handed to the transport so far
    Transport::Handle send = -1, receive = -1;
    bool length_sent = false, sizing = true;
  };
  bool step_send(Transport&, int peer);  // true: moved
  bool step_receive(Transport&, int peer);
  const ByteBuffer& outgoing(int peer) const { return out_.size() == 1 ? out_.front() : out_[static_cast<std::size_t>(peer)]; }

  std::vector<ByteBuffer> out_;
  std::vector<ByteBuffer>* in_ = nullptr;
  std::vector<Peer> peers_;
};

}  // namespace syncline
