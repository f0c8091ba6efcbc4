// SPDX-License-Identifier: Apache-2.0
#include "engine/sim/sim_communicator.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <utility>

#include "engine/base/error.h"
#include "engine/comm/arithmetic.h"
#include "engine/sim/moves_run.h"
#include "engine/sim/sim_costs.h"
#include "engine/sim/sim_group.h"
#include "engine/sim/sim_releases.h"

namespace syncline {
namespace {

constexpr int most_compared = 32;                // ranks of an allreduce that is run by its moves to see what its closed form misses
constexpr std::int64_t eager_bytes = 64 * 1024;  // larger messages end for the sender when a receive has been there

bool is_real(const View& view) { return view.place() == Storage::Place::host; }

std::vector<float> values_of(const View& view, double scale) {
  if (!is_real(view) || view.empty()) return {};
  std::vector<float> values(view.data(), view.data() + view.count());
  if (scale != 1) scale_copy(static_cast<float>(scale), values.data(), values.data(), view.count());
  return values;
}

using Builder = CollectiveSchedule (*)(const ScheduleRequest&);
Builder builder_of(CollectiveShape::Kind kind, const ScheduleEntry& allreduce) {
  switch (kind) {
    case CollectiveShape::allreduce:
      return allreduce.build;
    case CollectiveShape::reduce:
      return direct_reduce;
    case CollectiveShape::broadcast:
      return tree_broadcast;
    case CollectiveShape::reduce_scatter:
      return direct_reduce_scatter;
    case CollectiveShape::allgather:
      return direct_allgather;
    case CollectiveShape::barrier:
    case CollectiveShape::bytes:
      break;
  }
  return dissemination_barrier;
}

Network make_network(EventQueue& events, int ranks, const SimCommOptions& options) {
  if (options.topology) return {events, *options.topology, options.wire.add_per_byte_s, options.time_scale};
  return {events, ranks, options.wire};
}

}  // namespace

struct SimCommunicator::Call {
  CollectiveShape shape;
  View in, out;
  Reduce reduce;
};

SimNetworkWorld::SimNetworkWorld(VirtualWorld& world, int ranks, const SimCommOptions& options)
    : world_(world),
      options_(options),
      entry_(allreduce_schedule(options.allreduce)),
      network_(make_network(world.events(), ranks, options)) {
  if (network_.ranks() != ranks)
    throw UsageError(fmt::format("internal error: a topology of {} ranks for a world of {}", network_.ranks(), ranks));
  options_.wire = network_.wire();
  if (entry_.build == nullptr && ranks > 1) {
    throw ConfigError(fmt::format("allreduce = \"{}\" sends in a way that only the library knows, so it cannot be simulated; \"direct\" or "
                                  "another one of our own would be right",
                                  options.allreduce),
                      {.file = "", .key = "strategy.allreduce"});
  }
  if (options_.allreduce_options.has("chunk_bytes"))
    options_.chunk_bytes = static_cast<std::int64_t>(options_.allreduce_options.real("chunk_bytes"));
  options_.allreduce_options = with_defaults(entry_.parameters, options_.allreduce_options.all());
  if (options_.topology && options_.topology->described()) machines_ = options_.topology->machine_of_ranks();
  if (ranks > 1) check_machines(entry_, machines_);
  world_.at_end([this] { return problem(); });
}

SimNetworkWorld::~SimNetworkWorld() = default;

std::string SimNetworkWorld::problem() const {
  if (pending_.count != 0) return fmt::format("{} operations were asked for and never ended", pending_.count);
  for (const auto& [path, group] : groups_)
    if (group->open != 0) return fmt::format("{} collectives of '{}' were not joined by all ranks", group->open, group->purpose);
  return network_.problem(world_.makespan_s());
}

SimGroup SimNetworkWorld::make_group(VirtualWorld& world, Network& network, std::string_view purpose, const std::vector<int>& ranks) const {
  SimGroup group(world, network, std::string(purpose), ranks);
  if (!machines_.empty())
    for (const int rank : ranks) group.machines.push_back(machines_[static_cast<std::size_t>(rank)]);
  return group;
}

ScheduleRequest SimNetworkWorld::request(const SimGroup& group, int member, std::int64_t count) const {
  return {.rank = member,
          .size = group.size(),
          .count = count,
          .chunk = std::max<std::int64_t>(1, options_.chunk_bytes / 4),
          .options = &options_.allreduce_options,
          .machines = group.machines};
}

double SimNetworkWorld::by_moves_s(const std::vector<int>& ranks, std::int64_t count) const {
  EventQueue events;
  Network network = make_network(events, network_.ranks(), options_);
  double last_s = 0;
  const SimGroup group = make_group(world_, network, "alone", ranks);
  std::vector<MovesRun::Member> members;
  for (int member = 0; member < group.size(); ++member)
    members.push_back(std::make_shared<PreparedMoves>(entry_.build(request(group, member, count)).moves));
  const auto run = std::make_shared<MovesRun>(events, network, group.ranks, std::move(members), [&](int) { last_s = events.now_s(); });
  for (int member = 0; member < group.size(); ++member) run->begin(member);
  while (!events.empty()) events.happen();
  if (run->left() > 0) throw UsageError(fmt::format("internal error: a schedule stops with {} moves left", run->left()));
  return last_s;
}

double SimNetworkWorld::alone_s(const SimGroup& group, std::int64_t count) {
  const auto [at, fresh] = alone_.try_emplace({&group, count});
  if (fresh) at->second = by_moves_s(group.ranks, count);
  return at->second;
}

double SimNetworkWorld::form_s(int size, std::int64_t count, const Contention& contention) const {
  return entry_.cost_s({.size = size,
                        .bytes = 4.0 * static_cast<double>(count),
                        .alpha_s = contention.latency * options_.wire.latency_s,
                        .beta_s = contention.bytes * options_.wire.per_byte_s,
                        .gamma_s = options_.wire.add_per_byte_s,
                        .options = &options_.allreduce_options});
}

// All of a group; of a large one those of its first machines, as many of each as fit where two are too many.
std::vector<int> SimNetworkWorld::compared_ranks(const SimGroup& group) {
  if (group.size() <= most_compared) return group.ranks;
  std::map<int, int> taken;  // by machine
  std::vector<int> ranks;
  for (std::size_t member = 0; member < group.ranks.size() && static_cast<int>(ranks.size()) < most_compared; ++member) {
    if (++taken[group.machines[member]] <= most_compared / 2) ranks.push_back(group.ranks[member]);
  }
  return ranks;
}

// Once a world. Cards of equal ranks at a switch are what the forms are of.
const Contention& SimNetworkWorld::contention(const SimGroup& group) {
  if (contention_) return *contention_;
  contention_ = std::make_unique<Contention>();
  if (machines_.empty()) return *contention_;
  const std::vector<int> ranks = compared_ranks(group);
  const int few = static_cast<int>(ranks.size());
  const std::int64_t small = few, large = std::int64_t{few} * 65536;
  const double small_s = by_moves_s(ranks, small), large_s = by_moves_s(ranks, large);
  const double small_form_s = form_s(few, small, {}), large_form_s = form_s(few, large, {});
  if (small_form_s > 0) contention_->latency = small_s / small_form_s;
  if (large_form_s > small_form_s) contention_->bytes = (large_s - small_s) / (large_form_s - small_form_s);
  contention_->ranks = few;
  return *contention_;
}

std::shared_ptr<SimGroup> SimNetworkWorld::group(const std::string& path, std::string_view purpose, const std::vector<int>& ranks) {
  auto& found = groups_[path];
  if (found) return found;
  found = std::make_shared<SimGroup>(make_group(world_, network_, purpose, ranks));
  SimGroup& group = *found;
  group.by_messages = group.size() > 1 && group.size() <= options_.most_by_messages;
  group.cost_s = [this, of = found.get()](const SimCollective& all) {
    const int size = static_cast<int>(all.parts.size());
    if (all.shape.kind != CollectiveShape::allreduce || size == 1 || all.shape.count == 0) return closed_form_s(all, options_.wire);
    if (entry_.cost_s == nullptr) return alone_s(*of, all.shape.count);
    return form_s(size, all.shape.count, contention(*of));
  };
  using Key = std::tuple<int, std::int64_t, int, bool>;
  auto known = std::make_shared<std::map<Key, std::vector<MovesRun::Member>>>();
  group.moves = [this, known, of = found.get()](const CollectiveShape& shape, bool scaled) {
    auto& members = (*known)[Key{shape.kind, shape.count, shape.root, scaled}];
    if (!members.empty()) return members;
    const Builder build = builder_of(shape.kind, entry_);
    for (int member = 0; member < of->size(); ++member) {
      ScheduleRequest wanted = request(*of, member, shape.count);
      wanted.root = shape.root;
      wanted.scaled = scaled;
      members.push_back(std::make_shared<PreparedMoves>(build(wanted).moves));
    }
    return members;
  };
  return found;
}

std::unique_ptr<SimCommunicator> SimNetworkWorld::connect(RankContext& context) {
  std::vector<int> ranks(static_cast<std::size_t>(network_.ranks()));
  std::iota(ranks.begin(), ranks.end(), 0);
  return std::unique_ptr<SimCommunicator>(new SimCommunicator(*this, group("/data", "data", ranks), context, context.rank(), "/data"));
}

SimCommunicator::SimCommunicator(SimNetworkWorld& owner, std::shared_ptr<SimGroup> group, RankContext& context, int member,
                                 std::string path)
    : owner_(owner), group_(std::move(group)), context_(context), member_(member), path_(std::move(path)) {}

SimCommunicator::~SimCommunicator() = default;

int SimCommunicator::size() const { return group_->size(); }
Features SimCommunicator::features() const { return {.bitwise_reproducible = true}; }

void SimCommunicator::check_peer(int peer, std::string_view call) const {
  if (peer < 0 || peer >= size()) {
    throw UsageError(
        fmt::format("internal error: {} with rank {} in '{}', which has ranks 0 to {}", call, peer, group_->purpose, size() - 1));
  }
}

void SimCommunicator::check_counts(const View& in, const View& out, std::int64_t in_count, std::int64_t out_count,
                                   std::string_view call) const {
  if (in.count() != in_count || out.count() != out_count) {
    throw UsageError(fmt::format("internal error: {} in '{}' with {} elements in and {} out, where {} and {} are right", call,
                                 group_->purpose, in.count(), out.count(), in_count, out_count));
  }
}

std::shared_ptr<SimWork> SimCommunicator::make_work(std::string_view kind, std::string_view label) {
  if (context_.world().ended_by()) throw PeerLost(*context_.world().ended_by());
  return std::make_shared<SimWork>(context_, owner_.pending_, kind, group_->purpose, label);
}

void SimCommunicator::record(SimWork& work, std::string_view label, int id, std::uint64_t sequence, std::int64_t bytes, Traffic sent) {
  if (recorder_ == nullptr) return;
  work.ended_at_rank = [this, &work, label, id, sequence, bytes, sent, step = step_] {
    const Work::Times& times = work.times;
    recorder_->exchange({.queued_s = times.queued_s,
                         .issued_s = times.issued_s,
                         .first_byte_s = times.first_byte_s,
                         .done_s = times.done_s,
                         .step = static_cast<std::uint32_t>(step),
                         .id = static_cast<std::uint16_t>(id < 0 ? 0xffff : id),
                         .sequence = sequence,
                         .bytes = bytes,
                         .sent_bytes = sent.elements * 4,
                         .messages = static_cast<std::int32_t>(sent.messages),
                         .label = label});
  };
}

Work SimCommunicator::collective(Call call) {
  if (call.reduce.order < -1) throw UsageError(fmt::format("internal error: an order of {} in a collective", call.reduce.order));
  const std::string_view label = group_->intern(call.reduce.label);
  auto work = make_work(name_of(call.shape.kind), label);
  SimPart part{.work = work.get(),
               .out = call.out,
               .scale = call.reduce.scale_before,
               .values = values_of(call.in, call.reduce.scale_before),
               .strings = {},
               .answers = nullptr,
               .order = call.reduce.order,
               .negotiated = call.reduce.negotiated && group_->releases != nullptr,
               .name = label};
  work->bytes = call.shape.count * 4;
  if (recorder_ != nullptr && call.shape.count > 0) {
    Traffic sent;
    if (call.shape.kind == CollectiveShape::allreduce) sent = owner_.entry_.traffic(owner_.request(*group_, member_, call.shape.count));
    record(*work, label.empty() ? name_of(call.shape.kind) : label, call.reduce.id, group_->next_sequence(member_), call.shape.count * 4,
           sent);
  }
  group_->ask(member_, call.shape, std::move(part));
  return Work(work);
}

Work SimCommunicator::allreduce(View in, View out, Reduce reduce) {
  check_counts(in, out, out.count(), in.count(), "allreduce");
  if (in.overlaps(out) && !in.same_range(out)) throw UsageError("internal error: allreduce with views that overlap without being the same");
  const std::int64_t count = in.count();
  return collective({{CollectiveShape::allreduce, reduce.op, 0, count}, std::move(in), std::move(out), reduce});
}

Work SimCommunicator::reduce(View in, View out, int root, Reduce reduce) {
  check_peer(root, "reduce");
  if (member_ == root)
    check_counts(in, out, out.count(), in.count(), "reduce");
  else
    out = View();
  const std::int64_t count = in.count();
  return collective({{CollectiveShape::reduce, reduce.op, root, count}, std::move(in), std::move(out), reduce});
}

Work SimCommunicator::broadcast(View view, int root) {
  check_peer(root, "broadcast");
  const std::int64_t count = view.count();
  return collective({{CollectiveShape::broadcast, Op::sum, root, count}, member_ == root ? view : View(), view, {}});
}

Work SimCommunicator::reduce_scatter(View in, View out, Reduce reduce) {
  check_counts(in, out, in.count(), part_of(member_, size(), in.count()).count, "reduce_scatter");
  const std::int64_t count = in.count();
  return collective({{CollectiveShape::reduce_scatter, reduce.op, 0, count}, std::move(in), std::move(out), reduce});
}

Work SimCommunicator::allgather(View in, View out) {
  check_counts(in, out, part_of(member_, size(), out.count()).count, out.count(), "allgather");
  const std::int64_t count = out.count();
  return collective({{CollectiveShape::allgather, Op::sum, 0, count}, std::move(in), std::move(out), {}});
}

Work SimCommunicator::barrier() { return collective({{CollectiveShape::barrier, Op::sum, 0, 0}, {}, {}, {}}); }

Work SimCommunicator::bytes_exchange(bool to_all, std::vector<ByteBuffer> out, std::vector<ByteBuffer>& in) {
  auto work = make_work(to_all ? "allgather_bytes" : "alltoall_bytes", {});
  group_->next_sequence(member_);
  group_->ask(member_, {CollectiveShape::bytes, Op::sum, to_all ? 0 : 1, 0},
              {.work = work.get(), .out = {}, .scale = 1, .values = {}, .strings = std::move(out), .answers = &in, .order = -1});
  return Work(work);
}

Work SimCommunicator::allgather_bytes(ByteBuffer mine, std::vector<ByteBuffer>& all) {
  std::vector<ByteBuffer> out;
  out.push_back(std::move(mine));
  return bytes_exchange(true, std::move(out), all);
}

Work SimCommunicator::alltoall_bytes(std::vector<ByteBuffer> out, std::vector<ByteBuffer>& in) {
  if (static_cast<int>(out.size()) != size()) {
    throw UsageError(
        fmt::format("internal error: alltoall_bytes of {} strings in '{}', which has {} ranks", out.size(), group_->purpose, size()));
  }
  return bytes_exchange(false, std::move(out), in);
}

Work SimCommunicator::send(View view, int peer, int tag) {
  check_peer(peer, "send");
  if (tag < 0 || tag > 32767) throw UsageError(fmt::format("internal error: send with tag {}; tags are 0 to 32767", tag));
  auto work = make_work("send", {});
  work->bytes = view.bytes();
  record(*work, "send", -1, 0, view.bytes(), {view.count(), 1});
  auto message = std::make_shared<SimMessage>();
  message->source = member_;
  message->tag = tag;
  message->count = view.count();
  message->real = is_real(view);
  message->values = values_of(view, 1);
  const bool eager = view.bytes() <= eager_bytes;
  if (!eager) message->sender = work;
  const int from = context_.rank(), to = group_->ranks[static_cast<std::size_t>(peer)];
  EventQueue& events = context_.world().events();
  events.foresee(context_.now_s(), from, context_.index(), "sends",
                 [group = group_, message, work, from, to, peer, eager, &network = owner_.network_, &events] {
                   network.send(
                       from, to, 4.0 * static_cast<double>(message->count),
                       [work, eager, &events] {
                         if (eager) work->settle(events.now_s());
                       },
                       [group, message, peer] { group->deliver(peer, message); });
                 });
  return Work(work);
}

Work SimCommunicator::receive(View view, int peer, int tag) {
  if (peer != any_source) check_peer(peer, "receive");
  if (tag != any_tag && (tag < 0 || tag > 32767))
    throw UsageError(fmt::format("internal error: receive with tag {}; tags are 0 to 32767", tag));
  auto work = make_work("receive", {});
  record(*work, "receive", -1, 0, view.bytes(), {});
  auto posted = std::make_shared<SimReceive>(SimReceive{work, view, peer, tag});
  context_.world().events().foresee(context_.now_s(), context_.rank(), context_.index(), "receives",
                                    [group = group_, posted, member = member_] { group->receive(member, posted); });
  return Work(work);
}

std::unique_ptr<Mailbox> SimCommunicator::mailbox(int tag, std::int64_t count, int depth) {
  if (depth < 1 || count < 0) throw UsageError("internal error: a mailbox needs room for at least one message");
  return std::make_unique<SimMailbox>(group_, context_, member_, tag, count);
}

// The first member that comes makes it for all of them; nothing has been asked for under it before all have come.
void SimCommunicator::orchestrate(const ReleaseOptions& options) {
  if (options.entry == nullptr || options.entry->make == nullptr || group_->releases) return;
  const ControlCost link{.latency_s = owner_.options_.wire.latency_s, .per_byte_s = owner_.options_.wire.per_byte_s};
  group_->releases = std::make_unique<SimReleases>(*group_, options, link, owner_.pending_);
}

void SimCommunicator::expect(int buckets) {
  if (group_->releases) group_->releases->expect(context_, member_, buckets);
}

ReleaseCounters SimCommunicator::release_counters() const {
  return group_->releases ? group_->releases->counters(member_) : ReleaseCounters{};
}

std::unique_ptr<Communicator> SimCommunicator::duplicate(std::string_view purpose) {
  const std::string path = fmt::format("{}/{}:{}", path_, children_++, purpose);
  return std::unique_ptr<SimCommunicator>(new SimCommunicator(owner_, owner_.group(path, purpose, group_->ranks), context_, member_, path));
}

std::unique_ptr<Communicator> SimCommunicator::split(int colour, int key, std::string_view purpose) {
  const std::int32_t mine[2] = {colour, key};
  ByteBuffer packed(sizeof mine);
  std::memcpy(packed.data(), mine, sizeof mine);
  std::vector<ByteBuffer> all;
  allgather_bytes(std::move(packed), all).wait();
  std::vector<std::pair<int, int>> chosen;  // (key, member here)
  for (int other = 0; other < size(); ++other) {
    std::int32_t theirs[2];
    std::memcpy(theirs, all[static_cast<std::size_t>(other)].data(), sizeof theirs);
    if (theirs[0] == colour) chosen.emplace_back(theirs[1], other);
  }
  std::sort(chosen.begin(), chosen.end());
  std::vector<int> ranks;
  int member = 0;
  for (const auto& [order, other] : chosen) {
    if (other == member_) member = static_cast<int>(ranks.size());
    ranks.push_back(group_->ranks[static_cast<std::size_t>(other)]);
  }
  const std::string path = fmt::format("{}/{}:{}:{}", path_, children_++, purpose, colour);
  return std::unique_ptr<SimCommunicator>(new SimCommunicator(owner_, owner_.group(path, purpose, ranks), context_, member, path));
}

}  // namespace syncline
