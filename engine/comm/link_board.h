// SPDX-License-Identifier: Apache-2.0
// The links that are emulated, as memory that all ranks share: clocks, announcements of messages, and bells; so emulated links need all
// ranks on one machine.
//
// Model. Every rank has one full-duplex card: a clock for what goes out and one for what comes in, each with the card's bandwidth. A
// message of b bytes from s to d reserves b / bandwidth on s's outgoing clock from max(now, clock), then the same time of d's incoming
// card, not before it began to leave s (the switch between them is never the limit); d sees it at the end of that plus the latency, and
// s's send ends when the bytes have left its card. Senders reserve ahead, so what d's card will be busy with is a list of intervals, and a
// message takes the free time between them. A pair of ranks with a link of its own (PairLink) uses that link's two directed
// clocks, or one clock for both directions when it is shared, instead of the cards.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "engine/comm/doorbell.h"
#include "engine/comm/offers.h"

namespace syncline {

struct Link {
  double bytes_per_s = 0;  // 0: unlimited
  double latency_s = 0;
};
struct PairLink {
  int from = 0, to = 0;
  Link link, back;      // to `to`, and from it
  bool shared = false;  // both directions on one clock
};
struct LinkModel {
  Link card;  // of every rank
  std::vector<PairLink> pairs;
};

// The shared memory: clocks, one ring of announcements and the offers per ordered pair of ranks, one bell per rank.
class LinkBoard {
 public:
  struct Announcement {
    std::uint64_t context = 0;           // the name of the context as a number, the same on all ranks
    std::int64_t bytes = 0, due_ns = 0;  // when the receiver may see it, CLOCK_MONOTONIC
    std::int32_t source = 0, tag = 0;    // the sender's rank in the context
    std::int32_t body = 0;               // the offer of the bytes, or the tag of the message that carries them
    std::uint64_t address = 0;           // of the offer, in the sender's memory; 0: a message carries the bytes
  };
  static std::shared_ptr<LinkBoard> in_process(LinkModel, int size, std::function<Doorbell*(int)> bells);
  static std::size_t shared_bytes(const LinkModel&, int size);
  // In memory of shared_bytes() that is zero, kept alive by `keep`; the bells are the board's own.
  static std::shared_ptr<LinkBoard> in_memory(LinkModel, int size, void* memory, std::shared_ptr<void> keep);

  struct Reservation {
    std::int64_t left_ns = 0, due_ns = 0;
  };
  Reservation reserve(int from, int to, std::int64_t bytes, std::int64_t now_ns);
  bool announce(int from, int to, const Announcement&);  // false: the ring is full, try later
  bool next(int from, int to, Announcement&);            // false: nothing new
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
  struct Intake {  // of one rank: when its card takes something in, ascending, apart
    static constexpr std::uint32_t most = 64;
    std::atomic<std::uint32_t> lock;
    std::uint32_t count;
    std::int64_t begin[most], end[most];
    std::int64_t take(std::int64_t earliest, std::int64_t length, std::int64_t now);  // returns when the last byte is in
  };
  struct Route {
    int out = -1, intake = -1;
    double out_ns_per_byte = 0, in_ns_per_byte = 0, latency_ns = 0;
  };  // clock, rank; -1: none
  LinkBoard(LinkModel, int size, void* memory, std::shared_ptr<void> keep);
  static int clock_count(const LinkModel& model, int size) { return size + 2 * static_cast<int>(model.pairs.size()); }
  static std::int64_t occupy(NanoClock&, std::int64_t earliest, std::int64_t length, std::int64_t& begin);
  Ring& ring(int from, int to) { return rings_[from * size_ + to]; }
  Route& route(int from, int to) { return routes_[static_cast<std::size_t>(from * size_ + to)]; }

  int size_;
  std::shared_ptr<void> keep_;
  Ring* rings_ = nullptr;
  NanoClock* clocks_ = nullptr;
  Intake* intakes_ = nullptr;
  NanoClock* wakes_ = nullptr;
  Doorbell* own_bells_ = nullptr;
  std::vector<Doorbell*> bells_;
  std::vector<Route> routes_;
  std::optional<Offers> offers_;
  bool carries_ = false;
};

}  // namespace syncline
