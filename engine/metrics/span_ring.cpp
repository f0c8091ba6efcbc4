// SPDX-License-Identifier: Apache-2.0
#include "engine/metrics/span_ring.h"

#include <algorithm>
#include <utility>

#include "engine/metrics/clock.h"

namespace syncline {

ExchangeRecord ExchangeRecord::of(const Exchange& exchange) {
  ExchangeRecord record;
  record.queued_s = exchange.queued_s;
  record.issued_s = exchange.issued_s;
  record.first_byte_s = exchange.first_byte_s;
  record.done_s = exchange.done_s;
  record.sequence = exchange.sequence;
  record.bytes = exchange.bytes;
  record.sent_bytes = exchange.sent_bytes;
  record.step = exchange.step;
  record.messages = exchange.messages;
  record.id = exchange.id;
  const std::size_t length = std::min(exchange.label.size(), sizeof record.label - 1);
  std::copy_n(exchange.label.data(), length, record.label);
  return record;
}

SpanRing::SpanRing(std::size_t spans, std::size_t exchanges, Recorder* next) : spans_(spans), exchanges_(exchanges), next_(next) {}

void SpanRing::span(const Span& span) { spans_.push(span); }

void SpanRing::exchange(const Exchange& exchange) { exchanges_.push(ExchangeRecord::of(exchange)); }

void SpanRing::scalar(std::string_view series, std::int64_t step, double value) {
  if (next_ != nullptr) next_->scalar(series, step, value);
}

void SpanRing::event(std::string_view kind, std::string text) {
  if (next_ != nullptr) next_->event(kind, std::move(text));
}

SpanScope::SpanScope(Recorder& recorder, const Clock& clock, SpanKind kind, std::uint16_t id, std::uint32_t step)
    : recorder_(recorder), clock_(clock), span_{clock.now_s(), 0, kind, id, step} {}

SpanScope::~SpanScope() {
  span_.end_s = clock_.now_s();
  recorder_.span(span_);
}

}  // namespace syncline
