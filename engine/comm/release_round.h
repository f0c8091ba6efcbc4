// SPDX-License-Identifier: Apache-2.0
// One round of a release policy over a transport: bits combined in ceil(log2 N) exchanges, or reports to rank 0 and its answers. A state
// machine that the communication thread steps; nothing in it waits.
#pragma once

#include <span>
#include <vector>

#include "engine/comm/orchestrations/policy.h"
#include "engine/comm/transport.h"

namespace syncline {

class ReleaseRound {
 public:
  ReleaseRound(ReleasePolicy& policy, int context, double message_cost_s)
      : policy_(policy), context_(context), message_cost_s_(message_cost_s) {}

  void begin(Transport&, Round);
  enum class Progress : std::uint8_t { idle, moved, finished };
  Progress step(Transport&, double now_s);  // finished: the result is in the policy
  bool sends_open(Transport&);              // buffers still belong to the transport
  void abandon(Transport&);

  double due_s() const { return charging_ ? handled_s_ : forever_s; }  // a message's cost is over then
  std::vector<int> waiting_for() const;                                // ranks
  std::int64_t messages() const { return messages_; }                  // handled so far
  std::int64_t bytes() const { return bytes_; }                        // contributed so far

 private:
  struct Slot {  // a message under way and its memory
    Transport::Handle handle = -1;
    std::vector<std::byte> bytes;
    std::size_t size = 0;  // of the message
    std::span<const std::byte> message() const { return std::span(bytes).first(size); }
  };
  int rank() const { return policy_.setup().rank; }
  int size() const { return policy_.setup().ranks; }
  bool combine(Transport&, double now_s);  // each: true when it has got on by one message
  bool to_root(Transport&, double now_s);
  bool as_root(Transport&, double now_s);
  bool handled(double now_s);       // the cost of the message at hand is over
  bool arrived(Transport&, Slot&);  // a receive: its message is there, now or before
  bool free(Transport&, Slot&);     // a send: its memory may be filled again
  void receive(Transport&, Slot&, std::size_t capacity, int peer, int tag);
  void send(Transport&, Slot&, std::span<const std::byte> message, int peer, int tag);

  ReleasePolicy& policy_;
  int context_;
  double message_cost_s_, handled_s_ = 0;
  bool charging_ = false, here_ = false, sent_ = false, done_ = true, asked_ = false;
  Round round_ = Round::over;
  int at_ = 0;            // exchange of bits; of the root: reports handled so far with its own, then the peer that is answered
  std::size_t from_ = 0;  // the rank whose report the root has at hand
  std::vector<Slot> out_, in_;
  std::vector<ByteBuffer> reports_;
  std::int64_t messages_ = 0, bytes_ = 0;
};

}  // namespace syncline
