// SPDX-License-Identifier: Apache-2.0
#include "engine/sim/sim_group.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "engine/base/error.h"
#include "engine/comm/arithmetic.h"
#include "engine/sim/sim_releases.h"

namespace syncline {

std::string_view name_of(CollectiveShape::Kind kind) {
  constexpr std::string_view names[] = {"allreduce", "reduce", "broadcast", "reduce_scatter", "allgather", "barrier", "byte exchange"};
  return names[kind];
}

void SimCollective::make_result() {
  if (std::exchange(result_made, true)) return;
  switch (shape.kind) {
    case CollectiveShape::allreduce:
    case CollectiveShape::reduce:
    case CollectiveShape::reduce_scatter:
      result = std::move(parts[0].values);
      for (std::size_t member = 1; member < parts.size(); ++member) {
        // The order of the additions and of their terms is that of `direct`: what lies there, then the next rank's.
        std::vector<float>& next = parts[member].values;
        combine(shape.op, result.data(), next.data(), static_cast<std::int64_t>(next.size()));
        result.swap(next);
        next = {};
      }
      return;
    case CollectiveShape::broadcast:
      result = std::move(parts[static_cast<std::size_t>(shape.root)].values);
      return;
    case CollectiveShape::allgather:
      for (const SimPart& part : parts) result.insert(result.end(), part.values.begin(), part.values.end());
      return;
    case CollectiveShape::barrier:
    case CollectiveShape::bytes:
      return;
  }
}

void SimCollective::deliver(int member) {
  const SimPart& part = parts[static_cast<std::size_t>(member)];
  if (shape.kind == CollectiveShape::bytes) {
    std::vector<ByteBuffer>& all = *part.answers;
    all.resize(parts.size());
    for (std::size_t from = 0; from < parts.size(); ++from) {
      const std::vector<ByteBuffer>& strings = parts[from].strings;
      all[from] = shape.root == 0 ? strings[0] : strings[static_cast<std::size_t>(member)];
    }
    return;
  }
  if (!real || part.out.empty()) return;
  if (shape.kind == CollectiveShape::reduce && member != shape.root) return;
  if (shape.kind == CollectiveShape::broadcast && member == shape.root) return;
  make_result();
  const std::int64_t first =
      shape.kind == CollectiveShape::reduce_scatter ? part_of(member, static_cast<int>(parts.size()), shape.count).offset : 0;
  std::copy_n(result.begin() + first, part.out.count(), part.out.data());
}

SimGroup::SimGroup(VirtualWorld& of, Network& over, std::string named, std::vector<int> members)
    : world(of), network(over), purpose(std::move(named)), ranks(std::move(members)), lanes_(ranks.size()), inboxes_(ranks.size()) {}

SimGroup::SimGroup(SimGroup&&) noexcept = default;
SimGroup::~SimGroup() = default;

std::string_view SimGroup::intern(std::string_view label) {
  if (label.empty()) return {};
  const auto found = labels_.find(label);
  return found != labels_.end() ? *found : *labels_.emplace(label).first;
}

std::string SimGroup::describe(const CollectiveShape& shape) const {
  return fmt::format("{} of {} elements", name_of(shape.kind), shape.count);
}

// As engine/comm/queue.h has it: ordered ones by their number, of which 0 begins the next sequence; one without waits for those before it.
bool SimGroup::next(int member, SimAsked& chosen) {
  if (releases) {
    auto released = releases->next(member);
    if (released) chosen = *std::move(released);
    return released.has_value();
  }
  Lane& lane = lanes_[static_cast<std::size_t>(member)];
  if (lane.asked.empty()) return false;
  auto at = lane.asked.begin();
  if (at->part.order >= 0) {
    const auto has = [&](int order) {
      return std::find_if(lane.asked.begin(), lane.asked.end(), [order](const SimAsked& each) { return each.part.order == order; });
    };
    at = has(lane.next_order);
    if (at == lane.asked.end()) at = has(0);
    if (at == lane.asked.end()) return false;
    lane.next_order = at->part.order + 1;
  }
  chosen = std::move(*at);
  lane.asked.erase(at);
  return true;
}

void SimGroup::ask(int member, CollectiveShape shape, SimPart part) {
  Lane& lane = lanes_[static_cast<std::size_t>(member)];
  RankContext& context = part.work->context();
  if (by_messages || releases) {
    auto asked = std::make_shared<SimAsked>(SimAsked{shape, std::move(part)});
    world.events().foresee(context.now_s(), context.rank(), context.index(), "asked", [this, member, asked] {
      if (releases)
        releases->asked(member, std::move(*asked), world.events().now_s());
      else
        lanes_[static_cast<std::size_t>(member)].asked.push_back(std::move(*asked));
      start(member);
    });
    return;
  }
  lane.asked.push_back({shape, std::move(part)});
  for (SimAsked chosen; next(member, chosen);) join(member, std::move(chosen), context.now_s());
}

void SimGroup::start(int member) {
  if (by_messages) return join_by_messages(member);
  for (SimAsked chosen; next(member, chosen);) join(member, std::move(chosen), world.events().now_s());
}

void SimGroup::join_by_messages(int member) {
  Lane& lane = lanes_[static_cast<std::size_t>(member)];
  SimAsked chosen;
  if (lane.busy || !next(member, chosen)) return;
  lane.busy = true;
  join(member, std::move(chosen), world.events().now_s());
}

void SimGroup::join(int member, SimAsked asked, double now_s) {
  Lane& lane = lanes_[static_cast<std::size_t>(member)];
  const std::uint64_t sequence = lane.joined++;
  while (sequence >= first_ + collectives_.size()) {
    collectives_.push_back(std::make_shared<SimCollective>());
    collectives_.back()->sequence = first_ + collectives_.size() - 1;
    collectives_.back()->parts.resize(ranks.size());
    ++open;
  }
  const std::shared_ptr<SimCollective> all = collectives_[sequence - first_];
  if (all->joined == 0) all->shape = asked.shape;
  if (!(all->shape == asked.shape)) {
    throw UsageError(
        fmt::format("rank {} asked for a {} as number {} of '{}', where another rank asked for a {}; all ranks of a "
                    "communicator ask for the same in the same order",
                    ranks[static_cast<std::size_t>(member)], describe(asked.shape), sequence, purpose, describe(all->shape)));
  }
  SimPart& part = all->parts[static_cast<std::size_t>(member)] = std::move(asked.part);
  all->last_joined_s = std::max(all->last_joined_s, now_s);
  all->real = all->real || !part.values.empty();
  part.work->times.issued_s = part.work->times.first_byte_s = std::max(now_s, by_messages ? 0 : channel_free_s_);
  const bool complete = ++all->joined == size();
  if (complete) {
    --open;
    while (!collectives_.empty() && collectives_.front()->joined == size()) collectives_.pop_front(), ++first_;
  }

  // By messages the collective lives as long as one of its works waits for it; ghosts as one event have nothing to be put anywhere.
  const bool wants_something = !part.out.empty() && part.out.place() == Storage::Place::host;
  if (by_messages || wants_something || all->shape.kind == CollectiveShape::bytes)
    part.work->deliver = [all, member] { all->deliver(member); };
  const bool moved = by_messages && all->shape.kind != CollectiveShape::bytes;
  if (moved) {
    if (!all->moves)
      all->moves = std::make_shared<MovesRun>(world.events(), network, ranks, moves(all->shape, part.scale != 1),
                                              [this, weak = std::weak_ptr(all)](int at) { ended(at, weak.lock()); });
    all->moves->begin(member);
    return;
  }
  if (!complete) return;
  const double begin_s = std::max(all->last_joined_s, channel_free_s_), end_s = begin_s + cost_s(*all);
  if (!by_messages) channel_free_s_ = end_s;
  for (int each = 0; each < size(); ++each) {
    SimWork& work = *all->parts[static_cast<std::size_t>(each)].work;
    if (!by_messages) {
      work.settle(end_s);
      continue;
    }
    world.events().foresee(end_s, ranks[static_cast<std::size_t>(each)], 0, "exchanged", [this, each, all] { ended(each, all); });
  }
}

void SimGroup::ended(int member, const std::shared_ptr<SimCollective>& all) {
  lanes_[static_cast<std::size_t>(member)].busy = false;
  all->parts[static_cast<std::size_t>(member)].work->settle(world.events().now_s());
  join_by_messages(member);
}

void SimGroup::match(int, SimMessage& message, SimReceive& receive) {
  const double now_s = world.events().now_s();
  SimWork& work = *receive.work;
  work.source = message.source;
  work.tag = message.tag;
  work.bytes = message.count * 4;
  if (message.sender && !message.sender->settled()) message.sender->settle(now_s);
  if (message.count > receive.into.count()) {
    return work.settle_failed(
        now_s, {Failure::usage, fmt::format("internal error: a message of {} elements from rank {} in '{}' for a receive of {}",
                                            message.count, message.source, purpose, receive.into.count())});
  }
  if (message.real && receive.into.place() == Storage::Place::host) {
    work.deliver = [into = receive.into, values = std::move(message.values)] { std::copy(values.begin(), values.end(), into.data()); };
  }
  work.settle(now_s);
}

void SimGroup::deliver(int member, std::shared_ptr<SimMessage> message) {
  Inbox& inbox = inboxes_[static_cast<std::size_t>(member)];
  if (const auto box = inbox.boxes.find(message->tag); box != inbox.boxes.end()) return box->second->arrive(std::move(message));
  const auto posted = std::find_if(inbox.posted.begin(), inbox.posted.end(), [&](const auto& each) { return each->takes(*message); });
  if (posted == inbox.posted.end()) {
    inbox.unexpected.push_back(std::move(message));
    return;
  }
  const std::shared_ptr<SimReceive> receive = *posted;
  inbox.posted.erase(posted);
  match(member, *message, *receive);
}

void SimGroup::receive(int member, std::shared_ptr<SimReceive> receive) {
  Inbox& inbox = inboxes_[static_cast<std::size_t>(member)];
  const auto early =
      std::find_if(inbox.unexpected.begin(), inbox.unexpected.end(), [&](const auto& each) { return receive->takes(*each); });
  if (early == inbox.unexpected.end()) {
    receive->work->take_back = [this, member, weak = std::weak_ptr(receive)] {
      auto& posted = inboxes_[static_cast<std::size_t>(member)].posted;
      const auto at = std::find(posted.begin(), posted.end(), weak.lock());
      if (at == posted.end()) return false;
      posted.erase(at);
      return true;
    };
    inbox.posted.push_back(std::move(receive));
    return;
  }
  const std::shared_ptr<SimMessage> message = *early;
  inbox.unexpected.erase(early);
  match(member, *message, *receive);
}

SimMailbox::SimMailbox(std::shared_ptr<SimGroup> group, RankContext& context, int member, int tag, std::int64_t count)
    : group_(std::move(group)), context_(context), member_(member), tag_(tag), count_(count) {
  auto& inbox = group_->inboxes_[static_cast<std::size_t>(member)];
  if (!inbox.boxes.emplace(tag, this).second) throw UsageError(fmt::format("internal error: a second mailbox for tag {}", tag));
  for (auto at = inbox.unexpected.begin(); at != inbox.unexpected.end();) {
    if ((*at)->tag == tag) {
      arrive(std::move(*at));
      at = inbox.unexpected.erase(at);
    } else {
      ++at;
    }
  }
}

SimMailbox::~SimMailbox() { group_->inboxes_[static_cast<std::size_t>(member_)].boxes.erase(tag_); }

void SimMailbox::arrive(std::shared_ptr<SimMessage> message) {
  if (message->count > count_) {
    throw UsageError(fmt::format("internal error: a message of {} elements from rank {} for a mailbox of {} in '{}'", message->count,
                                 message->source, count_, group_->purpose));
  }
  if (message->sender && !message->sender->settled()) message->sender->settle(group_->world.events().now_s());
  arrived_.push_back(std::move(message));
  if (waited_) context_.wake(group_->world.events().now_s());
}

std::optional<Message> SimMailbox::take() {
  if (arrived_.empty()) return std::nullopt;
  const std::shared_ptr<SimMessage> message = std::move(arrived_.front());
  arrived_.pop_front();
  if (message->real) {
    if (room_.place() == Storage::Place::ghost || room_.count() < message->count) room_ = View::host(count_);
    std::copy(message->values.begin(), message->values.end(), room_.data());
    return Message{message->source, message->tag, room_.part(0, message->count)};
  }
  return Message{message->source, message->tag, View::ghost(message->count)};
}

std::optional<Message> SimMailbox::poll() {
  context_.let_earlier_happen();
  auto message = take();
  if (!message) context_.asked(fmt::format("the mailbox of tag {} in '{}'", tag_, group_->purpose));
  return message;
}

Message SimMailbox::wait(double limit_s) {
  context_.let_earlier_happen();
  if (arrived_.empty()) {
    waited_ = true;
    const std::string what = fmt::format("a message of tag {} in '{}'", tag_, group_->purpose);
    const bool came = context_.block([&what] { return what; }, context_.now_s() + limit_s);
    waited_ = false;
    if (!came) throw TimeLimit(fmt::format("rank {} waited {:g} s for {}, and nothing arrived", context_.rank(), limit_s, what));
  }
  return take().value();
}

}  // namespace syncline
