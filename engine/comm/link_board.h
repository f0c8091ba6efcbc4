// SPDX-License-Identifier: Apache-2.0
// The links that are emulated, as memory that all ranks share: when each direction of each link is taken, announcements of messages, and
// bells; so emulated links need all ranks on one machine.
//
// Model. A message passes the links of its route one after the other (cut through: its first byte does not wait for its last). On each it
// takes bytes / bandwidth, from when its first byte has come over the link before, in the time that is still free: every link carries its
// bandwidth and no more, each direction for itself. Senders reserve ahead, so a link's future is a list of intervals. The receiver sees
// the message when its last byte has passed the last link, and the latencies are over; the sender's part ends when it has left the first.
// A link that only one pair of ranks uses has a channel for that pair, a shared one a channel for all. Without a topology every rank has
// one full-duplex card: what goes out passes its own, what comes in that of the receiver, the switch between them is never the limit.
//
// Fairness. A message reserves all of its time at once, first come first served. Where ranks share a link of a topology that would let a
// long message keep the others out, so there a sender takes turn_bytes() at a time and is never more than a few milliseconds ahead:
// flows that want all of a link get equal parts of it.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "engine/comm/doorbell.h"
#include "engine/comm/offers.h"
#include "engine/experiment/topology.h"

namespace syncline {

struct Link {
  double bytes_per_s = 0;  // 0: unlimited
  double latency_s = 0;
};
struct LinkModel {
  Link card;                                           // of every rank
  std::shared_ptr<const Topology> topology = nullptr;  // set: its links, instead of cards
};

// The shared memory: channels, one ring of announcements and the offers per ordered pair of ranks, one bell per rank.
class LinkBoard {
 public:
  struct Announcement {
    std::uint64_t context = 0;           // the name of the context as a number, the same on all ranks
    std::int64_t bytes = 0, due_ns = 0;  // when the receiver may see it, CLOCK_MONOTONIC
    std::int32_t source = 0, tag = 0;    // the sender's rank in the context
    std::int32_t body = 0;               // the offer of the bytes, or the tag of the message that carries them
    // A message that takes its link in turns is announced when it begins, so that its bytes can move, and when it is known when it ends;
    // due_ns of the first is `later`, the second one belongs to the last such message from that sender.
    std::int32_t ends_earlier = 0;
    std::uint64_t address = 0;  // of the offer, in the sender's memory; 0: a message carries the bytes
  };
  static std::shared_ptr<LinkBoard> in_process(const LinkModel&, int size, std::function<Doorbell*(int)> bells);
  static std::size_t shared_bytes(const LinkModel&, int size);
  // In memory of shared_bytes() that is zero, kept alive by `keep`; the bells are the board's own.
  static std::shared_ptr<LinkBoard> in_memory(const LinkModel&, int size, void* memory, std::shared_ptr<void> keep);

  static constexpr std::int64_t later = INT64_MAX;

  struct Reservation {
    std::int64_t left_ns = 0, due_ns = 0;
    std::int64_t taken_ns = 0;  // until when the link that is taken longest is, counted from the sender's end: without latencies
  };
  Reservation reserve(int from, int to, std::int64_t bytes, std::int64_t now_ns);
  // What a sender may reserve at a time on this route; 0: everything, nobody else needs the link.
  std::int64_t turn_bytes(int from, int to) const { return path(from, to).turn_bytes; }
  static constexpr std::int64_t most_ahead_ns = 3'000'000;  // of Reservation::taken_ns: then the sender waits with its next turn
  bool announce(int from, int to, const Announcement&);     // false: the ring is full, try later
  bool next(int from, int to, Announcement&);               // false: nothing new
  // Until when a rank sleeps unless rung. A message that is due later than that need not wake it: it will look by itself in time.
  void sleeps_until(int rank, std::int64_t wake_ns) { wakes_[rank].store(wake_ns, std::memory_order_seq_cst); }
  bool sleeps_past(int rank, std::int64_t due_ns) const { return wakes_[rank].load(std::memory_order_seq_cst) > due_ns; }
  // Nothing unread from anybody that is due before that.
  bool nothing_before(int to, std::int64_t wake_ns);
  Doorbell& bell(int rank) { return *bells_[static_cast<std::size_t>(rank)]; }

  // Whether receivers read the bytes themselves; else the transport underneath carries them. All ranks must have the same.
  Offers* offers() { return carries_ ? &*offers_ : nullptr; }
  Offers& all_offers() { return *offers_; }
  void let_receivers_read() { carries_ = true; }
  int size() const { return size_; }

 private:
  static constexpr std::uint32_t ring_size = 256;
  struct Ring {
    std::atomic<std::uint32_t> written, read;
    Announcement entries[ring_size];
  };
  using NanoClock = std::atomic<std::int64_t>;
  struct Taken {
    std::int64_t begin = 0, end = 0;
  };
  struct Channel {  // one direction of a link: when it is taken, ascending, apart
    static constexpr std::uint32_t most = 64;
    std::atomic<std::uint32_t> lock;
    std::uint32_t count;
    std::int64_t begin[most], end[most];
    Taken take(std::int64_t earliest, std::int64_t length, std::int64_t now);  // when the first byte goes in and the last one is through
  };
  struct Leg {
    int channel = 0;
    double ns_per_byte = 0;
    std::int64_t after_ns = 0;  // from the first byte on the leg before to the first byte here
  };
  struct Path {
    std::vector<Leg> legs;
    std::int64_t latency_ns = 0;  // after the last leg
    std::int64_t turn_bytes = 0;
  };
  struct Paths {
    std::vector<Path> of_pairs;
    int channels = 0;
  };
  static Paths paths_of(const LinkModel&, int size);
  LinkBoard(const LinkModel&, int size, void* memory, std::shared_ptr<void> keep);
  Ring& ring(int from, int to) { return rings_[from * size_ + to]; }
  const Path& path(int from, int to) const { return paths_.of_pairs[static_cast<std::size_t>(from * size_ + to)]; }

  int size_;
  std::shared_ptr<void> keep_;
  Ring* rings_ = nullptr;
  Channel* channels_ = nullptr;
  NanoClock* wakes_ = nullptr;
  Doorbell* own_bells_ = nullptr;
  std::vector<Doorbell*> bells_;
  Paths paths_;
  std::optional<Offers> offers_;
  bool carries_ = false;
};

}  // namespace syncline
