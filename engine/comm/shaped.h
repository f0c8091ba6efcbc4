// SPDX-License-Identifier: Apache-2.0
// Emulated links: every message takes the time that it would take on links of a given bandwidth and latency. The bytes move at once by the
// transport underneath; sender and receiver then SLEEP until the link would have been done, as with a card that moves memory by itself, so
// compute on the same cores is not slowed.
//
// Model. Every rank has one full-duplex card: a clock for what goes out and one for what comes in, each with the card's bandwidth. A
// message of b bytes from s to d reserves b / bandwidth on s's outgoing clock from max(now, clock), then the same time of d's incoming
// card, not before it began to leave s (the switch between them is never the limit); d sees it at the end of that plus the latency, and
// s's send ends when the bytes have left its card. Senders reserve ahead, so what d's card will be busy with is a list of intervals, and a
// message takes the free time between them. A pair of ranks with a link of its own (PairLink) uses that link's two directed
// clocks, or one clock for both directions when it is shared, instead of the cards. Clocks, announcements of messages and bells lie in
// memory that all ranks share, so emulated links need all ranks on one machine.
#pragma once

#include <atomic>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "engine/comm/group.h"
#include "engine/comm/transport.h"

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

// The shared memory: clocks, one ring of announcements per ordered pair of ranks, one bell per rank.
class LinkBoard {
 public:
  struct Announcement {
    std::uint64_t context = 0;           // the name of the context as a number, the same on all ranks
    std::int64_t bytes = 0, due_ns = 0;  // when the receiver may see it, CLOCK_MONOTONIC
    std::int32_t source = 0, tag = 0;    // the sender's rank in the context
    std::int32_t body_tag = 0;           // of the message that carries the bytes
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
  Doorbell& bell(int rank) { return *bells_[static_cast<std::size_t>(rank)]; }
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
  Doorbell* own_bells_ = nullptr;
  std::vector<Doorbell*> bells_;
  std::vector<Route> routes_;
};

// ConfigError when links are to be emulated and the allreduce is the library's, whose messages nobody can delay.
void check_links(bool emulated, const GroupOptions&);

class ShapedTransport final : public Transport {
 public:
  ShapedTransport(std::unique_ptr<Transport> inner, std::shared_ptr<LinkBoard> board);
  int rank() const override { return inner_->rank(); }
  int size() const override { return inner_->size(); }
  int make_context(int parent, std::span<const int> members, std::string_view key) override;
  Handle send(const void* data, std::int64_t bytes, int context, int peer, int tag) override;
  Handle receive(void* data, std::int64_t capacity, int context, int peer, int tag) override;
  bool take(Handle, Completion&) override;
  bool cancel(Handle) override;
  bool poll() override;
  Doorbell& doorbell() override { return board_->bell(rank()); }
  double due_s() const override;
  double longest_sleep_s() const override;
  void close() override { inner_->close(); }

 private:
  struct Context {
    std::uint64_t name = 0;
    std::vector<int> world;
    int rank = 0;
  };
  struct Unmatched {
    LinkBoard::Announcement what;
    int from = 0;
  };  // from: rank in the world
  struct Request {
    enum State : std::uint8_t { free, posted, moving, arrived } state = free;
    bool sending = false, taken_by_peer = false;
    void* data = nullptr;
    std::int64_t capacity = 0, due_ns = 0;
    int context = 0, peer = 0, tag = 0, other = 0;  // other: rank in the world
    Handle body = -1;
    Completion completion;
    std::vector<std::byte> overflow;  // a message that does not fit is still taken off the wire
  };
  Handle allot();
  void release(Handle);
  void announce_all();
  bool matches(const Request&, const Unmatched&) const;
  void match(Handle, const Unmatched&);
  bool ready(const Request& request, std::int64_t now_ns) const { return request.state == Request::arrived && now_ns >= request.due_ns; }

  std::unique_ptr<Transport> inner_;
  std::shared_ptr<LinkBoard> board_;
  std::map<int, Context> contexts_;
  std::deque<Request> requests_;
  std::vector<Handle> free_, open_;
  std::vector<Handle> posted_;                                       // receives that nothing matches yet, in order
  std::vector<Unmatched> unmatched_;                                 // announcements that no receive matches yet, in order
  std::deque<std::pair<int, LinkBoard::Announcement>> unannounced_;  // the ring was full
  int next_body_tag_ = 0;
};

}  // namespace syncline
