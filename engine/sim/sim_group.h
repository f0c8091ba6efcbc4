// SPDX-License-Identifier: Apache-2.0
// What the members of one simulated communicator share: the order of its collectives, and messages on their way to a receiver.
#pragma once

#include <deque>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <unordered_set>
#include <vector>

#include "engine/sim/moves_run.h"
#include "engine/sim/sim_communicator.h"

namespace syncline {

struct CollectiveShape {  // what must be alike on all members
  enum Kind : std::uint8_t { allreduce, reduce, broadcast, reduce_scatter, allgather, barrier, bytes } kind = barrier;
  Op op = Op::sum;
  int root = 0;
  std::int64_t count = 0;  // elements of the whole vector
  bool operator==(const CollectiveShape&) const = default;
};
std::string_view name_of(CollectiveShape::Kind);

struct SimPart {            // what one member brings, and where it wants the result
  SimWork* work = nullptr;  // its handle is alive as long as it has not ended
  View out;
  double scale = 1;
  std::vector<float> values;        // of `in`, scaled, where that is real memory
  std::vector<ByteBuffer> strings;  // of exchanges of byte strings: one for all, or one for each member
  std::vector<ByteBuffer>* answers = nullptr;
  int order = -1;
  bool negotiated = false;
  std::string_view name = {};  // in the negotiation
};

struct SimAsked {
  CollectiveShape shape;
  SimPart part;
};

struct SimCollective {
  CollectiveShape shape;
  std::uint64_t sequence = 0;
  std::vector<SimPart> parts;
  int joined = 0;
  double last_joined_s = 0;
  bool real = false;
  std::vector<float> result;  // of reductions and gathers, made when the first member needs it
  bool result_made = false;
  std::shared_ptr<MovesRun> moves;  // message level

  void make_result();
  void deliver(int member);
};

struct SimMessage {
  int source = -1, tag = -1;
  std::int64_t count = 0;
  bool real = false;
  std::vector<float> values;
  std::shared_ptr<SimWork> sender;  // set: ends when a receive has been there
};

struct SimReceive {
  std::shared_ptr<SimWork> work;
  View into;
  int source = any_source, tag = any_tag;
  bool takes(const SimMessage& message) const {
    return (source == any_source || source == message.source) && (tag == any_tag || tag == message.tag);
  }
};

class SimMailbox;

struct SimGroup {
  SimGroup(VirtualWorld& world, Network& network, std::string purpose, std::vector<int> ranks);
  SimGroup(SimGroup&&) noexcept;
  ~SimGroup();
  int size() const { return static_cast<int>(ranks.size()); }
  std::string_view intern(std::string_view);
  std::string describe(const CollectiveShape&) const;

  std::uint64_t next_sequence(int member) { return lanes_[static_cast<std::size_t>(member)].numbered++; }  // of the one it asks for next
  // A member has asked: joins what its lane lets go, in order. By messages the joining is an event.
  void ask(int member, CollectiveShape shape, SimPart part);
  void start(int member);                                 // whatever may start now
  void deliver(int member, std::shared_ptr<SimMessage>);  // a message is at its receiver, now
  void receive(int member, std::shared_ptr<SimReceive>);  // now

  VirtualWorld& world;
  Network& network;
  std::string purpose;
  std::vector<int> ranks;     // of the world, by member
  std::vector<int> machines;  // of the members; empty: not known
  bool by_messages = false;
  std::function<double(const SimCollective&)> cost_s;                                       // as one event
  std::function<std::vector<MovesRun::Member>(const CollectiveShape&, bool scaled)> moves;  // by messages
  std::unique_ptr<class SimReleases> releases;                                              // null: the order is fixed
  std::int64_t open = 0;                                                                    // collectives that not all members have joined

 private:
  struct Lane {  // of one member
    std::deque<SimAsked> asked;
    bool busy = false;  // by messages: one is in flight at this member
    int next_order = 0;
    std::uint64_t joined = 0, numbered = 0;
  };
  struct Inbox {
    std::deque<std::shared_ptr<SimMessage>> unexpected;
    std::deque<std::shared_ptr<SimReceive>> posted;
    std::map<int, SimMailbox*> boxes;  // by tag
  };
  friend class SimMailbox;
  bool next(int member, SimAsked&);
  void join(int member, SimAsked, double now_s);
  void join_by_messages(int member);
  void ended(int member, const std::shared_ptr<SimCollective>&);
  void match(int member, SimMessage&, SimReceive&);

  std::vector<Lane> lanes_;
  std::vector<Inbox> inboxes_;
  std::deque<std::shared_ptr<SimCollective>> collectives_;  // from first_ on
  std::uint64_t first_ = 0;
  double channel_free_s_ = 0;
  struct TextHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
  };
  std::unordered_set<std::string, TextHash, std::equal_to<>> labels_;
};

class SimMailbox final : public Mailbox {
 public:
  SimMailbox(std::shared_ptr<SimGroup> group, RankContext& context, int member, int tag, std::int64_t count);
  ~SimMailbox() override;
  std::optional<Message> poll() override;
  Message wait(double limit_s) override;
  void arrive(std::shared_ptr<SimMessage>);

 private:
  std::optional<Message> take();
  std::shared_ptr<SimGroup> group_;
  RankContext& context_;
  int member_, tag_;
  std::int64_t count_;
  bool waited_ = false;
  View room_;
  std::deque<std::shared_ptr<SimMessage>> arrived_;
};

}  // namespace syncline
