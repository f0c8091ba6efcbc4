// SPDX-License-Identifier: Apache-2.0
#include "engine/metrics/accounting.h"

#include <algorithm>

#include "engine/metrics/intervals.h"

namespace syncline {
namespace {

// What one step consists of, as sets cut to its window.
struct StepSets {
  IntervalSet window, compute, comm, transfer, wait, data, boundary;
  IntervalSet forward, backward, update, codec;
};

Interval cut(double start, double end, const StepTrace& trace) { return {std::max(start, trace.start_s), std::min(end, trace.end_s)}; }

IntervalSet set_of(const StepTrace& trace, auto&& belongs) {
  std::vector<Interval> intervals;
  for (const Span& span : trace.spans) {
    if (belongs(span.kind)) intervals.push_back(cut(span.start_s, span.end_s, trace));
  }
  return IntervalSet(std::move(intervals));
}

// When the transfer of an exchange began: its last peer issued it, never before this rank did, never after it was done.
double transfer_start(const ExchangeRecord& exchange, const LastIssues* peers, bool& known) {
  if (peers == nullptr) return exchange.issued_s;
  const auto found = peers->find(exchange.sequence);
  if (found == peers->end()) {
    known = false;
    return exchange.issued_s;
  }
  return std::clamp(found->second, exchange.issued_s, std::max(exchange.issued_s, exchange.done_s));
}

StepSets sets_of(const StepTrace& trace, const LastIssues* peers, bool& peers_known) {
  StepSets sets;
  sets.window = IntervalSet({{trace.start_s, trace.end_s}});
  sets.compute = set_of(trace, [](SpanKind kind) { return is_compute(kind); });
  sets.forward = set_of(trace, [](SpanKind kind) { return kind == SpanKind::forward; });
  sets.backward = set_of(trace, [](SpanKind kind) { return kind == SpanKind::backward; });
  sets.update = set_of(trace, [](SpanKind kind) { return kind == SpanKind::update; });
  sets.codec = set_of(trace, [](SpanKind kind) { return kind == SpanKind::encode || kind == SpanKind::decode; });
  sets.wait = set_of(trace, [](SpanKind kind) { return kind == SpanKind::wait; });
  sets.data = set_of(trace, [](SpanKind kind) { return kind == SpanKind::data_wait; });
  sets.boundary = set_of(trace, [](SpanKind kind) { return kind == SpanKind::evaluation || kind == SpanKind::checkpoint; });
  std::vector<Interval> comm, transfer;
  for (const ExchangeRecord& exchange : trace.exchanges) {
    comm.push_back(cut(exchange.issued_s, exchange.done_s, trace));
    transfer.push_back(cut(transfer_start(exchange, peers, peers_known), exchange.done_s, trace));
  }
  sets.comm = IntervalSet(std::move(comm));
  sets.transfer = IntervalSet(std::move(transfer));
  return sets;
}

bool done_within(const ExchangeRecord& exchange, const StepTrace& trace) {
  return exchange.done_s > trace.start_s && exchange.done_s <= trace.end_s;
}

}  // namespace

StepSums account_step(const StepTrace& trace, const LastIssues* peers) {
  bool peers_known = peers != nullptr;
  const StepSets sets = sets_of(trace, peers, peers_known);
  const IntervalSet exposed = subtract(sets.comm, sets.compute);
  const IntervalSet busy = unite(sets.comm, sets.compute);
  const IntervalSet input = subtract(sets.data, busy);
  const IntervalSet boundary = subtract(subtract(sets.boundary, busy), input);
  const IntervalSet rest = subtract(subtract(subtract(sets.window, busy), input), boundary);

  StepSums sums;
  sums.rank = trace.rank;
  sums.axes.step = trace.step;
  if (peers_known) sums.flags |= step_peer_wait_known;
  sums.start_s = trace.start_s;
  sums.step_s = sets.window.length();
  sums.forward_s = sets.forward.length();
  sums.backward_s = sets.backward.length();
  sums.update_s = sets.update.length();
  sums.codec_s = sets.codec.length();
  sums.compute_s = sets.compute.length();
  sums.comm_s = sets.comm.length();
  sums.hidden_s = intersect(sets.comm, sets.compute).length();
  sums.exposed_s = exposed.length();
  sums.other_s = subtract(sets.window, busy).length();
  sums.blocked_s = sets.wait.length();
  sums.transfer_s = sets.transfer.length();
  sums.peer_wait_s = subtract(sets.comm, sets.transfer).length();
  sums.hidden_transfer_s = intersect(sets.transfer, sets.compute).length();
  sums.data_wait_s = sets.data.length();
  sums.waiting_s = subtract(exposed, sets.transfer).length();
  sums.exposed_transfer_s = intersect(exposed, sets.transfer).length();
  sums.input_s = input.length();
  sums.boundary_s = boundary.length();
  sums.idle_s = rest.length();
  for (const ExchangeRecord& exchange : trace.exchanges) {
    if (!done_within(exchange, trace)) continue;
    sums.bytes_sent += exchange.sent_bytes;
    sums.messages += exchange.messages;
    ++sums.exchanges;
  }
  return sums;
}

LastIssues estimate_last_issues(std::span<const StepTrace> traces, std::int32_t rank) {
  std::map<std::uint64_t, double> shortest;
  for (const StepTrace& trace : traces) {
    for (const ExchangeRecord& exchange : trace.exchanges) {
      const double duration = exchange.done_s - exchange.issued_s;
      const auto [place, added] = shortest.try_emplace(exchange.sequence, duration);
      if (!added) place->second = std::min(place->second, duration);
    }
  }
  LastIssues issues;
  for (const StepTrace& trace : traces) {
    if (trace.rank != rank) continue;
    for (const ExchangeRecord& exchange : trace.exchanges) issues[exchange.sequence] = exchange.done_s - shortest[exchange.sequence];
  }
  return issues;
}

LastIssues last_issues(std::span<const StepTrace> traces) {
  LastIssues issues;
  for (const StepTrace& trace : traces) {
    for (const ExchangeRecord& exchange : trace.exchanges) {
      const auto [place, added] = issues.try_emplace(exchange.sequence, exchange.issued_s);
      if (!added) place->second = std::max(place->second, exchange.issued_s);
    }
  }
  return issues;
}

std::map<std::uint16_t, double> exposed_by_bucket(const StepTrace& trace) {
  bool known = false;
  const StepSets sets = sets_of(trace, nullptr, known);
  IntervalSet uncharged = subtract(sets.comm, sets.compute);
  std::map<std::uint16_t, double> charged;
  const auto charge = [&](std::uint16_t id, const IntervalSet& when) {
    charged[id] += intersect(uncharged, when).length();
    uncharged = subtract(uncharged, when);
  };
  for (const Span& span : trace.spans) {
    if (span.kind == SpanKind::wait) charge(span.id, IntervalSet({cut(span.start_s, span.end_s, trace)}));
  }
  std::vector<const ExchangeRecord*> oldest_first;
  for (const ExchangeRecord& exchange : trace.exchanges) oldest_first.push_back(&exchange);
  std::stable_sort(oldest_first.begin(), oldest_first.end(), [](const auto* a, const auto* b) { return a->issued_s < b->issued_s; });
  for (const ExchangeRecord* exchange : oldest_first) {
    if (uncharged.empty()) break;
    charge(exchange->id, IntervalSet({cut(exchange->issued_s, exchange->done_s, trace)}));
  }
  return charged;
}

StepAccountant::StepAccountant(SpanRing& ring, std::int32_t rank, int hold_steps)
    : ring_(ring), rank_(rank), hold_(static_cast<std::size_t>(std::max(0, hold_steps))) {}

void StepAccountant::drain() {
  ring_.exchanges().drain([&](const ExchangeRecord& exchange) {
    if (exchange.done_s <= first_start_s_) return;
    // Its part in steps that are out already can only be told, not put right.
    late_.late_s += Interval{std::max(exchange.issued_s, first_start_s_), std::min(exchange.done_s, accounted_until_s_)}.length();
    if (exchange.done_s > accounted_until_s_) {
      exchanges_.push_back(exchange);
    } else {
      late_.bytes_sent += exchange.sent_bytes;
      late_.messages += exchange.messages;
      ++late_.exchanges;
    }
  });
  ring_.spans().drain([&](const Span& span) { early_spans_.push_back(span); });
}

void StepAccountant::close_step(double start_s, double end_s, const StepSums& known) {
  Held held;
  if (!spare_.empty()) {
    held.trace = std::move(spare_.back());
    spare_.pop_back();
  }
  held.trace.rank = rank_;
  held.trace.step = known.axes.step;
  held.trace.start_s = start_s;
  held.trace.end_s = end_s;
  held.trace.spans.clear();
  held.trace.exchanges.clear();
  held.known = known;
  if (first_start_s_ < 0) first_start_s_ = accounted_until_s_ = start_s;
  held_.push_back(std::move(held));
  drain();
  // Spans belong to the step in which they begin; what begins later (evaluation before the next step) waits for that step.
  StepTrace& trace = held_.back().trace;
  std::erase_if(early_spans_, [&](const Span& span) {
    if (span.start_s >= end_s) return false;
    trace.spans.push_back(span);
    return true;
  });
  const std::uint64_t dropped = ring_.dropped();
  if (dropped != dropped_) held_.back().known.flags |= step_incomplete;
  dropped_ = dropped;
}

const StepTrace* StepAccountant::ready() {
  if (held_.empty() || (held_.size() <= hold_ && !finishing_)) return nullptr;
  drain();
  StepTrace& trace = held_.front().trace;
  trace.exchanges.clear();
  for (const ExchangeRecord& exchange : exchanges_) {
    if (exchange.issued_s < trace.end_s && exchange.done_s > trace.start_s) trace.exchanges.push_back(exchange);
  }
  return &trace;
}

std::optional<StepSums> StepAccountant::next(StepTrace* trace, const LastIssues* peers) {
  if (ready() == nullptr) return std::nullopt;
  Held held = std::move(held_.front());
  held_.pop_front();
  const StepSums measured = account_step(held.trace, peers);
  StepSums sums = held.known;
  for (const StepField& field : step_fields) sums.*field.member = measured.*field.member;
  sums.rank = rank_;
  sums.loss_sum = held.known.loss_sum;
  sums.late_s = late_.late_s;
  sums.flags |= measured.flags;
  sums.bytes_sent = measured.bytes_sent + late_.bytes_sent;
  sums.messages = measured.messages + late_.messages;
  sums.exchanges = measured.exchanges + late_.exchanges;
  late_ = StepSums{};
  accounted_until_s_ = held.trace.end_s;
  std::erase_if(exchanges_, [&](const ExchangeRecord& exchange) { return exchange.done_s <= accounted_until_s_; });
  if (trace != nullptr) std::swap(*trace, held.trace);
  spare_.push_back(std::move(held.trace));
  return sums;
}

}  // namespace syncline
