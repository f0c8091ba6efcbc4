// SPDX-License-Identifier: Apache-2.0
#include "engine/metrics/accounting.h"

#include <gtest/gtest.h>

#include "engine/base/random.h"
#include "engine/metrics/intervals.h"

namespace syncline {
namespace {

Span span(SpanKind kind, double start, double end, std::uint16_t id = 0) { return {start, end, kind, id, 0}; }

ExchangeRecord exchange(double issued, double done, std::uint16_t id = 0, std::uint64_t sequence = 0) {
  ExchangeRecord record;
  record.queued_s = issued;
  record.issued_s = record.first_byte_s = issued;
  record.done_s = done;
  record.id = id;
  record.sequence = sequence;
  record.sent_bytes = 100;
  record.messages = 2;
  return record;
}

// A step of 10 s: data 0-1, forward 1-3, backward 3-6, two exchanges 4-5 and 5.5-8, wait 6-8, update 8-9, then 1 s of nothing.
StepTrace hand_trace() {
  StepTrace trace;
  trace.start_s = 0;
  trace.end_s = 10;
  trace.spans = {span(SpanKind::data_wait, 0, 1), span(SpanKind::forward, 1, 3), span(SpanKind::backward, 3, 6, 1),
                 span(SpanKind::wait, 6, 8, 7), span(SpanKind::update, 8, 9)};
  trace.exchanges = {exchange(4, 5, 6, 1), exchange(5.5, 8, 7, 2)};
  return trace;
}

TEST(Accounting, HandExample) {
  const StepSums sums = account_step(hand_trace());
  EXPECT_DOUBLE_EQ(sums.step_s, 10);
  EXPECT_DOUBLE_EQ(sums.forward_s, 2);
  EXPECT_DOUBLE_EQ(sums.backward_s, 3);
  EXPECT_DOUBLE_EQ(sums.update_s, 1);
  EXPECT_DOUBLE_EQ(sums.compute_s, 6);
  EXPECT_DOUBLE_EQ(sums.comm_s, 3.5);
  EXPECT_DOUBLE_EQ(sums.hidden_s, 1.5);
  EXPECT_DOUBLE_EQ(sums.exposed_s, 2);
  EXPECT_DOUBLE_EQ(sums.blocked_s, 2);
  EXPECT_DOUBLE_EQ(sums.other_s, 2);
  EXPECT_DOUBLE_EQ(sums.data_wait_s, 1);
  EXPECT_DOUBLE_EQ(sums.input_s, 1);
  EXPECT_DOUBLE_EQ(sums.idle_s, 1);
  EXPECT_DOUBLE_EQ(sums.transfer_s, 3.5);
  EXPECT_DOUBLE_EQ(sums.peer_wait_s, 0);
  EXPECT_FALSE(sums.is(step_peer_wait_known));
  EXPECT_EQ(sums.bytes_sent, 200);
  EXPECT_EQ(sums.messages, 4);
  EXPECT_EQ(sums.exchanges, 2);
}

TEST(Accounting, WaitingForPeersIsApartFromTransfer) {
  const LastIssues peers = {{1, 4.25}, {2, 7}};  // the second collective waits 1.5 s for its last peer, of which 1 s exposed
  const StepSums sums = account_step(hand_trace(), &peers);
  EXPECT_TRUE(sums.is(step_peer_wait_known));
  EXPECT_DOUBLE_EQ(sums.peer_wait_s, 0.25 + 1.5);
  EXPECT_DOUBLE_EQ(sums.transfer_s, 0.75 + 1);
  EXPECT_DOUBLE_EQ(sums.hidden_transfer_s, 0.75);
  EXPECT_DOUBLE_EQ(sums.waiting_s, 1);
  EXPECT_DOUBLE_EQ(sums.exposed_transfer_s, 1);
  EXPECT_DOUBLE_EQ(sums.exposed_s, 2);  // the key of the summary includes waiting
}

TEST(Accounting, PeersKnownOnlyWhenEveryExchangeIs) {
  const LastIssues peers = {{1, 4.25}};
  const StepSums sums = account_step(hand_trace(), &peers);
  EXPECT_FALSE(sums.is(step_peer_wait_known));
  EXPECT_DOUBLE_EQ(sums.peer_wait_s, 0.25);
}

TEST(Accounting, OverlappingExchangesCountOnce) {
  StepTrace trace = hand_trace();
  trace.exchanges = {exchange(4, 7), exchange(5, 8), exchange(5.5, 6)};
  const StepSums sums = account_step(trace);
  EXPECT_DOUBLE_EQ(sums.comm_s, 4);
  EXPECT_DOUBLE_EQ(sums.hidden_s, 2);
  EXPECT_DOUBLE_EQ(sums.exposed_s, 2);
}

TEST(Accounting, ExchangesAreCutAtTheBordersOfTheStep) {
  StepTrace trace = hand_trace();
  trace.exchanges = {exchange(-5, 2), exchange(9.5, 14)};
  const StepSums sums = account_step(trace);
  EXPECT_DOUBLE_EQ(sums.comm_s, 2.5);
  EXPECT_DOUBLE_EQ(sums.hidden_s, 1);
  EXPECT_EQ(sums.exchanges, 1);  // the one that ended here; the other belongs to its own end
}

TEST(Accounting, BoundaryWorkIsNeitherInputNorIdle) {
  StepTrace trace = hand_trace();
  trace.spans.push_back(span(SpanKind::evaluation, 9, 9.75));
  const StepSums sums = account_step(trace);
  EXPECT_DOUBLE_EQ(sums.boundary_s, 0.75);
  EXPECT_DOUBLE_EQ(sums.idle_s, 0.25);
}

TEST(Accounting, ExposedTimeGoesToTheBucketWaitedFor) {
  StepTrace trace = hand_trace();
  auto charged = exposed_by_bucket(trace);
  EXPECT_DOUBLE_EQ(charged[7], 2);
  EXPECT_DOUBLE_EQ(charged[6], 0);
  trace.spans.erase(trace.spans.begin() + 3);  // nobody waits: the oldest exchange in flight is charged
  trace.exchanges.push_back(exchange(5.75, 8.0, 9, 3));
  charged = exposed_by_bucket(trace);
  EXPECT_DOUBLE_EQ(charged[7], 2);
  EXPECT_DOUBLE_EQ(charged[9], 0);
}

TEST(Accounting, LastIssuesAreTheLatestOverRanks) {
  StepTrace zero = hand_trace(), one = hand_trace();
  one.rank = 1;
  one.exchanges[1].issued_s = 7;
  const std::vector<StepTrace> traces = {zero, one};
  EXPECT_EQ(last_issues(traces), (LastIssues{{1, 4}, {2, 7}}));
  const LastIssues estimated = estimate_last_issues(traces, 0);  // the shortest duration of collective 2 is 1 s
  EXPECT_EQ(estimated, (LastIssues{{1, 4}, {2, 7}}));
}

// Random traces against a count of sample points on a grid that the interval borders never touch: identity, split, and every sum.
TEST(Accounting, IdentityAndSplitOverRandomIntervals) {
  RandomStream random(7, "accounting");
  constexpr int cells = 400;
  for (int round = 0; round < 300; ++round) {
    StepTrace trace;
    trace.start_s = 0;
    trace.end_s = cells;
    const auto position = [&] { return static_cast<double>(random.below(cells + 40)) - 20; };
    for (std::uint32_t i = random.below(12); i > 0; --i) {
      const double start = position();
      trace.spans.push_back(span(static_cast<SpanKind>(random.below(11)), start, start + random.below(60)));
    }
    LastIssues peers;
    for (std::uint32_t i = random.below(6); i > 0; --i) {
      const double start = position();
      trace.exchanges.push_back(exchange(start, start + random.below(80), 0, i));
      peers[i] = start + random.below(90);
    }
    const StepSums sums = account_step(trace, &peers);
    EXPECT_DOUBLE_EQ(sums.step_s, sums.compute_s + sums.exposed_s + sums.other_s);
    EXPECT_DOUBLE_EQ(sums.step_s, sums.compute_only_s() + sums.hidden_s + sums.waiting_s + sums.exposed_transfer_s + sums.input_s +
                                      sums.boundary_s + sums.idle_s);
    int hidden = 0, waiting = 0, input = 0, boundary = 0, idle = 0, transfer = 0;
    for (int cell = 0; cell < cells; ++cell) {
      const double t = cell + 0.5;
      bool k = false, c = false, x = false, d = false, b = false;
      for (const Span& one : trace.spans) {
        if (t < one.start_s || t >= one.end_s) continue;
        k |= is_compute(one.kind);
        d |= one.kind == SpanKind::data_wait;
        b |= one.kind == SpanKind::evaluation || one.kind == SpanKind::checkpoint;
      }
      for (const ExchangeRecord& one : trace.exchanges) {
        const bool in = t >= one.issued_s && t < one.done_s;
        c |= in;
        x |= in && t >= peers[one.sequence];
      }
      hidden += c && k;
      waiting += c && !k && !x;
      transfer += x;
      input += !c && !k && d;
      boundary += !c && !k && !d && b;
      idle += !c && !k && !d && !b;
    }
    EXPECT_DOUBLE_EQ(sums.hidden_s, hidden);
    EXPECT_DOUBLE_EQ(sums.waiting_s, waiting);
    EXPECT_DOUBLE_EQ(sums.transfer_s, transfer);
    EXPECT_DOUBLE_EQ(sums.input_s, input);
    EXPECT_DOUBLE_EQ(sums.boundary_s, boundary);
    EXPECT_DOUBLE_EQ(sums.idle_s, idle);
  }
}

StepSums known(std::int64_t step) {
  StepSums sums;
  sums.axes.step = step;
  sums.samples = 64;
  return sums;
}

Exchange live(double issued, double done) {
  Exchange one;
  one.issued_s = issued;
  one.done_s = done;
  one.sent_bytes = 8;
  one.label = "bucket 0";
  return one;
}

TEST(StepAccountant, AnExchangeAcrossStepsIsSharedBetweenThem) {
  SpanRing ring;
  StepAccountant accountant(ring, 3);
  ring.exchange(live(0.5, 0.9));  // before the first step: belongs to none
  ring.span(span(SpanKind::forward, 1, 2));
  accountant.close_step(1, 3, known(0));
  EXPECT_FALSE(accountant.next().has_value());  // held for the next step
  ring.exchange(live(2.5, 4));
  ring.span(span(SpanKind::forward, 3, 4.5));
  accountant.close_step(3, 5, known(1));
  ASSERT_NE(accountant.ready(), nullptr);
  ASSERT_EQ(accountant.ready()->exchanges.size(), 1u) << "what the peers are told of";
  const auto first = accountant.next();
  ASSERT_TRUE(first.has_value());
  EXPECT_EQ(first->rank, 3);
  EXPECT_EQ(first->samples, 64);
  EXPECT_DOUBLE_EQ(first->comm_s, 0.5);
  EXPECT_DOUBLE_EQ(first->exposed_s, 0.5);
  EXPECT_EQ(first->exchanges, 0);
  EXPECT_FALSE(accountant.next().has_value());
  accountant.finish();
  StepTrace trace;
  const auto second = accountant.next(&trace);
  ASSERT_TRUE(second.has_value());
  EXPECT_DOUBLE_EQ(second->comm_s, 1);
  EXPECT_DOUBLE_EQ(second->hidden_s, 1);
  EXPECT_EQ(second->exchanges, 1);
  EXPECT_EQ(second->bytes_sent, 8);
  EXPECT_EQ(second->late_s, 0);
  ASSERT_EQ(trace.exchanges.size(), 1u);
  EXPECT_STREQ(trace.exchanges[0].label, "bucket 0");
  EXPECT_EQ(trace.spans.size(), 1u);
}

TEST(StepAccountant, WhatComesTooLateIsTold) {
  SpanRing ring;
  StepAccountant accountant(ring, 0, 0);
  accountant.close_step(0, 2, known(0));
  ASSERT_TRUE(accountant.next().has_value());
  ring.exchange(live(1, 3));
  ring.exchange(live(1, 1.5));
  accountant.close_step(2, 4, known(1));
  const auto sums = accountant.next();
  ASSERT_TRUE(sums.has_value());
  EXPECT_DOUBLE_EQ(sums->comm_s, 1);
  EXPECT_DOUBLE_EQ(sums->late_s, 1.5);
  EXPECT_EQ(sums->exchanges, 2);
  EXPECT_EQ(sums->bytes_sent, 16);
}

TEST(StepAccountant, AFullRingFlagsTheStep) {
  SpanRing ring(4, 4);
  StepAccountant accountant(ring, 0, 0);
  for (int i = 0; i < 6; ++i) ring.span(span(SpanKind::forward, i, i + 1));
  accountant.close_step(0, 10, known(0));
  EXPECT_TRUE(accountant.next()->is(step_incomplete));
  ring.span(span(SpanKind::forward, 10, 11));
  accountant.close_step(10, 12, known(1));
  EXPECT_FALSE(accountant.next()->is(step_incomplete));
}

}  // namespace
}  // namespace syncline
