// SPDX-License-Identifier: Apache-2.0
// The part of a queue's communicator that has its order agreed on while the job runs.
#include <fmt/core.h>

#include <algorithm>
#include <numeric>

#include "engine/base/error.h"
#include "engine/comm/queue_communicator.h"

namespace syncline {

namespace {

constexpr double stall_share = 0.4;  // of the limit: who is missing has to be known when the limit is over

// Merged allreduces of this group; it is alive while any of its operations is.
Releases::MakeMerged merged_allreduces(const std::shared_ptr<CommGroup>& group) {
  auto schedules = std::make_shared<std::map<std::int64_t, std::shared_ptr<const PreparedSchedule>>>();
  return [weak = std::weak_ptr(group), schedules](const View& buffer, Op op, std::string_view label, int id) {
    const std::shared_ptr<CommGroup> of = weak.lock();
    const ScheduleEntry& entry = allreduce_schedule(of->options.allreduce);
    const bool library = entry.build == nullptr && of->size > 1;
    const auto build = library ? dissemination_barrier : entry.build == nullptr ? direct_allreduce : entry.build;
    auto& schedule = (*schedules)[buffer.count()];
    if (!schedule)
      schedule = std::make_shared<const PreparedSchedule>(
          build({of->rank, of->size, buffer.count(), std::max<std::int64_t>(1, of->options.chunk_bytes / 4), 0, false,
                 &of->options.allreduce_options, of->options.machines}));
    auto operation = std::make_shared<ScheduleOperation>();
    of->queue->open(*operation);
    operation->group = of;
    operation->kind = "allreduce";
    operation->label = label;
    operation->id = id;
    operation->step_number = of->queue->step();
    operation->prepare({"allreduce", buffer, buffer, {.op = op}, 0, buffer.count(), library, WireFormat::fp32}, schedule);
    return operation;
  };
}

}  // namespace

void Communicator::orchestrate(const ReleaseOptions& options) {
  if (options.entry != nullptr && options.entry->make != nullptr)
    throw UsageError(fmt::format("internal error: this world cannot agree on an order as '{}' wants", options.entry->name));
}

void Communicator::expect(int) {}

void QueueCommunicator::orchestrate(const ReleaseOptions& given) {
  if (given.entry == nullptr || given.entry->make == nullptr) return;
  if (releases_) throw UsageError(fmt::format("internal error: '{}' was orchestrated twice", group_->purpose));
  ReleaseOptions options = given;
  options.setup.rank = rank();
  options.setup.ranks = size();
  options.setup.stall_warning_s = std::min(given.setup.stall_warning_s, stall_share * group_->queue->options().limit_s);
  std::vector<int> members(static_cast<std::size_t>(size()));
  std::iota(members.begin(), members.end(), 0);
  negotiation_ = make_child(members, rank(), fmt::format("{}/{}:order", path_, children_++), "order");
  releases_ = std::make_shared<Releases>(options, group_->purpose, negotiation_->group_->message_context, merged_allreduces(group_));
  group_->lane->set_gate(releases_);
}

void QueueCommunicator::run_session(int buckets) {
  std::shared_ptr<ReleaseSession> session;
  for (const auto& each : sessions_)
    if (each->reusable()) session = each;
  if (session) {
    session->again(buckets);
  } else {
    session = std::make_shared<ReleaseSession>(releases_, buckets);
    sessions_.push_back(session);
  }
  group_->queue->open(*session);
  session->drop();  // nobody waits for it: it ends when the buckets are released
  group_->queue->submit(session);
}

void QueueCommunicator::expect(int buckets) {
  if (releases_) run_session(buckets);
}

void QueueCommunicator::stop_releases() {
  if (!releases_) return;
  releases_->ask_stop();
  run_session(0);
}

ReleaseCounters QueueCommunicator::release_counters() const { return releases_ ? releases_->counters() : ReleaseCounters{}; }

}  // namespace syncline
