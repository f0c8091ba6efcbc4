// SPDX-License-Identifier: Apache-2.0
#include "engine/comm/queue_communicator.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <numeric>

#include "engine/base/error.h"
#include "engine/metrics/clock.h"

namespace syncline {

namespace {

// Makes the two contexts of a communicator on the communication thread; collective over the members.
class ContextOperation final : public GroupOperation {
 public:
  ContextOperation(std::shared_ptr<CommGroup> made, std::vector<int> members, std::string key)
      : made_(std::move(made)), members_(std::move(members)), key_(std::move(key)) {}
  void start(Transport& transport) override {
    made_->collective_context = transport.make_context(parent_context, members_, key_ + "/collectives");
    made_->message_context = transport.make_context(parent_context, members_, key_ + "/messages");
  }
  void abandon(Transport&) override {}
  int parent_context = Transport::world_context;

 protected:
  Progress step(Transport&) override { return Progress::finished; }

 private:
  std::shared_ptr<CommGroup> made_;
  std::vector<int> members_;
  std::string key_;
};

class QueueMailbox final : public Mailbox {
 public:
  explicit QueueMailbox(std::shared_ptr<MailboxOperation> operation) : operation_(std::move(operation)) {}
  ~QueueMailbox() override { operation_->request_cancel(); }
  std::optional<Message> poll() override {
    auto message = operation_->take();
    if (!message && operation_->finished()) operation_->wait();
    return message;
  }
  Message wait(double limit_s) override {
    if (auto message = operation_->take()) return *std::move(message);
    if (operation_->wait_for_arrival(monotonic_s() + limit_s)) return operation_->take().value();
    operation_->wait_for(0);  // throws what ended the mailbox
    throw TimeLimit(fmt::format("nothing arrived in the {} for {:g} s", operation_->describe(), limit_s));
  }

