// SPDX-License-Identifier: Apache-2.0
#include "engine/comm/release_gate.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "engine/base/error.h"
#include "engine/comm/ranks_text.h"
#include "engine/metrics/clock.h"

namespace syncline {

namespace {

// Several buckets as one allreduce: copied together, added up, copied back.
class MergedOperation final : public Operation {
 public:
  MergedOperation(std::shared_ptr<ScheduleOperation> allreduce, View buffer, std::vector<ScheduleOperation*> members)
      : allreduce_(std::move(allreduce)), buffer_(std::move(buffer)), members_(std::move(members)) {}
  ~MergedOperation() override {
    allreduce_->retire();
    allreduce_->drop();
  }
  void start(Transport& transport) override {
    for (ScheduleOperation* member : members_) member->times.issued_s = monotonic_s();
    allreduce_->times.issued_s = monotonic_s();
    allreduce_->start(transport);
  }
  Progress progress(Transport& transport) override {
    const Progress progress = allreduce_->progress(transport);
    if (progress != Progress::finished) return progress;
    std::int64_t at = 0;
    for (ScheduleOperation* member : members_) {
      const std::int64_t count = member->writes.count();
      std::copy_n(buffer_.data() + at, count, member->writes.data());
      at += count;
    }
    finish_members();
    allreduce_->finish();
    return progress;
  }
  void abandon(Transport& transport) override { allreduce_->abandon(transport); }
  std::string waiting_for() const override { return allreduce_->waiting_for(); }
  void describe_to(std::string& text) const override {
    allreduce_->describe_to(text);
    fmt::format_to(std::back_inserter(text), " with {} others", members_.size() - 1);
  }

