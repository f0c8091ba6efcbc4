// SPDX-License-Identifier: Apache-2.0
// Emulated links (link_board.h says how they reckon): every message takes the time that it would take on links of a given bandwidth and
// latency. The bytes move at once; sender and receiver then SLEEP until the link would have been done, as with a card that moves memory by
// itself, so compute on the same cores is not slowed.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "engine/comm/group.h"
#include "engine/comm/link_board.h"
#include "engine/comm/transport.h"

namespace syncline {

// ConfigError when links are to be emulated and the allreduce is the library's, whose messages nobody can delay.
void check_links(bool emulated, const GroupOptions&);

// The links that this cluster asks to emulate, as slow as its time scale makes them; nullopt: none.
std::optional<LinkModel> emulated_links(const ClusterSpec&);

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
    enum State : std::uint8_t { free, posted, queued, moving, arrived } state = free;  // queued: a send that waits for its turn
    bool sending = false, taken_by_peer = false;
    void* data = nullptr;
    std::int64_t capacity = 0, due_ns = 0, wake_ns = 0;  // wake_ns: when it is worth waking up for
    int context = 0, peer = 0, tag = 0, other = 0;       // other: rank in the world
    Handle body = -1;                                    // of the transport underneath
    int offer = Offers::none;                            // or the bytes are offered to be read
    bool asked = false;                                  // to be rung when they have been
    Completion completion;
    std::vector<std::byte> overflow;  // a message that does not fit is still taken off the wire
    LinkBoard::Announcement what;     // of a send
    std::int64_t reserved = 0;        // bytes of it that have their time on the link
  };
  struct Flow {                   // to one rank over shared links, one turn after the other
    std::vector<Handle> waiting;  // few; a deque would allocate as it moves on
    std::int64_t taken_ns = 0;
  };
  Handle allot();
  void release(Handle);
  void take_turns(int to, std::int64_t now_ns);
  void start_body(Request&);
  void tell(int to, const LinkBoard::Announcement&);
  bool announce(int to, const LinkBoard::Announcement&);  // false: the ring is full
  void announce_all();
  void look_at_offers(std::int64_t now_ns);
  bool matches(const Request&, const Unmatched&) const;
  void match(Handle, const Unmatched&);
  void hear(const Unmatched&);
  void hear_end(const Unmatched&);
  bool ready(const Request& request, std::int64_t now_ns) const { return request.state == Request::arrived && now_ns >= request.due_ns; }

  std::unique_ptr<Transport> inner_;
  std::shared_ptr<LinkBoard> board_;
  std::map<int, Context> contexts_;
  std::deque<Request> requests_;
  std::vector<Handle> free_, open_;
  std::vector<Handle> posted_;                                       // receives that nothing matches yet, in order
  std::vector<Unmatched> unmatched_;                                 // announcements that no receive matches yet, in order
  std::deque<std::pair<int, LinkBoard::Announcement>> unannounced_;  // the ring was full
  std::map<int, Flow> flows_;
  int next_body_tag_ = 0;
};

}  // namespace syncline