 private:
  std::shared_ptr<MailboxOperation> operation_;
};

void run_context(CommQueue& queue, const std::shared_ptr<CommGroup>& asking, const std::shared_ptr<CommGroup>& made,
                 const std::vector<int>& members, const std::string& key, int parent_context) {
  const auto operation = std::make_shared<ContextOperation>(made, members, key);
  operation->parent_context = parent_context;
  operation->group = asking;
  operation->kind = "set-up";
  operation->label = asking->intern(made->purpose);
  queue.open(*operation);
  operation->lane = asking->lane;
  queue.submit(operation);
  Work(operation).wait();
}

}  // namespace

std::unique_ptr<QueueCommunicator> QueueCommunicator::world(CommQueue& queue, const GroupOptions& options, std::string_view purpose) {
  auto group = std::make_shared<CommGroup>();
  group->queue = &queue;
  group->purpose = purpose;
  group->rank = queue.rank();
  group->size = queue.size();
  group->options = options;
  const ScheduleEntry& entry = allreduce_schedule(options.allreduce);  // an unknown name is said now
  if (!options.machines.empty() && options.machines.size() != static_cast<std::size_t>(queue.size()))
    throw UsageError(fmt::format("internal error: machines of {} ranks for a world of {}", options.machines.size(), queue.size()));
  if (queue.size() > 1) check_machines(entry, options.machines);
  if (options.allreduce_options.has("chunk_bytes"))
    group->options.chunk_bytes = static_cast<std::int64_t>(options.allreduce_options.real("chunk_bytes"));
  group->options.allreduce_options = with_defaults(entry.parameters, options.allreduce_options.all());
  std::vector<int> members(static_cast<std::size_t>(queue.size()));
  std::iota(members.begin(), members.end(), 0);
  const std::string path = "/" + group->purpose;
  run_context(queue, group, group, members, path, Transport::world_context);
  return std::unique_ptr<QueueCommunicator>(new QueueCommunicator(group, path));
}

std::unique_ptr<QueueCommunicator> QueueCommunicator::make_child(const std::vector<int>& members, int rank, const std::string& path,
                                                                 std::string_view purpose) {
  auto group = std::make_shared<CommGroup>();
  group->queue = group_->queue;
  group->purpose = purpose;
  group->rank = rank;
  group->size = static_cast<int>(members.size());
  group->options = group_->options;
  if (!group_->options.machines.empty()) {
    group->options.machines.clear();
    for (const int member : members) group->options.machines.push_back(group_->options.machines[static_cast<std::size_t>(member)]);
  }
  run_context(*group_->queue, group_, group, members, path, group_->collective_context);
  return std::unique_ptr<QueueCommunicator>(new QueueCommunicator(group, path));
}

std::unique_ptr<Communicator> QueueCommunicator::duplicate(std::string_view purpose) {
  std::vector<int> members(static_cast<std::size_t>(size()));
  std::iota(members.begin(), members.end(), 0);
  return make_child(members, rank(), fmt::format("{}/{}:{}", path_, children_++, purpose), purpose);
}

std::unique_ptr<Communicator> QueueCommunicator::split(int colour, int key, std::string_view purpose) {
  const std::int32_t mine[2] = {colour, key};
  ByteBuffer packed(sizeof mine);
  std::memcpy(packed.data(), mine, sizeof mine);
  std::vector<ByteBuffer> all;
  allgather_bytes(std::move(packed), all).wait();
  std::vector<std::pair<int, int>> chosen;  // (key, rank here)
  for (int other = 0; other < size(); ++other) {
    std::int32_t theirs[2];
    std::memcpy(theirs, all[static_cast<std::size_t>(other)].data(), sizeof theirs);
    if (theirs[0] == colour) chosen.emplace_back(theirs[1], other);
  }
  std::sort(chosen.begin(), chosen.end());
  std::vector<int> members;
  int new_rank = 0;
  for (const auto& [order, other] : chosen) {
    if (other == rank()) new_rank = static_cast<int>(members.size());
    members.push_back(other);
  }
  return make_child(members, new_rank, fmt::format("{}/{}:{}:{}", path_, children_++, purpose, colour), purpose);
}

Features QueueCommunicator::features() const {
  Features features;
  features.bitwise_reproducible = allreduce_schedule(group_->options.allreduce).order_independent_of_size;
  return features;
}

template <class T>
std::shared_ptr<T> QueueCommunicator::fresh(std::vector<std::shared_ptr<T>>& pool, std::string_view kind) {
  std::shared_ptr<T> operation;
  {
    const std::scoped_lock lock(mutex_);
    for (const auto& candidate : pool) {
      if (!candidate->reusable()) continue;
      operation = candidate;
      break;
    }
    if (!operation) {
      operation = std::make_shared<T>();
      pool.push_back(operation);
    }
    group_->queue->open(*operation);
  }
  operation->group = group_;
  operation->kind = kind;
  operation->label = {};
  operation->id = -1;
  operation->step_number = group_->queue->step();
  operation->sequence.store(0, std::memory_order_relaxed);
  operation->sent_bytes = operation->payload_bytes = 0;
  operation->messages = 0;
  operation->reads = operation->writes = View();
  return operation;
}

std::shared_ptr<const PreparedSchedule> QueueCommunicator::prepared(Builder build, std::int64_t count, int root, bool scaled) {
  const std::scoped_lock lock(mutex_);
  auto& found = schedules_[Key{build, count, root, scaled}];
  if (!found) {
    const std::int64_t chunk = std::max<std::int64_t>(1, group_->options.chunk_bytes / 4);
    found = std::make_shared<const PreparedSchedule>(
        build({rank(), size(), count, chunk, root, scaled, &group_->options.allreduce_options, group_->options.machines}));
  }
  return found;
}

void QueueCommunicator::check_peer(int peer, std::string_view call) const {
  if (peer < 0 || peer >= size()) {
    throw UsageError(
        fmt::format("internal error: {} with rank {} in '{}', which has ranks 0 to {}", call, peer, group_->purpose, size() - 1));
  }
}

void QueueCommunicator::check_views(const View& in, const View& out, std::int64_t in_count, std::int64_t out_count,
                                    std::string_view call) const {
  if (in.count() != in_count || out.count() != out_count) {
    throw UsageError(fmt::format("internal error: {} in '{}' with {} elements in and {} out, where {} and {} are right", call,
                                 group_->purpose, in.count(), out.count(), in_count, out_count));
  }
  for (const View* view : {&in, &out}) {
    if (view->place() != Storage::Place::host) {
      throw UsageError(fmt::format("internal error: {} in '{}' takes views of host memory only", call, group_->purpose));
    }
  }
}

Work QueueCommunicator::collective(const ScheduleOperation::Call& call, Builder build) {
  if (call.reduce.order < -1) throw UsageError(fmt::format("internal error: an order of {} in {}", call.reduce.order, call.kind));
  auto schedule = prepared(build, call.count, call.root, call.reduce.scale_before != 1);
  auto operation = fresh(collectives_, call.kind);
  operation->lane = group_->lane;
  operation->order = call.reduce.order;
  operation->negotiated = call.reduce.negotiated && releases_ != nullptr;
  operation->id = call.reduce.id;
  operation->label = group_->intern(call.reduce.label);
  operation->reads = call.in;
  operation->writes = call.out;
  operation->prepare(call, std::move(schedule));
  group_->queue->submit(operation);
  return Work(operation);
}

Work QueueCommunicator::allreduce(View in, View out, Reduce reduce) {
  return allreduce_as(WireFormat::fp32, std::move(in), std::move(out), reduce);
}

Work QueueCommunicator::allreduce_as(WireFormat format, View in, View out, Reduce reduce) {
  check_views(in, out, out.count(), in.count(), "allreduce");
  if (in.overlaps(out) && !in.same_range(out)) throw UsageError("internal error: allreduce with views that overlap without being the same");
  const std::int64_t count = in.count();
  const ScheduleEntry& entry = allreduce_schedule(group_->options.allreduce);
  const bool library = entry.build == nullptr && size() > 1;
  if (format != WireFormat::fp32 && (library || reduce.op == Op::bit_and))
    throw UsageError("internal error: an allreduce of 16-bit elements by the library, or of the bits of elements");
  // The library's call needs no moves of its own; one rank alone is the same for every schedule.
  const Builder build = library ? dissemination_barrier : entry.build == nullptr ? direct_allreduce : entry.build;
  return collective({"allreduce", std::move(in), std::move(out), reduce, 0, count, library, format}, build);
}

Work QueueCommunicator::reduce(View in, View out, int root, Reduce reduce) {
  check_peer(root, "reduce");
  if (rank() == root) {
    check_views(in, out, out.count(), in.count(), "reduce");
    if (in.overlaps(out) && !in.same_range(out)) throw UsageError("internal error: reduce with views that overlap without being the same");
  } else {
    out = View();
  }
  const std::int64_t count = in.count();
  return collective({"reduce", std::move(in), std::move(out), reduce, root, count, false}, direct_reduce);
}

Work QueueCommunicator::broadcast(View view, int root) {
  check_peer(root, "broadcast");
  check_views(view, view, view.count(), view.count(), "broadcast");
  const std::int64_t count = view.count();
  View copy = view;
  return collective({"broadcast", std::move(view), std::move(copy), {}, root, count, false}, tree_broadcast);
}

Work QueueCommunicator::reduce_scatter(View in, View out, Reduce reduce) {
  const Part mine = part_of(rank(), size(), in.count());
  check_views(in, out, in.count(), mine.count, "reduce_scatter");
  if (in.overlaps(out) && !in.part(mine.offset, mine.count).same_range(out)) {
    throw UsageError("internal error: reduce_scatter whose output overlaps its input elsewhere than at this rank's part");
  }
  const std::int64_t count = in.count();
  return collective({"reduce_scatter", std::move(in), std::move(out), reduce, 0, count, false}, direct_reduce_scatter);
}

Work QueueCommunicator::allgather(View in, View out) {
  const Part mine = part_of(rank(), size(), out.count());
  check_views(in, out, mine.count, out.count(), "allgather");
  if (in.overlaps(out) && !out.part(mine.offset, mine.count).same_range(in)) {
    throw UsageError("internal error: allgather whose input overlaps its output elsewhere than at this rank's part");
  }
  const std::int64_t count = out.count();
  return collective({"allgather", std::move(in), std::move(out), {}, 0, count, false}, direct_allgather);
}

Work QueueCommunicator::barrier() { return collective({"barrier", {}, {}, {}, 0, 0, false}, dissemination_barrier); }

Work QueueCommunicator::bytes_exchange(std::string_view kind, std::vector<ByteBuffer> out, std::vector<ByteBuffer>& in) {
  std::vector<std::shared_ptr<BytesOperation>> unpooled;  // it owns buffers of its caller; not on the path of a step
  auto operation = fresh(unpooled, kind);
  operation->lane = group_->lane;
  operation->prepare(std::move(out), in);
  group_->queue->submit(operation);
  return Work(operation);
}

Work QueueCommunicator::allgather_bytes(ByteBuffer mine, std::vector<ByteBuffer>& all) {
  std::vector<ByteBuffer> out;
  out.push_back(std::move(mine));
  return bytes_exchange("allgather_bytes", std::move(out), all);
}

Work QueueCommunicator::alltoall_bytes(std::vector<ByteBuffer> out, std::vector<ByteBuffer>& in) {
  if (static_cast<int>(out.size()) != size()) {
    throw UsageError(
        fmt::format("internal error: alltoall_bytes of {} strings in '{}', which has {} ranks", out.size(), group_->purpose, size()));
  }
  return bytes_exchange("alltoall_bytes", std::move(out), in);
}

Work QueueCommunicator::send(View view, int peer, int tag) {
  check_peer(peer, "send");
  check_views(view, view, view.count(), view.count(), "send");
  if (tag < 0 || tag > 32767) throw UsageError(fmt::format("internal error: send with tag {}; tags are 0 to 32767", tag));
  auto operation = fresh(sends_, "send");
  operation->prepare(view, peer, tag);
  group_->queue->submit(operation);
  return Work(operation);
}

Work QueueCommunicator::receive(View view, int peer, int tag) {
  if (peer != any_source) check_peer(peer, "receive");
  check_views(view, view, view.count(), view.count(), "receive");
  if (tag != any_tag && (tag < 0 || tag > 32767))
    throw UsageError(fmt::format("internal error: receive with tag {}; tags are 0 to 32767", tag));
  auto operation = fresh(receives_, "receive");
  operation->prepare(view, peer, tag);
  group_->queue->submit(operation);
  return Work(operation);
}

std::unique_ptr<Mailbox> QueueCommunicator::mailbox(int tag, std::int64_t count, int depth) {
  if (depth < 1 || count < 0) throw UsageError("internal error: a mailbox needs room for at least one message");
  auto operation = std::make_shared<MailboxOperation>();
  group_->queue->open(*operation);
  operation->group = group_;
  operation->step_number = group_->queue->step();
  operation->prepare(tag, count, depth);
  group_->queue->submit(operation);
  return std::make_unique<QueueMailbox>(std::move(operation));
}

}  // namespace syncline