 private:
  void finish_members() {
    auto& pending = lane->pending();
    for (ScheduleOperation* member : members_) {
      const auto at = std::find_if(pending.begin(), pending.end(), [member](const auto& each) { return each.get() == member; });
      const std::shared_ptr<Operation> kept = *at;
      pending.erase(at);
      kept->times.first_byte_s = allreduce_->times.first_byte_s;
      kept->times.done_s = monotonic_s();
      kept->finish();
      kept->retire();
    }
  }
  std::shared_ptr<ScheduleOperation> allreduce_;
  View buffer_;
  std::vector<ScheduleOperation*> members_;  // kept alive by the lane
};

}  // namespace

Releases::Releases(const ReleaseOptions& options, std::string purpose, int control_context, MakeMerged make_merged)
    : options_(options),
      purpose_(std::move(purpose)),
      make_merged_(std::move(make_merged)),
      policy_(options.entry->make(options.setup)),
      round_(*policy_, control_context, options.control_message_cost_s) {}

bool Releases::expect(int buckets) {
  wanted_ += buckets;
  return !std::exchange(in_session_, true);
}

void Releases::arrived(const std::shared_ptr<Operation>& operation) {
  if (!operation->negotiated) {
    after_.emplace_back(operation.get(), wanted_);
    return;
  }
  const auto& bucket = static_cast<const ScheduleOperation&>(*operation);
  int handle = static_cast<int>(by_handle_.size());
  if (free_handles_.empty()) {
    by_handle_.push_back(nullptr);
  } else {
    handle = free_handles_.back();
    free_handles_.pop_back();
  }
  by_handle_[static_cast<std::size_t>(handle)] = operation.get();
  policy_->submit({.name = bucket.label, .count = bucket.reads.count(), .op = bucket.op(), .handle = handle, .asked_s = monotonic_s()});
}

std::shared_ptr<Operation> Releases::taken(std::vector<std::shared_ptr<Operation>>& pending, const Operation* wanted) {
  const auto at = std::find_if(pending.begin(), pending.end(), [wanted](const auto& each) { return each.get() == wanted; });
  std::shared_ptr<Operation> operation = std::move(*at);
  pending.erase(at);
  return operation;
}

// What was asked for outside of the negotiation has its place behind the buckets that had been announced by then, on every rank.
std::shared_ptr<Operation> Releases::next(std::vector<std::shared_ptr<Operation>>& pending) {
  if (stopped()) fail_buckets(pending);
  if (!after_.empty() && (after_.front().second <= started_ || stopped())) {
    const Operation* other = after_.front().first;
    after_.erase(after_.begin());
    return taken(pending, other);
  }
  if (next_ == messages_.size()) return nullptr;
  std::size_t size = 1;
  while (next_ + size < messages_.size() && !messages_[next_ + size].begins) ++size;
  const auto message = std::span<const Released>(messages_).subspan(next_, size);
  std::shared_ptr<Operation> chosen =
      size == 1 ? taken(pending, by_handle_[static_cast<std::size_t>(message.front().handle)]) : merged(message);
  for (const Released& each : message) free_handles_.push_back(each.handle);
  started_ += static_cast<std::int64_t>(size);
  next_ += size;
  if (next_ == messages_.size()) forget_messages();
  return chosen;
}

void Releases::forget_messages() {
  messages_.clear();
  next_ = 0;
}

std::shared_ptr<Operation> Releases::merged(std::span<const Released> message) {
  std::vector<ScheduleOperation*> members;
  std::int64_t count = 0;
  for (const Released& each : message) {
    members.push_back(static_cast<ScheduleOperation*>(by_handle_[static_cast<std::size_t>(each.handle)]));
    count += members.back()->reads.count();
  }
  if (buffer_.count() < count) buffer_ = View::host(count);
  const View buffer = buffer_.part(0, count);
  std::int64_t at = 0;
  for (const ScheduleOperation* member : members) {
    scale_copy(member->scale(), member->reads.data(), buffer.data() + at, member->reads.count());
    at += member->reads.count();
  }
  const ScheduleOperation& first = *members.front();
  auto operation = std::make_shared<MergedOperation>(make_merged_(buffer, first.op(), first.label, first.id), buffer, members);
  operation->lane = first.lane;
  return operation;
}

void Releases::fail_buckets(std::vector<std::shared_ptr<Operation>>& pending) {
  const Failure failure{Failure::peer_lost, "the ranks stopped in the middle of a step because one of them asked for it"};
  for (std::size_t k = pending.size(); k-- > 0;) {
    if (!pending[k]->negotiated) continue;
    pending[k]->fail(failure);
    pending[k]->retire();
    pending.erase(pending.begin() + static_cast<std::ptrdiff_t>(k));
  }
  forget_messages();
}

bool Releases::run(Transport& transport, double now_s) {
  bool moved = false;
  while (!over()) {
    if (in_round_ == Round::over) {
      if (now_s < due_s_) return moved;
      begin_cycle(transport, now_s);
    }
    const ReleaseRound::Progress progress = round_.step(transport, now_s);
    moved = moved || progress != ReleaseRound::Progress::idle;
    if (progress != ReleaseRound::Progress::finished) return moved;
    in_round_ = policy_->next(now_s);
    if (in_round_ != Round::over)
      round_.begin(transport, in_round_);
    else
      end_cycle(now_s);
  }
  return moved;
}

void Releases::begin_cycle(Transport& transport, double now_s) {
  if (stop_asked_.load(std::memory_order_acquire)) policy_->ask_stop();
  cycle_begun_s_ = now_s;
  in_round_ = policy_->begin(now_s);
  round_.begin(transport, in_round_);
}

void Releases::end_cycle(double now_s) {
  const std::size_t before = messages_.size();
  policy_->take_released(messages_);
  released_ += static_cast<std::int64_t>(messages_.size() - before);
  counters_.messages += std::count_if(messages_.begin() + static_cast<std::ptrdiff_t>(before), messages_.end(),
                                      [](const Released& each) { return each.begins; });
  for (const std::string& warning : policy_->take_warnings()) comm_log(warning);
  due_s_ = std::max(cycle_begun_s_ + options_.cycle_time_s, now_s + shortest_rest_s);
  ++counters_.cycles;
  counters_.control_s += now_s - cycle_begun_s_;
  counters_.control_bytes = round_.bytes();
  counters_.control_messages = round_.messages();
  counters_.slow_paths = policy_->slow_paths();
  counters_.extra_allreduces = policy_->erasures();
  counters_.released = released_;
  counters_.sequence_hash = policy_->sequence_hash();
  counters_.state_hash = policy_->state_hash();
  publish();
}

bool Releases::close(Transport& transport) {
  if (round_.sends_open(transport)) return false;
  in_session_ = false;
  return true;
}

void Releases::publish() {
  const std::scoped_lock lock(mutex_);
  published_ = counters_;
}

ReleaseCounters Releases::counters() const {
  const std::scoped_lock lock(mutex_);
  return published_;
}

double Releases::due_s() const { return in_round_ == Round::over ? due_s_ : round_.due_s(); }

void Releases::describe_to(std::string& text) const {
  fmt::format_to(std::back_inserter(text), "turn {} of the agreement on the order of '{}'", counters_.cycles, purpose_);
}

std::string Releases::waiting_for() const { return ranks_text(round_.waiting_for()); }

std::string Releases::missing() const { return policy_->stalled().empty() ? "all ranks to have it ready" : policy_->stalled(); }

ReleaseSession::Progress ReleaseSession::progress(Transport& transport) {
  if (!runs_) return Progress::finished;
  const bool moved = releases_->run(transport, monotonic_s());
  if (releases_->over() && releases_->close(transport)) return Progress::finished;
  return moved ? Progress::moved : Progress::idle;
}

}  // namespace syncline
